// One event from its first visitor to its last, on a real workerd, counted part by part: what `npm run cost` reckons with.
//
// The room has a meter around it (in-worker.js), its visitors the page's own script (page.mjs). Each part does one thing, so
// that what it counts belongs to it: pages, joins at several rates, looks, sockets; then the line moves and its crowd waits,
// first listening, then asking; then everybody goes in, shops, and gives the session back.
//
// **A crowd at one moment stands at every distance from the front.** What all of it sends in a second, times the seconds
// of a wait, is what one visitor sends on the way: so nobody has to be followed for ten minutes. Pages that listen ask
// at long intervals; they are set as if each had last asked at a moment of its own.
import { mkdtempSync, rmSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import path from "node:path";
import { buildDir } from "../../scripts/paths.mjs";
import { FORMAT, PARTS } from "../../scripts/costing/format.mjs";
import { lockedVersion } from "../../scripts/costing/versions.mjs";
import { startRoom } from "../e2e/harness/room.mjs";
import { solverOf } from "../e2e/harness/work.mjs";
import { closeConnections } from "./browser.mjs";
import { Fan, freshAsks } from "./fan.mjs";
import { between, counted, meteredBuild } from "./meter.mjs";

const EVENT = "demo";
/** Work is asked for as it is by default, and little of it: how much costs the visitors, not the room. */
const POW_BITS = 4;
/** The shortest life of a pass that may be configured: so renewals come within the time of a measurement. */
const PASS_SECONDS = 60;
const SPREAD_MS = 10_000;
const MINUTE_MS = 60_000;
/** Joins a second of each part, and which share of the crowd joins in it. */
const JOINS = [
  { perSecond: 20, share: 0.06 },
  { perSecond: 100, share: 0.24 },
  { perSecond: 400, share: 0.7 },
];
/** How many of a kind of request are enough to know what one takes. */
const ENOUGH = 1_500;
const AT_ONCE = 16;
const SOCKETS_PER_SECOND = 200;
/** Those who go in at the end, all together. */
const ENTERING_PER_SECOND = 100;
/** Pages whose question was due when they were set ask within this time. */
const OVERDUE_MS = 5_000;
/** How long the shop takes for an answer: as long as one that reads a database. */
const SHOP_TAKES_MS = 100;
const SHOPPERS = 200;
const SHOP_EVERY_MS = 2_000;
const ENDS_PER_SECOND = 10;

/** How much work a permit asks for: it is signed, not secret. */
const bitsOf = (permit) => JSON.parse(Buffer.from(permit.split(".")[1], "base64url")).bits;

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Does `work` for each, so many at the same time. */
async function each(items, work, atOnce = AT_ONCE) {
  const left = [...items];
  const hand = async () => {
    while (left.length > 0) await work(left.shift());
  };
  await Promise.all(Array.from({ length: atOnce }, hand));
}

/** Begins `work` for each, so many a second, whatever becomes of the others. */
async function eachSecond(items, perSecond, work) {
  const began = performance.now();
  const under = items.map(async (item, at) => {
    await pause(Math.max(0, began + (at * 1_000) / perSecond - performance.now()));
    return work(item);
  });
  await Promise.all(under);
}

class Measurement {
  asks = freshAsks();
  entered = [];
  polls = [];
  #failures = [];

  constructor(options) {
    Object.assign(this, options);
  }

  async start() {
    this.folder = mkdtempSync(path.join(tmpdir(), "anteroom-cost-"));
    this.room = await startRoom({
      events: [
        {
          ...{ id: EVENT, challenge: "pow", pow_bits: POW_BITS, pass_seconds: PASS_SECONDS, expected_visitors: 8_000 },
          admission: { per_minute: Math.ceil(this.visitors / this.waitMinutes) },
        },
      ],
      buildDir: meteredBuild(this.buildDir ?? buildDir, this.folder),
    });
    this.room.origin.answer = () => pause(SHOP_TAKES_MS);
    this.operator = await this.room.operator();
    await this.operator.act("pause");
    const solve = await solverOf(this.room);
    const crowd = {
      ...{ room: this.room, event: EVENT, asks: this.asks, solve: (permit) => solve(permit, bitsOf(permit)) },
      polled: (distance, ms) => this.polls.push([distance, ms]),
      entered: (fan) => this.entered.push(fan),
      failed: (error) => this.#failures.push(error),
    };
    this.fans = Array.from({ length: this.visitors }, (_, number) => new Fan(crowd, number));
  }

  async stop() {
    for (const fan of this.fans ?? []) fan.stops();
    closeConnections();
    await this.room?.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** What is counted while `work` is done; `people`: how many of what it was done for. */
  async part(title, people, work) {
    this.say?.(title);
    const asks = { ...this.asks };
    const before = await counted(this.room);
    const done = await work();
    const found = between(before, await counted(this.room));
    const asked = Object.entries(this.asks).map(([why, times]) => [why, times - asks[why]]);
    if (this.#failures.length > 0) throw this.#failures[0];
    return { people: done ?? people, ...found, asks: Object.fromEntries(asked) };
  }

  pages() {
    return this.part("pages", this.visitors, () => each(this.fans, (fan) => fan.opens()));
  }

  solver() {
    const address = this.fans[0].given.solver;
    const times = Math.min(ENOUGH, this.visitors);
    return this.part("solver", times, () => each(this.fans.slice(0, times), (fan) => fan.browser.visit(address)));
  }

  async joins() {
    // The work costs the room nothing and is not counted; one after another, since they share a solver.
    await each(this.fans, (fan) => fan.works(), 1);
    const parts = [];
    let from = 0;
    for (const { perSecond, share } of JOINS) {
      const fans = this.fans.slice(from, Math.max(from + 1, Math.round(from + share * this.visitors)));
      from += fans.length;
      if (fans.length === 0) continue;
      const part = await this.part(`joins, ${perSecond}/s`, fans.length, async () => {
        await eachSecond(fans, perSecond, (fan) => fan.joins());
      });
      parts.push({ per_second: fans.length / part.seconds, ...part });
    }
    this.fans = this.fans.slice(0, from);
    return parts;
  }

  looks() {
    return this.part("looks", this.fans.length, () => each(this.fans, (fan) => fan.looks()));
  }

  sockets() {
    return this.part("sockets", this.fans.length, () =>
      eachSecond(this.fans, SOCKETS_PER_SECOND, (fan) => fan.lives(true)),
    );
  }

  /** The crowd listens, and nothing happens. */
  async quietPush() {
    await pause(this.settleMs);
    return this.part("listening while the line stands", this.fans.length, () => pause(this.windowMs / 3));
  }

  /** The crowd asks, and nothing happens. */
  async quietPoll() {
    await this.operator.act("pause");
    await pause(this.settleMs);
    const left = this.fans.filter((fan) => !fan.isIn).length;
    return this.part("asking while the line stands", left, () => pause(this.windowMs / 3));
  }

  /** The line moves and the crowd listens. */
  async push() {
    await this.operator.act("resume");
    // That the line moves now is what a word does not tell: everybody asks about it.
    await pause(this.settleMs);
    for (const fan of this.fans) if (!fan.isIn) fan.hasWaited(Math.random() * fan.page.LISTENING_MS);
    await pause(OVERDUE_MS);
    return this.#waiting("push");
  }

  /** Nobody listens any more: everybody asks. */
  async poll() {
    const left = this.fans.filter((fan) => !fan.isIn);
    await Promise.all(left.map((fan) => pause(Math.random() * SPREAD_MS).then(() => fan.isIn || fan.listens(false))));
    await pause(this.settleMs);
    this.polls.length = 0;
    const part = await this.#waiting("poll");
    const minutes = [];
    for (const [distance, ms] of this.polls) {
      const at = Math.floor((distance * 1_000) / MINUTE_MS);
      minutes[at] ??= { asks: 0, seconds: 0 };
      minutes[at].asks += 1;
      minutes[at].seconds += ms / 1_000;
    }
    return { ...part, by_minute: Array.from(minutes, (found) => found ?? null) };
  }

  /** A while of waiting; `people` is how many waited, on average, `entered` how many went in meanwhile. */
  async #waiting(how) {
    const waiting = () => this.fans.filter((fan) => !fan.isIn).length;
    const [before, in_before] = [waiting(), this.entered.length];
    const part = await this.part(how, 0, () => pause(this.windowMs));
    return { ...part, people: (before + waiting()) / 2, entered: this.entered.length - in_before };
  }

  /** All who are left go in, as fast as the room lets them. */
  async admission() {
    const left = this.fans.filter((fan) => !fan.isIn).slice(0, ENOUGH);
    for (const fan of this.fans) fan.stops();
    // Those who were about to go in by themselves do.
    await pause(this.settleMs);
    const rest = left.filter((fan) => !fan.isIn);
    return this.part("admission", rest.length, async () => {
      await this.operator.act("resume");
      await this.operator.act("retune", { per_minute: ENTERING_PER_SECOND * 60 });
      let called = 0;
      const look = async () => {
        called = (await this.room.board()).lines[0].called;
      };
      const goesIn = async (fan) => {
        while (fan.rank >= called) {
          await pause(200);
          await look();
        }
        await fan.enters();
      };
      await each(rest, goesIn);
    });
  }

  /** Some of those who are in shop for longer than a pass lives. */
  shop() {
    const fans = this.entered.slice(-SHOPPERS);
    const every_ms = SHOP_EVERY_MS;
    const until = performance.now() + (PASS_SECONDS + 5) * 1_000 * (this.windowMs / MINUTE_MS);
    const shops = async (fan) => {
      await pause(Math.random() * every_ms);
      while (performance.now() < until) {
        const { status } = await fan.browser.visit();
        if (status !== 200) throw new Error(`the shop answers ${status}`);
        await pause(every_ms);
      }
    };
    return this.part("shop", fans.length, async () => {
      await Promise.all(fans.map(shops));
    });
  }

  /** They give their sessions back; the visit before makes sure that there is a pass to give back. */
  ends() {
    const fans = this.entered.slice(-SHOPPERS);
    return this.part("ends", fans.length, () =>
      eachSecond(fans, ENDS_PER_SECOND, async (fan) => {
        await fan.browser.visit();
        await fan.browser.release();
      }),
    );
  }
}

/**
 * Counts. `visitors` come, a line of all of them takes `waitMinutes`; `windowMs` is how long each way of waiting is looked at,
 * `settleMs` how long before that all may come to rest; `say(title)` hears what is being done.
 */
export async function measure({
  visitors,
  waitMinutes,
  windowMs = MINUTE_MS,
  settleMs = 15_000,
  say,
  buildDir: build,
}) {
  const measurement = new Measurement({ visitors, waitMinutes, windowMs, settleMs, say, buildDir: build });
  try {
    await measurement.start();
    const parts = {};
    // Each is a method above.
    for (const name of PARTS) parts[name] = await measurement[name]();
    const [{ model }] = cpus();
    return {
      format: FORMAT,
      measured: {
        ...{ at: new Date().toISOString(), visitors, wait_minutes: waitMinutes, pass_seconds: PASS_SECONDS },
        ...{ machine: `${model.trim()}, ${cpus().length} cores`, workerd: lockedVersion("workerd") },
      },
      parts,
    };
  } finally {
    await measurement.stop();
  }
}
