// T27: the steps of a rotation as somebody takes them at a terminal. No key is printed, and no step comes too early.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import test, { after, beforeEach } from "node:test";
import { root } from "../../scripts/paths.mjs";
import { addKey, firstKey, readKeys } from "../../scripts/rotating/key-file.mjs";
import { INVITATION_MS, nextOf, PUBLISHED_FOR_MS, VISITORS_MS } from "../../scripts/rotating/steps.mjs";
import { freshRootKey, secretsOf } from "../../scripts/setup/keys.mjs";

const folder = mkdtempSync(path.join(os.tmpdir(), "anteroom-keys-"));
after(() => rmSync(folder, { recursive: true, force: true }));
const file = path.join(folder, "live.keys");
const config = path.join(folder, "wrangler.toml");
const OLD = freshRootKey("old");

const event = (more = "") => `[vars.EVENT_TOUR]
id = "tour"
title = "Tour"
hosts = ["tickets.example.com"]
paths = ["/tour/*"]
${more}
`;

beforeEach(() => {
  writeFileSync(file, `# of the live deployment\nROOT_KEY=${OLD}\nTURNSTILE_SECRET=keep me\n`, { mode: 0o600 });
  writeFileSync(config, event());
});

/** One command; `says` is all that it printed, and holds no key. */
async function keys(...words) {
  const [command, ...more] = words;
  const options = command === "new" ? more : [...more, "--config", config];
  const child = spawn(process.execPath, ["scripts/keys.mjs", command, "--file", file, ...options], {
    cwd: root,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let says = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (bytes) => (says += bytes));
  const code = await new Promise((resolve) => child.on("close", resolve));
  const { ROOT_KEY = "", ROOT_KEY_PREVIOUS = "" } = secretsOf(file);
  for (const secret of [OLD, ROOT_KEY, ROOT_KEY_PREVIOUS].filter(Boolean)) {
    assert.ok(!says.includes(secret.split(":")[1]), "a key was printed");
  }
  return { code, says };
}

test("T27 a first key is written into a file of its owner's and shown nowhere", async () => {
  rmSync(file);
  const first = await keys("new");
  assert.equal(first.code, 0, first.says);
  assert.match(first.says, /npx wrangler secret bulk .*live\.keys/);
  assert.equal(statSync(file).mode & 0o777, 0o600);
  const { signing, other, step } = readKeys(file);
  assert.deepEqual([other, step], [null, "steady"]);
  assert.ok(first.says.startsWith(`${signing} is new`), first.says);
  assert.deepEqual(Object.keys(secretsOf(file)), ["ROOT_KEY"]);
  assert.equal((await keys("rotate")).code, 0, "the steps go on from it");
});

test("T27 a first key takes the place of no other unless somebody says so, and what else is in the file stays", async () => {
  for (const held of [`ROOT_KEY=${OLD}`, "ROOT_KEY=k1:short", `ROOT_KEY_PREVIOUS=${OLD}`]) {
    const text = `# of the live deployment\n${held}\nTURNSTILE_SECRET=keep me\n`;
    writeFileSync(file, text);
    const refused = await keys("new");
    assert.equal(refused.code, 1, held);
    assert.match(refused.says, /nothing was done: .* has ROOT_KEY\w* already/);
    assert.equal(readFileSync(file, "utf8"), text, "nothing was changed");
    assert.equal((await keys("new", "--replace")).code, 0, held);
    assert.notEqual(readKeys(file).signing, "old");
    assert.equal(statSync(file).mode & 0o777, 0o600);
    const kept = readFileSync(file, "utf8");
    assert.ok(kept.includes("# of the live deployment") && kept.includes("TURNSTILE_SECRET=keep me"));
    assert.ok(!kept.includes(held), "the old key is gone");
  }
  writeFileSync(file, "TURNSTILE_SECRET=keep me\n");
  assert.equal((await keys("new")).code, 0, "a file without a key");
});

test("a key in .dev.vars says by its id that it is for a developer's machine", () => {
  const own = path.join(folder, ".dev.vars");
  const signing = firstKey(own, Date.now(), false);
  const other = addKey(own, Date.now());
  rmSync(own);
  for (const id of [signing, other]) assert.match(id, /^dev[0-9a-f]{4}$/);
  assert.match(firstKey(file, Date.now(), true), /^k\d{6}-[0-9a-f]{4}$/);
});

/** The last step was taken so long ago. */
function since(ms) {
  const at = new Date(Date.now() - ms).toISOString();
  const text = readFileSync(file, "utf8");
  writeFileSync(file, text.replace(/^(# keys: \S+ \S+) .*$/m, `$1 ${at}`));
}

test("T27 from one key to another: prepare, promote, retire, each when its time has come", async () => {
  const first = await keys("rotate");
  assert.equal(first.code, 0, first.says);
  const prepared = readKeys(file);
  assert.deepEqual([prepared.signing, prepared.step], ["old", "prepared"]);
  assert.match(first.says, /npx wrangler secret bulk .*live\.keys/);
  assert.match(first.says, /origin-key -- --event tour/);

  const early = await keys("rotate", "--origins-ready");
  assert.equal(early.code, 1);
  assert.match(early.says, /nothing was done: promote not before 2\d{3}-/);
  assert.deepEqual(readKeys(file), prepared);

  since(PUBLISHED_FOR_MS);
  const unready = await keys("rotate");
  assert.equal(unready.code, 1);
  assert.match(unready.says, /nothing was done: .*an origin without it refuses/s);
  assert.equal((await keys("rotate", "--origins-ready")).code, 0);
  const { signing, other, step } = readKeys(file);
  assert.deepEqual([signing, other, step], [prepared.other, "old", "promoted"]);

  since(VISITORS_MS - 60_000);
  assert.equal((await keys("rotate")).code, 1);
  since(VISITORS_MS);
  const last = await keys("rotate");
  assert.match(last.says, /npx wrangler secret delete ROOT_KEY_PREVIOUS/);
  assert.deepEqual(readKeys(file), { signing, other: null, step: "steady", since: null });
  const kept = readFileSync(file, "utf8");
  assert.ok(kept.includes("# of the live deployment") && kept.includes("TURNSTILE_SECRET=keep me"));
});

test("T27 a step is taken back: the new key goes before the promotion, after it the two are exchanged", async () => {
  await keys("prepare");
  assert.equal((await keys("rollback")).code, 0);
  assert.deepEqual(readKeys(file), { signing: "old", other: null, step: "steady", since: null });
  await keys("prepare");
  await keys("promote", "--now", "--origins-ready");
  const { signing } = readKeys(file);
  const back = await keys("rollback");
  assert.match(back.says, /^old signs again/);
  const { step, ...now } = readKeys(file);
  assert.deepEqual([now.signing, now.other, step], ["old", signing, "promoted"]);
  assert.match((await keys("show")).says, /next: retire, not before .*/);
  assert.equal((await keys("retire")).code, 1, "what the new key signed meanwhile still holds");
});

test("a file whose name a shell would take apart is named as a shell takes it", async () => {
  const inner = path.join(folder, "Anna's keys");
  mkdirSync(inner);
  const { says } = await keys("new", "--file", path.join(inner, "live.keys"));
  rmSync(inner, { recursive: true });
  const [, named] = says.match(/npx wrangler secret bulk (.*)/);
  assert.equal(named, `'${path.relative(root, inner).replace("'", "'\\''")}/live.keys'`);
});

test("the file is whole and its owner's after every step, and nothing is left beside it", async () => {
  for (const words of [["prepare"], ["promote", "--now", "--origins-ready"], ["rollback"], ["retire", "--now"]]) {
    assert.equal((await keys(...words)).code, 0, words.join(" "));
    assert.equal(statSync(file).mode & 0o777, 0o600);
    assert.deepEqual(readdirSync(folder).sort(), ["live.keys", "wrangler.toml"]);
  }
});

test("how long two keys overlap follows from what the events hand out", () => {
  const promoted = { step: "promoted", since: 0 };
  const lines = (access) => [{ lines: [{ id: "general" }, { id: "x", access }] }];
  assert.equal(nextOf(promoted, [{}]).atMs, VISITORS_MS);
  assert.equal(nextOf(promoted, lines("enqueue_token")).atMs, INVITATION_MS);
  assert.equal(nextOf(promoted, lines("code")).atMs, Number.POSITIVE_INFINITY);
});

test("with codes in the world an old key goes only when somebody says so", async () => {
  writeFileSync(config, event('lines = [{ id = "fans", access = "code" }]'));
  await keys("prepare");
  await keys("promote", "--now", "--origins-ready");
  const refused = await keys("rotate");
  assert.equal(refused.code, 1);
  assert.match(refused.says, /retire when nobody needs the old key any more/);
  assert.equal((await keys("retire", "--now")).code, 0);
});

test("an origin that fetches its keys, and the demo shop, ask nobody for --origins-ready", async () => {
  for (const field of ['pass_algorithm = "EdDSA"', 'origin = "demo-shop"']) {
    writeFileSync(config, event(field));
    writeFileSync(file, `ROOT_KEY=${OLD}\n`);
    assert.doesNotMatch((await keys("prepare")).says, /origin-key/);
    assert.equal((await keys("promote", "--now")).code, 0, field);
  }
});

test("T5 a key that cannot be one is named by its id alone, and a file that says too little is not guessed at", async () => {
  const secret = "c2hvcnQtc2VjcmV0";
  for (const [text, says] of [
    [`ROOT_KEY=k1:${secret}\n`, /ROOT_KEY: the key of the id k1 is not written/],
    [`ROOT_KEY=${secret}\n`, /ROOT_KEY: the key is not written/],
    [`ROOT_KEY=${OLD}\nROOT_KEY_PREVIOUS=K2:${secret}\n`, /ROOT_KEY_PREVIOUS: the key is not written/],
    [`ROOT_KEY=${OLD}\nROOT_KEY_PREVIOUS=${OLD}\n`, /both keys have the id old/],
    [`ROOT_KEY=${OLD}\nROOT_KEY_PREVIOUS=${freshRootKey("who")}\n`, /does not say which of them is new/],
    ["ISSUER=x\n", /has no ROOT_KEY/],
  ]) {
    writeFileSync(file, text);
    const answer = await keys("rotate");
    assert.equal(answer.code, 1, text);
    assert.match(answer.says, says);
    assert.ok(!answer.says.includes(secret));
    assert.equal(readFileSync(file, "utf8"), text, "nothing was changed");
  }
});

test("what is no command, and one step too many, are refused", async () => {
  for (const [words, code, says] of [
    [["turn"], 2, /allowed are new, show, rotate, prepare, promote, retire, rollback/],
    [["show", "more"], 2, /command is "show more"/],
    [["show", "--replace"], 2, /--replace belongs to new/],
    [["show", "--now"], 2, /--now belongs to rotate, promote, retire/],
    [["retire", "--origins-ready"], 2, /--origins-ready belongs to rotate, promote/],
    [["new", "--now"], 2, /--now belongs to/],
    [["new", "--origins-ready"], 2, /--origins-ready belongs to/],
    [["new", "--config", config], 2, /--config belongs to show, rotate, prepare, promote, retire, rollback/],
    [["new", "--file", folder], 2, /--file is ".*", which is a folder/],
    [["show", "--file", folder], 2, /--file is ".*", which is a folder/],
    [["promote"], 1, /there is one key, old/],
    [["retire"], 1, /there is one key, old/],
    [["rollback"], 1, /no step to take back/],
  ]) {
    const answer = await keys(...words);
    assert.equal(answer.code, code, answer.says);
    assert.match(answer.says, says);
  }
  await keys("prepare");
  assert.match((await keys("prepare")).says, /there are two keys already/);
});
