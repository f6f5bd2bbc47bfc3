// A mistake in how a command is called is said at once, before anything is prepared: in one line, with where its usage is, and code 2.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createServer } from "node:http";
import path from "node:path";
import test from "node:test";
import { configFileOf, portOf, UsageError } from "../../scripts/command-line.mjs";
import { root, wranglerFile } from "../../scripts/paths.mjs";
import { freePort, requireFreePort } from "../../scripts/ports.mjs";
import { answers, healthIn, workerAnswers } from "../../scripts/answers.mjs";

const PATIENCE = { timeout: 30_000 };

/** Runs a command to its end: `{ code, output }`. */
function run(command, words) {
  const child = spawn(process.execPath, [path.join("scripts", `${command}.mjs`), ...words], { cwd: root });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (bytes) => (output += bytes));
  return new Promise((resolve) => child.on("close", (code) => resolve({ code, output })));
}

/** Another program at a port of this machine; resolves with the port and what ends it. */
async function stranger(host = "127.0.0.1", body = "hello") {
  const server = createServer((_, response) => response.end(body));
  await new Promise((resolve) => server.listen(0, host, resolve));
  return { port: server.address().port, end: () => new Promise((resolve) => server.close(resolve)) };
}

const MISTAKES = [
  ["dev", ["--port="], /--port is "", allowed is 1 to 65535, or 0/],
  ["dev", ["--port", "0x10"], /--port is "0x10"/],
  ["dev", ["--config", "nofile.toml"], /--config is "nofile.toml", but there is no such file: \//],
  ["dev", ["--prot", "1"], /--prot/],
  ["serve", ["--port", "99999"], /--port is "99999"/],
  ["serve", ["--config", "nofile.toml"], /no such file/],
  ["serve", ["--state", "/proc/anteroom/state"], /--state is "\/proc\/anteroom\/state", but no folder can be made/],
  ["deploy", ["--dry-run", "--config", "nofile.toml"], /no such file/],
  ["operator", ["--url", "nowhere", "status"], /--url is "nowhere"/],
  ["operator", ["--seconds", "1e3", "watch"], /--seconds is "1e3", allowed is 1 to/],
  ["operator", ["rate", "0x10"], /rate is "0x10", allowed is 1 to 1000000/],
  ["operator", ["rate", "-5"], /rate is "-5", allowed is 1 to 1000000/],
  ["operator", ["limit", "-5"], /limit is "-5", allowed is 1 to 1000000/],
  ["operator", ["expect", "-5"], /expect is "-5", allowed is 1 to/],
  ["operator", ["stock", "-5"], /stock is "-5", allowed is 0 to/],
  ["operator", ["status", "-5"], /status takes nothing more, found "-5"/],
  ["operator", ["reschedule", "-5", "x"], /reschedule takes a time with its offset .*found "-5"/],
  ["operator", ["-5"], /found "-5", allowed: status, watch/],
  ["operator", ["--seconds", "-5", "watch"], /--seconds is "-5", allowed is 1 to/],
  ["operator", ["--next-update", "-5", "pause", "x"], /--next-update is "-5", allowed is 1 to 1440 minutes/],
  ["serve", ["--port", "-1"], /--port is "-1", allowed is 1 to 65535/],
  ["codes", ["-5"], /Unexpected argument '-5'/],
  ["operator", ["resume", "now"], /resume takes nothing more, found "now"/],
  ["operator", ["status", "demo"], /status takes nothing more/],
  ["operator", ["pause", "slow"], /pause takes a reason and --next-update MIN/],
  ["operator", ["--next-update", "5", "stop"], /stop takes a reason and --next-update MIN/],
  ["operator", ["reschedule", "tomorrow", "x"], /reschedule takes a time with its offset/],
  ["operator", ["stock", "many"], /stock is "many", allowed is 0 to/],
  ["operator", ["close-line"], /close-line takes the id of one line/],
  ["operator", ["log"], /log and --out FILE belong together/],
  ["operator", ["--line", "fans", "status"], /--line belongs to reschedule/],
  ["operator", ["dance"], /found "dance", allowed: status, watch, .*stock/],
  ["operator-token", ["--role", "read"], /--role is "read", allowed are view, operate, configure/],
  ["operator-token", ["--hours", "0"], /--hours is "0", allowed is 1 to 2208/],
  ["origin-key", ["--event", "demo", "--algorithm", "none"], /--algorithm is "none", allowed are HS256 and EdDSA/],
  ["codes", ["--line", "fans", "--count", "1"], /--event is missing/],
  ["codes", ["--event", "demo", "--count", "1"], /--line is missing/],
  ["codes", ["--event", "demo", "--line", "fans"], /--count is missing/],
  ["codes", ["--event", "demo", "--line", "fans", "--count", "0"], /--count is "0", allowed is 1 to 100000/],
  ["codes", ["--event", "demo", "--line", "fans", "--count", "100001"], /--count is "100001"/],
  ["codes", ["--event", "demo", "--line", "f", "--count", "1", "--uses", "1001"], /--uses is "1001", allowed is 1 to/],
  ["codes", ["--event", "demo", "--line", "f", "--count", "1", "--config", "nofile.toml"], /no such file/],
  ["enqueue-key", [], /--event is missing/],
  ["enqueue-key", ["--event", "demo", "--ip", "127.0.0.1"], /--ip belongs to --check/],
  ["enqueue-key", ["--event", "demo", "--config", "nofile.toml"], /no such file/],
  ["staff-pass", ["--name", "Anna", "--minutes", "5"], /--event is missing/],
  ["staff-pass", ["--event", "demo", "--name", "Anna"], /--minutes is missing/],
  [
    "staff-pass",
    ["--event", "demo", "--name", "Zo\u00eb", "--minutes", "5"],
    /--name is "Zo\u00eb", allowed are 1 to 64/,
  ],
  ["staff-pass", ["--event", "demo", "--name", "", "--minutes", "5"], /--name is ""/],
  ["staff-pass", ["--event", "demo", "--name", "Anna", "--minutes", "241"], /--minutes is "241", allowed is 1 to 240/],
  ["staff-pass", ["--event", "demo", "--name", "Anna", "--minutes", "5", "--url", "shop"], /--url is "shop"/],
  ["simulate", ["--visitor", "10"], /--visitor is not known/],
  ["load", ["--visitor=10"], /--visitor=10 is not known/],
  ["model", ["--big"], /--big is not known/],
  ["test", ["nosuch"], /no suite nosuch; there are: formatting, /],
  ["setup", ["--everything"], /--everything/],
  ["format", ["--all"], /--all/],
];

for (const [command, words, complaint] of MISTAKES) {
  test(`${command} ${words.join(" ")}: is refused in two lines and with code 2`, PATIENCE, async () => {
    const { code, output } = await run(command, words);
    assert.equal(code, 2, output);
    assert.match(output, complaint);
    const [said, pointer, ...rest] = output.trimEnd().split("\n");
    assert.match(said, complaint);
    assert.match(pointer, new RegExp(`^npm (run )?${command} -- --help says how it is used$`));
    assert.deepEqual(rest, []);
  });
}

test("a port is written in decimal digits", () => {
  assert.deepEqual(
    ["0", "1", "8787", "65535"].map((text) => portOf(text, 1)),
    [0, 1, 8787, 65_535],
  );
  assert.equal(portOf(undefined, 8787), 8787);
  for (const text of ["", " ", "abc", "-1", "1.5", "1e3", "0x10", "65536", "99999"]) {
    assert.throws(() => portOf(text, 8787), UsageError, text);
  }
});

test("a configuration is a file", () => {
  assert.equal(configFileOf(wranglerFile), wranglerFile);
  for (const name of ["nofile.toml", "", root]) assert.throws(() => configFileOf(name), UsageError, name);
});

for (const command of ["dev", "serve"]) {
  test(`${command} starts nothing at a port where another program listens`, PATIENCE, async () => {
    const other = await stranger();
    const { code, output } = await run(command, ["--port", String(other.port)]);
    assert.equal(code, 1, output);
    assert.match(output, new RegExp(`Port ${other.port} is taken: another program listens.*--port`));
    assert.doesNotMatch(output, /Open http|ready http/);
    await other.end();
  });
}

test("a program at every address takes the port too, and a free one is free", async () => {
  const other = await stranger("0.0.0.0");
  await assert.rejects(requireFreePort(other.port), /is taken/);
  await other.end();
  await requireFreePort(other.port);
  await requireFreePort(0);
});

test("only the Worker's own answer counts", PATIENCE, async () => {
  assert.deepEqual(healthIn({ body: '{"ok":true}' }), { ok: true });
  for (const body of ["ok", "null", "[]", '{"ok":"true"}', "<html>"]) assert.equal(healthIn({ body }), null, body);
  const other = await stranger();
  const url = `http://127.0.0.1:${other.port}`;
  await assert.rejects(workerAnswers(url, undefined, 200), /does not answer.*with status 200, is not the Worker/);
  await other.end();
});

test("a Worker that refuses its configuration says what is wrong", async () => {
  const other = await stranger("127.0.0.1", '{"ok":false,"problems":["EVENT_DEMO.id: missing"]}');
  for (const prefix of [undefined, "/line", "line", 5]) {
    const problems = await workerAnswers(`http://127.0.0.1:${other.port}`, prefix, 5_000);
    assert.deepEqual(problems, ["EVENT_DEMO.id: missing"]);
  }
  await other.end();
});

test("nobody waits for a program that has ended", PATIENCE, async () => {
  const child = { hasEnded: new Promise((resolve) => setTimeout(resolve, 100, { code: 3, signal: null })) };
  const startedAt = Date.now();
  const nobody = `http://127.0.0.1:${await freePort()}/`;
  await assert.rejects(answers([nobody], 60_000, { child }), /its process has ended \(code 3\)/);
  assert.ok(Date.now() - startedAt < 5_000);
});
