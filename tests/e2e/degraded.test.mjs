// Degraded modes: what visitors, operators and the shop see of each part that is away, the rows of the table in
// docs/runbook.md that no other file shows.
import assert from "node:assert/strict";
import { after, afterEach, before, test } from "node:test";
import { joined } from "./harness/crowd.mjs";
import { until } from "./harness/exchange.mjs";
import { opened } from "./harness/forge.mjs";
import { startRoom } from "./harness/room.mjs";

/** Two shards take this event's joins, and each of them is the home of some visitor of so many. */
const SPREAD = { expected_visitors: 24_000, admission: { per_minute: 60, max_active: 4 } };
const VISITORS = 24;

let room;
before(async () => {
  room = await startRoom({
    staged: true,
    events: [
      { id: "demo", session_minutes: 30 },
      { id: "slow", admission: { per_minute: 1 } },
      { id: "spread", ...SPREAD, admission: { per_minute: 1 } },
      { id: "clock", admission: { max_active: 1 } },
    ],
  });
});
afterEach(() => room.cut());
after(() => room?.stop());

test("D14 coordinator down: joins stand without a number, the page says how old its numbers are, who is in shops on", async () => {
  const inside = room.visitor();
  await inside.admitted();
  const [first, waiting] = await joined(room, "slow", 3).then((fans) => [fans[0], fans[2]]);
  const before = await waiting.ask();
  await room.cut("/coordinator");
  await room.advance(70_000);
  const page = await waiting.visit();
  assert.deepEqual([page.status, page.state], [503, "waiting"]);
  assert.match(page.text, /These numbers are \d+ minutes? old/, "the page says how old its numbers are");
  const me = await waiting.ask();
  assert.deepEqual([me.entry, me.called], [before.entry, before.called], "the last values stay in force");
  assert.ok(me.board_age_ms >= 60_000, `${me.board_age_ms}`);
  const late = room.visitor({ event: "slow" });
  await late.visit();
  assert.equal((await late.join()).state, "provisional");
  const claim = await first.claim();
  assert.ok([202, 409, 503].includes(claim.status) && claim.state, `${claim.status}`);
  assert.equal((await inside.visit()).status, 200, "open-door");
  assert.equal((await (await room.operator()).look()).status, 503);
  await room.cut();
  assert.ok(Number.isInteger((await late.reachesNumber()).entry));
});

test("D13 one shard down: its visitors keep page and place, everybody else notices nothing, no number is lost", async () => {
  const fans = await joined(room, "spread", VISITORS);
  const homeOf = (fan) => opened(fan.cookie("ticket")).claims.home;
  const homes = [...new Set(fans.map(homeOf))];
  const down = homes[0];
  const before = await Promise.all(fans.map((fan) => fan.ask()));
  await room.cut(`spread/1/shard/${down}`);
  const seen = await Promise.all(fans.map((fan) => fan.ask()));
  assert.deepEqual(
    seen.map(({ entry }) => entry),
    before.map(({ entry }) => entry),
  );
  const own = fans.find((fan) => homeOf(fan) === down);
  const page = await own.visit();
  assert.deepEqual([page.status, typeof page.state], [503, "string"]);
  const leaving = await own.leave();
  assert.deepEqual(
    [leaving.status, typeof leaving.state],
    [503, "string"],
    "what needs the home is told to come again",
  );
  for (const fan of fans.filter((each) => homeOf(each) !== down).slice(0, 3)) {
    assert.equal((await fan.leave()).status, 200, "another shard's visitor");
  }
  await room.cut();
  assert.equal((await own.ask()).entry, before[fans.indexOf(own)].entry);
});

test("a clock that is set back by ten seconds and forward again: places, numbers and the session stay, and the line goes on", async () => {
  const [inside, waiting] = await joined(room, "clock", 2);
  await inside.enter();
  const before = await waiting.ask();
  await room.advance(5_000);
  await room.advance(-10_000);
  assert.equal((await waiting.ask()).entry, before.entry, "back by more than the board is old");
  assert.equal((await inside.visit()).status, 200);
  await room.advance(5_000);
  const board = await room.board("clock");
  assert.ok(board.lines[0].entries === 2 && board.lines[0].called >= 1);
  assert.equal((await inside.release()).status, 200);
  await waiting.reaches("called", { within_ms: 20_000 });
  await until(
    () => waiting.claim(),
    ({ status }) => status === 200,
    { within_ms: 20_000, what: "the turn" },
  );
});
