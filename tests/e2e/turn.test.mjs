// The turn and what time does to it: an offer stands for the hold, a brake stops the hold, permits and tickets grow old.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { pause, until } from "./harness/exchange.mjs";
import { opened } from "./harness/forge.mjs";
import { startRoom } from "./harness/room.mjs";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** The hold runs at most a minute between two looks at the clock. */
const STEP_MS = 30_000;

const EVENTS = ["offered", "braked", "early", "patient", "scheduled"];

const fromNow = (ms) => new Date(Date.now() + ms).toISOString();

let room;
before(async () => {
  room = await startRoom({
    staged: true,
    events: [
      { id: "offered", hold_minutes: 2 },
      { id: "braked", hold_minutes: 2 },
      { id: "early", opens_at: "2999-01-01T10:00:00Z" },
      { id: "patient", hold_minutes: 0 },
      { id: "repeated" },
      { id: "scheduled", prequeue_at: fromNow(30 * MINUTE_MS), opens_at: fromNow(40 * MINUTE_MS) },
    ],
  });
});
after(() => room?.stop());

/** Lets time pass while somebody looks at the boards. */
async function passes(ms) {
  for (let left = ms; left > 0; left -= STEP_MS) {
    await room.advance(Math.min(left, STEP_MS));
    for (const event of EVENTS) await room.board(event);
  }
}

async function called(event) {
  const fan = room.visitor({ event });
  await fan.visit();
  await fan.join();
  await fan.reaches("called");
  return fan;
}

test("the schedule: before the pre-queue nobody joins, before the opening nobody is called, then the line moves", async () => {
  const fan = room.visitor({ event: "scheduled" });
  const page = await fan.visit();
  assert.equal(page.status, 503);
  assert.equal(page.state, "before");
  const refused = await fan.tryToJoin();
  assert.deepEqual([refused.status, refused.state], [409, "none"]);
  await passes(MINUTE_MS);
  await room.advance(29 * MINUTE_MS);
  await until(
    () => fan.visit(),
    ({ state }) => state === "prequeue",
    { what: "the pre-queue" },
  );
  assert.equal((await fan.join()).state, "waiting");
  assert.equal((await fan.claim()).status, 409);
  await room.advance(10 * MINUTE_MS);
  await fan.enter();
  assert.equal((await fan.visit()).status, 200);
});

test("Q7 Q8 a turn waits for a phone that sleeps, as long as the offer says, and one tap resumes", async () => {
  const fan = await called("offered");
  const { offer_until_ms, now_ms } = await fan.ask();
  assert.ok(
    offer_until_ms > now_ms + MINUTE_MS && offer_until_ms <= now_ms + 2 * MINUTE_MS,
    `${offer_until_ms - now_ms}`,
  );
  await passes(90_000);
  const page = await fan.visit();
  assert.equal(page.state, "called");
  await fan.enter();
  assert.equal((await fan.visit()).status, 200);
});

test("Q7 after the hold the turn has lapsed: the page says so, nobody is let in with it, and a new place is behind", async () => {
  const fan = await called("offered");
  const { entry } = await fan.ask();
  await passes(3 * MINUTE_MS);
  const me = await until(
    () => fan.ask(),
    ({ state }) => state !== "called",
    { what: "the end of the hold" },
  );
  assert.equal(me.state, "lapsed");
  const claim = await fan.claim();
  assert.equal(claim.status, 409);
  assert.equal(claim.json.state, "lapsed");
  const page = await fan.visit();
  assert.equal(page.status, 503);
  assert.equal(page.state, "lapsed");
  assert.ok(fan.page.permit, "the page offers to join again");
  const again = await fan.join();
  assert.ok(again.entry > entry);
});

test("a brake stops the hold: after a long pause the turn still stands", async () => {
  const operator = await room.operator({ event: "braked" });
  const fan = await called("braked");
  await operator.act("pause");
  await passes(4 * MINUTE_MS);
  assert.equal((await fan.ask()).state, "called");
  await operator.act("resume");
  await fan.enter();
});

test("with a hold of 0 an offer stands until the end", async () => {
  const fan = await called("patient");
  await passes(5 * MINUTE_MS);
  const { offer_until_ms } = await fan.ask();
  assert.equal(offer_until_ms, null);
  await fan.enter();
});

test("P8 an old permit makes nothing new, and finds the place that it made", async () => {
  const used = room.visitor({ event: "early" });
  await used.visit();
  const { entry } = await used.join();
  const fan = room.visitor({ event: "early" });
  await fan.visit();
  const old = fan.page.permit;
  const { exp, iat } = opened(old).claims;
  await room.advance((exp - iat + 5) * 1_000);
  const refused = await fan.script("POST", `${fan.queue}/tickets`, { permit: old });
  assert.equal(refused.status, 410, refused.text);
  used.drop("ticket");
  const found = await used.script("POST", `${used.queue}/tickets`, {
    permit: used.page?.permit ?? used.cookie("permit"),
  });
  assert.equal(found.status, 200);
  assert.equal(found.json.entry, entry);
  await fan.visit();
  assert.notEqual(fan.page.permit, old, "a page brings a permit that holds");
  assert.equal((await fan.tryToJoin()).status, 201);
});

test("a ticket is signed anew in the second half of its day, and the place outlives it", async () => {
  const fan = room.visitor({ event: "early" });
  await fan.visit();
  const { entry } = await fan.join();
  const first = opened(fan.cookie("ticket")).claims;
  await room.advance(13 * HOUR_MS);
  const me = await until(
    () => fan.ask(),
    () => opened(fan.cookie("ticket")).claims.exp > first.exp,
    { what: "a new ticket" },
  );
  assert.equal(me.entry, entry);
  await room.advance(13 * HOUR_MS);
  assert.equal((await fan.ask()).entry, entry, "a day later the first one would have expired");
});

test("order: a join that is repeated just as the turn comes is told a turn and a board that agree", async () => {
  // The first join's number is what calls the place, so the others meet the change under way.
  const again = async (fan, wait_ms) => {
    await pause(wait_ms);
    return fan.join();
  };
  for (let round = 0; round < 25; round += 1) {
    const fan = room.visitor({ event: "repeated" });
    await fan.visit();
    await fan.join();
    const answers = await Promise.all(Array.from({ length: 8 }, (_, at) => again(fan, at * 7)));
    for (const { state, rank, called: watermark, ahead } of answers) {
      if (state !== "called") continue;
      assert.ok(rank < watermark && ahead === 0, `rank ${rank}, called ${watermark}, ahead ${ahead}`);
    }
  }
});
