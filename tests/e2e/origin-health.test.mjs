// O7 and O9: a shop that is down, slow or failing. Nobody is let in into an error, places are kept, fewer are let in
// while it is in trouble, and everything goes on by itself.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { joined } from "./harness/crowd.mjs";
import { pause, until } from "./harness/exchange.mjs";
import { opened } from "./harness/forge.mjs";
import { startRoom } from "./harness/room.mjs";

/** From the start of the room: its objects wake and visitors join before. */
const OPENS_AFTER_MS = 15_000;
/** A window of five seconds, or of two while the line is paused, and what lies around it on a busy machine. */
const JUDGED_WITHIN_MS = 25_000;
const RATE = 120;
/** Where a share of those inside is judged, so many have to be heard. */
const INSIDE = 24;

let room;
let opensAt;
before(async () => {
  opensAt = new Date(Math.ceil((Date.now() + OPENS_AFTER_MS) / 1_000) * 1_000);
  const admission = { per_minute: RATE };
  room = await startRoom({
    events: [
      { id: "opening", opens_at: opensAt.toISOString() },
      { id: "failing", admission },
      { id: "slow", origin_slow_ms: 100, admission: { per_minute: 600 } },
      { id: "watched", origin_health: "watch" },
      { id: "quiet", admission: { per_minute: 600 } },
      { id: "pictures", admission: { per_minute: 600 } },
      { id: "walk-in", mode: "auto" },
      { id: "guarded", mode: "auto" },
    ],
  });
});
after(() => room?.stop());

/** Does something over and over until `stop` is called; what went wrong comes out there. */
function keepDoing(work, every_ms = 300) {
  let goesOn = true;
  const doing = (async () => {
    while (goesOn) {
      await work();
      await pause(every_ms);
    }
  })();
  return {
    stop() {
      goesOn = false;
      return doing;
    },
  };
}

const isPausedForOrigin = ({ lines, pause: why }) => lines[0].phase === "paused" && why?.reason === "origin";

test("O9 a shop that is down at the opening: nobody is let in into an error, places stay, and it goes on by itself", async () => {
  const fans = await joined(room, "opening", 4);
  const entries = await Promise.all(fans.map(async (fan) => (await fan.reachesNumber()).entry));
  await room.origin.stop();
  const claims = fans.map((fan) =>
    keepDoing(async () => {
      const claim = await fan.claim();
      assert.ok([202, 409].includes(claim.status), `a claim before the shop is back: ${claim.status} ${claim.text}`);
      const page = await fan.visit();
      assert.deepEqual([page.status, typeof page.state], [503, "string"], "the room's own page and no error");
    }, 500),
  );
  try {
    await pause(Math.max(0, opensAt.getTime() - Date.now()));
    const board = await until(() => room.board("opening"), isPausedForOrigin, { within_ms: JUDGED_WITHIN_MS });
    assert.deepEqual(board.pause, { reason: "origin", next_update_at_ms: null }, "nobody promised news");
    const page = await fans[0].visit();
    assert.match(page.text, /The shop is not answering right now/);
    await pause(4_000);
    assert.ok(isPausedForOrigin(await room.board("opening")), "the shop is still down");
  } finally {
    await Promise.all(claims.map((each) => each.stop()));
    await room.origin.start();
  }
  for (const [n, fan] of fans.entries()) {
    await fan.enter({ within_ms: JUDGED_WITHIN_MS });
    assert.equal((await fan.visit()).status, 200);
    assert.equal((await fan.ask()).entry, entries[n], "the same place");
  }
  const { noted } = await (await room.operator({ event: "opening" })).observe();
  const own = noted.filter(({ by }) => by === "origin-health").map(({ did }) => did.action);
  assert.deepEqual(own, ["pause", "resume"]);
});

test("O9 a first visit finds the queue page while the shop is down, in one step too, and walks in when it is back", async () => {
  await room.origin.stop();
  const fan = room.visitor({ event: "walk-in" });
  try {
    for (let n = 0; n < 3; n += 1) {
      const page = await fan.visit();
      assert.equal(page.status, 503, page.text.slice(0, 200));
      assert.ok(page.state, "the room's own answer");
    }
  } finally {
    await room.origin.start();
  }
  await until(
    () => fan.visit(),
    ({ status }) => status === 200,
    { within_ms: JUDGED_WITHIN_MS, what: "the shop" },
  );
});

test("O9 a shop behind a guard that denies whoever brings no pass is down when what the guard lets through fails", async () => {
  const begun = room.origin.questions.length;
  room.origin.answer = ({ headers }) => ({ status: headers["waiting-room-pass"] ? 500 : 403 });
  const fan = room.visitor({ event: "guarded" });
  try {
    for (let n = 0; n < 3; n += 1) {
      const page = await fan.visit();
      assert.deepEqual([page.status, typeof page.state], [503, "string"], "the room's own page and no error");
    }
    const questions = room.origin.questions.slice(begun).filter(({ url }) => url.startsWith("/events/guarded/"));
    assert.ok(questions.length > 0, "the shop was asked");
    const headers = { "waiting-room-pass": questions.at(-1).headers["waiting-room-pass"] };
    const told = await room.ask("/_wr/access", { headers });
    assert.equal(told.status, 200, "the guard takes it");
    const tried = await room.ask("/events/guarded/", { headers });
    assert.equal(tried.status, 503, "the gate takes it from nobody");
  } finally {
    room.origin.answer = null;
  }
  await until(
    () => fan.visit(),
    ({ status }) => status === 200,
    { within_ms: JUDGED_WITHIN_MS, what: "the shop" },
  );
});

/** What the room did by itself, from the event log: `{ at, cap, paused }`. */
async function stepsOf(operator) {
  const log = await operator.wholeLog();
  const steps = [];
  for (const { kind, by, at, action } of log) {
    if (kind !== "operator" || by !== "origin-health") continue;
    if (action.pause) steps.push({ at, step: "pause" });
    else if (action === "resume") steps.push({ at, step: "resume" });
    else steps.push({ at, step: action.retune.per_minute.to ?? "open" });
  }
  return { steps, grants: log.filter(({ kind }) => kind === "grant") };
}

/** A crowd that claims and, once inside, looks around. `stop` gives what went wrong. */
function crowdOf(fans) {
  const inside = new Set();
  const errors = [];
  const guarded = (work) => async () => {
    try {
      await work();
    } catch (error) {
      errors.push(error);
    }
  };
  const enters = (fan) => async () => {
    if (!inside.has(fan) && (await fan.claim()).status === 200) inside.add(fan);
  };
  const entering = fans.map((fan) => keepDoing(guarded(enters(fan)), 1_000));
  const visiting = keepDoing(
    guarded(() => Promise.all([...inside].map((fan) => fan.shop()))),
    700,
  );
  const stop = async () => {
    await Promise.all([...entering, visiting].map((each) => each.stop()));
    return errors;
  };
  return { inside, stop };
}

/** Each cap is at most half of the one before, then a pause, its end, and each the double of the one before. */
function checkSteps(names) {
  const pausedAt = names.indexOf("pause");
  const down = [RATE, ...names.slice(0, pausedAt)];
  assert.ok(down.length >= 4, `halved before the pause: ${names}`);
  for (const [n, cap] of down.entries()) if (n > 0) assert.ok(cap <= down[n - 1] / 2, `halved: ${names}`);
  const up = names.slice(pausedAt + 2, -1);
  for (const [n, cap] of up.entries()) if (n > 0) assert.equal(cap, 2 * up[n - 1], `doubled: ${names}`);
  assert.deepEqual([names[pausedAt + 1], names.at(-1)], ["resume", "open"], String(names));
}

/** Between two steps no more were admitted than the rate in force allows, and nobody while paused. */
function checkGrants({ steps, grants }) {
  let last = RATE;
  for (const [n, { at, step }] of steps.entries()) {
    if (Number.isInteger(step)) last = step;
    const cap = { pause: 0, resume: last, open: RATE }[step] ?? step;
    const ends = steps[n + 1]?.at ?? Date.now();
    const granted = grants.filter((grant) => grant.at > at && grant.at < ends);
    const count = granted.reduce((sum, grant) => sum + grant.count, 0);
    const most = cap === 0 ? 0 : (cap * (ends - at)) / 60_000 + Math.max(1, cap / 60) + 1;
    assert.ok(count <= most, `${count} admitted after ${step}, at most ${most}`);
  }
}

/** Every fourth session that comes to the shop finds errors only; the room itself finds none. */
function failsForAQuarter() {
  const known = new Map();
  return ({ method, headers }) => {
    if (method === "HEAD") return {};
    const [home, index] = opened(headers["waiting-room-pass"]).claims.jti.split(".");
    const session = `${home}.${index}`;
    if (!known.has(session)) known.set(session, known.size);
    return { status: known.get(session) % 4 === 0 ? 500 : 200 };
  };
}

test("O7 a quarter of those inside in trouble: admissions are halved, paused at the floor, and ramp back, never above the limit", async () => {
  const event = "failing";
  const operator = await room.operator({ event });
  const crowd = crowdOf(await joined(room, event, 60));
  const boardIs = (satisfies, what) =>
    until(() => room.board(event), satisfies, { within_ms: 60_000, every_ms: 500, what });
  let errors = [];
  try {
    const size = async () => crowd.inside.size;
    await until(size, (count) => count >= INSIDE, { within_ms: 60_000, what: "enough inside" });
    room.origin.answer = failsForAQuarter();
    await boardIs(isPausedForOrigin, "the pause");
    const { origin, board } = await operator.observe();
    assert.deepEqual([origin.health, origin.paused], ["troubled", true]);
    assert.ok(board.limits.per_minute < RATE / 4, `the cap stays below the pause: ${board.limits.per_minute}`);
    room.origin.answer = null;
    await boardIs(({ lines }) => lines[0].phase === "open", "the line goes on");
    await boardIs(({ limits }) => limits.per_minute === RATE, "the whole rate");
  } finally {
    room.origin.answer = null;
    errors = await crowd.stop();
  }
  assert.deepEqual(errors, []);
  const seen = await stepsOf(operator);
  checkSteps(seen.steps.map(({ step }) => step));
  checkGrants(seen);
});

test("O7 a slow shop slows the admissions, and one that hangs is noticed before it answers", async () => {
  const event = "slow";
  const fans = await joined(room, event, 25);
  for (const fan of fans) await fan.enter();
  const release = [];
  room.origin.answer = ({ method }) =>
    method === "HEAD" ? {} : new Promise((answer) => release.push(() => answer({})));
  const hanging = fans.map((fan) => fan.shop());
  try {
    await until(
      () => room.board(event),
      ({ limits }) => limits.per_minute < 600,
      { within_ms: JUDGED_WITHIN_MS },
    );
    assert.ok(release.length >= 20, "none has been answered");
  } finally {
    room.origin.answer = null;
    for (const answer of release) answer();
    await Promise.all(hanging);
  }
});

test("O7 a visitor who provokes errors is one visitor in trouble: a quiet sale goes on, and a room that only watches only watches", async () => {
  const operator = await room.operator({ event: "watched" });
  const fans = [...(await joined(room, "watched", 1)), ...(await joined(room, "quiet", 1))];
  for (const fan of fans) await fan.enter();
  room.origin.answer = ({ method }) => ({ status: method === "HEAD" ? 200 : 500 });
  const troubling = fans.map((fan) => keepDoing(() => Promise.all(Array.from({ length: 5 }, () => fan.shop())), 200));
  const quiet = [];
  const looking = keepDoing(async () => quiet.push(await room.board("quiet")), 500);
  try {
    // What was heard of one session is too little for a verdict: it is dropped after thirty seconds.
    await until(
      () => operator.observe(),
      ({ origin }) => origin.failed > 0,
      { within_ms: 60_000, what: "failures" },
    );
  } finally {
    await Promise.all([...troubling, looking].map((each) => each.stop()));
    room.origin.answer = null;
  }
  for (const { lines, limits } of quiet) assert.deepEqual([lines[0].phase, limits.per_minute], ["open", 600]);
  const { origin, board } = await operator.observe();
  assert.equal(origin.acts, false);
  assert.ok(origin.failed <= 2, `${origin.failed}: one, for as long as a window lasts`);
  assert.equal(board.lines[0].phase, "open");
  assert.equal(board.limits.per_minute, 6_000);
});

test("O9 one visitor for whom a picture still comes lets nobody else in into a shop whose pages fail", async () => {
  const [looker, other, ...fans] = await joined(room, "pictures", 6);
  for (const fan of [looker, other]) await fan.enter();
  room.origin.answer = ({ url }) => ({ status: url.endsWith("/picture") ? 200 : 500 });
  const looking = keepDoing(() => looker.shop(`${looker.path}picture`), 60);
  try {
    // What the room found out by itself holds for five seconds.
    await pause(5_500);
    assert.equal((await other.shop()).status, 500);
    const until_ms = Date.now() + 7_000;
    while (Date.now() < until_ms) {
      for (const fan of fans) {
        const { status, text } = await fan.claim();
        assert.ok([202, 409].includes(status), `${status} ${text}`);
      }
      await pause(300);
    }
  } finally {
    room.origin.answer = null;
    await looking.stop();
  }
  await Promise.all(fans.map((fan) => fan.enter({ within_ms: JUDGED_WITHIN_MS })));
});
