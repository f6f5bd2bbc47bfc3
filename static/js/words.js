// Words, numbers, times and waits in the visitor's language. The words come with the page, the
// rules for plurals and dates from the browser.

const MINUTE_MS = 60_000;
const NEAR_SECONDS = 180;
/** The last instant that a date can hold here, 275760-09-13. */
const LAST_MS = 8.64e15;

/** `lang` is the page's language for Intl; `preferred` are the browser's, for the clock's style. */
function wordsIn(lang, entries, preferred = []) {
  const base = lang.split("-")[0];
  const region = preferred.find((tag) => tag.split("-")[0] === base) ?? lang;
  const times = lang.includes("-u-") && !region.includes("-u-") ? `${region}-u-nu-latn` : region;
  // Each takes a slow phone a noticeable while to make: only what a scene uses is made.
  let numbers = null;
  let rules = null;

  const fill = (text, filled) =>
    text.replace(/\{(\w+)\}/g, (whole, name) => (Object.hasOwn(filled, name) ? filled[name] : whole));
  const number = (value) => {
    numbers ??= new Intl.NumberFormat(lang);
    return numbers.format(value);
  };
  const text = (key, filled = {}) => fill(entries[key], filled);
  const plural = (key, count, filled = {}) => {
    rules ??= new Intl.PluralRules(lang);
    const form = entries[key][rules.select(count)] ?? entries[key].other;
    return fill(form, { n: number(count), ...filled });
  };

  const isInstant = (at_ms) => typeof at_ms === "number" && Math.abs(at_ms) <= LAST_MS;
  const written = (at_ms, now_ms, zone) => {
    const at = new Date(at_ms);
    const options = { timeZone: zone, hour: "numeric", minute: "2-digit" };
    const day = (value) => new Date(value).toLocaleDateString("en-CA", { timeZone: zone });
    const today = isInstant(now_ms) && day(at_ms) === day(now_ms);
    if (!today) Object.assign(options, { weekday: "long", day: "numeric", month: "long" });
    const text = at.toLocaleString(times, options);
    // A time of day stays on one line.
    return today ? text.replaceAll(" ", "\u00a0") : text;
  };
  /** An instant in the visitor's zone; null for what is none, and never a throw. */
  const time = (at_ms, now_ms) => (isInstant(at_ms) ? written(at_ms, now_ms) : null);
  /** The same, with the event's own zone beside it where the clocks differ. */
  const timeThere = (at_ms, now_ms, zone) => {
    const here = time(at_ms, now_ms);
    if (here === null) return null;
    try {
      const there = written(at_ms, now_ms, zone);
      const city = zone.split("/").pop().replaceAll("_", " ");
      return there === here ? here : `${here} (\u2068${city}\u2069:\u00a0\u2068${there}\u2069)`;
    } catch {
      return here;
    }
  };

  const range = (key, early, late) =>
    early >= late ? plural(key, late) : plural(`${key}.range`, late, { a: number(early) });
  /** An estimated wait: a range, rounded outwards. */
  const wait = (eta) => {
    if (!eta) return text("wait.unknown");
    if (eta.at_most_seconds <= 60) return text("wait.soon");
    const early = Math.floor(eta.likely_seconds / 60);
    const late = Math.ceil(eta.at_most_seconds / 60);
    if (early >= 60 && late > 180) return range("wait.hours", Math.floor(early / 60), Math.ceil(late / 60));
    const step = late <= 30 ? 1 : late < 90 ? 5 : 10;
    return range("wait.minutes", Math.max(1, Math.floor(early / step) * step), Math.ceil(late / step) * step);
  };

  return { number, text, plural, time, timeThere, wait };
}
