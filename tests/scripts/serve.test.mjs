// `npm run serve` as a process: it says when it is ready, stops all that it started, and survives being killed.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { get } from "node:https";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import test, { after } from "node:test";
import { root } from "../../scripts/paths.mjs";

const PATIENCE = { timeout: 60_000 };

const stateDir = mkdtempSync(path.join(tmpdir(), "anteroom-serve-"));
after(() => rmSync(stateDir, { recursive: true, force: true }));

/** Starts the command; resolves with the process and what it printed up to its ready line. */
async function serve(...words) {
  const args = ["scripts/serve.mjs", "--port", "0", "--state", stateDir, "--print-pids", ...words];
  const child = spawn(process.execPath, args, { cwd: root, stdio: ["ignore", "pipe", "ignore"] });
  const ended = new Promise((resolve) => child.on("exit", (code, signal) => resolve({ code, signal })));
  const lines = [];
  for await (const line of createInterface({ input: child.stdout })) {
    lines.push(line);
    if (line.startsWith("ready ")) return { child, ended, lines, pids: JSON.parse(lines.at(-2)) };
  }
  throw new Error(`it ended before it was ready: ${lines.join("\n")}`);
}

/** Whether a process is alive; one that has ended and was not collected yet is not. */
function isAlive(pid) {
  const { status, stdout } = spawnSync("ps", ["-o", "stat=", "-p", String(pid)], { encoding: "utf8" });
  return status === 0 && !stdout.trim().startsWith("Z");
}

async function isGone(pid) {
  for (let tries = 0; tries < 100 && isAlive(pid); tries += 1) await new Promise((resolve) => setTimeout(resolve, 50));
  return !isAlive(pid);
}

test("it prints its address, answers there, and SIGTERM stops workerd and the shop", PATIENCE, async () => {
  const { child, ended, lines, pids } = await serve();
  assert.equal(lines.at(-1), `ready ${pids.url}`);
  assert.equal((await fetch(`${pids.url}/_wr/health`)).status, 200);
  assert.ok(isAlive(pids.workerd_pid) && isAlive(pids.shop_pid));
  child.kill("SIGTERM");
  assert.equal((await ended).code, 0);
  assert.ok(await isGone(pids.workerd_pid));
  assert.ok(await isGone(pids.shop_pid));
});

test("with --tls it answers over https to whoever trusts the certificate in its folder", PATIENCE, async () => {
  const { child, ended, pids } = await serve("--tls");
  const ca = readFileSync(path.join(stateDir, "serve", "certificate.pem"));
  const statusWith = (options) =>
    new Promise((resolve, reject) => {
      const asked = get(`${pids.url}/_wr/health`, { ...options, agent: false }, (response) => {
        response.resume();
        resolve(response.statusCode);
      });
      asked.on("error", reject);
    });
  assert.equal(await statusWith({ ca }), 200);
  await assert.rejects(statusWith({}), /self-signed certificate/);
  child.kill("SIGTERM");
  assert.equal((await ended).code, 0);
});

test("a configuration that the Worker refuses is said once, and nothing is served", PATIENCE, async () => {
  const folder = mkdtempSync(path.join(tmpdir(), "anteroom-refused-"));
  const config = path.join(folder, "wrangler.toml");
  const whole = readFileSync(path.join(root, "wrangler.toml"), "utf8");
  writeFileSync(config, whole.replace('mode = "always"', 'mode = "allways"'));
  const args = ["scripts/serve.mjs", "--port", "0", "--state", path.join(folder, "state"), "--config", config];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: root, encoding: "utf8" });
  rmSync(folder, { recursive: true, force: true });
  assert.deepEqual([status, stdout], [1, ""], stderr);
  assert.match(
    stderr,
    /The Worker refuses the configuration, and nothing is served:\nEVENT_DEMO\.mode: found "allways"/,
  );
  assert.equal(stderr.split("EVENT_DEMO.mode").length, 2, stderr);
});

test("a state folder that another one serves from is refused, and that one goes on", PATIENCE, async () => {
  const { child, ended, pids } = await serve();
  const args = ["scripts/serve.mjs", "--port", "0", "--state", stateDir];
  const second = spawnSync(process.execPath, args, { cwd: root, encoding: "utf8" });
  assert.notEqual(second.status, 0);
  assert.match(second.stderr, new RegExp(`--state is .*, but process ${child.pid} serves from there`));
  assert.equal((await fetch(`${pids.url}/_wr/health`)).status, 200);
  assert.ok(existsSync(path.join(stateDir, "serve", "workerd.pid")), "what it would have to end next time");
  child.kill("SIGTERM");
  await ended;
  assert.ok(!existsSync(path.join(stateDir, "serve", "owner.pid")), "the folder is free again");
});

test("what a killed command left behind is ended by the next one", PATIENCE, async () => {
  const first = await serve();
  first.child.kill("SIGKILL");
  await first.ended;
  assert.ok(isAlive(first.pids.workerd_pid));
  const second = await serve();
  assert.notEqual(second.pids.workerd_pid, first.pids.workerd_pid);
  assert.ok(await isGone(first.pids.workerd_pid));
  assert.ok(await isGone(first.pids.shop_pid));
  second.child.kill("SIGTERM");
  await second.ended;
});

test("it ends with an error when workerd ends", PATIENCE, async () => {
  const { ended, pids } = await serve();
  process.kill(pids.workerd_pid, "SIGKILL");
  assert.equal((await ended).code, 1);
  assert.ok(await isGone(pids.shop_pid));
});
