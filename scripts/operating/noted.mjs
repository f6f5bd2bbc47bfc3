// What operators did, in the words of the command line.
import { count, counted } from "../counted.mjs";
import { quoted } from "./figures.mjs";
import { instant } from "./instants.mjs";

/** A limit as it was asked for: null stands for none. */
const limit = (value) => (value === null ? "none" : String(value));
const batch = (value) => (value?.size ? `${value.size} every ${value.every_seconds} s` : limit(value));

/** By the action's name: what it says with the members that it has. */
const WORDS = {
  retune: (did) =>
    [
      "per_minute" in did && `rate ${limit(did.per_minute)}`,
      "max_active" in did && `limit ${limit(did.max_active)}`,
      "batch" in did && `batch ${batch(did.batch)}`,
    ]
      .filter(Boolean)
      .join(", "),
  pause: (did, zone) => braked("pause", did, zone),
  stop: (did, zone) => braked("stop", did, zone),
  message: ({ text }) => (text ? `message ${quoted(text)}` : "message taken away"),
  reschedule: ({ opens_at, reason, line }, zone) =>
    `reschedule ${line ? `line ${line} ` : ""}to ${instant(opens_at, zone)}, ${quoted(reason)}`,
  stock: ({ left }) => `stock ${left === null ? "reset" : count(left)}`,
  close: ({ line }) => (line ? `close-line ${line}` : "close"),
  open: ({ line }) => (line ? `open-line ${line}` : "open"),
  expect: ({ visitors }) => `expect ${counted(visitors, "visitor")}`,
  refused: ({ what }) => `refused: ${what}`,
  staff: ({ name, until_ms }, zone) => `staff-pass for ${quoted(name)} until ${instant(until_ms, zone)}`,
};

function braked(verb, { reason, next_update_at_ms: next }, zone) {
  return `${verb} ${quoted(reason)}${next == null ? "" : `, more at ${instant(next, zone)}`}`;
}

/** One of the last actions: when, who, what. */
export function notedText({ at_ms: atMs, by, did }, zone) {
  const { action, ...details } = did;
  const further = Object.keys(details).length === 0 ? "" : ` ${JSON.stringify(details)}`;
  const said = Object.hasOwn(WORDS, action) ? WORDS[action](did, zone) : `${action}${further}`;
  return `${instant(atMs, zone)} ${by}: ${said}`;
}
