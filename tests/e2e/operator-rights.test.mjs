// C18: who may steer and look, and that refusals tell nothing and change nothing.
import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { pause } from "./harness/exchange.mjs";
import { operatorTokenOf, signed, withWrongSignature } from "./harness/forge.mjs";
import { Operator } from "./harness/operator.mjs";
import { startRoom } from "./harness/room.mjs";

/** Refused tokens are counted by the second: each test starts in a new one. */
const NEXT_SECOND_MS = 1_100;

let room;
before(async () => {
  room = await startRoom({ events: [{ id: "demo" }, { id: "other" }] });
});
beforeEach(() => pause(NEXT_SECOND_MS));
after(() => room?.stop());

const withToken = (token, event = "demo") => new Operator(room, { event, token });
const nowSeconds = () => Math.floor(Date.now() / 1_000);

test("C18 no token, a wrong one, an expired one, read-only, another event's, in the address", async () => {
  const good = await room.operator();
  const version = (await good.observe()).board.version;
  const expired = operatorTokenOf(room, { iat: nowSeconds() - 700, exp: nowSeconds() - 1 });
  const rows = [
    ["no token", undefined, 401],
    ["not a token", "let-me-in", 401],
    ["an empty one", "", 401],
    ["a wrong signature", withWrongSignature(good.token), 401],
    ["an expired one", expired, 401],
    ["one of tomorrow", operatorTokenOf(room, { iat: nowSeconds() + 3_600, exp: nowSeconds() + 7_200 }), 401],
    ["another deployment's", operatorTokenOf(room, { iss: "production" }), 401],
    ["an unknown scope", operatorTokenOf(room, { scp: "admin" }), 401],
    ["read-only", (await room.operator({ scope: "read" })).token, 403],
    ["another event's", (await room.operator({ holdsFor: "other" })).token, 403],
  ];
  for (const [what, token, status] of rows) {
    const answer = await withToken(token).send({ action: "close" });
    assert.equal(answer.status, status, `${what}: ${answer.status} ${answer.text}`);
    assert.equal(answer.headers["content-type"], "application/problem+json");
    if (status === 401) assert.match(answer.headers["www-authenticate"], /^Bearer/);
  }
  const path = `/_wr/queues/demo?token=${good.token}`;
  const body = JSON.stringify({ action: "close" });
  const inAddress = await room.ask(path, { method: "PATCH", headers: { "content-type": "application/json" }, body });
  assert.equal(inAddress.status, 400, "a token in the address is written into logs");
  const seen = await good.observe();
  assert.deepEqual([seen.noted.length, seen.board.version, seen.board.lines[0].phase], [0, version, "open"]);
});

test("C18 the forged operator token of these tests is a good one when nothing is wrong with it", async () => {
  const answer = await withToken(operatorTokenOf(room)).look();
  assert.equal(answer.status, 200, answer.text);
});

test("T21 no other token steers: permit, ticket and pass are refused, and so is an operator's where they belong", async () => {
  const fan = room.visitor();
  const { pass } = await fan.admitted();
  const { permit } = (await room.ask("/_wr/queues/demo/permits", { method: "POST" })).json;
  for (const token of [permit, fan.cookie("ticket"), pass]) {
    assert.equal((await withToken(token).send({ action: "close" })).status, 401);
  }
  const { token } = await room.operator();
  const bearer = { headers: { authorization: `Bearer ${token}` } };
  assert.equal((await room.ask("/events/demo/x", bearer)).status, 503);
  assert.equal((await room.ask("/_wr/access", bearer)).status, 401);
  assert.equal((await room.ask("/_wr/queues/demo/tickets/me", bearer)).json.state, "none");
  const claims = {
    v: 1,
    iss: room.issuer,
    evt: "demo",
    sub: "x",
    scp: "write",
    iat: nowSeconds(),
    exp: nowSeconds() + 60,
  };
  const crossed = signed(room, "wr-ticket+jwt", claims);
  assert.equal((await withToken(crossed).look()).status, 401);
});

test("read rights see everything and change nothing; a token for every event holds for each", async () => {
  const reader = await room.operator({ scope: "read" });
  const { board, totals, settings, noted } = await reader.observe();
  assert.ok(board && totals && settings && noted);
  assert.equal((await reader.send({ action: "resume" })).status, 403);
  const chief = await room.operator({ holdsFor: "*" });
  for (const event of ["demo", "other"]) assert.equal((await withToken(chief.token, event).look()).status, 200);
});

test("metrics are text for Prometheus, for who may see every event", async () => {
  const ask = (token) => room.ask("/_wr/metrics", { headers: token ? { authorization: `Bearer ${token}` } : {} });
  assert.equal((await ask()).status, 401);
  assert.equal((await ask((await room.operator({ scope: "read" })).token)).status, 403);
  const answer = await ask((await room.operator({ scope: "read", holdsFor: "*" })).token);
  assert.equal(answer.status, 200);
  assert.match(answer.headers["content-type"], /^text\/plain/);
  for (const line of answer.text.trim().split("\n")) {
    assert.match(line, /^(# (HELP|TYPE) \w+ .+|[a-z_][a-z0-9_]*(\{[^}]*\})? -?[0-9.e+-]+)$/i, line);
  }
  assert.match(answer.text, /event="demo"/);
  assert.match(answer.text, /event="other"/);
});

test("C18 there is no oracle: an event that does not exist looks like one that is another's", async () => {
  const { token } = await room.operator();
  const [other, none] = [await withToken(token, "other").look(), await withToken(token, "no-such").look()];
  assert.equal(other.status, 403);
  assert.deepEqual([none.status, none.text], [other.status, other.text]);
  const [anonymous, nobody] = [await withToken(undefined, "demo").look(), await withToken(undefined, "no-such").look()];
  assert.deepEqual([anonymous.status, anonymous.text], [nobody.status, nobody.text]);
  const chief = await room.operator({ holdsFor: "*" });
  assert.equal((await withToken(chief.token, "no-such").look()).status, 404, "who may see all is told");
});

test("C18 a thousand guesses run into 429, and the next second is calm", async () => {
  const guesses = await Promise.all(
    Array.from({ length: 200 }, (_, n) => withToken(`guess-${n}`).send({ action: "close" })),
  );
  const statuses = new Set(guesses.map(({ status }) => status));
  assert.deepEqual([...statuses].sort(), [401, 429]);
  assert.ok(guesses.filter(({ status }) => status === 401).length <= 80, "most were not even looked at");
  assert.ok(guesses.find(({ status }) => status === 429).headers["retry-after"]);
  await pause(NEXT_SECOND_MS);
  assert.equal((await (await room.operator()).look()).status, 200);
});
