// What a screen reader is told: another page politely, milestones too and never less than half a
// minute apart; the visitor's turn at once. The visible number is apart from it.

const APART_MS = 30_000;

/** The milestone that `ahead` has reached: 1, 2 or 5 times a power of ten, at or above it. */
function milestoneOf(ahead) {
  for (let power = 1; ; power *= 10) {
    for (const step of [1, 2, 5]) if (ahead <= step * power) return step * power;
  }
}

/** `polite` and `atOnce` write into the live regions; `after(ms, run)` starts a timer. */
function announcer({ polite, atOnce, now, after }) {
  let last_ms = -APART_MS;
  let waiting = null;
  let milestone = Number.POSITIVE_INFINITY;
  const flush = () => {
    if (waiting === null) return;
    const wait_ms = last_ms + APART_MS - now();
    if (wait_ms > 0) {
      after(wait_ms, flush);
      return;
    }
    const text = waiting;
    waiting = null;
    last_ms = now();
    polite(text);
  };
  const say = (text) => {
    const timed = waiting !== null;
    waiting = text;
    if (!timed || last_ms + APART_MS <= now()) flush();
  };
  return {
    say,
    turn(text) {
      waiting = null;
      polite("");
      atOnce(text);
    },
    /** The page is another one: that is told now, and what was said of the one before can be read no more. `follows`: but for the turn. */
    scene(text, follows) {
      if (!follows) atOnce("");
      last_ms = -APART_MS;
      say(text);
    },
    /** The place has moved; told when it passes a milestone. */
    place(ahead, text) {
      const reached = milestoneOf(ahead);
      if (reached < milestone) say(text);
      milestone = Math.min(milestone, reached);
    },
    /** From where milestones count. */
    start(ahead) {
      milestone = milestoneOf(ahead);
    },
  };
}
