// The parts of the page's script on their own.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { locale, script } from "./script.mjs";

const words = script.wordsIn("en", locale("en"));
const waits = JSON.parse(readFileSync(new URL("waits.json", import.meta.url), "utf8"));
const MINUTE_MS = 60_000;

test("a wait is told as a range rounded outwards, as the first paint tells it", () => {
  for (const [likely_seconds, at_most_seconds, expected] of waits) {
    assert.equal(words.wait({ likely_seconds, at_most_seconds }), expected);
  }
  assert.equal(words.wait(null), "Calculating …");
});

test("plurals follow the language", () => {
  for (const [tag, count, expected] of [
    ["en", 1, "1 person ahead of you."],
    ["en", 1234, "1,234 people ahead of you."],
    ["de", 2, "2 Personen vor Ihnen."],
    ["pl", 2, "2 osoby przed Tobą."],
    ["pl", 5, "5 osób przed Tobą."],
    ["pl", 22, "22 osoby przed Tobą."],
    ["fr", 0, "0 personne devant vous."],
    ["ar-u-nu-latn", 2, "شخصان أمامك."],
    ["ar-u-nu-latn", 3, "3 أشخاص أمامك."],
    ["ar-u-nu-latn", 11, "11 شخصًا أمامك."],
    ["ar-u-nu-latn", 100, "100 شخص أمامك."],
  ]) {
    const said = script.wordsIn(tag, locale(tag.slice(0, 2))).plural("announce.ahead", count);
    assert.equal(said, expected);
  }
});

test("a filled place is not filled again, and a strange one stays", () => {
  const strange = script.wordsIn("en", { a: "{event} and {n}, {constructor}" });
  assert.equal(strange.text("a", { event: "{n}", n: "1" }), "{n} and 1, {constructor}");
});

test("the number moves between true values and never beyond them", () => {
  for (const [from, to] of [
    [500, 480],
    [12_431, 0],
    [3, 2],
    [7, 7],
  ]) {
    let last = from;
    for (let at_ms = -50; at_ms < 3_000; at_ms += 16) {
      const value = script.between(from, to, at_ms);
      assert.ok(value <= last && value >= to, `${from} to ${to} at ${at_ms} ms: ${value} after ${last}`);
      last = value;
    }
    assert.equal(last, to);
  }
});

test("a newer goal takes over from where the number is, and none is shown twice", () => {
  const shown = [];
  const frames = [];
  const move = script.movingNumber({
    write: (value) => shown.push(value),
    frame: (run) => frames.push(run),
    still: () => false,
  });
  const run = (at_ms) => {
    for (const each of frames.splice(0)) each(at_ms);
  };
  move(1000);
  move(900);
  run(0);
  run(200);
  const between = shown.at(-1);
  assert.ok(between < 1000 && between > 900);
  move(700);
  for (let at_ms = 216; at_ms < 2_500; at_ms += 16) run(at_ms);
  assert.equal(shown.at(-1), 700);
  assert.deepEqual(
    shown,
    [...shown].sort((a, b) => b - a),
  );
});

test("without motion the number changes at once", () => {
  const shown = [];
  const move = script.movingNumber({ write: (value) => shown.push(value), frame: assert.fail, still: () => true });
  move(10);
  move(4);
  assert.deepEqual(shown, [10, 4]);
});

test("what an older board says is not shown after a newer one", () => {
  const before = { run: 1, state: "waiting", rank: 50, board_version: 9, called: 40, ahead: 10, phase: "open" };
  const older = { run: 1, state: "waiting", rank: 50, board_version: 8, called: 30, ahead: 20, phase: "paused" };
  const next = script.nextState(before, older);
  assert.deepEqual([next.ahead, next.called, next.phase, next.board_version], [10, 40, "open", 9]);
  const called = script.nextState({ ...before, state: "called", offer_until_ms: 5 }, older);
  assert.deepEqual([called.state, called.offer_until_ms], ["called", 5]);
});

test("a shown place never moves back, whatever an answer says", () => {
  const before = { run: 1, state: "waiting", rank: 50, board_version: 9, called: 40, ahead: 10 };
  const next = script.nextState(before, {
    run: 1,
    state: "waiting",
    rank: 50,
    board_version: 10,
    called: 35,
    ahead: 15,
  });
  assert.deepEqual([next.ahead, next.called], [10, 40]);
  const reloaded = script.recalled({ rank: 50, ahead: 10, called: 40 }, { rank: 50, ahead: 12, called: 38 });
  assert.deepEqual([reloaded.ahead, reloaded.called], [10, 40]);
  const another = script.recalled({ rank: 50, ahead: 10, called: 40 }, { rank: 90, ahead: 52, called: 38 });
  assert.equal(another.ahead, 52);
});

test("a refusal that names the phase changes the phase, not the place", () => {
  const before = { run: 1, state: "waiting", phase: "open", rank: 3 };
  assert.equal(script.nextState(before, { state: "soldout", title: "x" }).state, "waiting");
  assert.equal(script.nextState(before, { state: "soldout" }).phase, "soldout");
  assert.equal(script.nextState(before, { state: "stopped" }).stop, true);
  assert.equal(script.nextState(before, { title: "x" }).title, undefined);
});

test("a wait that rises names why", () => {
  const at = (at_most_seconds, more = {}) => ({
    phase: "open",
    slowdowns: 0,
    eta: { likely_seconds: at_most_seconds / 2, at_most_seconds },
    ...more,
  });
  const first = script.steadyEta(null, at(1800), 0);
  const cases = [
    ["it falls", at(1500), 1500, null],
    ["it rises a little: held", at(1900), 1800, null],
    ["it rises, and nothing happened", at(3600), 3600, "slower"],
    ["it rises after a limit was lowered", at(3600, { slowdowns: 1 }), 3600, "limit"],
  ];
  for (const [what, me, shown, cause] of cases) {
    const next = script.steadyEta(first, me, MINUTE_MS);
    assert.deepEqual([next.eta.at_most_seconds, next.cause], [shown, cause], what);
  }
});

test("a wait that rises over a pause says so, also when it was unknown in between", () => {
  let shown = script.steadyEta(
    null,
    { phase: "open", slowdowns: 0, eta: { likely_seconds: 600, at_most_seconds: 900 } },
    0,
  );
  shown = script.steadyEta(shown, { phase: "paused", slowdowns: 1, eta: null }, 1000);
  shown = script.steadyEta(shown, { phase: "open", slowdowns: 1, eta: null }, 2000);
  assert.equal(shown.eta, null);
  shown = script.steadyEta(
    shown,
    { phase: "open", slowdowns: 1, eta: { likely_seconds: 1200, at_most_seconds: 1500 } },
    3000,
  );
  assert.equal(shown.cause, "paused");
  shown = script.steadyEta(
    shown,
    { phase: "open", slowdowns: 1, eta: { likely_seconds: 1100, at_most_seconds: 1400 } },
    10 * MINUTE_MS,
  );
  assert.equal(shown.cause, null);
});

test("announcements come at milestones, never less than half a minute apart", () => {
  let now_ms = 0;
  const timers = [];
  const said = [];
  const speaker = script.announcer({
    polite: (text) => said.push([now_ms, text]),
    atOnce: (text) => said.push([now_ms, `!${text}`]),
    now: () => now_ms,
    after: (ms, run) => timers.push([now_ms + ms, run]),
  });
  speaker.start(1000);
  for (let ahead = 1000; ahead >= 0; ahead -= 2) {
    now_ms += 1000;
    timers
      .filter(([at_ms]) => at_ms <= now_ms)
      .forEach((timer) => {
        timers.splice(timers.indexOf(timer), 1);
        timer[1]();
      });
    speaker.place(ahead, `${ahead}`);
  }
  assert.ok(said.length >= 4, `${said.length} announcements`);
  for (let at = 1; at < said.length; at += 1) assert.ok(said[at][0] - said[at - 1][0] >= 30_000, JSON.stringify(said));
  speaker.turn("now");
  assert.deepEqual(said.at(-1), [now_ms, "!now"]);
});

test("the page asks again as the server says, once a minute while hidden, later and later after failures", () => {
  for (const chance of [0, 0.5, 0.999]) {
    const ms = (more) => script.delayMs({ poll_ms: 4_000, hidden: false, failures: 0, chance: () => chance, ...more });
    const within = (value, least, most) =>
      assert.ok(value >= least && value <= most, `${value} not in ${least}..${most}`);
    within(ms({}), 3_400, 4_600);
    within(ms({ hidden: true }), 54_000, 66_000);
    within(ms({ failures: 1 }), 1_000, 2_000);
    within(ms({ failures: 3 }), 4_000, 8_000);
    within(ms({ failures: 30 }), 30_000, 60_000);
    within(ms({ failures: 1, retry_after_ms: 20_000 }), 20_000, 25_000);
  }
});

test("events that come together ask once", async () => {
  let asked = 0;
  let now_ms = 0;
  const poll = script.poller({
    ask: async () => {
      asked += 1;
      return {};
    },
    done() {},
    failed: assert.fail,
    interval: () => 5_000,
    hidden: () => false,
    now: () => now_ms,
    timer: () => () => {},
    chance: Math.random,
  });
  poll.start();
  for (let at = 0; at < 3; at += 1) poll.atOnce();
  await new Promise(setImmediate);
  poll.atOnce();
  assert.equal(asked, 1);
  now_ms = 1_500;
  poll.atOnce();
  assert.equal(asked, 2);
});

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

test("without Web Locks the tabs agree all the same", async () => {
  const used = new Set();
  const memory = memoryOf();
  const pause = (ms) => new Promise((done) => setTimeout(done, ms));
  const tab = (permit) =>
    script.joinTogether({
      name: "x",
      memory,
      permit,
      pause,
      join: async (mine) => used.add(mine) && { state: "waiting" },
      fresh: assert.fail,
    });
  await Promise.all([tab("a"), tab("b")]);
  assert.equal(used.size, 1);
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
    const times = { opens_at_ms: at_ms, offer_until_ms: at_ms, session_ends_at_ms: at_ms, ran_out: true };
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
  assert.equal(script.slotsOf("paused", room, beyond, words, null, 0).notice, null);
});

test("only a session that ran to its end used all of its minutes", () => {
  const room = { title: "T", zone: "UTC", session_minutes: 20 };
  const ended = { run: 1, state: "ended", rank: 4, session_ends_at_ms: MINUTE_MS, ran_out: true };
  const of = (me) => script.slotsOf("ended", room, me, words, null, MINUTE_MS);
  assert.match(of(ended).lead[0], /^Your 20 minutes ended at /);
  const early = of({ ...ended, ran_out: false });
  assert.equal(early.headline, "Your visit has ended");
  assert.match(early.lead[0], /^Your visit to the shop ended at /);
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
    [{ ...called, state: "elsewhere" }, true, false, false],
    [{ ...called, state: "admitted" }, false, false, false],
    [{ ...called, state: "admitted" }, false, true, true],
    [{ ...called, cookie: false }, true, false, false],
    [{ ...called, mode: "closed" }, true, false, false],
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
