// Relays: an event with more than 50 shards. Homes behind relays keep every promise that others keep, and a relay that is
// away costs nobody a place.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, afterEach, before, test } from "node:test";
import { verifyDraw } from "../draw/programs.mjs";
import { until } from "./harness/exchange.mjs";
import { opened, signed } from "./harness/forge.mjs";
import { startRoom } from "./harness/room.mjs";

/** The coordinator's own shard, two shards of the first relay, one of the second. */
const HOMES = [0, 50, 51, 130];
/** So many that the run has all of them. */
const EXPECTED = 131 * 8_000;
/** 52 shards: the draw waits for two behind the relay and the fifty others. */
const DRAWN = { id: "drawn", expected_visitors: 52 * 8_000, admission: { max_active: 1 }, draw_grace_seconds: 60 };
const UNTIL_OPENING_MS = 25_000;

const folder = mkdtempSync(path.join(tmpdir(), "anteroom-relays-"));
let room;
let opens_at;
before(async () => {
  opens_at = Date.now() + UNTIL_OPENING_MS;
  room = await startRoom({
    staged: true,
    asleep: ["drawn"],
    events: [
      { id: "big", expected_visitors: EXPECTED, admission: { max_active: 2 } },
      { id: "order", expected_visitors: EXPECTED, admission: { per_minute: 1 } },
      { ...DRAWN, opens_at: new Date(opens_at).toISOString() },
    ],
  });
});
afterEach(() => room.cut());
after(() => {
  rmSync(folder, { recursive: true, force: true });
  return room?.stop();
});

/** A visitor whose place has this home. */
async function at(home, event) {
  const visitor = room.visitor({ event });
  await visitor.visit();
  const { claims } = opened(await visitor.permit());
  const permit = signed(room, "wr-permit+jwt", { ...claims, home });
  return { visitor, join: () => visitor.join({ permit }) };
}

async function joinedAt(home, event) {
  const { visitor, join } = await at(home, event);
  return { visitor, place: await join() };
}

test("whatever the homes, who joins later has the larger number, without gaps", async () => {
  const entries = [];
  for (let round = 0; round < 3; round += 1) {
    for (const home of HOMES) entries.push((await joinedAt(home, "order")).place.entry);
  }
  assert.deepEqual(
    entries,
    entries.map((_, n) => n),
  );
  const crowd = await Promise.all(HOMES.flatMap((home) => Array.from({ length: 5 }, () => at(home, "order"))));
  const places = await Promise.all(crowd.map(({ join }) => join()));
  assert.deepEqual(
    places.map(({ entry }) => entry).toSorted((a, b) => a - b),
    crowd.map((_, n) => entries.length + n),
  );
});

test("those behind relays are let in within the limit, leave, and make room for the next", async () => {
  const fans = [];
  for (const home of HOMES) fans.push((await joinedAt(home, "big")).visitor);
  await Promise.all(fans.slice(0, 2).map((fan) => fan.enter()));
  const third = await fans[2].ask();
  assert.equal(third.state, "waiting");
  const operator = await room.operator({ event: "big" });
  assert.equal((await operator.observe()).totals.active, 2);
  await fans[1].release();
  await fans[2].enter();
  // One has left within seconds, so the fourth may be called by now: a prediction, and no leave to enter.
  const fourth = await fans[3].ask();
  assert.ok(["waiting", "called"].includes(fourth.state), fourth.state);
  assert.equal((await operator.observe()).totals.active, 2);
});

test("a pause reaches the homes behind a relay within two seconds, and its end too", async () => {
  const operator = await room.operator({ event: "order" });
  const { visitor } = await joinedAt(130, "order");
  await operator.act("pause");
  const paused = await until(
    () => visitor.ask(),
    ({ pause }) => pause !== null,
    { within_ms: 2_000, what: "the pause" },
  );
  assert.equal(paused.state, "waiting");
  await operator.act("resume");
  await until(
    () => visitor.ask(),
    ({ pause }) => pause === null,
    { within_ms: 2_000, what: "the end of the pause" },
  );
});

test("while a relay is away its shards acknowledge without a number, and the numbers come when it is back", async () => {
  const before = (await joinedAt(50, "order")).place.entry;
  await room.cut("/relay/0");
  const { visitor, place } = await joinedAt(50, "order");
  assert.equal(place.state, "provisional");
  assert.equal((await joinedAt(130, "order")).place.entry, before + 1, "another relay's shards go on");
  await room.cut();
  const numbered = await until(
    () => visitor.ask(),
    ({ state }) => state === "waiting",
    { within_ms: 20_000, what: "a number" },
  );
  assert.equal(numbered.entry, before + 2);
});

test("a power cut between joins loses no number behind a relay and gives none twice", async () => {
  const first = await joinedAt(51, "order");
  await room.kill9();
  await room.restart();
  const again = await first.visitor.ask();
  assert.equal(again.entry, first.place.entry);
  const next = await joinedAt(51, "order");
  assert.equal(next.place.entry, first.place.entry + 1);
});

test("a draw asks shards that sleep behind a relay, and everyone who came before has a rank", async () => {
  assert.ok(Date.now() < opens_at - 5_000, "this machine is too slow for the opening");
  const fans = [];
  for (const home of [50, 51, 0, 51]) fans.push((await joinedAt(home, "drawn")).visitor);
  await until(
    () => room.board("drawn"),
    ({ lines }) => lines[0].phase === "open",
    // Well before the grace is over: nobody is waited for in vain.
    { within_ms: opens_at - Date.now() + 30_000, what: "the draw" },
  );
  const draw = (await room.ask("/_wr/queues/drawn/draw")).json;
  assert.equal(draw.lines[0].draw.entrants, fans.length);
  const places = fans.map((fan) =>
    until(
      () => fan.ask(),
      ({ rank }) => rank !== null,
      { what: "a rank" },
    ),
  );
  const ranks = (await Promise.all(places)).map(({ rank }) => rank);
  assert.deepEqual(ranks.toSorted(), [0, 1, 2, 3]);
  const log = await (await room.operator({ event: "drawn" })).exportedLog();
  const files = { draw: path.join(folder, "draw.json"), log: path.join(folder, "log.jsonl") };
  writeFileSync(files.draw, JSON.stringify(draw));
  writeFileSync(files.log, log);
  for (const fan of fans) {
    const { code, said } = await verifyDraw(
      ...["--draw", files.draw, "--log", files.log, "--ticket", fan.cookie("ticket")],
    );
    assert.equal(code, 0, said);
  }
});
