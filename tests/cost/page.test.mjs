// How often a page asks, by its own script: each question is a request that is paid for.
import assert from "node:assert/strict";
import { test } from "node:test";
import { pageOf } from "./page.mjs";

const MINUTE_MS = 60_000;

/** A page on a clock of its own: `answers` says what an edge would, `claims` what comes of each claim. */
function pageAt(me, { answers = () => me, claims = [], pushes = false } = {}) {
  const made = { now_ms: 0, timers: [], asked: [], claimed: [], entered: false, words: null };
  const room = { run: 1 };
  made.page = pageOf({
    ...{ room, me: { ...me, run: 1 }, now: () => made.now_ms, pushes: () => pushes },
    timer(ms, run) {
      const planned = { at_ms: made.now_ms + ms, run };
      made.timers.push(planned);
      return () => {
        planned.run = null;
      };
    },
    way(word) {
      made.words = word;
      return () => {};
    },
    async ask() {
      made.asked.push(made.now_ms);
      return { run: 1, ...answers(made.now_ms) };
    },
    async claim() {
      made.claimed.push(made.now_ms);
      return { run: 1, ...(claims.shift() ?? { status: 200, state: "admitted" }) };
    },
    entered: () => {
      made.entered = true;
    },
  });
  /** Lets time go by until `until_ms`; `each(now)` happens every second. */
  made.goesOn = async (until_ms, each = () => {}) => {
    for (; made.now_ms < until_ms; made.now_ms += 100) {
      if (made.now_ms % 1_000 === 0) each(made.now_ms);
      const due = made.timers.filter(({ at_ms, run }) => run && at_ms <= made.now_ms);
      made.timers = made.timers.filter(({ at_ms, run }) => run && at_ms > made.now_ms);
      for (const { run } of due) run();
      await new Promise(setImmediate);
    }
  };
  return made;
}

const waiting = {
  state: "waiting",
  phase: "open",
  line: "general",
  rank: 500,
  entry: 500,
  ahead: 400,
  called: 100,
  board_version: 3,
};

test("while words come a page asks at most once in ten minutes", async () => {
  const made = pageAt(waiting, { pushes: true });
  made.page.start();
  made.page.replan();
  const line = { id: "general", phase: "open", called: 100, entries: 600, advance: null };
  await made.goesOn(10 * MINUTE_MS, (now_ms) =>
    made.words?.({ run: 1, version: 3, settled: 3, age_ms: 50, now_ms, stop: false, stock_left: null, lines: [line] }),
  );
  assert.ok(made.asked.length <= 1, `${made.asked.length} questions`);
  made.page.stop();
});

test("without words it asks as often as the edge says", async () => {
  const made = pageAt({ ...waiting, poll_ms: 10_000 });
  made.page.start();
  await made.goesOn(5 * MINUTE_MS);
  assert.ok(made.asked.length >= 25 && made.asked.length <= 36, `${made.asked.length} questions`);
  made.page.stop();
});

test("whoever is called is asked about nothing until the page goes in, and a pending claim asks by claiming", async () => {
  const called = { ...waiting, state: "called", called: 501, may_defer: true, poll_ms: 2_000 };
  const pending = { status: 202, state: "pending", poll_ms: 2_000 };
  const made = pageAt({ ...called, state: "waiting" }, { answers: () => called, claims: [pending, pending] });
  made.page.start();
  await made.goesOn(MINUTE_MS / 2);
  assert.equal(made.asked.length, 1, "the question that found the turn");
  assert.equal(made.claimed.length, 3);
  const [first, second] = made.claimed;
  assert.ok(
    first - made.asked[0] >= 6_000 && first - made.asked[0] < 7_000,
    `${first - made.asked[0]} ms to say "not yet"`,
  );
  assert.ok(second - first >= 1_500, "as often as the edge says");
  assert.ok(made.entered);
});
