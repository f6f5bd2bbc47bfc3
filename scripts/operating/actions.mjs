// What an operator can do: what it takes, what is sent, and what it will do, said with the numbers of this moment.
import { wholeNumber } from "../command-line.mjs";
import { count, rateText, roomText } from "./figures.mjs";

const MAX_LIMIT = 1_000_000;
/** Words that stand for "no limit" and for "as the file has it". */
const UNLIMITED = "none";
const RESET = "reset";

/** `asks`: a mistake here is felt by everybody at once, so a person at a terminal is asked first. */
export const actions = {
  pause: {
    body: (words, options) => ({ action: "pause", ...reasonOf(words, options) }),
    says: (now) =>
      `Nobody is called or admitted from now on. ${count(now.waiting)} go on waiting and joins are taken; ` +
      `${count(now.active)} inside stay, their sessions end when they would have.`,
  },
  resume: {
    body: () => ({ action: "resume" }),
    says: (now) => {
      if (!now.isPaused && !now.isStopped && !now.pause) return "Nothing is paused or stopped: this changes nothing.";
      const inside = now.isStopped ? ` ${count(now.active)} inside reach the shop again.` : "";
      return `Calls and admissions go on (${rateText(now.perMinute)}, ${roomText(now.maxActive)}).${inside}`;
    },
  },
  stop: {
    asks: true,
    body: (words, options) => ({ action: "stop", ...reasonOf(words, options) }),
    says: (now) =>
      `Everybody gets the page, also the ${count(now.active)} inside; their sessions end when they would have. ` +
      "Nobody is called or admitted.",
  },
  off: {
    asks: true,
    body: () => ({ action: "off" }),
    says: (now) => `Everybody passes to the shop at once, ${count(now.waiting)} wait now. No limit holds any more.`,
  },
  soldout: {
    asks: true,
    body: () => ({ action: "soldout" }),
    says: (now) => `${count(now.waiting)} waiting are told that it is sold out. ${insideFinish(now)}`,
  },
  close: {
    asks: true,
    body: () => ({ action: "close" }),
    says: (now) => `${count(now.waiting)} waiting are told that the sale is over. ${insideFinish(now)}`,
  },
  open: {
    body: () => ({ action: "open" }),
    says: (now) => {
      const isEnded = now.mode === "off" || now.phases.some((phase) => phase === "soldout" || phase === "closed");
      if (!isEnded) return "It is neither off nor sold out nor closed: this changes nothing.";
      return `Back to what the schedule has now; ${count(now.waiting)} wait, ${rateText(now.perMinute)}.`;
    },
  },
  rate: {
    body: (words) => ({ action: "retune", per_minute: limitOf("rate", words) }),
    says: (now, { per_minute: wanted }) => {
      if (wanted === RESET) return `The rate goes back from ${rateText(now.perMinute)} to what the file has.`;
      const needs = wanted && now.waiting > 0 ? ` ${minutesText(now.waiting / wanted)} for those who wait now.` : "";
      return `From ${rateText(now.perMinute)} to ${rateText(wanted)}.${needs}`;
    },
  },
  limit: {
    body: (words) => ({ action: "retune", max_active: limitOf("limit", words) }),
    says: (now, { max_active: wanted }) => {
      if (wanted === RESET) return `The limit goes back from ${roomText(now.maxActive)} to what the file has.`;
      const tooMany = wanted === null ? 0 : now.active - wanted;
      const drains = `Nobody is sent away; nobody is admitted until ${count(tooMany + 1)} of the ${count(now.active)} inside have left.`;
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

const insideFinish = (now) => `Nobody joins, is called or admitted; ${count(now.active)} inside may finish.`;

function minutesText(minutes) {
  if (minutes < 1) return "Under a minute";
  return minutes < 120 ? `About ${Math.ceil(minutes)} minutes` : `About ${Math.ceil(minutes / 60)} hours`;
}

function reasonOf(words, { nextUpdateMinutes }) {
  const range = { name: "--next-update", from: 1, to: 1440, allowed: "1 to 1440 minutes" };
  const minutes = wholeNumber(nextUpdateMinutes, range) ?? null;
  return {
    reason: words.join(" "),
    next_update_at_ms: minutes === null ? null : Date.now() + minutes * 60_000,
  };
}

function limitOf(name, words) {
  const [word, ...rest] = words;
  if (word === UNLIMITED && rest.length === 0) return null;
  if (word === RESET && rest.length === 0) return RESET;
  const allowed = `1 to ${MAX_LIMIT}, "${UNLIMITED}" or "${RESET}"`;
  return wholeNumber(words.join(" "), { name, from: 1, to: MAX_LIMIT, allowed });
}
