// The parts of the probe that need no server: what it plans, how it judges, and that no kind of leak is without its test.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import path from "node:path";
import test from "node:test";
import { compactVerify, importJWK } from "jose";
import { root } from "../../scripts/paths.mjs";
import { COOKIE_KINDS, kindOf, OUR_COOKIE, redirectOf, saysTheSame } from "../../scripts/probing/answered.mjs";
import { FINDINGS, gathered, isLeak } from "../../scripts/probing/findings.mjs";
import * as judge from "../../scripts/probing/judging.mjs";
import { wrongPasses } from "../../scripts/probing/passes.mjs";
import { planOf } from "../../scripts/probing/plan.mjs";
import { beyond, spellingsOf } from "../../scripts/probing/spellings.mjs";
import { targetOf } from "../../scripts/probing/target.mjs";
import { originKeys } from "../../scripts/setup/keys-tool.mjs";

const PUBLIC = "tickets.example.com";
const event = { id: "tour", hosts: [PUBLIC], paths: ["/tour/*", "/tour-info"], origin: "https://origin.example.net" };
const deployment = { event, config: { vars: {} }, secrets: {}, issuer: "live" };
const named = { paths: [], ports: [] };
const asked = { base: `https://${PUBLIC}`, host: PUBLIC, path: "/tour/" };
const seen = () => ({ nothing: new Map() });

/** An answer as it is judged. */
const answer = (status, headers = {}, text = "") => ({
  ...{ status, text, asked, cookies: [], times: { from: 0, to: 0 } },
  headers: { "content-type": "text/html", ...headers },
});
const idOf = (found) => found?.id ?? found;

test("every kind of finding is tried by a test", () => {
  const tests = ["probe.test.mjs", "probing-parts.test.mjs"].map((name) => path.join(root, "tests", "scripts", name));
  const told = tests.map((file) => readFileSync(file, "utf8")).join("\n");
  for (const id of Object.keys(FINDINGS)) assert.ok(told.includes(`"${id}"`), id);
});

test("over https, plain http is looked at too: it may lead to https, and may not open", () => {
  const { target } = targetOf(deployment, named);
  const beside = planOf(target, () => "protected").find(({ name }) => name === "beside");
  assert.deepEqual(
    beside.asks.map(({ base, path: address }) => base + address),
    [`http://${PUBLIC}/tour/`, `http://${PUBLIC}/tour-info`],
  );
  const [{ judge: plain }] = beside.asks;
  assert.equal(plain(answer(200)), "plain-open");
  assert.equal(plain(answer(301, { location: `https://${PUBLIC}/tour/` })), null);
  assert.equal(plain(answer(301, { location: "https://other.example/" })), "leads-elsewhere");
  assert.equal(plain(answer(503, { "waiting-room-state": "none" })), null);
});

test("what is no leak is told as what it is", () => {
  const denied = judge.denied("origin-open", PUBLIC);
  assert.equal(denied(answer(503, { "waiting-room-state": "none" }), seen()), "origin-is-room");
  assert.equal(idOf(denied(answer(502), seen())), "fault");
  assert.equal(denied(answer(302, { location: `https://${PUBLIC}/tour/` }), seen()), null, "it leads to the room");
  assert.equal(denied(answer(302, { location: "https://login.example.net/" }), seen()), "leads-elsewhere");
  assert.equal(denied({ failure: "nobody listens" }, seen()), null);
  const late = {
    ...answer(200, { date: new Date(1_000_000).toUTCString() }),
    times: { from: 1_012_000, to: 1_013_000 },
  };
  assert.equal(idOf(judge.clock(late, {})), "clock-differs");
  const kinds = gathered(
    ["origin-is-room", "fault", "leads-elsewhere", "clock-differs"].map((id) => ({ id, example: "" })),
  );
  assert.ok(!kinds.some(isLeak));
});

test("whose answer it is, is known by what only the room says", () => {
  const problem = '{"type":"urn:anteroom:problem:host"}';
  for (const [kind, given] of [
    ["room", answer(503, { "waiting-room-state": "waiting" })],
    ["room", answer(200, { "waiting-room-state": "none" })],
    ["room", answer(421, { "content-type": "application/problem+json" }, problem)],
    ["refused", answer(404, { "content-type": "application/problem+json" }, '{"type":"about:blank"}')],
    ["refused", answer(403)],
    ["fault", answer(503)],
    ["redirect", answer(302, { location: "/" })],
    ["open", answer(200)],
    ["open", answer(101)],
    ["open", answer(206)],
    ["open", answer(304)],
    ["shut", { failure: "no answer in time" }],
  ]) {
    assert.equal(kindOf(given), kind, `${given.status} ${given.text}`);
  }
  assert.equal(redirectOf(answer(302, { location: "/in" }), asked).isHere, true);
  assert.equal(redirectOf(answer(200), asked), null);
});

test("two unknown addresses are known by saying the same, but for the address and the time", () => {
  const page = (address, text) => ({ ...answer(404, {}, text), asked: { path: address } });
  assert.ok(saysTheSame(page("/a-1", "nothing at /a-1, 12:01"), page("/b/c?d", "nothing at /b/c?d, 12:02")));
  assert.ok(!saysTheSame(page("/a", "nothing at /a"), page("/b", "seats at /b")));
  assert.ok(!saysTheSame({ ...page("/a", "x"), status: 200 }, page("/b", "x")));
});

test("passes that do not hold: right and wrong signatures, for both algorithms; without the key only forged ones", async () => {
  const rootKey = `k1:${randomBytes(32).toString("base64url")}`;
  for (const pass_algorithm of ["HS256", "EdDSA"]) {
    const { passes, hasKey } = wrongPasses({ issuer: "live", event: { ...event, pass_algorithm }, rootKey });
    assert.ok(hasKey);
    const claims = (token) => JSON.parse(Buffer.from(token.split(".")[1], "base64url"));
    const of = (what) => passes.find((each) => each.what.includes(what)).token;
    assert.ok(claims(of("time is over")).exp < Date.now() / 1_000 - 60);
    assert.notEqual(claims(of("another event")).evt, event.id);
    assert.equal(of("changed").split(".")[2], of("time is over").split(".")[2]);
    const secrets = { ROOT_KEY: rootKey };
    const { keys } = await originKeys({ issuer: "live", audience: PUBLIC, algorithm: pass_algorithm, secrets });
    const key = await importJWK(keys[0], pass_algorithm);
    for (const what of ["time is over", "another event"]) await compactVerify(of(what), key);
    for (const what of ["changed", "another key"]) await assert.rejects(compactVerify(of(what), key), what);
    assert.equal(new Set(passes.map(({ token }) => token)).size, passes.length);
  }
  assert.equal(wrongPasses({ issuer: "live", event }).passes.length, 3);
});

test("what cannot be seen is known before: no origin, the demo shop, further hosts, no key", () => {
  const unseenOf = (changes) => targetOf({ ...deployment, event: { ...event, ...changes } }, named).unseen.join("\n");
  assert.match(unseenOf({ origin: undefined }), /behind a Worker route/);
  assert.match(unseenOf({ origin: "demo-shop" }), /demo shop/);
  assert.match(unseenOf({ hosts: [PUBLIC, "m.example.com"] }), /m\.example\.com/);
  assert.match(unseenOf({}), /ROOT_KEY/);
});

test("spellings are many, each once, and those beyond a bypass never the bypass itself", () => {
  for (const address of ["/tour/", "/tour", "/", "/a/b/c/", "/caf%C3%A9/"]) {
    const spellings = spellingsOf(address, PUBLIC).map((each) => each.path);
    assert.equal(new Set(spellings).size, spellings.length);
    assert.ok(spellings.length >= 10, `${address}: ${spellings.length}`);
    assert.ok(spellings.every((each) => /^(\/|http:)/.test(each) && !/\s/.test(each)));
  }
  for (const rule of ["/tour/hooks/*", "/tour/health"]) {
    const out = beyond(rule, "/tour/").map((each) => each.path);
    assert.ok(out.length >= 9 && !out.includes(rule.replace(/\*$/, "")));
  }
});

test("every cookie of the room's is known as one, in a frame and out of it", () => {
  const source = readFileSync(path.join(root, "src/cookies.rs"), "utf8");
  const words = source.match(/fn word\(self\)[^}]*\{[^}]*\}/)[0].matchAll(/"(\w+)"/g);
  assert.deepEqual(
    [...words].map(([, word]) => word),
    COOKIE_KINDS,
  );
  for (const kind of COOKIE_KINDS) {
    for (const name of [`__Host-wr-${kind}-tour-1`, `wr-${kind}-tour-1-framed`]) {
      assert.match(`${name}=x; Path=/`, OUR_COOKIE);
    }
  }
  assert.doesNotMatch("wr-shop-tour-1=x", OUR_COOKIE);
});
