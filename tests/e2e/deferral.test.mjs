// "Not yet, give me 5 more minutes": once, at one's turn, and then the offer lapses like any other.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { until } from "./harness/exchange.mjs";
import { startRoom } from "./harness/room.mjs";

const MINUTE_MS = 60_000;
const STEP_MS = 30_000;

let room;
before(async () => {
  room = await startRoom({
    staged: true,
    events: [
      { id: "brief", hold_minutes: 2 },
      { id: "early", hold_minutes: 2, opens_at: "2999-01-01T10:00:00Z" },
    ],
  });
});
after(() => room?.stop());

async function passes(ms) {
  for (let left = ms; left > 0; left -= STEP_MS) {
    await room.advance(Math.min(left, STEP_MS));
    for (const event of ["brief", "early"]) await room.board(event);
  }
}

async function called() {
  const fan = room.visitor({ event: "brief" });
  await fan.visit();
  await fan.join();
  await fan.reaches("called");
  return fan;
}

test("a called visitor gets five more minutes once: the turn outlives its hold, and lapses after that", async () => {
  const fan = await called();
  const offered = await fan.ask();
  assert.equal(offered.may_defer, true);
  const deferred = await fan.defer();
  assert.equal(deferred.status, 200, deferred.text);
  assert.deepEqual([deferred.json.state, deferred.json.may_defer], ["called", false]);
  assert.ok(deferred.json.offer_until_ms >= offered.offer_until_ms + 5 * MINUTE_MS - 1_000);
  const again = await fan.defer();
  assert.equal(again.status, 409);
  assert.equal(again.json.type, "urn:anteroom:problem:already-deferred");

  await passes(4 * MINUTE_MS);
  assert.equal((await fan.ask()).state, "called", "two minutes of hold are over");
  await passes(4 * MINUTE_MS);
  await until(
    () => fan.ask(),
    ({ state }) => state === "lapsed",
    { what: "the lapse" },
  );
  const page = await fan.visit();
  assert.equal(page.state, "lapsed");
  assert.ok(fan.page.permit, "one button to join again");
  assert.equal((await fan.join()).state !== "lapsed", true);
});

test("who took five minutes more comes in with one tap", async () => {
  const fan = await called();
  assert.equal((await fan.defer()).status, 200);
  await passes(3 * MINUTE_MS);
  await fan.enter();
  assert.equal((await fan.visit()).status, 200);
});

test("nobody defers before the turn, without a ticket, or as another site", async () => {
  const early = room.visitor({ event: "early" });
  await early.visit();
  assert.equal((await early.join()).state, "waiting");
  const refused = await early.defer();
  assert.equal(refused.status, 409);
  assert.equal(refused.json.type, "urn:anteroom:problem:not-called");
  const stranger = room.visitor({ event: "early" });
  assert.equal((await stranger.defer()).status, 401);
  const foreign = await early.visit(`${early.queue}/tickets/me/defer`, {
    method: "POST",
    site: "cross-site",
    origin: "https://evil.example",
    form: { return: "/" },
  });
  assert.equal(foreign.status, 403);
});

test("without script the button leads back to the page", async () => {
  const fan = await called();
  const form = { return: "/events/brief/seats" };
  const sent = await fan.visit(`${fan.queue}/tickets/me/defer`, { method: "POST", site: "same-origin", form });
  assert.deepEqual([sent.status, sent.headers.location], [303, "/events/brief/seats"]);
  assert.equal((await fan.ask()).may_defer, false);
});
