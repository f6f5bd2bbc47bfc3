// fair-draw: from the pre-queue by the draw to the open line, and anybody can check it afterwards.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, test } from "node:test";
import { startBeacon } from "../draw/beacon.mjs";
import { verifyDraw } from "../draw/programs.mjs";
import { pause, until } from "./harness/exchange.mjs";
import { opened } from "./harness/forge.mjs";
import { startRoom } from "./harness/room.mjs";

const MINUTE_MS = 60_000;
const ENTRANTS = 24;
/** drand's quicknet, whose rounds the room names; the stand-in signs them with a key of its own. */
const QUICKNET = "52db9ba70e0cc0f6eaf7803dd07447a1f5477735fd3f661792ba94600c84e971";
/** From the opening to the open line: the grace, ten seconds to the round, and the round itself. */
const DRAWN_WITHIN_MS = 40_000;
/** A room starts, and its entrants join, well within this time, on a busy machine too. */
const UNTIL_OPENING_MS = 30_000;

const fromNow = (ms) => new Date(Date.now() + ms).toISOString();

const folder = mkdtempSync(path.join(tmpdir(), "anteroom-draw-"));
after(() => rmSync(folder, { recursive: true, force: true }));

/** What a room publishes, and the log that its operator exports, as files. */
async function published(room, name) {
  const draw = (await room.ask(`/_wr/queues/${room.event}/draw`)).json;
  const log = await (await room.operator()).exportedLog();
  const files = { draw: path.join(folder, `${name}.json`), log: path.join(folder, `${name}.jsonl`) };
  writeFileSync(files.draw, JSON.stringify(draw));
  writeFileSync(files.log, log);
  return { draw, files, log };
}

const checked = (files, ticket, ...more) =>
  verifyDraw("--draw", files.draw, "--log", files.log, "--ticket", ticket, ...more);

async function entrants(room, count) {
  const fans = Array.from({ length: count }, () => room.visitor());
  for (const fan of fans) {
    await fan.visit();
    await fan.join();
  }
  return fans;
}

const isOpen = (board) => board.lines[0].phase === "open";

/** Every rank of the entrants once, and not simply in the order of arrival. */
async function hasDrawnRanks(fans) {
  const places = await Promise.all(
    fans.map((fan) =>
      until(
        () => fan.ask(),
        ({ rank }) => rank !== null,
        { what: "a rank" },
      ),
    ),
  );
  const ranks = places.map(({ rank }) => rank);
  const sorted = [...ranks].sort((a, b) => a - b);
  assert.deepEqual(sorted, [...ranks.keys()], "every rank exactly once");
  assert.notDeepEqual(
    ranks,
    places.map(({ entry }) => entry),
    "24 in the order of arrival: once in 10^23 draws",
  );
  return places;
}

test("a draw from the pre-queue to the open line, without a beacon: recomputed by anybody, and altered it is refused", async (t) => {
  const events = [
    { id: "draw", prequeue_at: fromNow(MINUTE_MS), opens_at: fromNow(20 * MINUTE_MS), admission: { per_minute: 1 } },
  ];
  const room = await startRoom({ staged: true, events });
  t.after(() => room.stop());
  await room.advance(2 * MINUTE_MS);
  await until(
    () => room.board(),
    ({ lines }) => lines[0].phase === "prequeue",
    { what: "the pre-queue" },
  );

  const fans = await entrants(room, ENTRANTS);
  const entrant = await fans[0].ask();
  assert.deepEqual([entrant.state, entrant.phase, entrant.entry, entrant.rank], ["waiting", "prequeue", 0, null]);
  assert.deepEqual([entrant.entrants, entrant.draw], [ENTRANTS, { beacon: "none", drawn: false }]);
  assert.equal((await fans[0].claim()).status, 409);
  const before = (await room.ask("/_wr/queues/draw/draw")).json.lines[0].draw;
  assert.match(before.commitment, /^[0-9a-f]{64}$/);
  assert.deepEqual([before.entrants, before.secret, before.seed], [null, null, null], "nothing but the commitment");

  await room.advance(19 * MINUTE_MS);
  await until(() => room.board(), isOpen, { within_ms: DRAWN_WITHIN_MS, what: "the open line" });
  const places = await hasDrawnRanks(fans);
  for (const [at, fan] of fans.entries()) assert.equal(opened(fan.cookie("ticket")).claims.rank, places[at].rank);

  await room.cut("/shard/");
  const waiting = fans.find((_, at) => places[at].rank > 5);
  const { rank, entry } = await waiting.ask();
  assert.deepEqual([rank, entry], [places[fans.indexOf(waiting)].rank, places[fans.indexOf(waiting)].entry]);
  await room.cut();

  const late = room.visitor();
  await late.visit();
  const behind = await late.join();
  assert.deepEqual([behind.entry, behind.rank], [ENTRANTS, ENTRANTS], "who comes later queues behind, in order");

  const { draw, files, log } = await published(room, "plain");
  assert.equal(draw.lines[0].draw.commitment, before.commitment);
  const ticket = waiting.cookie("ticket");
  const holds = await checked(files, ticket);
  assert.equal(holds.code, 0, holds.said);
  const secret = draw.lines[0].draw.secret;
  const other = secret.replace(/^./, (digit) => (digit === "0" ? "1" : "0"));
  writeFileSync(files.draw, JSON.stringify(draw).replace(secret, other));
  assert.equal((await checked(files, ticket)).code, 1, "another secret");
  writeFileSync(files.draw, JSON.stringify(draw));
  writeFileSync(files.log, log.replace(/"first_entry":0/, '"first_entry":1'));
  assert.equal((await checked(files, ticket)).code, 1, "another log");
});

test("a draw with a beacon: the round is named before anybody knows it, its signature is published and holds", async (t) => {
  const beacon = await startBeacon({ chain: QUICKNET });
  t.after(() => beacon.stop());
  const room = await startRoom({
    events: [{ id: "draw", beacon: "drand", opens_at: fromNow(UNTIL_OPENING_MS), admission: { per_minute: 1 } }],
    vars: { DRAND_URL: beacon.url },
  });
  t.after(() => room.stop());
  const fans = await entrants(room, ENTRANTS);
  assert.equal((await fans[0].ask()).draw.beacon, "expected");
  const { lines } = await room.board();
  assert.equal(lines[0].phase, "prequeue", "the room and its entrants are there before the opening");
  await pause(Math.max(0, lines[0].opens_at_ms - Date.now()));

  const document = async () => (await room.ask("/_wr/queues/draw/draw")).json.lines[0].draw;
  const fixed = await until(document, ({ entrants: count }) => count !== null, { within_ms: DRAWN_WITHIN_MS });
  assert.equal(fixed.entrants, ENTRANTS);
  assert.ok(beacon.timeOf(fixed.beacon.round) >= Date.parse(fixed.fixed_at) + 10_000, "a round to come");
  assert.deepEqual([fixed.secret, fixed.beacon.signature], [null, null]);
  await until(() => room.board(), isOpen, { within_ms: DRAWN_WITHIN_MS, what: "the open line" });
  await hasDrawnRanks(fans);

  const { draw, files } = await published(room, "beacon");
  const { signature, round, absent } = draw.lines[0].draw.beacon;
  assert.deepEqual([signature, round, absent], [beacon.round(fixed.beacon.round).signature, fixed.beacon.round, false]);
  const key = ["--beacon-key", beacon.key, "--beacon-chain", QUICKNET];
  const ticket = fans[0].cookie("ticket");
  const holds = await checked(files, ticket, ...key);
  assert.equal(holds.code, 0, holds.said);
  assert.equal((await checked(files, ticket)).code, 1, "it is not drand's own signature");
  writeFileSync(files.draw, JSON.stringify(draw).replace(signature, beacon.round(round + 1).signature));
  assert.equal((await checked(files, ticket, ...key)).code, 1, "another round's");
});

test("a beacon that does not come within the wait: the draw goes on without it, marked everywhere", async (t) => {
  const beacon = await startBeacon({ chain: QUICKNET });
  t.after(() => beacon.stop());
  beacon.answers = false;
  const room = await startRoom({
    staged: true,
    events: [{ id: "draw", beacon: "drand", beacon_wait_minutes: 1, opens_at: fromNow(10 * MINUTE_MS) }],
    vars: { DRAND_URL: beacon.url },
  });
  t.after(() => room.stop());
  const fans = await entrants(room, 3);
  await room.advance(10 * MINUTE_MS);
  const board = () => room.board();
  await until(board, ({ lines }) => lines[0].phase === "drawing", { what: "the draw" });
  const document = async () => (await room.ask("/_wr/queues/draw/draw")).json.lines[0].draw;
  await until(document, ({ entrants: count }) => count === 3, { within_ms: DRAWN_WITHIN_MS, what: "the entrants" });
  await room.advance(3 * MINUTE_MS);
  await until(board, isOpen, { within_ms: DRAWN_WITHIN_MS, what: "the open line" });
  assert.equal((await document()).beacon.absent, true);
  assert.equal((await fans[0].ask()).draw.beacon, "absent");
});
