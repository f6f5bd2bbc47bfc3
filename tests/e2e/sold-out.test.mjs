// Sold out, closed, off and open again: what visitors see, who still gets in, and that nothing is granted after it.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { pause, until } from "./harness/exchange.mjs";
import { startRoom } from "./harness/room.mjs";

const IN_FORCE_MS = 2_000;

let room;
before(async () => {
  room = await startRoom({ events: ["sold", "shut", "free", "noted"].map((id) => ({ id })) });
});
after(() => room?.stop());

/** Someone admitted, someone called, and the operator of an event. */
async function cast(event) {
  const operator = await room.operator({ event });
  const admitted = room.visitor({ event });
  await admitted.admitted();
  const called = room.visitor({ event });
  await called.visit();
  await called.join();
  await called.reaches("called");
  return { operator, admitted, called };
}

/** After the sale's end: nobody joins, nobody gets a first pass, those inside stay; then it opens again. */
async function ends({ operator, admitted, called }, action, state) {
  const { totals } = await operator.act(action);
  const late = room.visitor({ event: operator.event });
  const page = await until(
    () => late.visit(),
    (answer) => answer.state === state,
    { within_ms: IN_FORCE_MS, what: state },
  );
  assert.equal(page.status, 503);
  await pause(IN_FORCE_MS);
  const refused = await late.tryToJoin();
  assert.equal(refused.status, 409);
  assert.equal(refused.headers["content-type"], "application/problem+json");
  const claim = await called.claim();
  assert.ok([202, 409].includes(claim.status), `a claim: ${claim.status}`);
  assert.equal((await operator.observe()).totals.granted, totals.granted, "no grant after the acknowledgement");
  assert.equal((await admitted.visit()).status, 200, "who is in may finish");

  await operator.act("open");
  const open = await until(
    () => late.visit(),
    (answer) => answer.state === "none",
    { within_ms: IN_FORCE_MS },
  );
  assert.equal(open.status, 503);
  await called.enter();
  await late.join();
  await late.enter();
}

test("sold out: no joins, no first passes, those inside stay, and it can be opened again", async () => {
  const people = await cast("sold");
  await ends(people, "soldout", "soldout");
});

test("closed: the same, and its page says that the sale is over", async () => {
  const people = await cast("shut");
  await ends(people, "close", "closed");
});

test("off: everything passes with a pass that the origin can check, and open brings the queue back", async () => {
  const operator = await room.operator({ event: "free" });
  await operator.act("off");
  const anyone = room.visitor({ event: "free" });
  await until(
    () => anyone.visit("/events/free/x"),
    ({ status }) => status === 200,
    { within_ms: IN_FORCE_MS },
  );
  assert.ok(room.origin.arrived("/events/free/x")[0].headers["waiting-room-pass"], "origins need no other rule for it");
  assert.equal((await room.ask("/events/free/api")).status, 200, "programs too");
  const post = await anyone.shop("/events/free/api", { method: "POST", document: { seats: 2 } });
  assert.equal(post.status, 200);
  await operator.act("open");
  const next = room.visitor({ event: "free" });
  await until(
    () => next.visit(),
    ({ status }) => status === 503,
    { within_ms: IN_FORCE_MS, what: "the queue" },
  );
});

test("what was done is noted with who and when, oldest first", async () => {
  const operator = await room.operator({ event: "noted", name: "mira" });
  await operator.act("message", { text: "Hello" });
  await operator.act("expect", { visitors: 30_000 });
  const { noted } = await operator.observe();
  assert.equal(noted.length, 2);
  for (const { by, at_ms } of noted) {
    assert.equal(by, "mira");
    assert.ok(Math.abs(Date.now() - at_ms) < 60_000, `at_ms is ${at_ms}`);
  }
});
