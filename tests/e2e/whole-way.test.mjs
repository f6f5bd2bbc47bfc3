// A fan's whole way at one address: the queue page, the place, the turn, the pass, the shop, and back out.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { importJWK, jwtVerify } from "jose";
import { originKeys } from "../../scripts/setup/keys-tool.mjs";
import { until } from "./harness/exchange.mjs";
import { opened } from "./harness/forge.mjs";
import { startRoom } from "./harness/room.mjs";

const ADDRESS = "/events/demo/seats?row=4&of=%2Fa";

let room;
before(async () => {
  room = await startRoom({
    events: [
      { id: "demo" },
      { id: "slow", admission: { per_minute: 1 } },
      { id: "raffle", opens_at: "2999-01-01T10:00:00Z" },
    ],
  });
});
after(() => room?.stop());

test("a fan reaches the shop at the address that was asked, and nothing reaches it before", async () => {
  const fan = room.visitor();
  const page = await fan.visit(ADDRESS);
  assert.equal(page.status, 503);
  assert.equal(page.state, "none");
  assert.match(page.headers["content-type"], /^text\/html/);
  assert.match(page.headers["x-robots-tag"], /noindex/);
  assert.ok(Number(page.headers["retry-after"]) > 0);
  assert.match(page.text, /The demo on-sale/);
  assert.equal(fan.page.return, ADDRESS);
  assert.ok(fan.cookie("permit") && fan.cookie("browser"), "the page sets permit and claim id");

  const joined = await fan.tryToJoin();
  assert.equal(joined.status, 201);
  assert.equal(joined.json.entry, 0, "the first of the queue");
  assert.ok(fan.cookie("ticket"));

  const { pass, session_ends_at_ms: ends_ms } = await fan.enter();
  assert.ok(ends_ms > Date.now() + 19 * 60_000 && ends_ms < Date.now() + 21 * 60_000);
  assert.equal(room.origin.seen.length, 0, "the shop was asked nothing before the turn");

  const shop = await fan.visit(ADDRESS);
  assert.equal(shop.status, 200);
  assert.equal(shop.headers["x-shop"], "1");
  assert.equal(shop.text, `shop ${ADDRESS}`, "path and query arrive as they were sent");
  const [request] = room.origin.seen;
  assert.equal(request.headers["waiting-room-pass"], pass);
  assert.doesNotMatch(request.headers.cookie ?? "", /wr-/, "none of our cookies reaches the shop");
});

test("the pass that the shop gets verifies with the origin's key and a standard library", async () => {
  const fan = room.visitor();
  await fan.admitted();
  await fan.visit(`${fan.path}verified`);
  const [{ headers }] = room.origin.arrived("/verified");
  const { keys } = await originKeys({ issuer: room.issuer, audience: "*loopback", secrets: room.secrets });
  const { payload } = await jwtVerify(headers["waiting-room-pass"], await importJWK(keys[0]), {
    algorithms: ["HS256"],
    typ: "wr-pass+jwt",
    issuer: room.issuer,
    audience: "*loopback",
    requiredClaims: ["v", "evt", "run", "jti", "iat", "exp", "sx"],
  });
  assert.equal(payload.evt, "demo");
  assert.ok(payload.exp - payload.iat <= 180, "a pass lives three minutes");
});

test("an origin that prefers asking gets the claims, or 401 for what is not ours", async () => {
  const fan = room.visitor();
  const { pass } = await fan.admitted();
  const access = (token, query = "") =>
    room.ask(`/_wr/access${query}`, { headers: token ? { authorization: `Bearer ${token}` } : {} });
  const answer = await access(pass);
  assert.equal(answer.status, 200, answer.text);
  assert.equal(answer.json.event, "demo");
  assert.equal(answer.json.jti, opened(pass).claims.jti);
  assert.equal(answer.headers["cache-control"], "private, max-age=1");
  assert.equal((await access()).status, 401);
  assert.equal((await access("a.b.c")).status, 401);
  assert.equal((await access(fan.cookie("ticket"))).status, 401, "a ticket is no pass");
  const released = await fan.release();
  assert.equal(released.status, 200, released.text);
  assert.equal((await access(pass)).status, 410, "R8 refused at once by the shard");
  assert.equal((await access(pass, "?ended=403")).status, 403);
});

test("R8 after a session is given back its cookie is gone, and the address shows the room again", async () => {
  const fan = room.visitor();
  await fan.admitted();
  assert.equal((await fan.visit()).status, 200);
  assert.equal((await fan.release()).status, 200);
  assert.equal(fan.cookie("pass"), undefined);
  const page = await fan.visit();
  assert.equal(page.status, 503);
  assert.equal(page.state, "ended");
  const again = await fan.claim();
  assert.equal(again.status, 409);
  assert.equal(again.json.state, "ended");
});

test("R8 who leaves gives the place up, and a new permit makes a new place further behind", async () => {
  const fan = room.visitor({ event: "slow" });
  await fan.visit();
  const { entry } = await fan.join();
  const copy = fan.copied(["ticket", "browser"]);
  const left = await fan.leave();
  assert.equal(left.status, 200, left.text);
  assert.equal(left.json.state, "left");
  const claim = await copy.claim();
  assert.equal(claim.status, 409, "a place that was left cannot be claimed, by whoever still has its ticket");
  assert.equal(claim.json.state, "left");
  await fan.visit();
  assert.ok((await fan.join()).entry > entry, "who comes back is behind");
  const other = room.visitor({ event: "slow" });
  await other.visit();
  assert.ok((await other.join()).entry > entry, "numbers are never used again");
});

test("spent-once: one permit is one place, however often and from wherever it joins", async () => {
  const fan = room.visitor();
  await fan.visit();
  const permit = fan.page.permit;
  const first = await fan.join();
  const again = await fan.script("POST", `${fan.queue}/tickets`, { permit });
  assert.equal(again.status, 200);
  assert.equal(again.json.entry, first.entry);
  const elsewhere = await room.ask(`${fan.queue}/tickets`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ permit }),
  });
  assert.equal(elsewhere.status, 200);
  assert.equal(elsewhere.json.entry, first.entry);
});

test("one turn is one session, however often and at the same time it is claimed", async () => {
  const fan = room.visitor();
  await fan.visit();
  await fan.join();
  await fan.enter();
  const claims = await Promise.all(Array.from({ length: 20 }, () => fan.claim()));
  const sessions = new Set(claims.map(({ json }) => opened(json.pass).claims.jti));
  assert.equal(sessions.size, 1);
  const { totals } = await (await room.operator()).observe();
  assert.ok(totals.granted <= totals.joined);
});

test("Q1 fifty tabs of one browser that load together have one place", async () => {
  const fan = room.visitor();
  await fan.visit();
  await Promise.all(Array.from({ length: 50 }, () => fan.visit()));
  const joins = await Promise.all(Array.from({ length: 50 }, () => fan.tryToJoin()));
  assert.equal(new Set(joins.map((answer) => answer.json.entry)).size, 1);
});

test("order: who joined before another began has the smaller number, and the numbers have no gap", async () => {
  const entries = [];
  for (let n = 0; n < 20; n += 1) {
    const fan = room.visitor();
    await fan.visit();
    entries.push((await fan.join()).entry);
  }
  for (let n = 1; n < entries.length; n += 1) assert.equal(entries[n], entries[n - 1] + 1);
});

test("who waits sees the place, a page at the same address, and numbers that never rise", async () => {
  const fans = [];
  for (let n = 0; n < 12; n += 1) {
    const fan = room.visitor({ event: "slow" });
    await fan.visit();
    await fan.join();
    fans.push(fan);
  }
  const last = fans.at(-1);
  const page = await last.visit();
  assert.equal(page.status, 503);
  assert.equal(page.state, "waiting");
  assert.equal(last.page.permit, null, "who has a place gets no permit");
  let shown = Number.POSITIVE_INFINITY;
  let version = 0;
  for (let n = 0; n < 10; n += 1) {
    const me = await last.ask();
    assert.equal(me.state, "waiting");
    assert.equal(me.ahead, me.rank - me.called);
    assert.ok(me.ahead <= shown && me.board_version >= version, "monotone");
    assert.ok(me.poll_ms >= 2_000 && me.poll_ms <= 10_000, `poll_ms ${me.poll_ms}`);
    shown = me.ahead;
    version = me.board_version;
  }
  assert.equal((await last.claim()).status, 409, "not called yet");
});

test("the board is public and says where the line stands", async () => {
  const board = await until(
    () => room.board("demo"),
    (each) => each.lines?.[0].entries > 0,
    { what: "a board" },
  );
  assert.equal(board.event, "demo");
  assert.equal(board.run, 1);
  assert.equal(board.mode, "always");
  assert.equal(board.stop, false);
  assert.equal(board.lines[0].id, "general");
  assert.equal(board.lines[0].phase, "open");
  assert.ok(board.lines[0].called <= board.lines[0].entries);
  assert.ok(board.age_ms >= 0 && board.version > 0);
});

test("before the sale opens visitors gather, are told when it opens, and nobody is called", async () => {
  const fan = room.visitor({ event: "raffle" });
  const page = await fan.visit();
  assert.equal(page.status, 503);
  assert.equal(page.state, "prequeue");
  await fan.join();
  const me = await fan.ask();
  assert.ok(["waiting", "provisional"].includes(me.state));
  assert.equal(me.opens_at_ms, Date.parse("2999-01-01T10:00:00Z"));
  assert.equal(me.called, 0);
  assert.equal((await fan.claim()).status, 409);
});
