// The parts of the page that deal with permits, moves and cookies.
import assert from "node:assert/strict";
import { test } from "node:test";
import { locale, script } from "./script.mjs";

const words = script.wordsIn("en", locale("en"));
const MINUTE_MS = 60_000;

const memoryOf = (kept = {}) => ({ read: () => kept, write: (more) => Object.assign(kept, more) });

test("tabs with a permit each join with one of them", async () => {
  const queue = [];
  let last = Promise.resolve();
  const locks = {
    request(_name, task) {
      last = last.then(task);
      return last;
    },
  };
  const memory = memoryOf();
  const tab = (permit) =>
    script.joinTogether({
      locks,
      name: "x",
      memory,
      permit,
      join: async (used) => queue.push(used) && { state: "waiting" },
      fresh: assert.fail,
    });
  await Promise.all([tab("a"), tab("b"), tab("c")]);
  assert.deepEqual(queue, ["a", "a", "a"]);
});

test("without Web Locks, or where a frame is denied them, the tabs agree all the same", async () => {
  for (const locks of [undefined, { request: () => Promise.reject(new Error("The request was denied.")) }]) {
    const used = new Set();
    const memory = memoryOf();
    const pause = (ms) => new Promise((done) => setTimeout(done, ms));
    const tab = (permit) =>
      script.joinTogether({
        locks,
        name: "x",
        memory,
        permit,
        pause,
        join: async (mine) => used.add(mine) && { state: "waiting" },
        fresh: assert.fail,
      });
    await Promise.all([tab("a"), tab("b")]);
    assert.equal(used.size, 1);
  }
});

test("a join that fails while it is alone is not made a second time", async () => {
  const locks = { request: (_name, task) => task() };
  let joins = 0;
  const join = async () => {
    joins += 1;
    throw Object.assign(new Error(), { status: 503 });
  };
  const joining = {
    locks,
    name: "x",
    memory: memoryOf(),
    permit: "a",
    join,
    fresh: assert.fail,
    pause: async () => {},
  };
  await assert.rejects(script.joinTogether(joining));
  assert.equal(joins, 1);
});

test("a kept permit that is refused, or whose place is gone, gives way to the page's own", async () => {
  const locks = { request: (_name, task) => task() };
  for (const old of [
    async () => Promise.reject(Object.assign(new Error(), { status: 403 })),
    async () => ({ state: "lapsed" }),
  ]) {
    const memory = memoryOf({ permit: "old" });
    const join = (permit) => (permit === "old" ? old() : Promise.resolve({ state: "waiting", permit }));
    const answer = await script.joinTogether({ locks, memory, permit: "new", join, fresh: assert.fail });
    assert.deepEqual([answer.permit, memory.read().permit], ["new", "new"]);
  }
});

test("a permit signed anew while the home is away is kept for the next try", async () => {
  const locks = { request: (_name, task) => task() };
  const memory = memoryOf();
  const away = Object.assign(new Error(), { status: 503, answer: { permit: "signed anew" } });
  const join = () => Promise.reject(away);
  await assert.rejects(script.joinTogether({ locks, memory, permit: "mine", join, fresh: assert.fail }), away);
  assert.equal(memory.read().permit, "signed anew");
});

/** Tries to move, and remembers it like the page does. */
const moves = (memory, why, now_ms) => {
  const may = script.mayMove(memory, why, now_ms);
  if (may) script.rememberMove(memory, why, now_ms);
  return may;
};

test("the page moves by itself once for a reason, and again after a while", () => {
  const memory = memoryOf();
  const tries = [0, 500, 5_000, 29_999, 30_000].map((now_ms) => moves(memory, "off", now_ms));
  assert.deepEqual(tries, [true, false, false, false, true]);
  assert.equal(moves(memory, "enter 7", 30_100), true, "something else has happened");
});

test("reasons that take turns are no loop either, nor is a move whose reason nobody remembers", () => {
  const memory = memoryOf();
  const tries = ["run 2", "run 1", "run 3", "run 4", "off"].map((why, at) => moves(memory, why, at * 1_000));
  assert.deepEqual(tries, [true, true, true, false, false]);
  const blind = memoryOf();
  script.rememberMove(blind, null, 0);
  assert.deepEqual([moves(blind, "off", 10), moves(blind, "off", 30_000)], [false, true]);
});

test("a device's clock that is set back by hours does not hold the page for hours", () => {
  const memory = memoryOf();
  const hours_ms = 5 * 60 * MINUTE_MS;
  assert.equal(moves(memory, "off", hours_ms), true);
  assert.equal(moves(memory, "off", 0), true);
  assert.equal(moves(memory, "off", 1_000), false);
});

test("who went in three times and is back has no pass that sticks", () => {
  const memory = memoryOf();
  const lost = [0, 30_000, 60_000].map((now_ms) => {
    script.rememberMove(memory, "enter 7", now_ms);
    return script.passIsLost(memory, now_ms);
  });
  assert.deepEqual(lost, [false, false, true]);
  assert.equal(script.passIsLost(memory, 10 * MINUTE_MS), false);
});

test("no number that an answer may bring makes the page throw: what is no instant is not shown", () => {
  const room = { title: "T", zone: "Europe/Berlin", hold_minutes: 30, session_minutes: 20 };
  const strange = [8.64e15 + 1, 1e300, Infinity, -Infinity, -8.64e15 - 1, NaN, "soon", null, undefined, {}];
  for (const at_ms of strange) {
    assert.equal(words.time(at_ms, 0), null, String(at_ms));
    assert.equal(words.timeThere(at_ms, 0, "Europe/Berlin"), null, String(at_ms));
  }
  for (const at_ms of [...strange, 8.64e15, -8.64e15, 0, 253_402_300_799_999]) {
    const eta = { likely_seconds: at_ms, at_most_seconds: at_ms };
    const moved = { from_ms: at_ms, reason: "" };
    const times = { moved, opens_at_ms: at_ms, offer_until_ms: at_ms, session_ends_at_ms: at_ms, ran_out: true };
    const pause = { reason: "", next_update_at_ms: at_ms };
    for (const scene of ["before", "prequeue", "waiting", "paused", "called", "ended", "stopped"]) {
      for (const now_ms of [0, at_ms]) {
        const me = { state: "waiting", ahead: 5, rank: 9, pause, ...times };
        const slots = script.slotsOf(scene, room, me, words, eta, now_ms);
        assert.doesNotMatch(JSON.stringify(slots), /Invalid|\{time\}|: null\./, `${scene}, ${at_ms}`);
      }
    }
    script.countdown(at_ms, words);
  }
  const beyond = { state: "waiting", pause: { reason: "", next_update_at_ms: 8.64e15 + 1 } };
  assert.deepEqual(script.slotsOf("paused", room, beyond, words, null, 0).notice, []);
});

test("only a session that ran to its end used all of its minutes", () => {
  const room = { title: "T", zone: "UTC", session_minutes: 20 };
  const ended = { run: 1, state: "ended", rank: 4, session_ends_at_ms: MINUTE_MS, ran_out: true };
  const of = (me) => script.slotsOf("ended", room, me, words, null, MINUTE_MS);
  assert.match(of(ended).lead[0], /^Your 20 minutes in the shop lasted until /);
  const early = of({ ...ended, ran_out: false });
  assert.equal(early.headline, "Your visit has ended");
  assert.match(early.lead[0], /^Your visit to the shop lasted until /);
  assert.doesNotMatch(early.lead.join(" "), /minutes|need more time/);
  const polled = script.nextState(ended, { run: 1, state: "ended", rank: 4, session_ends_at_ms: MINUTE_MS + 9 });
  assert.equal(polled.ran_out, true, "asked again, it is still so");
  for (const later of [
    { run: 1, state: "waiting", rank: 8 },
    { run: 1, state: "ended", rank: 8 },
  ]) {
    assert.equal(script.nextState(ended, later).ran_out, false, "another session");
  }
});

test("the page goes in by itself only while it is visible, or has asked before", () => {
  const called = { state: "called", phase: "open", stop: false };
  for (const [me, visible, claimed, expected] of [
    [called, true, false, true],
    [called, false, false, false],
    [{ ...called, phase: "paused" }, true, false, false],
    [{ ...called, stop: true }, true, false, false],
    [{ ...called, state: "pending" }, true, false, true],
    [{ ...called, state: "pending" }, false, true, true],
    [{ ...called, state: "pending", phase: "paused" }, true, true, false],
    [{ ...called, state: "recheck", phase: "paused" }, true, false, true],
    [{ ...called, state: "elsewhere" }, true, false, false],
    [{ ...called, state: "admitted" }, false, false, false],
    [{ ...called, state: "admitted" }, false, true, true],
    [{ ...called, cookie: false }, true, false, false],
    [{ ...called, mode: "closed" }, true, false, false],
    [{ ...called, held: true }, true, false, false],
    [{ ...called, state: "admitted", held: true }, true, false, true],
    [{ ...called, state: "admitted", mode: "closed" }, true, true, false],
  ]) {
    assert.equal(script.claimsByItself(me, visible, claimed), expected, JSON.stringify({ me, visible, claimed }));
  }
});

test("the page never leaves its site", () => {
  const origin = "https://tickets.example.com";
  for (const [location, expected] of [
    ["/shop?a=1", "/shop?a=1"],
    ["https://tickets.example.com/x", "/x"],
    ["https://evil.example/x", "/"],
    ["//evil.example", "/"],
    ["javascript:alert(1)", "/"],
    [null, "/"],
  ]) {
    assert.equal(script.sameSite(location, origin, "/"), expected, location);
  }
});

test("why a cookie is missing is told apart", () => {
  assert.equal(script.cookieReason(true, "Chrome"), "frame");
  assert.equal(script.cookieReason(false, "Mozilla/5.0 (iPhone) [FBAN/FBIOS;FBAV/400]"), "app");
  assert.equal(script.cookieReason(false, "Mozilla/5.0 (Linux; Android 14; wv) Chrome/120"), "app");
  assert.equal(script.cookieReason(false, "Mozilla/5.0 (X11; Linux) Chrome/120"), "off");
  const blocked = {
    get cookie() {
      throw new Error("sandboxed");
    },
    set cookie(_value) {
      throw new Error("sandboxed");
    },
  };
  assert.equal(script.cookiesWork(blocked), false);
  assert.equal(
    script.cookiesWork({
      set cookie(_value) {},
      get cookie() {
        return "";
      },
    }),
    false,
  );
});

test("the countdown never goes below zero and names whole days", () => {
  assert.deepEqual(script.countdown(-5_000, words), { days: null, clock: "00:00:00" });
  assert.deepEqual(script.countdown(3_661_000, words), { days: null, clock: "01:01:01" });
  assert.deepEqual(script.countdown(2 * 86_400_000 + 1_000, words), { days: "2 days", clock: "00:00:01" });
});
