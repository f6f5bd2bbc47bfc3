// brake: pause, resume and stop are in force at the edge within 2 s; nothing is granted, what runs goes on.
import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { pause, until } from "./harness/exchange.mjs";
import { startRoom } from "./harness/room.mjs";

/** From when on an operator's word holds at every edge. */
const IN_FORCE_MS = 2_000;

let room;
let operator;
before(async () => {
  room = await startRoom({
    staged: true,
    events: [{ id: "demo" }, { id: "race", admission: { per_minute: 240, max_active: 500 } }],
  });
  operator = await room.operator();
});
beforeEach(() => operator.act("resume"));
after(() => room?.stop());

test("a pause stops calling and granting, says why, and its end lets the line go on", async () => {
  const next_update_at_ms = Date.now() + 15 * 60_000;
  await operator.act("pause", { reason: "The shop <b>rests</b>", next_update_at_ms });
  const fan = room.visitor();
  const inForce = { within_ms: IN_FORCE_MS, what: "the pause" };
  const page = await until(
    () => fan.visit(),
    ({ state }) => state === "paused",
    inForce,
  );
  assert.match(page.text, /The shop &(#60|lt);b/);
  assert.doesNotMatch(page.text, /<b>rests/, "C14 a reason is text");
  await fan.join();
  const me = await fan.ask();
  assert.equal(me.state, "waiting");
  assert.deepEqual(me.pause, { reason: "The shop <b>rests</b>", next_update_at_ms });
  await pause(1_000);
  assert.equal((await fan.ask()).state, "waiting", "nobody is called during a pause");
  assert.equal((await fan.claim()).status, 409);
  await operator.act("resume");
  await fan.enter();
  assert.equal((await fan.visit()).status, 200);
});

test("from 2 s after a pause nobody gets a first pass, called or claiming or walking in", async () => {
  const called = room.visitor();
  await called.visit();
  await called.join();
  await called.reaches("called");
  const { totals } = await operator.act("pause");
  await pause(IN_FORCE_MS);
  for (let n = 0; n < 5; n += 1) {
    const answer = await called.claim();
    assert.ok([202, 409].includes(answer.status), `${answer.status}`);
    assert.equal(called.cookie("pass"), undefined);
  }
  assert.equal((await operator.observe()).totals.granted, totals.granted, "no grant after the acknowledgement");
  await operator.act("resume");
  await called.enter();
});

test("D17 a pause in the middle of claims is exact: what is granted when it is acknowledged is all that is granted", async () => {
  const racing = await room.operator({ event: "race" });
  const fans = Array.from({ length: 24 }, () => room.visitor({ event: "race" }));
  for (const fan of fans) {
    await fan.visit();
    await fan.join();
  }
  for (let round = 0; round < 3; round += 1) {
    let isOver = false;
    const claiming = fans.map(async (fan) => {
      while (!isOver && !fan.cookie("pass")) await fan.claim();
    });
    await pause(300);
    const { totals } = await racing.act("pause");
    await pause(1_500);
    const later = (await racing.observe()).totals;
    isOver = true;
    await Promise.all(claiming);
    // A grant that the brake caught before its first pass is given back: the count of the ended shows it.
    assert.equal(later.granted, totals.granted, `round ${round}`);
    await racing.act("resume");
  }
  assert.ok((await racing.observe()).totals.granted > 0);
});

test("while it is paused sessions go on and are renewed, and their end does not move", async () => {
  const fan = room.visitor();
  const { pass, session_ends_at_ms } = await fan.admitted();
  await operator.act("pause");
  await pause(IN_FORCE_MS);
  await room.advance(100_000);
  const shop = await fan.visit();
  assert.equal(shop.status, 200);
  await until(
    () => fan.visit(),
    () => fan.cookie("pass") !== pass,
    { what: "a renewed pass" },
  );
  const access = await room.ask("/_wr/access", { headers: { authorization: `Bearer ${fan.cookie("pass")}` } });
  assert.equal(access.status, 200);
  assert.equal(access.json.sx, Math.floor(session_ends_at_ms / 1_000));
});
