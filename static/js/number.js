// The big number: it moves from one true value to the next, never beyond, and never rises.

const MOVE_MS = 1200;

/** The value after `elapsed_ms` of the way: starts fast, arrives softly. */
function between(from, to, elapsed_ms) {
  const part = Math.min(1, Math.max(0, elapsed_ms / MOVE_MS));
  const value = Math.round(from + (to - from) * (1 - (1 - part) ** 3));
  return Math.min(Math.max(value, Math.min(from, to)), Math.max(from, to));
}

/** How much room a written number needs; `size_of` in src/page.rs says the same. */
const sizeOf = ({ length }) => ["xl", "l", "m", "s", "xs"][[3, 5, 6, 7, length].findIndex((most) => length <= most)];

/** `write(value)` shows a value, `frame` asks for the next frame, `still()`: do not animate. */
function movingNumber({ write, frame, still }) {
  let shown = null;
  let goal = null;
  let turn = 0;
  const set = (value) => {
    shown = value;
    write(value);
  };
  return (to) => {
    if (to === goal) return;
    const from = shown;
    goal = to;
    const mine = ++turn;
    if (to === null) shown = null;
    else if (from === null || to > from || still()) set(to);
    else {
      let began = null;
      const step = (now_ms) => {
        if (mine !== turn) return;
        began ??= now_ms;
        set(still() ? to : between(from, to, now_ms - began));
        if (shown !== to) frame(step);
      };
      frame(step);
    }
  };
}
