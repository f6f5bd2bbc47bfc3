// Alarms come at least once: twice, late, early, after the end, or not at all any more. Who is admitted follows from the
// limits alone.
import assert from "node:assert/strict";
import { after, afterEach, before, test } from "node:test";
import { joined } from "./harness/crowd.mjs";
import { pause, until } from "./harness/exchange.mjs";
import { startRoom } from "./harness/room.mjs";

const PER_MINUTE = 60;
const VISITORS = 12;
/** What a window may hold beyond its rate: one second of it. */
const BURST = 1;

let room;
before(async () => {
  const admission = { per_minute: PER_MINUTE };
  room = await startRoom({
    staged: true,
    events: [
      { id: "rate", admission },
      { id: "over", admission },
      { id: "broken", admission: { max_active: 1 } },
    ],
  });
});
afterEach(() => room.failAlarms(0));
after(() => room?.stop());

const objectsOf = (event) => [`${event}/1/coordinator`, `${event}/1/shard/0`];

const granted = async (operator) => (await operator.observe()).totals.granted;

/** Everybody claims, and is answered. */
const claims = (fans) => Promise.all(fans.map((fan) => fan.claim()));

test("D4 alarms that come early, twice at once and ten minutes late admit nobody beyond the rate", async () => {
  const operator = await room.operator({ event: "rate" });
  const fans = await joined(room, "rate", VISITORS);
  const [began, before] = [Date.now(), await granted(operator)];
  for (let turn = 0; turn < 4; turn += 1) {
    for (const object of objectsOf("rate")) await Promise.all([room.alarm(object), room.alarm(object)]);
    await claims(fans);
  }
  const allowed = () => BURST + Math.ceil(((Date.now() - began) / 60_000) * PER_MINUTE) + BURST;
  assert.ok((await granted(operator)) - before <= allowed(), `${(await granted(operator)) - before} of ${allowed()}`);
  // Nobody looked for ten minutes: the bucket is full, and holds no more than one second's worth.
  await room.advance(10 * 60_000);
  for (const object of objectsOf("rate")) await room.alarm(object);
  const [late, since] = [Date.now(), await granted(operator)];
  await claims(fans);
  await claims(fans);
  const catchUp = (await granted(operator)) - since;
  const most = 2 * BURST + Math.ceil(((Date.now() - late) / 60_000) * PER_MINUTE);
  assert.ok(catchUp <= most, `${catchUp} grants after the pause, at most ${most}`);
});

test("D4 an alarm after the event's end admits nobody", async () => {
  const operator = await room.operator({ event: "over" });
  const fans = await joined(room, "over", 3);
  await operator.act("soldout");
  const before = await granted(operator);
  await room.advance(10 * 60_000);
  for (const object of [...objectsOf("over"), ...objectsOf("over")]) await room.alarm(object);
  await claims(fans);
  assert.equal(await granted(operator), before);
});

test("D5 alarms that fail seven times in a row: the next request brings everything forward", async () => {
  const [inside, next] = await joined(room, "broken", 2);
  await inside.enter();
  await room.failAlarms(1_000);
  for (let time = 0; time < 7; time += 1) {
    for (const object of objectsOf("broken")) await room.alarm(object).catch((error) => error);
  }
  assert.equal((await inside.release()).status, 200);
  await until(
    () => next.claim(),
    ({ status }) => status === 200,
    { within_ms: 5_000, what: "the free slot" },
  );
  await pause(100);
  assert.equal((await next.visit()).status, 200);
});
