// What the page makes of words that are pushed to it, and how it comes by them.

import assert from "node:assert/strict";
import { test } from "node:test";
import { script } from "./script.mjs";

const line = (more) => ({ id: "general", phase: "open", called: 40, entries: 900, advance: null, ...more });
const word = ({ lines = [line()], ...more } = {}) => ({
  version: 12,
  settled: 5,
  age_ms: 80,
  now_ms: 1_000,
  stop: false,
  stock_left: null,
  lines,
  ...more,
});
const me = { state: "waiting", line: "general", rank: 100, ahead: 90, board_version: 10, mode: "always" };

test("a word tells how many are ahead and how long it takes, as the edge would", () => {
  const advance = { likely_milli_per_minute: 60_000, least_milli_per_minute: 30_000 };
  const answer = script.answerOf(word({ lines: [line({ id: "other" }), line({ advance })] }), me, {
    told: 10,
    shown: -1,
  });
  assert.deepEqual(
    [answer.ahead, answer.called, answer.phase, answer.board_version, answer.board_age_ms],
    [60, 40, "open", 12, 80],
  );
  assert.deepEqual(answer.eta, { likely_seconds: 61, at_most_seconds: 122 });
  assert.equal(
    script.answerOf(word({ lines: [line({ advance, phase: "paused" })] }), me, { told: 10, shown: -1 }).eta,
    null,
  );
  assert.equal(
    script.answerOf(word({ stop: true, lines: [line({ advance })] }), me, { told: 10, shown: -1 }).eta,
    null,
  );
});

test("the wait is worked out as the edge does", () => {
  const advance = (likely, least) => ({
    likely_milli_per_minute: likely * 1_000,
    least_milli_per_minute: least * 1_000,
  });
  for (const [ahead, measured, wanted] of [
    [0, advance(60, 30), [1, 2]],
    [599, advance(60, 30), [600, 1_200]],
    [599, advance(60, 90), [600, 600]],
    [599, null, null],
    [599, advance(0, 0), null],
    [599, advance(60, 0), null],
    [200_000_000, advance(1, 1), null],
  ]) {
    const eta = script.estimated(ahead, measured);
    assert.deepEqual(eta && [eta.likely_seconds, eta.at_most_seconds], wanted, `${ahead}`);
  }
});

test("a word of an older board, or of other lines, says nothing", () => {
  const lowered = { ...me, board_version: 8.5 };
  const older = script.answerOf(word({ version: 9 }), lowered, { told: 8, shown: 10 });
  assert.equal(older, null, "older than the last word, though more is still to be asked for");
  assert.equal(script.answerOf(word({ version: 9 }), me, { told: 10, shown: -1 }), null);
  assert.equal(script.answerOf(word({ lines: [line({ id: "other" })] }), me, { told: 10, shown: -1 }), null);
});

test("until the edge has told what a word does not, no older answer counts, and that one does", () => {
  const answer = script.answerOf(word({ settled: 11, lines: [line({ phase: "paused" })] }), me, {
    told: 10,
    shown: -1,
  });
  const paused = script.nextState({ ...me, phase: "open" }, { ...answer, run: undefined });
  assert.equal(paused.phase, "paused");
  const older = script.nextState(paused, { board_version: 10, phase: "open", pause: null });
  assert.equal(older.phase, "paused");
  const told = script.nextState(paused, { board_version: 11, phase: "paused", pause: { reason: "A short break." } });
  assert.equal(told.pause.reason, "A short break.");
});

test("a turn is seen in the word of one's own line only", () => {
  assert.equal(script.isTurnIn(word(), me), false);
  assert.equal(script.isTurnIn(word({ lines: [line({ called: 101 })] }), me), true);
  assert.equal(script.isTurnIn(word({ lines: [line({ id: "other", called: 101 })] }), me), false);
  assert.equal(script.isTurnIn(word({ lines: [line({ called: 101 })] }), { ...me, state: "called" }), false);
});

/** A listener whose ways and time are the test's. */
function staged(count = 2) {
  const made = { now_ms: 0, heard: [], changes: 0, opened: [], closed: 0, timers: [] };
  const ways = Array.from({ length: count }, (_, way) => (said, over) => {
    made.opened.push(way);
    if (made.forbidden) throw new Error("blocked");
    Object.assign(made, { said, over });
    return () => {
      made.closed += 1;
    };
  });
  made.listener = script.listener({
    ways,
    heard(said) {
      made.heard.push(said);
      return !made.useless;
    },
    changed(until_ms) {
      made.changes += 1;
      made.until_ms = until_ms;
    },
    hidden: () => false,
    now: () => made.now_ms,
    timer(ms, run) {
      const planned = { ms, run };
      made.timers.push(planned);
      return () => {
        planned.run = null;
      };
    },
    chance: () => 0.5,
  });
  /** What was planned last, and is still to happen, happens. */
  made.tick = () => {
    const { ms, run } = made.timers.findLast((planned) => planned.run);
    made.timers.at(-1).run = null;
    run();
    return ms;
  };
  return made;
}

test("a way that says nothing is left for the next after two tries, and all for a while when none works", () => {
  const stage = staged();
  stage.listener.want(true);
  stage.listener.want(true);
  for (let n = 0; n < 4; n += 1) {
    assert.equal(stage.tick(), 12_000, "nothing came");
    assert.equal(stage.tick(), [500, 1_000, 2_000, 60_000][n]);
  }
  assert.deepEqual(stage.opened, [0, 0, 1, 1, 0]);
  assert.deepEqual([stage.closed, stage.changes, stage.listener.isAlive()], [4, 0, false]);
});

test("what breaks off after it worked is taken up again within the time that the last word gave", () => {
  const stage = staged();
  stage.listener.want(true);
  stage.said({ return_within_ms: 26_000 });
  stage.now_ms = 30_000;
  assert.deepEqual([stage.listener.isAlive(), stage.changes, stage.heard.length], [true, 1, 1]);
  stage.over();
  assert.deepEqual([stage.listener.isAlive(), stage.changes], [false, 2]);
  assert.equal(stage.tick(), 13_000);
  assert.deepEqual(stage.opened, [0, 0]);
  stage.said({});
  assert.equal(stage.tick(), 20_000, "silence means that nobody is there");
  assert.equal(stage.listener.isAlive(), false);
});

test("what breaks off has told until then, what falls silent until its last word", () => {
  const stage = staged();
  stage.listener.want(true);
  stage.said({});
  stage.now_ms = 8_000;
  stage.over();
  assert.equal(stage.until_ms, 8_000);
  stage.tick();
  stage.said({});
  stage.now_ms += stage.tick();
  assert.deepEqual([stage.listener.isAlive(), stage.until_ms], [false, 8_000]);
});

test("what greets and breaks off has not worked: it is tried later and later, and another way", () => {
  const stage = staged();
  stage.listener.want(true);
  for (let n = 0; n < 4; n += 1) {
    stage.said({});
    stage.now_ms += 100;
    stage.over();
    assert.equal(stage.tick(), [500, 1_000, 2_000, 60_000][n]);
  }
  assert.deepEqual(stage.opened, [0, 0, 1, 1, 0]);
});

test("from whom nothing is to be heard counts as silent", () => {
  const stage = staged();
  stage.useless = true;
  stage.listener.want(true);
  stage.said({});
  assert.deepEqual([stage.listener.isAlive(), stage.changes], [false, 0]);
  assert.equal(stage.tick(), 12_000);
});

test("nobody listens who does not want to, and what an old connection says is not heard", () => {
  const stage = staged();
  stage.listener.want(true);
  const { said, over } = stage;
  stage.listener.want(false);
  said({});
  over();
  assert.deepEqual([stage.heard.length, stage.closed, stage.listener.isAlive()], [0, 1, false]);
  assert.ok(stage.timers.every(({ run }) => run === null));
});

test("a way that the browser forbids is one that fails", () => {
  const stage = staged(1);
  stage.forbidden = true;
  stage.listener.want(true);
  assert.deepEqual([stage.tick(), stage.tick()], [0, 500]);
});

test("the edge's stream tells since when the rest of its boards is as it is", () => {
  const listeners = {};
  globalThis.EventSource = class {
    addEventListener(name, run) {
      listeners[name] = run;
    }
    close() {}
  };
  const heard = [];
  script.overStream("/events")((said) => heard.push(said.settled), assert.fail);
  const board = { version: 3, pause: null, lines: [line()] };
  for (const next of [
    board,
    { ...board, version: 4, lines: [line({ called: 50, entries: 901 })] },
    { ...board, version: 5, pause: { reason: "A short break." } },
  ]) {
    listeners.board({ data: JSON.stringify(next) });
  }
  delete globalThis.EventSource;
  assert.deepEqual(heard, [3, 3, 5]);
});

/** A poller in a time that is set: `{ poll, at, asked, next_ms }`. */
function pollerInTime() {
  const at = { now_ms: 0, interval_ms: 10_000, asked: 0, next_ms: null };
  const poll = script.poller({
    ask: async () => {
      at.asked += 1;
      return {};
    },
    done() {},
    failed: assert.fail,
    interval: () => at.interval_ms,
    hidden: () => false,
    now: () => at.now_ms,
    timer: (ms) => {
      at.next_ms = ms;
      return () => {};
    },
    chance: () => 0.5,
  });
  poll.start();
  return { poll, at };
}

test("a changed interval counts from the last answer", async () => {
  const { poll, at } = pollerInTime();
  at.now_ms = 4_000;
  poll.replan();
  assert.equal(at.next_ms, 5_000, "from the start, since the page came with an answer");
  poll.atOnce();
  poll.replan();
  assert.equal(at.next_ms, 5_000, "a question is under way, and plans the next");
  await new Promise(setImmediate);
  at.now_ms = 11_000;
  poll.replan();
  assert.equal(at.next_ms, 3_000);
  at.interval_ms = 300_000;
  poll.replan();
  assert.equal(at.next_ms, 293_000);
  at.interval_ms = 2_000;
  poll.replan();
  assert.equal(at.next_ms, 0);
});

test("when words end the next question is due an interval later, and what has to be asked at once is", async () => {
  const { poll, at } = pollerInTime();
  at.now_ms = 600_000;
  poll.wasTold(600_000);
  assert.equal(at.next_ms, 10_000, "nobody asks because words end");
  at.now_ms += 300;
  poll.atOnce();
  assert.equal(at.asked, 1, "who looks at the page gets an answer");
  await new Promise(setImmediate);
  assert.equal(at.next_ms, 10_000);
  at.now_ms = 620_000;
  poll.wasTold(605_000);
  assert.equal(at.next_ms, 0, "what fell silent has told nothing for longer than that");
});
