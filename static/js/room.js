// What the page knows about the visitor's place, from one answer to the next. Answers may come
// from boards of different age: what was shown once is never taken back.

/** What belongs to the board, and so to its version. */
const BOARD_FIELDS = [
  "phase",
  "stop",
  "mode",
  "called",
  "ahead",
  "eta",
  "opens_at_ms",
  "moved",
  "draw",
  "entrants",
  "stock_left",
  "lines",
  "pause",
  "message",
  "slowdowns",
  "board_version",
];

/** What belongs to the place, and to the answer itself. */
const OWN_FIELDS = [
  "run",
  "state",
  "entry",
  "rank",
  "line",
  "offer_until_ms",
  "may_defer",
  "missed_draw",
  "session_ends_at_ms",
  "board_age_ms",
  "poll_ms",
  "now_ms",
  "cookie",
];
/** States of a place that is gone. */
const GIVEN_UP = ["ended", "lapsed", "left"];

/** Where there is no board, these are null: what was known stays. */
const NEVER_NULL = ["phase", "called", "board_version", "board_age_ms"];

/** Only what is known; where a refusal names the phase as its state, it is the phase. */
function known(answer) {
  const says = (field) => answer[field] !== undefined && !(answer[field] === null && NEVER_NULL.includes(field));
  const fields = [...BOARD_FIELDS, ...OWN_FIELDS].filter(says);
  const next = Object.fromEntries(fields.map((field) => [field, answer[field]]));
  if (["before", "prequeue", "paused", "soldout", "closed"].includes(next.state)) {
    next.phase = next.state;
    delete next.state;
  } else if (next.state === "stopped") {
    next.stop = true;
    delete next.state;
  }
  return next;
}

/** The next state to show after `answer`. */
function nextState(before, answer) {
  const unavailable = answer.board_version === null && Boolean(before?.unavailable);
  const next = { ...before, unavailable, ...known(answer) };
  // The page came with it, about the session that had ended then.
  if (next.state !== "ended" || next.rank !== before?.rank) next.ran_out = false;
  if (!before || before.run !== answer.run) return next;
  const other = before.line !== next.line;
  if (answer.board_version < before.board_version && !other) {
    for (const field of BOARD_FIELDS) if (before[field] !== undefined) next[field] = before[field];
    if (before.state === "called" && answer.state === "waiting") {
      next.state = "called";
      next.offer_until_ms = before.offer_until_ms;
    }
  }
  if (before.rank != null && before.rank === next.rank && !other) {
    next.called = Math.max(before.called ?? 0, next.called ?? 0);
    if (before.ahead != null && next.ahead != null) next.ahead = Math.min(before.ahead, next.ahead);
  }
  return next;
}

/** A small memory that outlives a reload; without storage it lives as long as the page. */
function memoryIn(storage, name) {
  let kept = {};
  const read = () => {
    try {
      kept = { ...JSON.parse(storage().getItem(name) ?? "{}") };
    } catch {}
    return kept;
  };
  const write = (more) => {
    kept = { ...read(), ...more };
    try {
      storage().setItem(name, JSON.stringify(kept));
    } catch {}
  };
  /** Whether it does outlive a reload. */
  const lasts = () => {
    try {
      const kept_here = storage();
      kept_here.setItem(name, kept_here.getItem(name) ?? "{}");
      return true;
    } catch {
      return false;
    }
  };
  return { read, write, lasts };
}

/** Whether what is remembered is of this place; an older page has not remembered the line. */
const isOfPlace = (kept, me) => kept.rank === me.rank && (kept.line === undefined || kept.line === me.line);

/** What is remembered of a place: where it began (for the progress) and what was last shown. */
function remembered(kept, me) {
  if (me.rank == null || !isOfPlace(kept, me))
    return { rank: me.rank, line: me.line, start: me.ahead, ahead: me.ahead, called: me.called };
  return { ...kept, ahead: me.ahead, called: me.called };
}

/** The state of a fresh page, corrected by what an earlier page of the same place has shown. */
function recalled(kept, me) {
  if (me.rank == null || !isOfPlace(kept, me) || kept.ahead == null || me.ahead == null) return me;
  return { ...me, ahead: Math.min(kept.ahead, me.ahead), called: Math.max(kept.called ?? 0, me.called) };
}

/** What is drawn of a way that has just begun, in thousandths: enough to see where it starts. */
const PROGRESS_BEGINS = 20;

/** How far from the first place towards the front, in thousandths. */
const progressOf = (start, ahead) =>
  Math.max(PROGRESS_BEGINS, Math.round((1000 * (start - Math.min(start, ahead))) / start));
