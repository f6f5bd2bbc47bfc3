// Whoever is stopped stops what it has started.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import test from "node:test";
import { root } from "../../scripts/paths.mjs";

const PATIENCE = { timeout: 30_000 };

/** A program that starts a group and says its id; `more` is run before. */
async function starter(more = "") {
  const text = `
    import { onStopRequest, startGroup, stopGroup } from "./scripts/processes.mjs";
    let child = null;
    ${more}
    child = startGroup("sleep", ["60"]);
    console.log(child.pid);
    await child.hasEnded;`;
  const program = spawn(process.execPath, ["--input-type=module", "--eval", text], { cwd: root });
  const [bytes] = await once(program.stdout, "data");
  return { program, group: Number(String(bytes)) };
}

async function isGone(group) {
  for (let tries = 0; tries < 100; tries += 1) {
    try {
      process.kill(-group, 0);
    } catch {
      return true;
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return false;
}

for (const [signal, code] of [
  ["SIGINT", 130],
  ["SIGTERM", 143],
  ["SIGHUP", 129],
]) {
  test(`${signal} ends a program and the groups that it started`, PATIENCE, async () => {
    const { program, group } = await starter();
    program.kill(signal);
    assert.deepEqual(await once(program, "exit"), [code, null]);
    assert.ok(await isGone(group));
  });
}

test("a command that stops what it started by itself is given the time to", PATIENCE, async () => {
  const { program, group } = await starter(
    "onStopRequest(async () => { await stopGroup(child); console.error('stopped'); process.exit(7); });",
  );
  const said = once(program.stderr, "data");
  program.kill("SIGTERM");
  assert.deepEqual(await once(program, "exit"), [7, null]);
  assert.match(String(await said), /stopped/);
  assert.ok(await isGone(group));
});

test("a program that fails takes its groups along", PATIENCE, async () => {
  const { program, group } = await starter("setTimeout(() => { throw new Error('bang'); }, 200);");
  assert.equal((await once(program, "exit"))[0], 1);
  assert.ok(await isGone(group));
});
