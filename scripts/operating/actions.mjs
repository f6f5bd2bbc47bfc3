// What an operator can do: what it takes, what is sent, and what it will do, said with the numbers of this moment.
import { UsageError, wholeNumber } from "../command-line.mjs";
import { count, counted } from "../counted.mjs";
import { rateText, roomText } from "./figures.mjs";
import { instant } from "./instants.mjs";

const MAX_LIMIT = 1_000_000;
/** What a run's shards are planned for at most: the coordinator refuses more. */
const MAX_EXPECTED = 51_600_000;
const MAX_STOCK = 9_999_999_999_998;
/** What visitors read of an operator, in bytes. */
const MAX_REASON_BYTES = 500;
/** An opening is moved to this far ahead at least. */
const SHORTEST_NOTICE_MS = 10_000;
/** A time with its offset, as in the configuration. */
const TIME = /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/;
/** Words that stand for "no limit" and for "as if nothing had been said": a limit is again what the file has. */
const UNLIMITED = "none";
const RESET = "reset";

/**
 * `refuses` says what the room would say, from what was read before, so that nothing is announced that cannot be done.
 * `shows`: which of the settings (figures.mjs) holds now is said also where it did not change.
 * `asks`: a mistake here is felt by everybody at once, so a person at a terminal is asked first.
 */
export const actions = {
  pause: {
    body: (words, options) => ({ action: "pause", ...reasonOf("pause", words, options) }),
    says: (now) =>
      `Nobody is called or admitted from now on. ${goOnWaiting(now)} and joins are taken; ` +
      `${counted(now.active, "inside stays", "inside stay")}, their sessions end when they would have.`,
  },
  resume: {
    body: () => ({ action: "resume" }),
    says: (now) => {
      if (!now.isPaused && !now.isStopped && !now.pause) return "Nothing is paused or stopped: this changes nothing.";
      const inside = now.isStopped ? ` ${counted(now.active, "inside reaches", "inside reach")} the shop again.` : "";
      return `Calls and admissions go on (${rateText(now.perMinute)}, ${roomText(now.maxActive)}).${inside}`;
    },
  },
  stop: {
    asks: true,
    body: (words, options) => ({ action: "stop", ...reasonOf("stop", words, options) }),
    says: (now) =>
      `Everybody gets the page, also the ${count(now.active)} inside; their sessions end when they would have. ` +
      "Nobody is called or admitted.",
  },
  off: {
    asks: true,
    body: () => ({ action: "off" }),
    says: (now) =>
      `Everybody passes to the shop at once, ${counted(now.waiting, "waits", "wait")} now. No limit holds any more.`,
  },
  soldout: {
    asks: true,
    body: () => ({ action: "soldout" }),
    says: (now) => `${areTold(now.waiting)} that it is sold out. ${insideFinish(now)}`,
  },
  close: {
    asks: true,
    body: () => ({ action: "close" }),
    says: (now) => `${areTold(now.waiting)} that the sale is over. ${insideFinish(now)}`,
  },
  open: {
    body: () => ({ action: "open" }),
    says: (now) => {
      const isEnded = now.mode === "off" || now.phases.some((phase) => phase === "soldout" || phase === "closed");
      if (!isEnded) return "It is neither off nor sold out nor closed: this changes nothing.";
      return `Back to what the schedule has now; ${counted(now.waiting, "waits", "wait")}, ${rateText(now.perMinute)}.`;
    },
  },
  reschedule: {
    body: (words, { line }) => openingOf(words, line),
    refuses: (now, { line }) => {
      const lines = line === undefined ? now.lines : now.lines.filter(({ id }) => id === line);
      if (lines.length === 0) return noSuchLine(now, line);
      if (lines.some(waitsForOpening)) return null;
      if (lines.every(({ opensAtMs }) => opensAtMs == null)) {
        return line === undefined ? "no line of this event has an opening" : `line ${line} has no opening`;
      }
      return "the opening cannot be moved any more: the line has opened or ended, or its draw has begun";
    },
    says: (now, { opens_at: opensAt, line }, zone) =>
      `${line ? `Line ${line}` : "Every line that has not opened"} opens at ${instant(opensAt, zone)}. ` +
      `${counted(now.waiting, "keeps the place", "keep their places")}; the page says what changed and why.`,
  },
  expect: {
    body: (words) => ({
      action: "expect",
      visitors: wholeNumber(words.join(" ") || "nothing", { name: "expect", from: 1, to: MAX_EXPECTED }),
    }),
    says: (now, { visitors }) =>
      `The queue is laid out for ${counted(visitors, "visitor")} if it was for fewer; ${counted(now.joined, "has", "have")} joined. New shards ` +
      "take joins, and no place moves.",
  },
  stock: {
    body: (words) => ({
      action: "stock",
      left: stockOf(words),
    }),
    says: (now, { left }) => {
      if (left === 0)
        return `Nothing is left to sell for now: nobody is called until there is more. ${goOnWaiting(now)}.`;
      const is =
        left === null
          ? "What is left to sell is not known any more, until the shop says it again"
          : `${counted(left, "is", "are")} left to sell; the page tells those far back`;
      return `${is}, and whoever was held by an empty stock goes on.`;
    },
  },
  "close-line": {
    asks: true,
    body: (words) => ({ action: "close", line: lineOf("close-line", words) }),
    refuses: (now, { line }) => noSuchLine(now, line),
    says: (now, { line }) =>
      `Line ${line} takes no joins and is not called any more; ${areTold(waitingIn(now, line), "waiting in it")}. The ` +
      "other lines get its share.",
  },
  "open-line": {
    body: (words) => ({ action: "open", line: lineOf("open-line", words) }),
    refuses: (now, { line }) => noSuchLine(now, line),
    says: (_now, { line }) => `Line ${line} goes back to what the schedule has now.`,
  },
  rate: {
    shows: "rate",
    body: (words) => ({ action: "retune", per_minute: limitOf("rate", words) }),
    says: (now, { per_minute: wanted }) => {
      if (wanted === RESET) return `The rate ${backText(rateText, now.perMinute, now.inFile?.per_minute)}`;
      const needs = wanted && now.waiting > 0 ? ` ${minutesText(now.waiting / wanted)} for those who wait now.` : "";
      return `From ${rateText(now.perMinute)} to ${rateText(wanted)}.${needs}`;
    },
  },
  limit: {
    shows: "limit",
    body: (words) => ({ action: "retune", max_active: limitOf("limit", words) }),
    says: (now, { max_active: wanted }) => {
      if (wanted === RESET) return `The limit ${backText(roomText, now.maxActive, now.inFile?.max_active)}`;
      const tooMany = wanted === null ? 0 : now.active - wanted;
      const drains = `Nobody is sent away; nobody is admitted until ${count(tooMany + 1)} of the ${count(now.active)} inside ${tooMany === 0 ? "has" : "have"} left.`;
      return `From ${roomText(now.maxActive)} to ${roomText(wanted)}.${tooMany >= 0 && wanted !== null ? ` ${drains}` : ""}`;
    },
  },
  message: {
    body: (words) => ({ action: "message", text: words.join(" ") }),
    says: (now, { text }) =>
      text
        ? `Everybody who waits reads: "${text}"`
        : `Takes the message away${now.message ? ` ("${now.message}")` : ""}.`,
  },
};

const waitsForOpening = ({ phase, opensAtMs }) => opensAtMs != null && ["before", "prequeue"].includes(phase);

function noSuchLine({ lines }, id) {
  if (lines.some((line) => line.id === id)) return null;
  return `there is no line ${JSON.stringify(id)}; there are: ${lines.map((line) => line.id).join(", ")}`;
}

const goOnWaiting = ({ waiting }) => counted(waiting, "goes on waiting", "go on waiting");
const areTold = (people, who = "waiting") => counted(people, `${who} is told`, `${who} are told`);
const waitingIn = (now, id) => now.lines.find((line) => line.id === id)?.waiting;

function lineOf(verb, words) {
  if (words.length === 1) return words[0];
  throw new UsageError(`${verb} takes the id of one line, found ${JSON.stringify(words.join(" "))}`);
}

function openingOf([time, ...words], line) {
  const at = TIME.test(time ?? "") ? Date.parse(time) : Number.NaN;
  if (!(at >= Date.now() + SHORTEST_NOTICE_MS)) {
    throw new UsageError(
      `reschedule takes a time with its offset (2027-03-01T10:00:00+01:00), at least ${SHORTEST_NOTICE_MS / 1_000} s ` +
        `ahead, and a reason; found ${JSON.stringify(time ?? "")}`,
    );
  }
  const reason = requiredReason("reschedule", words);
  return { action: "reschedule", opens_at: new Date(at).toISOString(), reason, ...(line !== undefined && { line }) };
}

function requiredReason(verb, words) {
  const reason = words.join(" ").trim();
  if (reason !== "" && Buffer.byteLength(reason) <= MAX_REASON_BYTES) return reason;
  throw new UsageError(`${verb} takes a reason of 1 to ${MAX_REASON_BYTES} bytes, which visitors read`);
}

/** From the live value to what the file has, where the room says that; undefined: it does not. */
function backText(text, live, inFile) {
  if (inFile === undefined) return `goes back from ${text(live)} to what the file has.`;
  if (live === inFile) return `is what the file has already, ${text(live)}: this changes nothing.`;
  return `goes back from ${text(live)} to what the file has, ${text(inFile)}.`;
}

const insideFinish = (now) => `Nobody joins, is called or admitted; ${count(now.active)} inside may finish.`;

function minutesText(minutes) {
  if (minutes < 1) return "Under a minute";
  return minutes < 120 ? `About ${counted(Math.ceil(minutes), "minute")}` : `About ${Math.ceil(minutes / 60)} hours`;
}

function reasonOf(verb, words, { nextUpdateMinutes }) {
  const range = { name: "--next-update", from: 1, to: 1440, allowed: "1 to 1440 minutes" };
  const minutes = wholeNumber(nextUpdateMinutes, range);
  if (minutes === undefined || words.join("").trim() === "") {
    throw new UsageError(`${verb} takes a reason and --next-update MIN: visitors are told why and when they hear more`);
  }
  return { reason: requiredReason(verb, words), next_update_at_ms: Date.now() + minutes * 60_000 };
}

function stockOf(words) {
  const text = words.join(" ") || "nothing";
  const allowed = `0 to ${MAX_STOCK} or "${RESET}"`;
  return text === RESET ? null : wholeNumber(text, { name: "stock", from: 0, to: MAX_STOCK, allowed });
}

function limitOf(name, words) {
  const [word, ...rest] = words;
  if (word === UNLIMITED && rest.length === 0) return null;
  if (word === RESET && rest.length === 0) return RESET;
  const allowed = `1 to ${MAX_LIMIT}, "${UNLIMITED}" or "${RESET}"`;
  return wholeNumber(words.join(" "), { name, from: 1, to: MAX_LIMIT, allowed });
}
