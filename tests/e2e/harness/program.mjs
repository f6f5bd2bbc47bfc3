// A random program of what visitors and an operator do in one event, and what holds after each of its steps.
import assert from "node:assert/strict";
import { pause, until } from "./exchange.mjs";
import { opened, signed } from "./forge.mjs";

/** Nobody waits longer for an entry number, whatever was lost. */
const NUMBERED_WITHIN_MS = 15_000;
const ALL_ADMITTED_WITHIN_MS = 40_000;
/** Of whoever joins later than this before an opening nobody can say whether it was before. */
const ENTERS_BEFORE_MS = 500;
const DRAWN_WITHIN_MS = 40_000;
/** From then on no first pass leaves after a pause. */
const BRAKED_AFTER_MS = 2_000;
const MOST_ACTIVE = 4;
/** What is lost while an operation is under way is lost within this time of its beginning. */
const UNDER_WAY_MS = 40;
const AGAIN_MS = 60;
/** For so long after something failed a visitor may be told to try again. */
const SHAKEN_MS = 3_000;

/** Numbers that look random, the same for the same seed (mulberry32). */
export function dice(seed) {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

/**
 * What visitors of an event know, and the program that they play. The event has the lines `general`, `fans` (with codes) and
 * `members` (with invitations); `codes` and `invite` are an organizer's, `homes` where places are made. `draw` is another
 * event, `{ event, homes, opens_at_ms }`, whose opening comes while the program is played.
 */
export class Program {
  /** Everybody who has a place, in the order of the joins. */
  fans = [];
  /** Who takes part in the draw. */
  entrants = [];
  /** Who is inside, and the session. */
  sessions = new Map();
  /** Codes whose places were let in. */
  spent = [];
  limit = MOST_ACTIVE;
  /** Never more are inside: those who were there when the limit fell may stay. */
  most = MOST_ACTIVE;
  pausedAt = null;
  /** How many of each line were called at the last look. */
  called = {};
  trace = [];
  /** Until then an operation may have to be tried again; an eviction alone is noticed by nobody. */
  #shakenUntil = 0;

  constructor(room, { operator, roll, codes, invite, homes, draw }) {
    Object.assign(this, { room, operator, roll, codes, invite, homes, draw });
  }

  one(list) {
    return list[this.roll(list.length)];
  }

  /** One operation; `loses`: what goes wrong while it is under way, as in [`lose`]. */
  async step(loses = null) {
    const [name, act] = this.one(this.#acts());
    this.trace.push(name);
    const lost = loses && pause(this.roll(UNDER_WAY_MS)).then(() => this.lose(loses, "meanwhile "));
    if (loses) this.#shakenUntil = Infinity;
    await Promise.all([act(), lost]);
  }

  /** Something is lost: `{ name, happen }`, where `happen` answers whether nothing had to fail. */
  async lose({ name, happen }, when = "") {
    this.trace.push(`(${when}${name})`);
    const isGentle = await happen();
    if (!isGentle || this.#shakenUntil === Infinity) this.#shakenUntil = Date.now() + SHAKEN_MS;
  }

  #waiting() {
    return this.fans.filter((fan) => !fan.isOver && !this.sessions.has(fan));
  }

  #acts() {
    const waiting = this.#waiting();
    const keyed = waiting.filter(({ asked }) => asked.code || asked.enqueue_token);
    const inside = [...this.sessions.keys()];
    const among = (list, acts) => (list.length > 0 ? acts : []);
    return [
      ["join", () => this.#join({})],
      ["join by code", () => this.#join({ code: this.codes.pop() })],
      ["join by invitation", () => this.#join({ enqueue_token: this.invite({ key: `member-${this.fans.length}` }) })],
      ...among(waiting, [
        ["claim", () => this.#claim(this.one(waiting))],
        ["claim", () => this.#claim(waiting[0])],
        ["claim", () => this.#claim(waiting[0])],
        ["again", () => this.#again(this.one(waiting))],
        ["poll", () => this.#poll(this.one(waiting))],
        ["leave", () => this.#leave(this.one(waiting))],
      ]),
      ...among(keyed, [["another device", () => this.#anotherDevice(this.one(keyed))]]),
      ...among(inside, [
        ["release", () => this.#release(this.one(inside))],
        ["shop", () => this.#shop(this.one(inside))],
      ]),
      ...among(this.spent, [["spent code", () => this.#spent(this.one(this.spent))]]),
      ...(Date.now() < this.draw.opens_at_ms - ENTERS_BEFORE_MS ? [["enter the draw", () => this.enterDraw()]] : []),
      [this.pausedAt ? "resume" : "pause", () => this.#brake()],
      ["retune", () => this.#retune()],
    ];
  }

  get #isShaken() {
    return Date.now() < this.#shakenUntil;
  }

  /** The answer, for which a browser that hears nothing asks again. */
  async #heard(ask) {
    for (;;) {
      try {
        return await ask();
      } catch (error) {
        if (!this.#isShaken) throw error;
        await pause(AGAIN_MS);
      }
    }
  }

  /** A definite answer, for which a page that is told to try again does so. */
  async #answered(ask, statuses, what) {
    const isDefinite = ({ status }) => !this.#isShaken || status < 500;
    const answer = await until(() => this.#heard(ask), isDefinite, { what });
    assert.ok(statuses.includes(answer.status), `${what}: ${answer.status} ${answer.text}`);
    return answer;
  }

  async #arrives({ event, homes = this.homes } = {}) {
    const fan = this.room.visitor({ event });
    const given = await this.#heard(() => fan.visit().then(() => fan.permit()));
    const permit = { ...opened(given).claims, home: this.one(homes) };
    fan.page = { ...fan.page, permit: signed(this.room, "wr-permit+jwt", permit) };
    return fan;
  }

  async #join(asked) {
    const fan = await this.#arrives();
    await this.#answered(() => fan.tryToJoin(asked), [200, 201], "join");
    const { entry, line } = await this.#numbered(fan);
    this.fans.push(Object.assign(fan, { asked, entry, line }));
  }

  /** Somebody more joins before the opening. */
  async enterDraw() {
    assert.ok(Date.now() < this.draw.opens_at_ms - ENTERS_BEFORE_MS, "there is still time before the opening");
    const fan = await this.#arrives(this.draw);
    await this.#answered(() => fan.tryToJoin(), [200, 201], "join before the opening");
    this.entrants.push(Object.assign(fan, { entry: (await this.#numbered(fan)).entry }));
  }

  #numbered(fan) {
    return until(
      () => this.#heard(() => fan.ask()),
      ({ entry }) => Number.isInteger(entry),
      { within_ms: NUMBERED_WITHIN_MS, what: "an entry number" },
    );
  }

  async #again(fan) {
    await this.#answered(() => fan.tryToJoin(fan.asked), [200, 201], "join again");
    assert.equal((await this.#numbered(fan)).entry, fan.entry, "one permit is one place");
  }

  async #anotherDevice({ asked, line, entry }) {
    const other = await this.#arrives();
    await this.#answered(() => other.tryToJoin(asked), [200, 201], "the same key");
    const place = await this.#numbered(other);
    assert.deepEqual([place.line, place.entry], [line, entry], "one key is one place");
  }

  async #spent(code) {
    const late = await this.#arrives();
    const refused = await this.#answered(() => late.tryToJoin({ code }), [409], "a code that was used");
    assert.equal(refused.json.type, "urn:anteroom:problem:code-spent", "spent-once");
  }

  async #poll(fan) {
    const { entry, ahead } = await this.#numbered(fan);
    assert.equal(entry, fan.entry, "a number never changes");
    if (!Number.isInteger(ahead)) return;
    assert.ok(ahead <= (fan.ahead ?? ahead), `monotone: ${ahead} ahead after ${fan.ahead}`);
    fan.ahead = ahead;
  }

  async #claim(fan) {
    const answer = await this.#answered(() => fan.claim(), [200, 202, 409], "claim");
    if (answer.status !== 200) {
      // What is granted already may still be on its way.
      fan.isPending = answer.status === 202;
      return;
    }
    const isUnderWay = (fan.isPending || this.#isShaken) && Date.now() - this.pausedAt < BRAKED_AFTER_MS;
    assert.ok(!this.pausedAt || isUnderWay, "brake");
    const { jti } = opened(answer.json.pass).claims;
    assert.ok(![...this.sessions.values()].includes(jti), "a session is one visitor's");
    this.sessions.set(fan, jti);
  }

  async #release(fan) {
    await this.#answered(() => fan.release(), [200], "release");
    this.sessions.delete(fan);
    fan.isOver = true;
    if (fan.asked.code) this.spent.push(fan.asked.code);
  }

  async #shop(fan) {
    await this.#answered(() => fan.visit(), [200], "open-door");
  }

  async #leave(fan) {
    await this.#answered(() => fan.leave(), [200], "leave");
    fan.isOver = true;
    assert.ok(["left", "none"].includes((await this.#heard(() => fan.ask())).state));
  }

  async #brake() {
    await this.#acted(this.pausedAt ? "resume" : "pause");
    this.pausedAt = this.pausedAt ? null : Date.now();
  }

  async #retune(limit = 1 + this.roll(MOST_ACTIVE)) {
    this.limit = limit;
    const { totals } = await this.#acted("retune", { max_active: this.limit });
    this.most = Math.max(this.limit, totals.active);
  }

  async #acted(action, more) {
    return (await this.#answered(() => this.operator.tryTo(action, more), [200], action)).json;
  }

  #observed() {
    return this.#heard(() => this.operator.observe());
  }

  /** What holds after every step. */
  async check() {
    const { totals, board } = await this.#observed();
    assert.ok(totals.active <= this.most, `cap: ${totals.active}`);
    this.most = Math.max(this.limit, totals.active);
    for (const { id, called } of board.lines) {
      const fans = this.fans.filter(({ line }) => line === id);
      const entries = fans.map(({ entry }) => entry);
      assert.deepEqual(entries, [...entries.keys()], `unique-place and order, in ${id}`);
      assert.ok(called >= (this.called[id] ?? 0), `monotone: ${id} called ${called} after ${this.called[id]}`);
      this.called[id] = called;
      for (const fan of fans)
        if (this.sessions.has(fan)) assert.ok(fan.entry < called, "order: nobody comes in uncalled");
    }
  }

  /** fair-draw: everybody who came before the opening has a rank of their own. `loses` happens again and again until then. */
  async drawn(loses) {
    const looks = async () => {
      await this.lose(loses);
      return this.room.board(this.draw.event);
    };
    const isOpen = (board) => board?.lines?.[0].phase === "open";
    await until(looks, isOpen, { within_ms: DRAWN_WITHIN_MS, every_ms: 200, what: "the draw" });
    assert.deepEqual(
      this.entrants.map(({ entry }) => entry),
      [...this.entrants.keys()],
      "entrants in the order of their joins",
    );
    const ranks = await this.#ranks();
    assert.deepEqual(
      ranks.toSorted((a, b) => a - b),
      [...ranks.keys()],
      "every rank exactly once",
    );
    await this.lose(loses);
    assert.deepEqual(await this.#ranks(), ranks, "a rank never changes");
  }

  #ranks() {
    const rank = async (fan) =>
      (
        await until(
          () => fan.ask(),
          ({ rank }) => rank !== null,
          { what: "a rank" },
        )
      ).rank;
    return Promise.all(this.entrants.map(rank));
  }

  /**
   * no-lost-place and liveness: all who are still there want to come in, and do. `loses` happens before each round. (A slot
   * may be kept for somebody who asked long ago, so all have to ask.)
   */
  async end(loses) {
    if (this.pausedAt) await this.#brake();
    await this.#retune(MOST_ACTIVE);
    const round = async () => {
      await this.lose(loses);
      await Promise.all(this.#waiting().map((fan) => this.#claim(fan)));
      for (const fan of [...this.sessions.keys()]) await this.#release(fan);
      return this.#waiting().map(({ line, entry }) => `${line} ${entry}`);
    };
    await until(round, ({ length }) => length === 0, { within_ms: ALL_ADMITTED_WITHIN_MS, what: "everybody's turn" });
    await this.check();
    const isEmpty = ({ totals }) => totals.active === 0;
    const { totals } = await until(() => this.#observed(), isEmpty, { what: "every slot free again" });
    assert.equal(totals.joined, this.fans.length, "no-lost-place");
  }
}
