// T27: the root key changes under visitors who wait, who were called and who shop, and under origins that are 10 minutes
// behind. Nobody is sent back; what a retired key has signed is refused.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";
import { createLocalJWKSet, jwtVerify } from "jose";
import { addKey, dropKey, exchangeKeys } from "../../scripts/rotating/key-file.mjs";
import { PUBLISHED_FOR_MS, VISITORS_MS } from "../../scripts/rotating/steps.mjs";
import { originKeys } from "../../scripts/setup/keys-tool.mjs";
import { freshRootKey, secretsOf } from "../../scripts/setup/keys.mjs";
import { until } from "./harness/exchange.mjs";
import { opened, operatorTokenOf, signed } from "./harness/forge.mjs";
import { Operator } from "./harness/operator.mjs";
import { startRoom } from "./harness/room.mjs";

const HOUR_MS = 3_600_000;
/** How old an origin's keys are. */
const BEHIND_MS = 10 * 60_000;
const DAY_MINUTES = 1_440;
const ALGORITHMS = { secret: "HS256", public: "EdDSA" };
const EVENTS = Object.entries(ALGORITHMS).map(([id, pass_algorithm]) => ({
  id,
  pass_algorithm,
  admission: { max_active: 2 },
  session_minutes: DAY_MINUTES,
  idle_minutes: DAY_MINUTES,
  hold_minutes: 0,
}));

const folder = mkdtempSync(path.join(tmpdir(), "anteroom-rotation-"));
const file = path.join(folder, "live.keys");
const OLD = freshRootKey("k-old");
let room;
/** How far the room's clock is ahead; a start forgets it. */
let aheadMs = 0;
/** By event, the keys that its origin verifies with: those of the step before, fetched 10 minutes ago. */
const originHas = {};

before(async () => {
  writeFileSync(file, `ROOT_KEY=${OLD}\n`);
  room = await startRoom({ events: EVENTS, staged: true, secrets: keysNow() });
  await originsFetch();
});
after(async () => {
  await room?.stop();
  rmSync(folder, { recursive: true, force: true });
});

function keysNow() {
  const { ROOT_KEY, ROOT_KEY_PREVIOUS } = secretsOf(file);
  return { ROOT_KEY, ...(ROOT_KEY_PREVIOUS && { ROOT_KEY_PREVIOUS }) };
}

const nowSeconds = () => Math.floor((Date.now() + aheadMs) / 1_000);

async function passes(ms) {
  aheadMs += ms;
  await room.advance(ms);
}

/** A step of `npm run keys`, and the room has what the file says. */
async function takes(step) {
  step(file, Date.now() + aheadMs);
  await room.restartWith({ secrets: keysNow() });
  await room.advance(aheadMs);
  for (const { id } of EVENTS) {
    const board = () => room.ask(`/_wr/queues/${id}`);
    await until(board, ({ status }) => status === 200, { what: `the board of ${id}` });
  }
}

/** An origin with a secret was given it by its people; the other fetches what is published. */
async function originsFetch() {
  const { issuer, secrets } = room;
  originHas.secret = await originKeys({ issuer, audience: "*loopback", secrets });
  const published = await room.ask("/_wr/jwks.json");
  assert.equal(published.status, 200);
  originHas.public = published.json;
}

/** What an origin does with the pass that comes with a request. */
async function originTakes(event, pass) {
  const expected = {
    algorithms: [ALGORITHMS[event]],
    typ: "wr-pass+jwt",
    issuer: room.issuer,
    audience: "*loopback",
    currentDate: new Date(nowSeconds() * 1_000),
    clockTolerance: 30,
  };
  return jwtVerify(pass, keyOf(originHas[event]), expected);
}

/** A JWK set of secrets is none that a library takes from an address; the `kid` names its key all the same. */
function keyOf({ keys }) {
  if (keys[0].kty === "OKP") return createLocalJWKSet({ keys });
  return ({ kid }) => {
    const found = keys.find((key) => key.kid === kid);
    if (!found) throw new Error(`no key ${kid}`);
    return Buffer.from(found.k, "base64url");
  };
}

/** Two shop, one was called and takes its time, one waits behind. */
async function crowd(event) {
  const guests = {
    shopping: room.visitor({ event }),
    called: room.visitor({ event }),
    waiting: room.visitor({ event }),
  };
  await guests.shopping.admitted();
  for (const name of ["called", "waiting"]) {
    await guests[name].visit();
    await guests[name].join();
    await guests[name].reachesNumber();
  }
  await guests.called.reaches("called");
  return guests;
}

/** From where somebody was they may come further, and never back. */
const FURTHER = { waiting: ["waiting", "called"], called: ["called"] };

/** Nobody lost a place; whoever shops reaches the origin with a pass that it takes. */
async function nobodyIsSentBack(event, { shopping, ...queue }, entries, when) {
  for (const [name, visitor] of Object.entries(queue)) {
    const me = await visitor.ask();
    assert.equal(me.entry, entries[name], `${name} at ${event}, ${when}`);
    assert.ok(FURTHER[name].includes(me.state), `${name} at ${event}, ${when}: ${me.state}`);
    const { state } = await visitor.visit();
    assert.ok(FURTHER[name].includes(state), `the page of ${name} at ${event}, ${when}: ${state}`);
  }
  const seen = room.origin.seen.length;
  const shop = await shopping.visit();
  assert.equal(shop.status, 200, `${event}, ${when}: ${shop.text.slice(0, 300)}`);
  const { headers } = room.origin.seen[seen];
  await originTakes(event, headers["waiting-room-pass"]).catch((error) => {
    assert.fail(`the origin of ${event} refuses a pass ${when}: ${error.message}`);
  });
}

const kidOf = (token) => opened(token).header.kid.split(".")[0];

test("T27 pre-publish, promote, roll back, promote again, retire: every visitor keeps what they have", async () => {
  const crowds = {};
  const entries = {};
  for (const { id } of EVENTS) {
    crowds[id] = await crowd(id);
    const { called, waiting } = crowds[id];
    entries[id] = { called: (await called.ask()).entry, waiting: (await waiting.ask()).entry };
  }
  const all = async (when) => {
    for (const [event, guests] of Object.entries(crowds)) await nobodyIsSentBack(event, guests, entries[event], when);
  };
  await all("before anything");

  await takes(addKey);
  const fresh = keysNow().ROOT_KEY_PREVIOUS.split(":")[0];
  await all("when the new key is published and origins do not know it");
  await passes(PUBLISHED_FOR_MS - BEHIND_MS);
  await originsFetch();
  await passes(BEHIND_MS);
  await all("when origins knew it ten minutes ago");
  for (const guests of Object.values(crowds)) assert.equal(kidOf(guests.shopping.cookie("pass")), "k-old");

  await takes(exchangeKeys);
  await all("at the promotion");
  await passes(PUBLISHED_FOR_MS);
  await all("when passes are renewed by the new key, at an origin that is behind");
  for (const guests of Object.values(crowds)) assert.equal(kidOf(guests.shopping.cookie("pass")), fresh);

  await takes(exchangeKeys);
  await all("when the promotion is rolled back");
  await passes(PUBLISHED_FOR_MS);
  await all("when the old key signs again");
  for (const guests of Object.values(crowds)) assert.equal(kidOf(guests.shopping.cookie("pass")), "k-old");

  await takes(exchangeKeys);
  await originsFetch();
  for (let hours = 0; hours < 20; hours += 10) {
    await passes(10 * HOUR_MS);
    await all(`${hours + 10} hours after the promotion`);
  }
  // Whoever shops now came in under the old key; a session ends within the day, as it would have without a rotation.
  for (const [event, guests] of Object.entries(crowds)) {
    await guests.shopping.release();
    guests.shopping = room.visitor({ event });
    await guests.shopping.admitted();
  }
  await passes(VISITORS_MS - 20 * HOUR_MS);
  const before = Object.values(crowds).map(({ waiting }) => waiting.cookie("ticket"));
  assert.ok(before.every((ticket) => kidOf(ticket) === fresh));
  await takes(dropKey);
  await all("when the old key is retired");
  await originsFetch();
  await passes(PUBLISHED_FOR_MS);
  await all("and when origins have taken it away");
  for (const { called } of Object.values(crowds)) await called.enter();
});

test("T27 what a retired key signs is refused everywhere: tickets, permits, passes, operator tokens", async () => {
  const now = nowSeconds();
  const retired = { issuer: room.issuer, event: "secret", secrets: { ROOT_KEY: OLD } };
  const claims = { v: 1, iss: room.issuer, evt: "secret", run: 1 };
  const times = { iat: now - 5, exp: now + 600 };
  const jti = Buffer.alloc(16, 7).toString("base64url");
  const ticket = signed(retired, "wr-ticket+jwt", {
    ...claims,
    jti,
    home: 0,
    idx: 0,
    line: 0,
    ent: 0,
    arr: now,
    ...times,
  });
  const asVisitor = await room.ask("/_wr/queues/secret/tickets/me", { headers: { authorization: `Bearer ${ticket}` } });
  assert.equal(asVisitor.json.state, "none");
  const permit = signed(retired, "wr-permit+jwt", { ...claims, jti, home: 0, ...times, chl: "none" });
  const body = JSON.stringify({ permit });
  const headers = { "content-type": "application/json" };
  const join = await room.ask("/_wr/queues/secret/tickets", { method: "POST", headers, body });
  assert.deepEqual([join.status, join.json.reason], [400, "unknown-key"]);
  const passClaims = { v: 1, iss: room.issuer, aud: "*loopback", evt: "secret", run: 1, jti: "0.0.1", ...times };
  const pass = signed(retired, "wr-pass+jwt", { ...passClaims, sx: now + 900 }, { audience: "*loopback" });
  assert.equal((await room.ask("/events/secret/x", { headers: { "waiting-room-pass": pass } })).status, 503);
  assert.equal((await room.ask("/_wr/access", { headers: { authorization: `Bearer ${pass}` } })).status, 401);
  await assert.rejects(originTakes("secret", pass), /no key k-old/);
  const token = operatorTokenOf(retired, times);
  assert.equal((await new Operator(room, { event: "secret", token }).look()).status, 401);
});

test("T5 a room with a key that anybody could guess does not start, and names the key alone", async () => {
  const keys = keysNow();
  const zeros = Buffer.alloc(32).toString("base64url");
  for (const [secrets, named] of [
    [{ ROOT_KEY: `weak-one:${zeros}` }, /key weak-one: .*random/],
    [{ ROOT_KEY: "short-one:c2hvcnQ" }, /key short-one: has 5 bytes, must have 32/],
    [{ ...keys, ROOT_KEY_PREVIOUS: `weak-two:${zeros}` }, /key weak-two: /],
    [{ ...keys, ROOT_KEY_PREVIOUS: keys.ROOT_KEY }, /the current and the previous key have the same id/],
  ]) {
    await room.restartWith({ secrets });
    const page = await room.ask("/events/secret/", { headers: { accept: "text/html" } });
    assert.equal(page.status, 503);
    const health = await room.ask("/_wr/health");
    assert.equal(health.status, 503);
    assert.match(health.text, named);
    for (const text of Object.values(secrets)) {
      const [, secret] = text.split(":");
      assert.ok(![health.text, page.text, room.output].some((said) => said.includes(secret)), "a key is shown");
    }
  }
  await room.restartWith({ secrets: keys });
  assert.equal((await room.ask("/_wr/health")).status, 200);
});
