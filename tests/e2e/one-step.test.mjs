// Sessions of visitors who were let in in one step and so hold no ticket: they are kept like all others, and a browser
// has one place or session at a time.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, before, test } from "node:test";
import { until } from "./harness/exchange.mjs";
import { opened } from "./harness/forge.mjs";
import { codesOf } from "./harness/inviting.mjs";
import { startRoom } from "./harness/room.mjs";
import { FROM_ANOTHER_SITE } from "./harness/visitor.mjs";

const PASS_SECONDS = 60;

let room;
before(async () => {
  const auto = (id, more = {}) => ({ id, mode: "auto", pass_seconds: PASS_SECONDS, ...more });
  room = await startRoom({
    staged: true,
    events: [
      auto("stopped", { lines: [{ id: "general" }, { id: "balcony" }] }),
      auto("taken"),
      auto("down", { admission: { max_active: 50 } }),
      auto("again"),
      auto("framed"),
      auto("coded", { lines: [{ id: "fans", access: "code" }, { id: "general" }] }),
      { id: "told", bypass: ["/events/told/hooks/*"] },
    ],
  });
});
after(() => room?.stop());

const observed = async (event) => (await room.operator({ event })).observe();
const sessionOf = (fan) => opened(fan.cookie("pass")).claims.jti;

const walksIn = (event) => room.visitor({ event }).walksIn();

test("a stop that outlasts the pass takes no session away, whatever the page asks meanwhile", async () => {
  const fan = await walksIn("stopped");
  const session = sessionOf(fan);
  const operator = await room.operator({ event: "stopped" });
  await operator.act("stop");
  await until(
    () => fan.visit(),
    ({ state }) => state === "stopped",
    { what: "the stop" },
  );
  await room.advance(2 * PASS_SECONDS * 1_000);
  assert.equal((await fan.ask()).state, "admitted");
  const joined = await fan.tryToJoin();
  assert.deepEqual([joined.status, joined.json.state], [200, "admitted"], "no place besides the session");
  await operator.act("resume");
  await until(
    () => fan.visit(),
    ({ status }) => status === 200,
    { what: "the shop again" },
  );
  assert.equal(sessionOf(fan), session);
});

test("who is inside and joins another line gives the slot back at once, and so does who takes another place over", async () => {
  const mover = await walksIn("stopped");
  const before = (await observed("stopped")).totals.active;
  const moved = await mover.tryToJoin({ line: "balcony" });
  assert.deepEqual([moved.status, moved.json.line], [201, "balcony"]);
  assert.equal(mover.cookie("pass"), undefined);
  await until(
    () => observed("stopped"),
    ({ totals }) => totals.active < before,
    { what: "the free slot" },
  );

  const inside = await walksIn("taken");
  const other = room.visitor({ event: "taken" });
  await other.join();
  const { code } = (await other.offer()).json;
  const active = (await observed("taken")).totals.active;
  const taken = await inside.takeOver(code, randomBytes(16).toString("base64url"));
  assert.equal(taken.status, 200, taken.text);
  await until(
    () => observed("taken"),
    ({ totals }) => totals.active < active,
    { what: "the free slot" },
  );
});

test("who is inside in one step is in the line for everyone: naming it changes nothing, and a code is another's place", async () => {
  const fan = await walksIn("coded");
  assert.equal((await fan.ask()).line, "general");
  const named = await fan.tryToJoin({ line: "general" });
  assert.deepEqual([named.status, named.json.state], [200, "admitted"]);
  const [code] = await codesOf(room, { event: "coded", line: "fans" });
  const moved = await fan.tryToJoin({ code });
  assert.deepEqual([moved.status, moved.json.line], [201, "fans"]);
  const friend = room.visitor({ event: "coded" });
  assert.equal((await friend.join({ code })).entry, moved.json.entry, "the code's place is that one");
});

test("who has only the pass of a session that goes on elsewhere may join anew", async () => {
  const fan = room.visitor({ event: "told" });
  await fan.admitted();
  const phone = fan.copied(["ticket"]);
  await phone.claim();
  await phone.visit();
  fan.drop("ticket");
  await room.advance(300_000);
  const page = await fan.visit();
  assert.deepEqual([page.status, page.state], [503, "none"]);
  assert.ok(fan.page.permit);
  fan.drop("permit");
  assert.equal((await fan.tryToJoin()).status, 201);
});

test("O9 a first visit that the shop fails just now keeps the session that it was granted", async () => {
  await room.visitor({ event: "down" }).walksIn();
  await room.origin.stop();
  const fan = room.visitor({ event: "down" });
  try {
    const down = await until(
      () => fan.visit(),
      ({ status }) => status === 502,
      { what: "the shop that is down" },
    );
    assert.match(down.text, /You are still let in/);
    const bypassed = await room.ask("/no-event", { headers: { accept: "text/html" } });
    assert.equal(bypassed.status, 502);
    assert.doesNotMatch(bypassed.text, /let in/, "who has no pass is not told of one");
    const session = sessionOf(fan);
    for (let n = 0; n < 5; n += 1) assert.equal((await fan.visit()).status, 502);
    assert.equal(sessionOf(fan), session);
  } finally {
    await room.origin.start();
  }
  await until(
    () => fan.visit(),
    ({ status }) => status === 200,
    { what: "the shop" },
  );
  assert.equal((await observed("down")).totals.granted, 2, "one admission each");
});

test("open-door: whoever comes back with the ticket of a place that is over is let in like a first visit", async () => {
  const fan = room.visitor({ event: "again" });
  await fan.visit();
  fan.jar.clear();
  await fan.join();
  assert.equal((await fan.leave()).status, 200);
  const back = room.visitor({ event: "again" });
  await back.join();
  const stale = back.cookie("ticket");
  await back.enter();
  await back.release();
  assert.equal(back.cookie("pass"), undefined);
  assert.equal(back.cookie("ticket"), stale);
  await until(
    () => back.visit(),
    ({ status }) => status === 200,
    { what: "the shop" },
  );
  assert.equal(back.cookie("ticket"), undefined, "the place that is over is forgotten");
  assert.equal((await back.ask()).state, "admitted");
});

test("a session that another browser continues is not told as ended to the one that gives it back", async () => {
  const fan = room.visitor({ event: "told" });
  await fan.admitted();
  const phone = fan.copied(["ticket"]);
  await phone.claim();
  assert.equal((await phone.visit()).status, 200, "continued there");
  const released = await fan.release();
  assert.deepEqual([released.status, released.json.state], [200, "elsewhere"]);
  assert.equal((await phone.visit()).status, 200, "and goes on");
});

test("a foreign page that puts the shop into a frame takes no session", async () => {
  const framed = room.visitor({ event: "framed" });
  const answer = await framed.visit(undefined, { ...FROM_ANOTHER_SITE, headers: { "sec-fetch-dest": "iframe" } });
  assert.equal(answer.status, 503);
  assert.equal(framed.cookie("pass"), undefined);
  assert.equal((await observed("framed")).totals.granted, 0);
});

test("the shop says what is left on a bypassed path, too: the webhook of a payment", async () => {
  room.origin.answer = () => ({ headers: { "waiting-room-stock": "7" } });
  const hook = await room.ask("/events/told/hooks/paid", { method: "POST" });
  room.origin.answer = null;
  assert.deepEqual([hook.status, hook.headers["waiting-room-stock"]], [200, undefined]);
  const waiting = room.visitor({ event: "told" });
  await waiting.visit();
  await waiting.join();
  await until(
    () => waiting.ask(),
    ({ stock_left }) => stock_left === 7,
    { what: "the stock" },
  );
});
