// One view for every page there is, as `src/page/view.rs` reads it. The clock of all of them
// stands at 2027-03-01 10:00 in Berlin.

export const NOW_MS = Date.UTC(2027, 2, 1, 9, 0, 0);
const MINUTE_MS = 60_000;

/** The languages of the page by their tags, as the renderers name them. */
export const LANGUAGES = { en: "English", de: "German", fr: "French", es: "Spanish", pl: "Polish", ar: "Arabic" };

const plain = {
  event: "world-tour",
  run: 1,
  title: "World Tour 2027",
  prefix: "/_wr",
  nonce: "bm9uY2Utb2YtdGVzdHM",
  language: "English",
  now: NOW_MS,
  time_zone: "Europe/Berlin",
  utc_offsets: [[0, 60]],
  return_to: "/events/world-tour/?seat=A%201",
  refresh_off: false,
  undelivered: false,
  cookie_missing: false,
  unavailable: false,
  permit: null,
  check: null,
  lines: [],
  line: null,
  refused: null,
  mode: "always",
  phase: "open",
  stop: false,
  pause: null,
  message: null,
  slowdowns: 0,
  prequeue_at: null,
  opens_at: null,
  moved: null,
  draw: null,
  stock_left: null,
  called: 11_200,
  board_version: 7,
  board_age: 400,
  poll: 2_000,
  hold: 30 * MINUTE_MS,
  session: 20 * MINUTE_MS,
  handover: false,
  face: {
    logo: false,
    accent: null,
    accent_dark: null,
    intro: null,
    organizer: null,
    help: null,
    privacy: null,
    accessibility: null,
  },
  place: null,
};

const place = (state, more = {}) => ({
  state,
  entry: 12_430,
  rank: 12_430,
  eta: null,
  offer_until: null,
  session_ends_at: null,
  ran_out: false,
  may_defer: false,
  missed_draw: false,
  ...more,
});

const draw = { entrants: 48_211, drawn: false, beacon: "expected", at_most: 670_000 };
const drawn = { ...draw, drawn: true, beacon: "here" };
const opening = { phase: "prequeue", opens_at: NOW_MS + 25 * MINUTE_MS, called: 0 };

const line = (id, title, more = {}) => ({ id, title, coded: false, phase: "open", opens_at: null, ...more });
const fans = line("fans", "Fan club", { coded: true, phase: "prequeue", opens_at: NOW_MS + 20 * MINUTE_MS });
const general = line("general", "General sale");
const twoDays = [line("friday", "Friday, 5 March"), line("saturday", "Saturday, 6 March"), fans];

/** A look of its own; the colours are as hard to read as they may be. */
export const look = {
  logo: true,
  accent: "#4a2fa8",
  accent_dark: "#b9a8ff",
  intro: "Twelve cities, one night each. Everyone may buy up to four tickets.",
  organizer: "https://world-tour.example/",
  help: "https://world-tour.example/help",
  privacy: "https://world-tour.example/privacy",
  accessibility: "https://world-tour.example/accessibility",
};

const eta = { likely_seconds: 12 * 60, at_most_seconds: 18 * 60 };

/** By name: what differs from a page without a place in an open line. */
export const scenes = {
  before: { phase: "before", prequeue_at: NOW_MS + 134 * MINUTE_MS, opens_at: NOW_MS + 164 * MINUTE_MS },
  join: { permit: "permit-of-this-page" },
  provisional: { place: place("provisional", { entry: null, rank: null }) },
  prequeue: { phase: "prequeue", opens_at: NOW_MS + 25 * MINUTE_MS, called: 0, place: place("waiting") },
  prequeue_draw: { ...opening, draw, handover: true, place: place("waiting", { rank: null }) },
  prequeue_alone: {
    ...opening,
    draw: { ...draw, entrants: 1, beacon: "none", at_most: 60_000 },
    place: place("waiting", { rank: null }),
  },
  before_moved: {
    phase: "before",
    prequeue_at: NOW_MS + 60 * MINUTE_MS,
    opens_at: NOW_MS + 164 * MINUTE_MS,
    moved: { from: NOW_MS + 30 * MINUTE_MS, reason: "The stage needs another hour." },
  },
  prequeue_moved: {
    ...opening,
    moved: { from: NOW_MS - 5 * MINUTE_MS, reason: "The stage needs half an hour more." },
    draw,
    place: place("waiting", { rank: null }),
  },
  drawing: { phase: "drawing", called: 0, draw, place: place("waiting", { rank: null }) },
  drawing_late: { phase: "drawing", called: 0, draw, place: place("waiting", { entry: 50_000, rank: 50_000 }) },
  drawn: { draw: drawn, place: place("waiting", { eta }) },
  drawn_without: { draw: { ...drawn, beacon: "absent" }, place: place("waiting", { eta }) },
  drawn_late: { draw: { ...drawn, entrants: 9_000, beacon: "none" }, place: place("waiting", { eta }) },
  drawn_missed: { draw: drawn, place: place("waiting", { entry: 49_000, rank: 49_000, missed_draw: true }) },
  lines: { permit: "permit-of-this-page", lines: twoDays, line: "friday" },
  coded_only: { permit: "permit-of-this-page", lines: [fans], line: "fans", phase: "prequeue" },
  coded_wrong: {
    permit: "permit-of-this-page",
    lines: [general, fans],
    line: "general",
    place: place("waiting", { eta }),
    refused: { why: "wrong", typed: "AB12C-3D45E" },
  },
  own_line: { lines: [general, fans], line: "fans", handover: true, place: place("waiting", { eta }) },
  lapsed_line: { permit: "permit-of-this-page", lines: [general, fans], line: "fans", place: place("lapsed") },
  waiting: { place: place("waiting", { eta }) },
  waiting_unknown: { place: place("waiting", { entry: 1_234_567, rank: 1_234_567 }) },
  waiting_first: { place: place("waiting", { rank: 11_200, eta: { likely_seconds: 5, at_most_seconds: 40 } }) },
  message: {
    place: place("waiting", { eta }),
    message: "Doors open at 7 pm.\nThere are <plenty> of tickets for the balcony & the floor.",
  },
  deferrable: {
    place: place("called", { rank: 11_100, offer_until: NOW_MS + 28 * MINUTE_MS, may_defer: true }),
  },
  called: { place: place("called", { rank: 11_100, offer_until: NOW_MS + 28 * MINUTE_MS }) },
  pending: { place: place("pending", { rank: 11_100 }) },
  admitted: { place: place("admitted", { session_ends_at: NOW_MS + 20 * MINUTE_MS }) },
  recheck: { check: "check-of-this-page", place: place("admitted", { session_ends_at: NOW_MS + 20 * MINUTE_MS }) },
  ended: {
    permit: "permit-of-this-page",
    place: place("ended", { session_ends_at: NOW_MS - 18 * MINUTE_MS, ran_out: true }),
  },
  ended_early: { permit: "permit-of-this-page", place: place("ended", { session_ends_at: NOW_MS - 2 * MINUTE_MS }) },
  elsewhere: { place: place("elsewhere") },
  lapsed: { permit: "permit-of-this-page", place: place("lapsed") },
  left: { permit: "permit-of-this-page", place: place("left") },
  paused: {
    phase: "paused",
    place: place("waiting"),
    pause: { reason: "The shop is taking a short break.", next_update_at: NOW_MS + 15 * MINUTE_MS },
  },
  stock: { phase: "paused", stock_left: 0, place: place("waiting") },
  origin: { phase: "paused", pause: { reason: "origin", next_update_at: null }, place: place("waiting") },
  far_back: { stock_left: 800, place: place("waiting", { eta }) },
  stopped: {
    stop: true,
    place: place("waiting"),
    pause: { reason: "We are fixing a fault in the payment.", next_update_at: NOW_MS + 10 * MINUTE_MS },
  },
  soldout: { phase: "soldout", place: place("waiting") },
  closed: { phase: "closed" },
  looks_before: { phase: "before", prequeue_at: NOW_MS + 134 * MINUTE_MS, face: look },
  looks_waiting: { draw: drawn, face: look, handover: true, place: place("waiting", { eta }) },
  looks_called: {
    face: look,
    place: place("called", { rank: 11_100, offer_until: NOW_MS + 28 * MINUTE_MS, may_defer: true }),
  },
  looks_closed: { phase: "closed", face: look },
  busy: { mode: "rate", permit: "permit-of-this-page" },
  cookie: { cookie_missing: true },
  undelivered: { undelivered: true, place: place("waiting", { eta }) },
  stale: { board_age: 130_000, place: place("waiting", { eta }) },
  error: { unavailable: true, place: place("waiting") },
};

/** The view of a scene, with `more` over it. */
export const viewOf = (scene, more = {}) => ({ ...plain, ...scenes[scene], ...more });
