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
  assert.equal(words.wait(null), "Not known yet");
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

test("numbers are told with their age once nothing was heard for longer than a question takes, or of an old board", () => {
  for (const [unheard_ms, poll_ms, board_age_ms, old] of [
    [19_999, 10_000, 9_999, false],
    [20_000, 10_000, 0, true],
    [44_999, 30_000, 0, false],
    [45_000, 30_000, 0, true],
    [0, 10_000, 10_000, true],
  ]) {
    assert.equal(script.isOld(unheard_ms, { poll_ms, board_age_ms }), old, `${unheard_ms} ${poll_ms} ${board_age_ms}`);
  }
});

test("who comes during a stop is taken in where programs are, unless the page has to ask something first", () => {
  const isTakenIn = (mode, stop, asks) => script.isTakenIn({ mode, stop, phase: "open", state: "none" }, asks);
  for (const [mode, stop, asks, taken] of [
    ["always", false, true, true],
    ["always", true, false, true],
    ["auto", true, false, true],
    ["always", true, true, false],
    ["rate", true, false, false],
    ["off", true, false, false],
    ["closed", true, false, false],
  ]) {
    assert.equal(isTakenIn(mode, stop, asks), taken, `${mode}, ${stop}, ${asks}`);
  }
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

test("when a place is gone that is said at once, and nothing that was said before can be read or comes later", () => {
  let now_ms = 0;
  const timers = [];
  const regions = {};
  const speaker = script.announcer({
    polite: (text) => Object.assign(regions, { polite: text }),
    atOnce: (text) => Object.assign(regions, { atOnce: text }),
    now: () => now_ms,
    after: (_ms, run) => timers.push(run),
  });
  speaker.start(1_000);
  speaker.place(500, "500 ahead");
  now_ms = 1_000;
  speaker.place(200, "200 ahead");
  speaker.turn("your turn");
  assert.deepEqual(regions, { polite: "", atOnce: "your turn" });
  speaker.scene("going in", true);
  assert.deepEqual(regions, { polite: "going in", atOnce: "your turn" });
  speaker.scene("you have left", false);
  assert.deepEqual(regions, { polite: "you have left", atOnce: "" });
  now_ms = 2_000;
  speaker.say("online");
  now_ms = 30_000;
  for (const run of timers.splice(0)) run();
  assert.equal(regions.polite, "you have left", "not within half a minute, whatever timer ends");
  now_ms = 31_000;
  for (const run of timers) run();
  assert.equal(regions.polite, "online");
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
