// One view for every page there is, as `src/page/view.rs` reads it. The clock of all of them
// stands at 2027-03-01 10:00 in Berlin.

export const NOW_MS = Date.UTC(2027, 2, 1, 9, 0, 0);
const MINUTE_MS = 60_000;

const plain = {
  event: "world-tour",
  run: 1,
  title: "World Tour 2027",
  prefix: "/_wr",
  nonce: "bm9uY2Utb2YtdGVzdHM",
  language: "English",
  now: NOW_MS,
  time_zone: "Europe/Berlin",
  utc_offset_minutes: 60,
  return_to: "/events/world-tour/?seat=A%201",
  refresh_off: false,
  undelivered: false,
  cookie_missing: false,
  unavailable: false,
  permit: null,
  line: null,
  mode: "always",
  phase: "open",
  stop: false,
  pause: null,
  message: null,
  slowdowns: 0,
  prequeue_at: null,
  opens_at: null,
  called: 11_200,
  board_version: 7,
  board_age: 400,
  poll: 2_000,
  hold: 30 * MINUTE_MS,
  session: 20 * MINUTE_MS,
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
  ...more,
});

const eta = { likely_seconds: 12 * 60, at_most_seconds: 18 * 60 };

/** By name: what differs from a page without a place in an open line. */
export const scenes = {
  before: { phase: "before", prequeue_at: NOW_MS + 134 * MINUTE_MS, opens_at: NOW_MS + 164 * MINUTE_MS },
  join: { permit: "permit-of-this-page" },
  provisional: { place: place("provisional", { entry: null, rank: null }) },
  prequeue: { phase: "prequeue", opens_at: NOW_MS + 25 * MINUTE_MS, called: 0, place: place("waiting") },
  prequeue_draw: {
    phase: "prequeue",
    opens_at: NOW_MS + 25 * MINUTE_MS,
    called: 0,
    place: place("waiting", { rank: null }),
  },
  drawing: { phase: "drawing", called: 0, place: place("waiting", { rank: null }) },
  waiting: { place: place("waiting", { eta }) },
  waiting_unknown: { place: place("waiting", { entry: 1_234_567, rank: 1_234_567 }) },
  waiting_first: { place: place("waiting", { rank: 11_200, eta: { likely_seconds: 5, at_most_seconds: 40 } }) },
  message: {
    place: place("waiting", { eta }),
    message: "Doors open at 7 pm.\nThere are <plenty> of tickets for the balcony & the floor.",
  },
  called: { place: place("called", { rank: 11_100, offer_until: NOW_MS + 28 * MINUTE_MS }) },
  pending: { place: place("pending", { rank: 11_100 }) },
  admitted: { place: place("admitted", { session_ends_at: NOW_MS + 20 * MINUTE_MS }) },
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
  stopped: {
    stop: true,
    place: place("waiting"),
    pause: { reason: "We are fixing a fault in the payment.", next_update_at: NOW_MS + 10 * MINUTE_MS },
  },
  soldout: { phase: "soldout", place: place("waiting") },
  closed: { phase: "closed" },
  busy: { mode: "rate", permit: "permit-of-this-page" },
  cookie: { cookie_missing: true },
  undelivered: { undelivered: true, place: place("waiting", { eta }) },
  stale: { board_age: 130_000, place: place("waiting", { eta }) },
  error: { unavailable: true, place: place("waiting") },
};

/** The view of a scene, with `more` over it. */
export const viewOf = (scene, more = {}) => ({ ...plain, ...scenes[scene], ...more });
