// What an operator wants to know of a queue, taken from the observability document: plain numbers and short words.

const number = new Intl.NumberFormat("en");

export const count = (value) => number.format(value ?? 0);

export const clock = (unixMs) => new Date(unixMs).toTimeString().slice(0, 8);

/** The numbers and words of one observability document. */
export function figuresOf({ board, totals, stock }) {
  const lines = board.lines ?? [];
  const entries = lines.reduce((sum, line) => sum + line.entries, 0);
  const called = lines.reduce((sum, line) => sum + Math.min(line.called, line.entries), 0);
  return {
    state: stateOf(board),
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
    phases: [...new Set(lines.map((line) => line.phase))],
    maxActive: board.limits?.max_active ?? null,
    perMinute: board.limits?.per_minute ?? null,
    message: board.message ?? null,
    pause: board.pause ?? null,
    stockLeft: stock?.left ?? null,
    lines: lines.map((line) => ({
      id: line.id,
      phase: line.phase,
      opensAtMs: line.opens_at_ms,
      waiting: line.entries - Math.min(line.called, line.entries),
    })),
  };
}

/** One word for where the queue stands, the strongest first. */
function stateOf(board) {
  if (board.mode === "off") return "off";
  if (board.stop) return "stopped";
  const phases = [...new Set((board.lines ?? []).map((line) => line.phase))];
  if (board.pause && !phases.includes("paused")) return "paused";
  return phases.join(", ") || board.mode;
}

export const rateText = (perMinute) => (perMinute === null ? "no rate limit" : `${count(perMinute)} a minute`);
export const roomText = (maxActive) =>
  maxActive === null ? "no limit at the same time" : `at most ${count(maxActive)} at the same time`;

const lineText = ({ phase, opensAtMs }) =>
  opensAtMs == null ? phase : `${phase}, opens at ${new Date(opensAtMs).toISOString()}`;

const quoted = (text) => (text ? `"${text}"` : "none");

/** What the operator's actions change, each as a name and a text, to compare before and after. */
export function settingsOf(figures) {
  const { pause } = figures;
  const nextUpdate = pause?.next_update_at_ms ?? pause?.next_update_at;
  return {
    state: figures.state,
    rate: rateText(figures.perMinute),
    limit: roomText(figures.maxActive),
    message: quoted(figures.message),
    stock: figures.stockLeft === null ? "not known" : count(figures.stockLeft),
    ...Object.fromEntries(figures.lines.map((line) => [`line ${line.id}`, lineText(line)])),
    reason: pause ? quoted(pause.reason) : "none",
    "next update": nextUpdate ? clock(nextUpdate) : "none",
  };
}

/** What the file says, where the live value is another. */
const unlike = (live, inFile) => (inFile === undefined || inFile === live ? "" : ` (the file has ${inFile})`);

/** The lines of `status`. */
export function statusLines({ event, url, document }) {
  const figures = figuresOf(document);
  const inFile = document.settings?.limits;
  const rate = rateText(figures.perMinute);
  const room = roomText(figures.maxActive);
  const rows = [
    ["state", figures.state],
    ["waiting", `${count(figures.waiting)} not called yet`],
    [
      "called",
      `${count(figures.called)} offered their turn and not inside yet, ${count(figures.pending)} asking to enter`,
    ],
    ["inside", `${count(figures.active)}, ${room}${unlike(room, inFile && roomText(inFile.max_active))}`],
    ["admitted", `${count(figures.granted)} since the run began, ${count(figures.ended)} of them gone again`],
    ["rate", `${rate}${unlike(rate, inFile && rateText(inFile.per_minute))}`],
    ["message", quoted(figures.message)],
  ];
  if (figures.stockLeft !== null) rows.push(["stock", `${count(figures.stockLeft)} left to sell`]);
  if (figures.lines.length > 1) {
    for (const line of figures.lines) rows.push([line.id, `${lineText(line)}, ${count(line.waiting)} not called yet`]);
  }
  if (figures.pause)
    rows.push(["reason", settingsOf(figures).reason], ["next update", settingsOf(figures)["next update"]]);
  for (const noted of (document.noted ?? []).slice(-3)) rows.push(["done", notedText(noted)]);
  return [`${event} at ${url}`, ...rows.map(([name, text]) => `  ${name.padEnd(12)}${text}`)];
}

/** One of the last actions: when, who, what. */
function notedText({ at_ms: atMs, by, did }) {
  const { action, ...details } = did;
  const words = Object.entries(details)
    .filter(([, value]) => value !== null && value !== "")
    .map(([name, value]) => `${name} ${name.endsWith("_at_ms") ? clock(value) : JSON.stringify(value)}`);
  return `${clock(atMs)} ${by}: ${[action, ...words].join(", ")}`;
}
