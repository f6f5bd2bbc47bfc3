// What an operator wants to know of a queue, taken from the observability document: plain numbers and short words.
import { count, counted } from "../counted.mjs";
import { instant } from "./instants.mjs";

/** The numbers and words of one observability document. */
export function figuresOf({ board, totals, stock, settings }) {
  const lines = board.lines ?? [];
  const entries = lines.reduce((sum, line) => sum + line.entries, 0);
  const called = lines.reduce((sum, line) => sum + Math.min(line.called, line.entries), 0);
  return {
    state: stateOf(board),
    wholeState: wholeState(board),
    waiting: entries - called,
    called: called - Math.min(called, totals.granted),
    pending: totals.pending,
    active: totals.active,
    granted: totals.granted,
    ended: totals.ended,
    joined: totals.joined,
    isPaused: Boolean(board.pause) && !board.stop,
    isStopped: board.stop,
    mode: board.mode,
    phases: phasesOf(board),
    maxActive: board.limits?.max_active ?? null,
    perMinute: board.limits?.per_minute ?? null,
    inFile: settings?.limits,
    message: board.message ?? null,
    pause: board.pause ?? null,
    shards: board.shards ?? null,
    stockLeft: stock?.left ?? null,
    lines: lines.map((line) => ({
      id: line.id,
      phase: line.phase,
      opensAtMs: line.opens_at_ms,
      waiting: line.entries - Math.min(line.called, line.entries),
    })),
  };
}

/** What holds for the whole queue, the strongest first; null: every line is where its phase says. */
function wholeState(board) {
  if (board.mode === "off") return "off";
  if (board.stop) return "stopped";
  const phases = phasesOf(board);
  if (board.pause && !phases.includes("paused")) return "paused";
  return phases.length === 1 ? phases[0] : null;
}

const phasesOf = (board) => [...new Set((board.lines ?? []).map((line) => line.phase))];

/** Where the queue stands; lines that stand elsewhere than others are named. */
const stateOf = (board) =>
  wholeState(board) ?? ((board.lines ?? []).map(({ id, phase }) => `${id} ${phase}`).join(", ") || board.mode);

export const rateText = (perMinute) => (perMinute === null ? "no rate limit" : `${count(perMinute)} a minute`);
export const roomText = (maxActive) =>
  maxActive === null ? "no limit at the same time" : `at most ${count(maxActive)} at the same time`;

/** For how many the queue is laid out. */
export const shardsText = (shards) => (shards === null ? "not known" : `for ${counted(shards, "shard")}`);

/** A line's phase and opening; of an opening that is over it is said so. */
export function lineText({ phase, opensAtMs }, zone) {
  if (opensAtMs == null) return phase;
  const isAhead = phase === "before" || phase === "prequeue";
  return `${phase}, ${isAhead ? "opens" : "opened"} at ${instant(opensAtMs, zone)}`;
}

export const quoted = (text) => (text ? `"${text}"` : "none");

/** What the operator's actions change, each as a name and a text, to compare before and after. */
export function settingsOf(figures, zone) {
  const { pause } = figures;
  const nextUpdate = pause?.next_update_at_ms ?? pause?.next_update_at;
  return {
    // Where lines stand in different places, each of them is compared.
    state: figures.wholeState ?? "as each line is",
    rate: rateText(figures.perMinute),
    limit: roomText(figures.maxActive),
    message: quoted(figures.message),
    "laid out": shardsText(figures.shards),
    stock: figures.stockLeft === null ? "not known" : count(figures.stockLeft),
    ...Object.fromEntries(figures.lines.map((line) => [`line ${line.id}`, lineText(line, zone)])),
    reason: pause ? quoted(pause.reason) : "none",
    "next update": nextUpdate ? instant(nextUpdate, zone) : "none",
  };
}
