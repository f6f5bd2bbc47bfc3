// Codes, the key of enqueue tokens and the link for staff, as an organizer gets them at a terminal.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createHmac, hkdfSync, randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import os from "node:os";
import path from "node:path";
import test, { after } from "node:test";
import { SignJWT } from "jose";
import { root } from "../../scripts/paths.mjs";

/** A build of the key tool may be in between. */
const PATIENCE = { timeout: 300_000 };
const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const ROOT_KEY = randomBytes(32);

const folder = mkdtempSync(path.join(os.tmpdir(), "anteroom-inviting-"));
after(() => rmSync(folder, { recursive: true, force: true }));
const config = path.join(folder, "wrangler.toml");
writeFileSync(path.join(folder, ".dev.vars"), `ROOT_KEY=t1:${ROOT_KEY.toString("base64url")}\n`);
writeFileSync(
  config,
  `[vars]
ISSUER = "live"
[vars.EVENT_TOUR]
id = "tour"
run = 3
hosts = ["tickets.example.com"]
paths = ["/tour/*"]
lines = [
  { id = "general" },
  { id = "fans", access = "code" },
  { id = "press", access = "code" },
  { id = "members", access = "enqueue_token" },
]
[vars.EVENT_PLAIN]
id = "plain"
hosts = ["tickets.example.com"]
paths = ["/plain/*"]
`,
);

/** Runs a command to its end with that deployment: `{ code, stdout, stderr }`. */
function run(command, words, env = {}) {
  const environment = { ...process.env, ROOT_KEY: "", ROOT_KEY_PREVIOUS: "", OPERATOR_TOKEN: "", ...env };
  const script = path.join(root, "scripts", `${command}.mjs`);
  const child = spawn(process.execPath, [script, ...words, "--config", config], { cwd: root, env: environment });
  const printed = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"]) child[name].on("data", (bytes) => (printed[name] += bytes));
  return new Promise((resolve) => child.on("close", (code) => resolve({ code, ...printed })));
}

const field = (bytes) => {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
};

function derivedKey(typ, audience) {
  const short = (text) => Buffer.concat([Buffer.from([0, text.length]), Buffer.from(text)]);
  const info = Buffer.concat(["anteroom/token/v1", typ, "HS256", "live", audience].map(short));
  return Buffer.from(hkdfSync("sha256", ROOT_KEY, "", info, 32));
}

/** What a code says, read as docs/tokens.md describes it. */
function readCode(code) {
  const bits = [...code.replaceAll("-", "")].reduce((sum, char) => sum * 32n + BigInt(ALPHABET.indexOf(char)), 0n);
  const said = bits >> 50n;
  return { said, id: said >> 10n, uses: Number(said & 1023n) + 1, mac: bits & ((1n << 50n) - 1n) };
}

function macOf(said, line) {
  const saidBytes = Buffer.from(said.toString(16).padStart(14, "0"), "hex");
  const input = [Buffer.from("tour"), Buffer.from([0, 0, 0, 3]), Buffer.from(line), saidBytes].map(field);
  const mac = createHmac("sha256", derivedKey("wr-code", "")).update(Buffer.concat(input)).digest();
  return mac.readBigUInt64BE() >> 14n;
}

test("codes come one a line, all different, each with the uses that were asked for", PATIENCE, async () => {
  const { code, stdout, stderr } = await run("codes", [
    "--event",
    "tour",
    "--line",
    "fans",
    "--count",
    "40",
    "--uses",
    "7",
  ]);
  assert.equal(code, 0, stderr);
  const codes = stdout.trimEnd().split("\n");
  assert.equal(codes.length, 40);
  for (const each of codes) {
    assert.match(each, /^([0-9A-HJKMNP-TV-Z]{5}-){3}[0-9A-HJKMNP-TV-Z]{5}$/);
    const { said, uses, mac } = readCode(each);
    assert.equal(uses, 7);
    assert.equal(mac, macOf(said, "fans"));
    assert.notEqual(mac, macOf(said, "press"));
  }
  assert.equal(new Set(codes.map((each) => readCode(each).id)).size, 40);
});

const NO_CODES = [
  ["another event", ["--event", "tuor", "--line", "fans"], /--event is "tuor", there are: tour, plain/],
  ["a line that is none", ["--event", "tour", "--line", "fan"], /--line is "fan".*tour.*there are: fans, press/],
  ["a line for everyone", ["--event", "tour", "--line", "general"], /--line is "general".*there are: fans, press/],
  ["a line for tokens", ["--event", "tour", "--line", "members"], /access = "code"; there are: fans, press/],
  ["an event without lines", ["--event", "plain", "--line", "general"], /access = "code"; there is none/],
];

for (const [name, words, complaint] of NO_CODES) {
  test(`no codes for ${name}`, PATIENCE, async () => {
    const { code, stdout, stderr } = await run("codes", [...words, "--count", "1"]);
    assert.deepEqual([code, stdout], [2, ""], stderr);
    assert.match(stderr, complaint);
  });
}

async function enqueueKey() {
  const { code, stdout, stderr } = await run("enqueue-key", ["--event", "tour", "--json"]);
  assert.equal(code, 0, stderr);
  return JSON.parse(stdout).keys[0];
}

test("the enqueue key is the event's own and is printed with what belongs in a token", PATIENCE, async () => {
  const key = await enqueueKey();
  assert.deepEqual([key.kty, key.alg, key.audience, key.event], ["oct", "HS256", "live", "tour"]);
  assert.equal(key.k, derivedKey("wr-enqueue+jwt", "tour").toString("base64url"));
  assert.match(key.kid, /^t1\.[\w-]{8}$/);
  const { stdout } = await run("enqueue-key", ["--event", "tour"]);
  for (const line of [`key id    ${key.kid}`, `base64url ${key.k}`, "audience  live", "lines     members"]) {
    assert.ok(stdout.includes(`${line}\n`), stdout);
  }
  const plain = await run("enqueue-key", ["--event", "plain"]);
  assert.match(plain.stderr, /plain has no line with access = "enqueue_token" yet/);
});

test("a token can be checked before it is sent to anybody", PATIENCE, async () => {
  const key = await enqueueKey();
  const now = Math.floor(Date.now() / 1000);
  const claims = {
    v: 1,
    iss: "shop",
    aud: "live",
    evt: "tour",
    line: "members",
    key: "m-1",
    jti: "1",
    iat: now,
    exp: now + 60,
  };
  const sign = (more) =>
    new SignJWT({ ...claims, ...more })
      .setProtectedHeader({ alg: "HS256", typ: "wr-enqueue+jwt", kid: key.kid })
      .sign(Buffer.from(key.k, "base64url"));
  const check = async (more, ...words) =>
    run("enqueue-key", ["--event", "tour", "--check", await sign(more), ...words]);
  const good = await check({});
  assert.equal(good.code, 0, good.stderr);
  assert.equal(JSON.parse(good.stdout).key, "m-1");
  assert.equal((await check({ ip: "203.0.113.7" }, "--ip", "203.0.113.7")).code, 0);
  for (const [more, words, complaint] of [
    [{ exp: now - 1 }, [], /expired: expired at Unix second/],
    [{ evt: "plain" }, [], /wrong-event/],
    [{ aud: "staging" }, [], /wrong-audience/],
    [{ ip: "203.0.113.7" }, ["--ip", "203.0.113.8"], /wrong-ip/],
    [{ exp: now + 61 * 86_400 }, [], /long-lived/],
    [{ iat: now + 0.5 }, [], /claim iat/],
    [{ line: "fans" }, [], /claim line is "fans", which is no line of tour.*there are: members/],
  ]) {
    const { code, stderr } = await check(more, ...words);
    assert.equal(code, 1, stderr);
    assert.match(stderr, complaint);
  }
});

/** A room that answers as told; resolves with its address, what it was asked, and what ends it. */
async function room(status, answer) {
  const asked = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const bytes of request) body += bytes;
    asked.push({ method: request.method, url: request.url, authorization: request.headers.authorization, body });
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(answer));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const end = () => new Promise((resolve) => server.close(resolve));
  return { url: `http://127.0.0.1:${server.address().port}`, asked, end };
}

const STAFF = ["--event", "tour", "--name", "Anna, box office", "--minutes", "30"];

test("the link for staff is asked for with an operator's token, and printed alone", PATIENCE, async () => {
  const link = "https://tickets.example.com/_wr/queues/tour/staff#a.b.c";
  const { url, asked, end } = await room(201, { link, expires_at: "2027-03-01T09:30:00Z" });
  const { code, stdout, stderr } = await run("staff-pass", [...STAFF, "--url", url], { OPERATOR_TOKEN: "x.y.z" });
  await end();
  assert.equal(code, 0, stderr);
  assert.equal(stdout, `${link}\n`);
  assert.match(stderr, /For Anna, box office, until 2027-03-01 09:30:00 \+00:00:/);
  assert.deepEqual(asked, [
    {
      method: "POST",
      url: "/_wr/queues/tour/staff",
      authorization: "Bearer x.y.z",
      body: JSON.stringify({ name: "Anna, box office", minutes: 30 }),
    },
  ]);
});

test("without a token in the environment one is made from the root key", PATIENCE, async () => {
  const { url, asked, end } = await room(201, { link: "https://x/#a.b.c", expires_at: "2027-03-01T09:30:00Z" });
  const { code, stderr } = await run("staff-pass", [...STAFF, "--url", url]);
  await end();
  assert.equal(code, 0, stderr);
  const [header, payload, mac] = asked[0].authorization.replace("Bearer ", "").split(".");
  const key = derivedKey("wr-operator+jwt", "");
  assert.equal(createHmac("sha256", key).update(`${header}.${payload}`).digest("base64url"), mac);
  const claims = JSON.parse(Buffer.from(payload, "base64url"));
  assert.deepEqual([claims.iss, claims.evt, claims.scp], ["live", "tour", "configure"]);
});

test("what the room refuses is said, and no link is printed", PATIENCE, async () => {
  const problem = { title: "Not allowed", detail: "This token may only see." };
  const refusing = await room(403, problem);
  const refused = await run("staff-pass", [...STAFF, "--url", refusing.url], { OPERATOR_TOKEN: "x.y.z" });
  await refusing.end();
  assert.deepEqual([refused.code, refused.stdout], [1, ""]);
  assert.match(refused.stderr, /answered 403: Not allowed: This token may only see\./);
  const gone = await run("staff-pass", [...STAFF, "--url", refusing.url], { OPERATOR_TOKEN: "x.y.z" });
  assert.equal(gone.code, 1);
  assert.match(gone.stderr, /cannot be reached/);
  const old = await room(200, { ok: true });
  const silent = await run("staff-pass", [...STAFF, "--url", old.url], { OPERATOR_TOKEN: "x.y.z" });
  await old.end();
  assert.deepEqual([silent.code, silent.stdout], [1, ""]);
  assert.match(silent.stderr, /answered without a link/);
});

for (const command of ["codes", "enqueue-key", "staff-pass"]) {
  test(`${command} --help says how it is used and does nothing`, PATIENCE, async () => {
    const { code, stdout, stderr } = await run(command, ["--help"], { PATH: "" });
    assert.deepEqual([code, stderr], [0, ""]);
    assert.ok(stdout.startsWith(`npm run ${command} -- `), stdout);
  });
}
