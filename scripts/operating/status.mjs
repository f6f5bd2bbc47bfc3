// What `status` prints of a queue.
import { count, counted } from "../counted.mjs";
import { figuresOf, lineText, quoted, rateText, roomText, settingsOf, shardsText } from "./figures.mjs";
import { instant } from "./instants.mjs";
import { notedText } from "./noted.mjs";

/** The actions that are shown; the log has all. */
const SHOWN_ACTIONS = 10;

/**
 * What a line waits for while its order is drawn, and until when at the latest. `draw` is the line's published draw, null
 * where it is not known.
 */
function drawingText({ opensAtMs }, draw, settings, zone) {
  const until = (ms) => `, until ${instant(ms, zone)} at the latest`;
  if (draw === null || settings === undefined) return "the order is being drawn";
  if (draw.fixed_at == null) {
    return `waits until every entrant is heard${opensAtMs == null ? "" : until(opensAtMs + settings.grace_seconds * 1_000)}`;
  }
  if (draw.beacon == null) return "everybody is heard; the order is out in a moment";
  const last = Date.parse(draw.fixed_at) + settings.beacon_wait_seconds * 1_000;
  return `${count(draw.entrants)} in the draw; it waits for the public random number (round ${draw.beacon.round})${until(last)}`;
}

/** What the file says, where the live value is another. */
const unlike = (live, inFile) => (inFile === undefined || inFile === live ? "" : ` (the file has ${inFile})`);

const SHOP_WORDS = { good: "answers well", troubled: "is in trouble", down: "is down" };

/** How the shop does, and what the room holds back because of it; null: nothing is known and nothing held back. */
export function shopText(origin) {
  if (!origin || (origin.health === "unknown" && !origin.paused && origin.cap_per_minute == null)) return null;
  const { health, answers, failed, slow } = origin;
  const counts = `of ${counted(answers, "answer")} ${count(failed)} failed, ${counted(slow, "was", "were")} slow`;
  const does = SHOP_WORDS[health] === undefined ? "not heard from lately" : `${SHOP_WORDS[health]} (${counts})`;
  if (origin.paused) return `${does}; nobody is let in until it answers`;
  if (origin.cap_per_minute != null) return `${does}; at most ${count(origin.cap_per_minute)} a minute are let in`;
  return origin.acts ? does : `${does}; the room only watches`;
}

/** The lines of `status`. `draws` is what the queue has published of its draws, null where that is not known. */
export function statusLines({ event, url, zone, document, draws = null }) {
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
    ["laid out", shardsText(figures.shards)],
  ];
  if (figures.stockLeft !== null) rows.push(["stock", `${count(figures.stockLeft)} left to sell`]);
  if (document.crawlers) rows.push(["crawlers", crawlersText(document.crawlers)]);
  const shop = shopText(document.origin);
  if (shop !== null) rows.push(["shop", shop]);
  rows.push(...turnstileRows(document, zone));
  rows.push(...lineRows(figures, document, draws, zone));
  if (figures.pause) {
    const { reason, "next update": nextUpdate } = settingsOf(figures, zone);
    rows.push(["reason", reason], ["next update", nextUpdate]);
  }
  const wrong = document.wrong_tokens;
  if (wrong?.count > 0) {
    rows.push([
      "guesses",
      `${counted(wrong.count, "wrong operator token")}, the last at ${instant(wrong.last_at_ms, zone)}`,
    ]);
  }
  const noted = document.noted ?? [];
  const earlier = noted.length - SHOWN_ACTIONS;
  if (earlier > 0)
    rows.push(["done", `${count(earlier)} or more before these: the log has all of it (log --out FILE)`]);
  for (const each of noted.slice(-SHOWN_ACTIONS)) rows.push(["done", notedText(each, zone)]);
  return [`${event} at ${url}${zone ? `, times of ${zone}` : ""}`, ...rows.map(row)];
}

const crawlersText = ({ per_minute, in_last_minute, let_through, turned_away }) =>
  `${count(in_last_minute)} of ${count(per_minute)} in the last minute, ${count(let_through)} since the run began, ` +
  `${count(turned_away)} turned away`;

/** What joining takes while the third party's widget cannot be asked about, by `turnstile_down`. */
const WHILE_DOWN = {
  pow: "joins take proof of work instead",
  deny: "nobody joins",
  allow: "joins take nothing in its place",
};

/** Whether the third party answers, and what came of its widget, where the event uses it. */
function turnstileRows({ turnstile }, zone) {
  if (!turnstile) return [];
  const { passed, refused, unanswered, instead } = turnstile;
  const since = turnstile.answered_at_ms ? ` since ${instant(turnstile.answered_at_ms, zone)}` : "";
  const state = turnstile.is_down ? `DOWN, no answer${since}: ${WHILE_DOWN[turnstile.while_down]}; ` : "";
  const counts = `${count(passed)} passed, ${count(refused)} refused, ${count(unanswered)} without an answer, ${count(instead)} joined without it`;
  return [["turnstile", `${state}${counts}`]];
}

const row = ([name, text]) => `  ${name.padEnd(12)}${text}`;

/** Lines that differ, openings, and what a draw waits for. */
function lineRows({ lines }, { settings }, draws, zone) {
  return lines.flatMap((line) => {
    const rows = [];
    const waiting = `${count(line.waiting)} not called yet`;
    if (lines.length > 1) rows.push([line.id, `${lineText(line, zone)}, ${waiting}`]);
    else if (line.opensAtMs != null) rows.push(["opening", lineText(line, zone)]);
    if (line.phase !== "drawing") return rows;
    const draw = draws?.find(({ id }) => id === line.id)?.draw ?? null;
    return [...rows, ["draw", drawingText(line, draw, settings?.draw, zone)]];
  });
}
