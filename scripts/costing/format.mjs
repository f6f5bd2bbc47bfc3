// The form of a file of counts: what tests/cost/measure.mjs writes and readings.mjs reads. One that is read by no other.
export const FORMAT = 1;
