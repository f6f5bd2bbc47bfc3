// How a page that fell back to the edge's stream comes to its socket again: by a clock of the test's own.

import assert from "node:assert/strict";
import { test } from "node:test";
import { script } from "./script.mjs";

const SOCKET = 0;
const STREAM = 1;
const MINUTE_MS = 60_000;

/** Time that passes when the test says so. */
function clockOf() {
  const clock = { now_ms: 0, planned: new Set() };
  clock.timer = (ms, run) => {
    const plan = { at_ms: clock.now_ms + ms, run };
    clock.planned.add(plan);
    return () => clock.planned.delete(plan);
  };
  clock.pass = (ms) => {
    const end_ms = clock.now_ms + ms;
    for (;;) {
      const due = [...clock.planned].filter(({ at_ms }) => at_ms <= end_ms);
      if (due.length === 0) break;
      const next = due.reduce((first, plan) => (plan.at_ms < first.at_ms ? plan : first));
      clock.planned.delete(next);
      clock.now_ms = next.at_ms;
      next.run();
    }
    clock.now_ms = end_ms;
  };
  return clock;
}

/** A page whose socket fails while `sockets` says so, and whose stream says something every eight seconds. */
function pageOf({ sockets, chance = () => 0.5, clock = clockOf() }) {
  const page = { clock, sockets, opened: [], open: [], heard: [], changes: 0, hidden: false, streams: true };
  const way = (number) => (word, over) => {
    const mine = { number, word, over };
    page.opened.push({ number, at_ms: clock.now_ms });
    page.open.push(mine);
    const says = () => {
      if (!page.open.includes(mine)) return;
      if (number === SOCKET ? page.sockets === "refused" : !page.streams) over();
      else if (number === STREAM || page.sockets === "there") word({ number });
      clock.timer(8_000, says);
    };
    clock.timer(100, says);
    return () => {
      page.open = page.open.filter((each) => each !== mine);
    };
  };
  page.listener = script.listener({
    ways: [way(SOCKET), way(STREAM)],
    heard(said) {
      if (page.isOlder?.(said)) return false;
      page.heard.push(said.number);
    },
    changed: () => {
      page.changes += 1;
    },
    hidden: () => page.hidden,
    timer: clock.timer,
    now: () => clock.now_ms,
    chance,
  });
  page.over = () => page.open.map(({ number }) => number);
  page.tried = () => page.opened.filter(({ number }) => number === SOCKET).map(({ at_ms }) => at_ms);
  page.break = () => {
    for (const { over } of page.open) over();
  };
  page.listener.want(true);
  return page;
}

/** The same, some seconds later: its socket has failed twice and it hears the stream. */
function fellBack(how = {}) {
  const page = pageOf({ sockets: "refused", ...how });
  page.clock.pass(5_000);
  assert.deepEqual([page.over(), page.tried().length, page.listener.isAlive()], [[STREAM], 2, true]);
  return page;
}

/** Lets time pass until something is so. */
function until(page, what, isSo) {
  for (let n = 0; n < 6_000 && !isSo(); n += 1) page.clock.pass(100);
  assert.ok(isSo(), what);
}

/** Minutes between the tries of a socket. */
function minutesBetween(tried) {
  return tried.slice(1).map((at_ms, before) => Math.round((at_ms - tried[before]) / MINUTE_MS));
}

test("once there are sockets again the page has one, and until then it hears the stream", () => {
  const page = fellBack();
  page.clock.pass(20_000);
  page.sockets = "there";
  page.clock.pass(70_000);
  assert.deepEqual([page.over(), page.tried().length], [[SOCKET], 3]);
  assert.deepEqual([page.listener.isAlive(), page.changes], [true, 1], "words came all the time");
  assert.equal(page.heard.at(-1), SOCKET);
  page.clock.pass(60 * MINUTE_MS);
  assert.equal(page.opened.length, 4, "and nothing else is tried");
  page.break();
  page.clock.pass(2_000);
  assert.deepEqual(page.over(), [SOCKET], "it worked");
});

test("a try that says nothing, or nothing new, leaves the page with its stream", () => {
  for (const [sockets, isOlder] of [
    ["silent", () => false],
    ["there", ({ number }) => number === SOCKET],
  ]) {
    const page = fellBack();
    Object.assign(page, { sockets, isOlder });
    page.clock.pass(75_000);
    assert.deepEqual([page.tried().length, page.over(), page.changes], [3, [STREAM], 1], sockets);
  }
});

test("who is refused again and again tries more and more seldom", () => {
  const page = fellBack();
  page.clock.pass(24 * 60 * MINUTE_MS);
  assert.deepEqual(minutesBetween(page.tried()).slice(0, 8), [0, 1, 2, 4, 8, 16, 16, 16]);
  assert.ok(page.tried().length < 100, "four times an hour");
  assert.deepEqual([page.over(), page.changes], [[STREAM], 1]);
});

test("a socket that greets and breaks off is no better than none", () => {
  const page = fellBack();
  page.sockets = "there";
  for (let n = 0; n < 4; n += 1) {
    until(page, "a socket", () => page.over()[0] === SOCKET && page.heard.at(-1) === SOCKET);
    page.sockets = "refused";
    page.break();
    page.clock.pass(10_000);
    assert.deepEqual(page.over(), [STREAM]);
    page.sockets = "there";
  }
  const again = page.tried().filter((at_ms, n, all) => n > 0 && at_ms - all[n - 1] > 30_000);
  assert.deepEqual(minutesBetween(again), [2, 4, 8]);
});

test("while nobody looks no socket is tried, and soon when somebody does", () => {
  const page = fellBack();
  Object.assign(page, { sockets: "there", hidden: true });
  page.clock.pass(60 * MINUTE_MS);
  assert.deepEqual([page.tried().length, page.over()], [2, [STREAM]]);
  page.hidden = false;
  page.clock.pass(90_000);
  assert.deepEqual(page.over(), [SOCKET]);
});

test("a stream that ends is opened again, and no socket for it", () => {
  const page = fellBack();
  page.clock.pass(20 * MINUTE_MS);
  const before = page.tried().length;
  page.break();
  page.clock.pass(2_000);
  assert.deepEqual([page.over(), page.tried().length], [[STREAM], before]);
});

test("when the stream fails during a try, the try counts all the same, and nothing is left open", () => {
  const page = fellBack();
  page.sockets = "silent";
  until(page, "a try", () => page.open.length === 2);
  page.sockets = "there";
  page.streams = false;
  const [stream, tried] = page.open;
  stream.over();
  tried.word({ number: SOCKET });
  assert.deepEqual([page.over(), page.tried().length, page.listener.isAlive()], [[SOCKET], 3, true]);
  const opened = page.opened.length;
  page.clock.pass(MINUTE_MS);
  assert.deepEqual([page.over(), page.opened.length], [[SOCKET], opened], "nothing else is opened");
});

test("who does not want to listen any more tries nothing, and keeps nothing open", () => {
  const page = fellBack();
  page.sockets = "silent";
  until(page, "a try", () => page.open.length === 2);
  page.listener.want(false);
  page.clock.pass(60 * MINUTE_MS);
  assert.deepEqual([page.over(), page.tried().length], [[], 3]);
});

test("of eight thousand pages that fell back in one moment no second sees more than three hundred", () => {
  const clock = clockOf();
  let drawn = 7;
  const chance = () => {
    drawn = (drawn * 48_271) % 2_147_483_647;
    return drawn / 2_147_483_647;
  };
  const pages = Array.from({ length: 800 }, () => pageOf({ sockets: "refused", chance, clock }));
  clock.pass(15_000);
  const since = clock.now_ms;
  for (const page of pages) page.sockets = "there";
  clock.pass(90_000);
  const seconds = new Map();
  for (const page of pages) {
    assert.deepEqual(page.over(), [SOCKET]);
    const second = Math.floor(page.tried().find((at_ms) => at_ms > since) / 1_000);
    seconds.set(second, (seconds.get(second) ?? 0) + 1);
  }
  assert.ok(Math.max(...seconds.values()) <= 30, `${Math.max(...seconds.values())} of 800`);
});
