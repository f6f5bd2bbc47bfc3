// From wrangler.toml and .dev.vars to what runs, and from what test programs print to a total.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import test from "node:test";
import { heldOutput } from "../../scripts/held-output.mjs";
import { wranglerFile } from "../../scripts/paths.mjs";
import { freshRootKey, secretsOf } from "../../scripts/setup/keys.mjs";
import { countTests, failedTests } from "../../scripts/testing/counts.mjs";
import { listeningPort, workerdConfig } from "../../scripts/workerd-config.mjs";
import { eventsOf, frontPath, readWranglerConfig, withShopAddress } from "../../scripts/wrangler-config.mjs";

const config = readWranglerConfig(wranglerFile);
const configured = (more) =>
  workerdConfig({
    config,
    secrets: {},
    modules: [],
    stateDir: "/state",
    address: "127.0.0.1:0",
    tls: null,
    cfHeader: "cf-told",
    ...more,
  });

test("the demo shop's address takes the place of its name, and of nothing else", () => {
  const filled = eventsOf(withShopAddress(config, "http://127.0.0.1:1234")).map(({ event }) => event.origin);
  assert.deepEqual(filled, ["http://127.0.0.1:1234", "http://127.0.0.1:1234"]);
  const other = { vars: { EVENT_A: { origin: "https://origin.example.com" }, NAME: "demo-shop" } };
  assert.deepEqual(withShopAddress(other, "http://127.0.0.1:1234"), other);
});

test("what other tables may say, and an environment of its own, is taken as it stands", () => {
  const folder = mkdtempSync(path.join(tmpdir(), "anteroom-toml-"));
  const file = path.join(folder, "wrangler.toml");
  const text = `
    name = "room"
    [define]
    "process.env" = "{}"
    [unsafe.metadata]
    name = "x"
    [define."a.b"]
    x = 1
    [[ratelimits]]
    name = "LOOKS"
    [env.next]
    name = "next"
    routes = ["a.example/*"]
    [env.next.vars.EVENT_TOUR]
    id = "tour"
    [vars."EVENT_A.B"]
    id = "a"`;
  try {
    writeFileSync(file, text);
    assert.equal(readWranglerConfig(file).env.next.name, "next");
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("a text that is no TOML, and what stands where nobody reads it, is refused with the place and the reason", () => {
  const folder = mkdtempSync(path.join(tmpdir(), "anteroom-toml-"));
  const file = path.join(folder, "wrangler.toml");
  try {
    for (const [text, said] of [
      [
        "[vars]\ntitle = Tour\n",
        /wrangler\.toml, line 2, column 9: invalid value \(a text stands in quotation marks\)/,
      ],
      ['[vars]\nid = "a" "b"\n', /wrangler\.toml, line 2, column \d+: .*end-of-line/],
      ["[EVENT_TOUR]\nrun = 1\n", /wrangler\.toml: found \[EVENT_TOUR\], allowed is \[vars\.EVENT_TOUR\]/],
      ["[vars.EVNT_TOUR]\nrun = 1\n", /found \[vars\.EVNT_TOUR\], allowed as a table is \[vars\.EVENT_\.\.\.\]/],
      [
        '[vars.EVENT_TOUR]\nroutes = ["a.example/*"]\n',
        /routes stands in \[vars\.EVENT_TOUR\], allowed is above the first \[table\]/,
      ],
      [
        '[vars]\nroutes = ["a.example/*"]\n',
        /wrangler\.toml: routes stands in \[vars\], allowed is above the first \[table\]$/,
      ],
      ["[observability]\nworkers_dev = false\n", /workers_dev stands in \[observability\]/],
      ["[env.next.vars.EVENT_TOUR]\nmain = 1\n", /main stands in \[env\.next\.vars\.EVENT_TOUR\]/],
      [
        "[env.next.EVENT_TOUR]\nrun = 1\n",
        /found \[env\.next\.EVENT_TOUR\], allowed is \[env\.next\.vars\.EVENT_TOUR\]/,
      ],
      ["[var.EVENT_TOUR]\nrun = 1\n", /found \[var\.EVENT_TOUR\], allowed is \[vars\.EVENT_TOUR\]/],
      ["[vars.EVENT_A.EVENT_B]\nrun = 1\n", /found \[vars\.EVENT_A\.EVENT_B\], allowed is \[vars\.EVENT_B\]/],
      ['[vars."A.B"]\nrun = 1\n', /found \[vars\.A\.B\], allowed as a table/],
      ['[env]\nname = "room"\n', /name stands in \[env\]/],
    ]) {
      writeFileSync(file, text);
      assert.throws(() => readWranglerConfig(file), said);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("what children print while they start is told once they have, or not at all", () => {
  const written = [];
  const output = heldOutput((text) => written.push(text));
  output.take("one");
  assert.deepEqual(written, []);
  output.let();
  output.take("two");
  assert.deepEqual(written, ["one", "two"]);
  const refused = heldOutput((text) => written.push(text));
  refused.take("three");
  refused.drop();
  refused.let();
  assert.deepEqual(written, ["one", "two"]);
});

test("the front page is the last event's", () => {
  assert.equal(frontPath(config), "/events/world-tour/");
  assert.equal(frontPath({ vars: {} }), "/");
});

test("text goes to workerd as it is, tables as JSON, objects with SQLite", () => {
  const vars = { WORD: 'a "b" \\ \n', EVENT_A: { id: "a", list: [1] }, NUMBER: 5 };
  const text = configured({ config: { ...config, vars }, secrets: { ROOT_KEY: "k:v" } });
  assert.ok(text.includes(String.raw`(name = "WORD", text = "a \"b\" \\ \x0a")`));
  assert.ok(text.includes(String.raw`(name = "EVENT_A", json = "{\"id\":\"a\",\"list\":[1]}")`));
  assert.ok(text.includes('(name = "NUMBER", json = "5")'));
  assert.ok(text.includes('(name = "ROOT_KEY", text = "k:v")'));
  assert.ok(text.includes('className = "ShardObject", uniqueKey = "anteroom-ShardObject", enableSql = true'));
});

test("a binding that plain workerd cannot give is refused by name", () => {
  assert.throws(() => configured({ config: { ...config, kv_namespaces: [{}] } }), /kv_namespaces/);
});

test("the port is taken from the socket's own line", () => {
  assert.equal(listeningPort('{"event":"listen","socket":"http","port":8787}'), 8787);
  assert.equal(listeningPort('{"event":"listen-inspector","port":9229}'), null);
});

test("secrets are read with and without quotes, comments are not", () => {
  const folder = mkdtempSync(path.join(tmpdir(), "anteroom-secrets-"));
  const file = path.join(folder, ".dev.vars");
  writeFileSync(file, "# ROOT_KEY=no\nROOT_KEY=a:b=c\n B = \"two words\" \nexport C='d'\r\n");
  assert.deepEqual(secretsOf(file), { ROOT_KEY: "a:b=c", B: "two words", C: "d" });
  rmSync(folder, { recursive: true });
  assert.deepEqual(secretsOf(file), {});
});

test("a fresh root key is 32 bytes and never the same", () => {
  const [one, other] = [freshRootKey("k1"), freshRootKey("k1")];
  assert.match(one, /^k1:[\w-]{43}$/);
  assert.notEqual(one, other);
});

const COUNTED = [
  ["test result: ok. 3 passed; 0 failed; 1 ignored;\ntest result: ok. 4 passed; 0 failed; 0 ignored;", 0, 7, 0],
  ["test result: FAILED. 3 passed; 2 failed; 0 ignored;", 101, 3, 2],
  ["# tests 5\n# pass 5\n# fail 0\n# cancelled 0", 0, 5, 0],
  ["# pass 4\n# fail 1\n# cancelled 1", 1, 4, 2],
  ["nothing countable", 0, 0, 1],
  ["running 0 tests\ntest result: ok. 0 passed; 0 failed; 3 ignored;", 0, 0, 1],
  ["# tests 2\n# pass 0\n# fail 0\n# skipped 2", 0, 0, 1],
  ["does not compile", 1, 0, 1],
  ["# pass 4\n# fail 0", 1, 4, 1],
];

test("what failed is named at the end, with the first words of why", () => {
  const node = [
    "ok 1 - holds\n  ---\n  duration_ms: 1\n  ...",
    "not ok 2 - breaks\n  ---\n  failureType: 'testCodeFailure'\n  error: |-\n    not equal\n    at all\n  ...",
    "ok 3 - holds too\n  ---\n  duration_ms: 1\n  ...",
    "not ok 4 - hangs\n  ---\n  failureType: 'testTimeoutFailure'\n  error: 'test timed out after 60000ms'\n  ...",
  ];
  assert.deepEqual(failedTests(node.join("\n")), ["breaks: not equal", "hangs: 'test timed out after 60000ms'"]);
  assert.deepEqual(failedTests("test a::b ... ok\ntest a::c ... FAILED\n"), ["a::c"]);
});

test("a total counts every test once, and a failure always", () => {
  for (const [output, code, passed, failed] of COUNTED) {
    assert.deepEqual(countTests({ code, output }), { passed, failed }, output);
  }
  assert.deepEqual(countTests({ code: 0, output: "", isCheck: true }), { passed: 1, failed: 0 });
  assert.deepEqual(countTests({ code: 1, output: "", isCheck: true }), { passed: 0, failed: 1 });
});
