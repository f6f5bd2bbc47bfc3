// C18: who may steer and look, and that refusals tell nothing and change nothing.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { until } from "./harness/exchange.mjs";
import { operatorTokenOf, signed, withWrongSignature } from "./harness/forge.mjs";
import { Operator } from "./harness/operator.mjs";
import { startRoom } from "./harness/room.mjs";

/** The first wrong token of a network is answered at once, or nearly so. */
const SOON_MS = 2_000;

let room;
before(async () => {
  const admission = { per_minute: 6000, max_active: 500 };
  room = await startRoom({ events: [{ id: "demo", admission }, { id: "other" }, { id: "noted" }] });
});
after(() => room?.stop());

/** Wrong tokens are counted by network: whoever is not to wait for another comes from one of their own. */
let networks = 0;
function elsewhere() {
  networks += 1;
  return { "cf-connecting-ip": `198.51.${networks >> 8}.${networks & 255}` };
}

/** An operator with this token, from a network of their own. */
const withToken = (token, event = "demo", network = elsewhere()) => new Operator(room, { event, token, network });
const nowSeconds = () => Math.floor(Date.now() / 1_000);

test("C18 no token, a wrong one, an expired one, one that may only see, another event's, in the address", async () => {
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
    ["an unknown role", operatorTokenOf(room, { scp: "admin" }), 401],
    ["one that may only see", (await room.operator({ role: "view" })).token, 403],
    ["one of the release before that may only read", operatorTokenOf(room, { scp: "read" }), 403],
    ["another event's", (await room.operator({ holdsFor: "other" })).token, 403],
  ];
  for (const [what, token, status] of rows) {
    const answer = await withToken(token).send({ action: "close" });
    assert.equal(answer.status, status, `${what}: ${answer.status} ${answer.text}`);
    assert.equal(answer.headers["content-type"], "application/problem+json");
    if (status === 401) assert.match(answer.headers["www-authenticate"], /^Bearer/);
  }
  const headers = { "content-type": "application/json", authorization: `Bearer ${good.token}` };
  const body = JSON.stringify({ action: "close" });
  for (const name of ["token", "Token", "%74oken", "access%5Ftoken", "operator_token", "authorization", "k"]) {
    const inAddress = await room.ask(`/_wr/queues/demo?${name}=${good.token}`, { method: "PATCH", headers, body });
    assert.equal(inAddress.status, 400, `${name}: a token in the address is written into logs`);
  }
  const seen = await good.observe();
  assert.ok(
    seen.noted.every(({ did }) => did.action === "refused"),
    JSON.stringify(seen.noted),
  );
  assert.deepEqual([seen.board.lines[0].phase, seen.settings.mode], ["open", "always"]);
  assert.ok(seen.board.version >= version);
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
    scp: "configure",
    iat: nowSeconds(),
    exp: nowSeconds() + 60,
  };
  const crossed = signed(room, "wr-ticket+jwt", claims);
  assert.equal((await withToken(crossed).look()).status, 401);
});

test("a token sees what every role sees; one for several events or for all holds for each of them", async () => {
  const viewer = await room.operator({ role: "view" });
  const { board, totals, settings, noted, wrong_tokens } = await viewer.observe();
  assert.ok(board && totals && settings && noted && wrong_tokens);
  assert.equal((await viewer.log(0)).status, 200);
  for (const holdsFor of ["*", "demo,other", "other,demo"]) {
    const { token } = await room.operator({ holdsFor });
    for (const event of ["demo", "other"]) assert.equal((await withToken(token, event).look()).status, 200, holdsFor);
  }
});

/** By the least role that may: what is asked for, from what changes nothing to what ends the sale, and back. */
const NEEDS = {
  operate: [
    { action: "message", text: "Doors at eight" },
    { action: "pause", reason: "A break", next_update_at_ms: Date.now() + 3_600_000 },
    { action: "stop", reason: "A break", next_update_at_ms: Date.now() + 3_600_000 },
    { action: "resume" },
    { action: "retune", per_minute: 60, max_active: 500 },
    { action: "retune", per_minute: "reset", max_active: 1 },
    { action: "retune", max_active: "reset" },
    { action: "expect", visitors: 10_000 },
    { action: "stock", left: 50 },
    { action: "close", line: "general" },
    { action: "open", line: "general" },
    { action: "soldout" },
    { action: "close" },
    { action: "open" },
  ],
  configure: [
    { action: "retune", per_minute: 6001 },
    { action: "retune", max_active: null },
    { action: "retune", per_minute: "reset", max_active: "reset" },
    { action: "off" },
    { action: "open" },
  ],
};

test("C18 each role may do what stands in the table for it, and no more", async () => {
  const by = Object.fromEntries(
    await Promise.all(
      ["view", "operate", "configure"].map(async (role) => [role, await room.operator({ role, name: `the ${role}` })]),
    ),
  );
  const ask = async (role, document, status) => {
    const answer = await by[role].send(document);
    assert.equal(answer.status, status, `${role} ${JSON.stringify(document)}: ${answer.text}`);
    if (status === 403) assert.match(answer.json.title, /needs a token with the role (operate|configure)/);
  };
  for (const document of NEEDS.operate) {
    await ask("view", document, 403);
    await ask("operate", document, 200);
  }
  for (const document of NEEDS.configure) {
    const isBack = document.action === "open" || document.max_active === "reset";
    await ask("view", document, 403);
    await ask("operate", document, isBack ? 200 : 403);
    await ask("configure", document, 200);
  }
  const soon = new Date(Date.now() + 3_600_000).toISOString();
  await ask("operate", { action: "reschedule", opens_at: soon, reason: "snow" }, 403);
  await ask("configure", { action: "reschedule", opens_at: soon, reason: "snow" }, 409);
});

test("C18 who did what, and who was refused what, stands in the log once, with the name", async () => {
  const event = "noted";
  const viewer = await room.operator({ event, role: "view", name: "curious" });
  const stranger = await room.operator({ event, role: "configure", name: "stranger", holdsFor: "other" });
  for (let n = 0; n < 5; n += 1) {
    assert.equal((await viewer.send({ action: "close" })).status, 403);
    assert.equal((await stranger.look()).status, 403);
  }
  const chief = await room.operator({ event, name: "chief" });
  await chief.act("message", { text: "hello" });
  const of = (noted, name) => noted.filter(({ by }) => by === name).map(({ did }) => did);
  const { noted } = await until(
    () => chief.observe(),
    ({ noted }) => of(noted, "curious").length > 0 && of(noted, "stranger").length > 0,
    { what: "both refusals" },
  );
  assert.deepEqual(of(noted, "curious"), [{ action: "refused", what: "close" }]);
  assert.deepEqual(of(noted, "stranger"), [{ action: "refused", what: "another event's token" }]);
  assert.deepEqual(of(noted, "chief"), [{ action: "message", text: "hello" }]);
  const log = (await chief.wholeLog()).map((line) => JSON.stringify(line)).join("\n");
  for (const name of ["curious", "stranger", "chief"]) assert.equal(log.split(`"${name}"`).length, 2, name);
});

test("C18 a token in the wrong hands keeps no coordinator busy and fills no log: a few of its refusals are told", async () => {
  const event = "noted";
  const chief = await room.operator({ event, name: "chief" });
  const lines = (await chief.wholeLog()).length;
  const leaked = await room.operator({ event, role: "view", name: "leaked" });
  for (let round = 0; round < 10; round += 1) {
    const answers = await Promise.all(NEEDS.operate.map((document) => leaked.send(document)));
    for (const { status } of answers) assert.equal(status, 403);
  }
  await chief.act("message", { text: "the brake is free" });
  const told = (await chief.wholeLog()).length - lines - 1;
  assert.ok(told <= 3, `${told} lines of 140 refusals`);
});

test("metrics are text for Prometheus, for who may see every event", async () => {
  const ask = (token) => room.ask("/_wr/metrics", { headers: token ? { authorization: `Bearer ${token}` } : {} });
  assert.equal((await ask()).status, 401);
  assert.equal((await ask((await room.operator({ role: "view" })).token)).status, 403);
  const answer = await ask((await room.operator({ role: "view", holdsFor: "*" })).token);
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

test("C18 a thousand guesses run into 429, leave one number behind, and keep nobody from the brake", async () => {
  const chief = await room.operator({ name: "chief" });
  const before = (await chief.observe()).wrong_tokens.count;
  const lines = (await chief.wholeLog()).length;
  const network = elsewhere();
  const guesses = Promise.all(
    Array.from({ length: 1_000 }, (_, n) => withToken(`guess-${n}`, "demo", network).send({ action: "close" })),
  );
  const operator = withToken(chief.token, "demo", network);
  const asked = Date.now();
  assert.equal((await operator.send({ action: "message", text: "in the middle of it" })).status, 200);
  assert.ok(Date.now() - asked < 10_000, "a token that holds is taken at once, from the same network");
  const answers = await guesses;
  const counts = Object.groupBy(answers, ({ status }) => status);
  assert.deepEqual(Object.keys(counts).sort(), ["401", "429"]);
  assert.ok(counts[401].length <= 6, `${counts[401].length} were told what is wrong with them`);
  assert.ok(counts[429].every(({ headers }) => Number(headers["retry-after"]) >= 1));
  const after = await chief.observe();
  assert.equal(after.wrong_tokens.count - before, 1_000);
  assert.ok(Math.abs(after.wrong_tokens.last_at_ms - Date.now()) < 60_000);
  assert.equal((await chief.wholeLog()).length, lines + 1, "the log has what was done, and no guess");
  assert.ok(!room.output.includes("guess-"), "nothing of a guess is written down");
});

test("C18 a wrong token costs whoever sends it more each time, and nobody else", async () => {
  const network = elsewhere();
  const costs = [];
  for (let n = 0; n < 5; n += 1) {
    const asked = Date.now();
    assert.equal((await withToken("guess", "demo", network).look()).status, 401);
    costs.push(Date.now() - asked);
  }
  for (const [n, cost] of costs.entries()) assert.ok(cost >= 95 << n, `guess ${n + 1} took ${cost} ms`);
  const asked = Date.now();
  assert.equal((await withToken("guess").look()).status, 401);
  assert.ok(Date.now() - asked < SOON_MS, "another network does not pay for it");
});
