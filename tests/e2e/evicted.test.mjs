// D1: every object loses its memory between every two operations of a random program, as by an eviction: the process of
// all of them is killed and starts again from what is stored. Whatever the program was, the promises hold.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { opened } from "./harness/forge.mjs";
import { startRoom } from "./harness/room.mjs";

const OPERATIONS = 40;
const MAX_ACTIVE = 2;
/** Another seed is another program: `EVICTION_SEED=7 npm test -- e2e`. */
const SEED = Number(process.env.EVICTION_SEED ?? 1);

let room;
before(async () => {
  room = await startRoom({
    events: [{ id: "demo", expected_visitors: 40_000, admission: { max_active: MAX_ACTIVE } }],
  });
});
after(() => room?.stop());

/** Numbers that look random, the same for the same seed (mulberry32). */
function dice(seed) {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

/** What visitors know, and the program that they play. */
class Play {
  fans = [];
  entries = new Map();
  sessions = new Map();
  isPaused = false;
  trace = [];

  constructor(operator, roll) {
    Object.assign(this, { operator, roll });
  }

  one(list) {
    return list[this.roll(list.length)];
  }

  async step() {
    const waiting = this.fans.filter((fan) => !fan.isOver && !this.sessions.has(fan));
    const inside = [...this.sessions.keys()];
    const acts = [
      ["join", () => this.join()],
      ...(waiting.length > 0
        ? [
            ["claim", () => this.claim(this.one(waiting))],
            ["claim", () => this.claim(waiting[0])],
            ["again", () => this.again(this.one(waiting))],
            ["leave", () => this.leave(this.one(waiting))],
          ]
        : []),
      ...(inside.length > 0
        ? [
            ["release", () => this.release(this.one(inside))],
            ["shop", () => this.shop(this.one(inside))],
          ]
        : []),
      [this.isPaused ? "resume" : "pause", () => this.brake()],
    ];
    const [name, act] = this.one(acts);
    this.trace.push(name);
    await act();
  }

  async join() {
    const fan = room.visitor();
    await fan.visit();
    await fan.join();
    this.entries.set(fan, (await fan.reachesNumber({ within_ms: 15_000 })).entry);
    this.fans.push(fan);
  }

  async again(fan) {
    assert.equal((await fan.join()).entry, this.entries.get(fan), "one permit is one place");
  }

  async claim(fan) {
    const answer = await fan.claim();
    assert.ok([200, 202, 409].includes(answer.status), answer.text);
    if (answer.status !== 200) return;
    assert.ok(!this.isPaused, "brake");
    const { jti } = opened(answer.json.pass).claims;
    assert.ok(![...this.sessions.values()].includes(jti), "a session is one visitor's");
    this.sessions.set(fan, jti);
  }

  async release(fan) {
    assert.equal((await fan.release()).status, 200);
    this.sessions.delete(fan);
    fan.isOver = true;
  }

  async shop(fan) {
    assert.equal((await fan.visit()).status, 200, "open-door");
  }

  async leave(fan) {
    assert.equal((await fan.leave()).status, 200);
    fan.isOver = true;
    assert.ok(["left", "none"].includes((await fan.ask()).state));
  }

  async brake() {
    await this.operator.act(this.isPaused ? "resume" : "pause");
    this.isPaused = !this.isPaused;
  }

  /** What holds after every step. */
  async check() {
    const { totals } = await this.operator.observe();
    assert.ok(totals.active <= MAX_ACTIVE, `cap: ${totals.active}`);
    const numbers = [...this.entries.values()].sort((a, b) => a - b);
    assert.deepEqual(
      numbers,
      numbers.map((_, n) => n),
      "unique-place, and in the order of the joins",
    );
  }
}

test(`D1 objects lose their memory between every two operations of a random program (seed ${SEED})`, async () => {
  const play = new Play(await room.operator(), dice(SEED));
  for (let operation = 0; operation < OPERATIONS; operation += 1) {
    try {
      await play.step();
      await play.check();
    } catch (error) {
      error.message = `after ${play.trace.join(", ")}: ${error.message}`;
      throw error;
    }
    await room.kill9();
    await room.restart();
  }
  assert.ok(new Set(play.trace).size >= 5, play.trace.join(", "));
  if (play.isPaused) await play.brake();
  for (const fan of play.sessions.keys()) await play.release(fan);
  // no-lost-place and liveness: everybody who is still there comes in.
  for (const fan of play.fans.filter(({ isOver }) => !isOver)) {
    await fan.enter({ within_ms: 20_000 });
    await fan.release();
  }
  await play.check();
});
