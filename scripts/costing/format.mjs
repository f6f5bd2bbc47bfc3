// The form of a file of counts: what tests/cost/measure.mjs writes and readings.mjs reads.
export const FORMAT = 1;

/** The parts of a measured run, in their order. */
export const PARTS = [
  ...["pages", "solver", "joins", "looks", "sockets", "quietPush", "push", "poll", "quietPoll"],
  ...["admission", "shop", "ends"],
];
