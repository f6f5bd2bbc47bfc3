// D1: between every two operations of a random program an object loses its memory, or all of them do: evicted with the
// platform's own module for tests, aborted, or killed with the process; sometimes while an operation is under way.
// Whatever the program was, the promises hold. A seed fixes the program by fixing all that is drawn, and not the timing: what
// was under way when something was lost, whether an object was at rest, and so who waits when the next is drawn.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { codesOf, inviterOf } from "./harness/inviting.mjs";
import { Program, dice } from "./harness/program.mjs";
import { startRoom } from "./harness/room.mjs";

const OPERATIONS = 80;
/** Every so many operations something is lost in the middle of one. */
const UNDER_WAY_EVERY = 5;
/** Another seed is another program: `EVICTION_SEED=7 npm test -- e2e`. */
const SEED = Number(process.env.EVICTION_SEED ?? 1);
/** The coordinator's own shard, one more, and two behind a relay. */
const HOMES = [0, 1, 50, 51];
const LINES = [{ id: "general" }, { id: "fans", access: "code" }, { id: "members", access: "enqueue_token" }];

/** The opening comes in the middle of the program, at whose beginning so many enter the draw. */
const OPENS_AFTER_MS = 10_000;
const FIRST_ENTRANTS = 2;
const DRAWN = { id: "drawn", expected_visitors: 20_000, admission: { max_active: 1 }, draw_grace_seconds: 60 };

let room;
let opens_at_ms;
before(async () => {
  opens_at_ms = Date.now() + OPENS_AFTER_MS;
  room = await startRoom({
    staged: true,
    events: [
      { id: "demo", expected_visitors: 52 * 8_000, admission: { max_active: 4 }, lines: LINES },
      { ...DRAWN, opens_at: new Date(opens_at_ms).toISOString() },
    ],
  });
});
after(() => room?.stop());

/** The ways to lose memory. An eviction is what happens all the time, so it is the likeliest. */
class Losses {
  /** The objects that were ever started. */
  objects = new Set();
  counts = {};

  constructor(roll) {
    this.roll = roll;
  }

  /** The next loss: `{ name, happen }`. */
  async next() {
    for (const name of Object.keys(await room.started())) this.objects.add(name);
    const names = [...this.objects].sort();
    const object = names[this.roll(names.length)];
    const ways = [
      ...Array(6).fill(["evicted", () => room.evict(object)]),
      ...Array(3).fill(["all evicted", () => room.evict()]),
      ...Array(2).fill(["aborted", () => room.abort(object).then(() => false)]),
      ["killed", () => room.kill9().then(() => room.restart())],
    ];
    const [way, happen] = ways[this.roll(ways.length)];
    this.counts[way] = (this.counts[way] ?? 0) + 1;
    return { name: way.startsWith("all") || way === "killed" ? way : `${object} ${way}`, happen };
  }
}

test(`D1 objects lose their memory between every two operations of a random program (seed ${SEED})`, async () => {
  const roll = dice(SEED);
  const program = new Program(room, {
    operator: await room.operator(),
    roll,
    codes: await codesOf(room, { line: "fans", count: OPERATIONS }),
    invite: await inviterOf(room),
    homes: HOMES,
    draw: { event: DRAWN.id, opens_at_ms, homes: [0, 1, 2] },
  });
  const losses = new Losses(roll);
  try {
    for (let entrant = 0; entrant < FIRST_ENTRANTS; entrant += 1) await program.enterDraw();
    for (let operation = 1; operation <= OPERATIONS; operation += 1) {
      await program.step(operation % UNDER_WAY_EVERY === 0 ? await losses.next() : null);
      await program.check();
      await program.lose(await losses.next());
    }
    const evicted = { name: "all evicted", happen: () => room.evict() };
    await program.drawn(evicted);
    await program.end(evicted);
  } catch (error) {
    error.message = `after ${program.trace.join(", ")}: ${error.message}`;
    throw error;
  }
  assert.deepEqual(Object.keys(losses.counts).toSorted(), ["aborted", "all evicted", "evicted", "killed"]);
  assert.ok(room.evictions > 0, "some came to rest and lost their memory without an abort");
  assert.ok(program.entrants.length > 1, "a draw of one is none");
});
