// A third party's widget: its token is asked about at the edge, is about one permit, and nobody is shut out for want of
// it. P12, P14 to P16, P18 and what else is of their kind.
import assert from "node:assert/strict";
import { after, afterEach, before, test } from "node:test";
import { statusLines } from "../../scripts/operating/status.mjs";
import { freshRootKey } from "../../scripts/setup/keys.mjs";
import { until } from "./harness/exchange.mjs";
import { opened } from "./harness/forge.mjs";
import { startRoom } from "./harness/room.mjs";
import { SECRET, SITE_KEY, startTurnstile } from "./harness/turnstile.mjs";
import { solverOf } from "./harness/work.mjs";

const NEVER = "2999-01-01T10:00:00Z";
const WIDGET = { turnstile_site_key: SITE_KEY, pow_bits: 4, opens_at: NEVER };
/** What an answer is waited for, twice, and a moment. */
const TWO_TRIES_MS = 4_000;
/** While it is down the edge looks this often. */
const LOOKS_AFTER_MS = 10_000;

let turnstile;
let room;
let solve;
before(async () => {
  turnstile = await startTurnstile();
  room = await startRoom({
    staged: true,
    vars: { TURNSTILE_SERVICE: turnstile.url },
    secrets: { ROOT_KEY: freshRootKey("e2e"), TURNSTILE_SECRET: SECRET },
    events: [
      { id: "widget", challenge: "turnstile", ...WIDGET },
      { id: "other", challenge: "turnstile", ...WIDGET },
      { id: "both", challenge: "pow+turnstile", ...WIDGET },
      { id: "tries", challenge: "turnstile", ...WIDGET },
      { id: "outage", challenge: "turnstile", ...WIDGET },
      { id: "deny", challenge: "turnstile", ...WIDGET, turnstile_down: "deny" },
      { id: "allow", challenge: "turnstile", ...WIDGET, turnstile_down: "allow" },
      { id: "plain", challenge: "pow", pow_bits: 4, opens_at: NEVER },
    ],
  });
  solve = await solverOf(room);
});
after(async () => {
  await room?.stop();
  await turnstile?.stop();
});
afterEach(() => {
  Object.assign(turnstile, { failure: null, acceptsReused: false, says: {} });
});

let networks = 0;
/** Everybody comes from another network. */
async function asks(event) {
  networks += 1;
  const address = `10.1.${networks >> 8}.${networks & 255}`;
  const fan = room.visitor({ event, headers: { "cf-connecting-ip": address } });
  const answer = await fan.script("POST", `${fan.queue}/permits`);
  assert.equal(answer.status, 201, answer.text);
  const { permit, challenge } = answer.json;
  return { fan, permit, challenge, given: challenge.turnstile };
}

const join = (fan, permit, more = {}) => fan.script("POST", `${fan.queue}/tickets`, { permit, ...more });

async function isRefused({ fan }, answer, status, kind, reason) {
  const found = [answer.status, answer.json?.type, answer.json?.reason];
  assert.deepEqual(found, [status, `urn:anteroom:problem:${kind}`, reason], answer.text);
  assert.equal((await fan.ask()).state, "none");
}

/** The clock moves for everybody, the third party too. */
async function advance(ms) {
  turnstile.ahead_ms += ms;
  await room.advance(ms);
}

test("a token of the permit's widget makes a place, and the same join again is the same question and the same place", async () => {
  const { fan, permit, challenge, given } = await asks("widget");
  const { jti, chl, bits } = opened(permit).claims;
  assert.deepEqual([chl, bits], ["turnstile", 4]);
  assert.deepEqual(given, { site_key: SITE_KEY, action: "join", cdata: `widget_1_${jti}` });
  assert.deepEqual([challenge.kind, challenge.bits, challenge.instead_bits], ["turnstile", undefined, 6]);
  const token = turnstile.token(given);
  turnstile.asked.length = 0;
  const joined = await join(fan, permit, { turnstile: token });
  assert.deepEqual([joined.status, joined.json.state], [201, "waiting"], joined.text);
  const { fan: lost } = await asks("widget");
  const again = await join(lost, permit, { turnstile: token });
  assert.deepEqual([again.status, again.json.entry], [200, joined.json.entry]);
  const [first, second] = turnstile.asked;
  assert.equal(first.secret, SECRET);
  assert.match(first.idempotency_key, /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  assert.deepEqual(first, second, "what a lost answer said is said again");
  assert.deepEqual(Object.keys(first).toSorted(), ["idempotency_key", "response", "secret"], "no address is told");
});

/** Three visitors in a row find nobody; `others` have a permit from before. */
async function goesDown(event) {
  const others = [await asks(event), await asks(event), await asks(event)];
  const first = [await asks(event), await asks(event), await asks(event)];
  turnstile.failure = "500";
  for (const { fan, permit, given } of first) await join(fan, permit, { turnstile: turnstile.token(given) });
  turnstile.asked.length = 0;
  return others;
}

/** The edge looks, finds somebody, and asks for the widget again. */
async function comesBack(event) {
  turnstile.failure = null;
  await until(
    async () => {
      await advance(LOOKS_AFTER_MS);
      return (await asks(event)).challenge.kind;
    },
    (kind) => kind === "turnstile",
    { what: "the widget" },
  );
}

test("an operator sees what came of the widget, and whether the third party answers", async () => {
  const operator = await room.operator({ event: "other" });
  // What an edge has counted goes along with its next look at the board.
  const seen = async () => {
    await room.board("other");
    return (await operator.observe()).turnstile;
  };
  const observed = (wanted, what) => until(seen, wanted, { what });
  const { fan, permit, given } = await asks("other");
  assert.equal((await join(fan, permit, { turnstile: turnstile.token(given) })).status, 201);
  const up = await observed(({ passed }) => passed >= 1, "a pass");
  assert.deepEqual([up.is_down, up.while_down, up.unanswered], [false, "pow", 0], JSON.stringify(up));
  await goesDown("other");
  const down = await observed(({ unanswered }) => unanswered >= 3, "three without an answer");
  assert.ok(down.is_down && down.silent_at_ms > down.answered_at_ms);
  const document = await operator.observe();
  const lines = statusLines({ event: "other", url: room.url, zone: "UTC", document }).join("\n");
  assert.match(lines, /turnstile {3}DOWN, no answer since .+: joins take proof of work instead; \d+ passed/);
  const metrics = await room.ask("/_wr/metrics", { headers: (await room.operator({ holdsFor: "*" })).headers });
  assert.match(metrics.text, /anteroom_turnstile_down\{event="other"\} 1/);
  assert.match(metrics.text, /anteroom_turnstile_unanswered_total\{event="other"\} [3-9]/);
  assert.doesNotMatch(metrics.text, /anteroom_turnstile_\w+\{event="plain"\}/);
  await until(
    () => room.output,
    (output) => output.includes("turnstile of other: no answer"),
    { what: "the log" },
  );
  await comesBack("other");
  assert.equal((await observed(({ is_down }) => !is_down, "an answer")).is_down, false);
});

test("P12 what is not this event's, this permit's and of the last five minutes is refused, and too long is never sent on", async () => {
  const someone = await asks("widget");
  const { fan, permit, given } = someone;
  const { given: anothers } = await asks("widget");
  const { given: elsewhere } = await asks("other");
  for (const [made, reason] of [
    [{ ...given, hostname: "evil.example" }, "hostname"],
    [{ ...given, action: "login" }, "action"],
    [anothers, "cdata"],
    [elsewhere, "cdata"],
    [{ ...given, cdata: "" }, "cdata"],
    [{ ...given, age_ms: 301_000 }, "timeout-or-duplicate"],
  ]) {
    const answer = await join(fan, permit, { turnstile: turnstile.token(made) });
    await isRefused(someone, answer, 422, "unusable-field", reason);
  }
  turnstile.acceptsReused = true;
  const old = turnstile.token({ ...given, age_ms: 301_000 });
  await isRefused(someone, await join(fan, permit, { turnstile: old }), 422, "unusable-field", "challenge_ts");
  turnstile.acceptsReused = false;
  for (const code of ["invalid-input-response", "timeout-or-duplicate", "bad-request", "something-new"]) {
    turnstile.failure = code;
    const reason = code === "timeout-or-duplicate" ? code : "success";
    const answer = await join(fan, permit, { turnstile: turnstile.token(given) });
    await isRefused(someone, answer, 422, "unusable-field", reason);
  }
  turnstile.failure = null;
  turnstile.asked.length = 0;
  for (const odd of ["x".repeat(2_049), "x".repeat(9_000), "a b", "ä", "\u0000"]) {
    await isRefused(someone, await join(fan, permit, { turnstile: odd }), 400, "bad-field");
  }
  await isRefused(someone, await join(fan, permit), 422, "unsolved");
  await isRefused(someone, await join(fan, permit, { turnstile: "" }), 422, "unsolved");
  assert.deepEqual(turnstile.asked, [], "nobody was asked about these");
  const longest = await join(fan, permit, { turnstile: "x".repeat(2_048) });
  await isRefused(someone, longest, 422, "unusable-field", "success");
  assert.equal(turnstile.asked.length, 1);
});

test("P14 no answer, a failure, a page, broken JSON: one more try with the same key, then the policy, and never a pass", async () => {
  for (const failure of ["hang", "500", "html", "broken", "internal-error"]) {
    const someone = await asks("tries");
    const { fan, permit, given } = someone;
    Object.assign(turnstile, { failure });
    turnstile.asked.length = 0;
    const token = turnstile.token(given);
    const began = performance.now();
    const answer = await join(fan, permit, { turnstile: token });
    assert.ok(performance.now() - began < TWO_TRIES_MS + 1_500, failure);
    await isRefused(someone, answer, 422, "unsolved");
    assert.equal(answer.json.challenge.instead_bits, 6);
    assert.deepEqual(
      turnstile.asked.map(({ response }) => response),
      [token, token],
      failure,
    );
    assert.equal(turnstile.asked[0].idempotency_key, turnstile.asked[1].idempotency_key);
    turnstile.failure = null;
    const solved = await join(fan, permit, { solution: await solve(permit, 6) });
    assert.equal(solved.status, 201, "the work makes the place instead");
    const { fan: next, permit: other, given: about } = await asks("tries");
    assert.equal((await join(next, other, { turnstile: turnstile.token(about) })).status, 201, "and it is asked again");
  }
  const someone = await asks("tries");
  turnstile.failure = "invalid-input-secret";
  turnstile.asked.length = 0;
  const answer = await join(someone.fan, someone.permit, { turnstile: turnstile.token(someone.given) });
  await isRefused(someone, answer, 422, "unsolved");
  assert.equal(turnstile.asked.length, 1, "a wrong secret does not become right");
});

test("P15 down for 2 h 28 min: the queue moves on by plain work, the edge alone looks, and then the widget is back", async () => {
  const others = await goesDown("outage");
  const [{ fan, permit, given }] = others;
  const told = await join(fan, permit, { turnstile: turnstile.token(given) });
  assert.deepEqual([told.status, told.json.type], [422, "urn:anteroom:problem:unsolved"]);
  assert.equal((await join(fan, permit, { solution: await solve(permit, 6) })).status, 201, "no dead end from before");
  let entry = -1;
  for (let minutes = 0; minutes < 148; minutes += 4) {
    const { fan: next, permit: plain, challenge } = await asks("outage");
    assert.deepEqual([challenge.kind, challenge.bits], ["pow", 4]);
    const joined = await join(next, plain, { solution: await solve(plain, 4) });
    assert.deepEqual([joined.status, joined.json.entry > entry], [201, true], joined.text);
    entry = joined.json.entry;
    await advance(4 * 60_000);
  }
  assert.ok(turnstile.asked.length >= 30, `${turnstile.asked.length} looks`);
  assert.ok(turnstile.asked.every(({ response }) => response === "anteroom.is.anybody.there"));
  await comesBack("outage");
  const { fan: back, permit: usual, given: about } = await asks("outage");
  assert.equal((await join(back, usual, { turnstile: turnstile.token(about) })).status, 201);
});

test("P15 a third party that lets tokens be used again and again lets nobody have two places", async () => {
  const one = await asks("widget");
  const two = await asks("widget");
  turnstile.acceptsReused = true;
  const token = turnstile.token(one.given);
  assert.equal((await join(one.fan, one.permit, { turnstile: token })).status, 201);
  const reused = await join(two.fan, two.permit, { turnstile: token });
  await isRefused(two, reused, 422, "unusable-field", "timeout-or-duplicate");
  const entries = new Set();
  for (let n = 0; n < 20; n += 1) {
    const { fan } = await asks("widget");
    entries.add((await join(fan, one.permit, { turnstile: token })).json.entry);
  }
  assert.equal(entries.size, 1, "with its own permit it finds its own place");
  // An isolate that remembers nothing has the first lock: the token is about the other permit.
  const unknown = turnstile.token(one.given);
  await isRefused(two, await join(two.fan, two.permit, { turnstile: unknown }), 422, "unusable-field", "cdata");
  // And the second one holds when the answer is made up to fit.
  turnstile.says = { cdata: two.given.cdata };
  turnstile.asked.length = 0;
  await isRefused(
    two,
    await join(two.fan, two.permit, { turnstile: token }),
    422,
    "unusable-field",
    "timeout-or-duplicate",
  );
  assert.deepEqual(turnstile.asked, [], "nobody is asked about a token that is spent");
});

test("while it is down deny takes no join and says when to try again, allow takes all, and both end with it", async () => {
  const [denied, worker] = await goesDown("deny");
  const away = await join(denied.fan, denied.permit, { turnstile: turnstile.token(denied.given) });
  await isRefused(denied, away, 503, "turnstile-away");
  assert.deepEqual([away.json.retry_after_ms, away.headers["retry-after"]], [10_000, "10"]);
  const worked = await join(worker.fan, worker.permit, { solution: await solve(worker.permit, 6) });
  await isRefused(worker, worked, 503, "turnstile-away");
  await isRefused(denied, await join(denied.fan, denied.permit), 503, "turnstile-away");
  turnstile.failure = null;
  await until(
    async () => {
      await advance(LOOKS_AFTER_MS);
      const someone = await asks("deny");
      return join(someone.fan, someone.permit, { turnstile: turnstile.token(someone.given) });
    },
    ({ status }) => status === 201,
    { what: "a join" },
  );

  const [before, silent] = await goesDown("allow");
  assert.equal((await join(before.fan, before.permit, { turnstile: turnstile.token(before.given) })).status, 201);
  assert.equal((await join(silent.fan, silent.permit)).status, 201);
  const free = await asks("allow");
  assert.equal(free.challenge.kind, "none");
  assert.equal((await join(free.fan, free.permit)).status, 201);
  await comesBack("allow");
  const someone = await asks("allow");
  await isRefused(someone, await join(someone.fan, someone.permit), 422, "unsolved");
});

test("both: the token and the work, or four times the work; neither alone is enough", async () => {
  const someone = await asks("both");
  const { fan, permit, given, challenge } = someone;
  assert.deepEqual([challenge.kind, challenge.bits, challenge.instead_bits], ["pow+turnstile", 4, 6]);
  const base = await solve(permit, 4);
  turnstile.asked.length = 0;
  await isRefused(someone, await join(fan, permit, { turnstile: turnstile.token(given) }), 422, "unsolved");
  const zero = "0".repeat(256);
  const wrong = await join(fan, permit, { turnstile: turnstile.token(given), solution: zero });
  await isRefused(someone, wrong, 422, "unusable-field");
  assert.deepEqual(turnstile.asked, [], "work is looked at first");
  const refused = await join(fan, permit, { turnstile: "made-up", solution: base });
  await isRefused(someone, refused, 422, "unusable-field", "success");
  assert.equal((await join(fan, permit, { turnstile: turnstile.token(given), solution: base })).status, 201);
  const other = await asks("both");
  const instead = await join(other.fan, other.permit, { solution: await solve(other.permit, 6) });
  assert.equal(instead.status, 201);
});

test("P16 P18 without the widget four times the work does, without script four times the wait", async () => {
  const { fan, permit } = await asks("other");
  assert.equal((await join(fan, permit, { solution: await solve(permit, 6) })).status, 201);
  const still = room.visitor({ event: "other", headers: { "cf-connecting-ip": "192.0.2.1" } });
  const page = await still.visit();
  assert.match(page.text, /<noscript><p class="notice">Without script, a short wait/);
  const press = () =>
    still.visit(`${still.queue}/tickets`, {
      method: "POST",
      site: "same-origin",
      form: { permit: still.page.permit, return: still.path },
    });
  await press();
  assert.equal((await still.ask()).state, "none", "too early");
  await advance(15_000);
  assert.equal((await press()).status, 303);
  assert.equal((await still.ask()).state, "waiting");
});

test("only the page of an event with the widget lets the third party in", async () => {
  const policyOf = async (event) => {
    const fan = room.visitor({ event });
    const answer = await fan.visit();
    return { policy: answer.headers["content-security-policy"], page: fan.page, text: answer.text };
  };
  const { policy, page } = await policyOf("widget");
  assert.match(policy, new RegExp(`script-src 'nonce-[\\w-]+' ${turnstile.url}; frame-src ${turnstile.url};`));
  assert.match(policy, /connect-src 'self';/);
  assert.doesNotMatch(policy, /unsafe|\*/);
  assert.deepEqual(page.widget, { site_key: SITE_KEY, script: `${turnstile.url}/turnstile/v0/api.js?render=explicit` });
  const plain = await policyOf("plain");
  assert.equal(plain.page.widget, null);
  assert.doesNotMatch(`${plain.policy}${plain.text}`, /frame-src|http:\/\/127\.0\.0\.1:\d+\/turnstile|id="widget"/);
});
