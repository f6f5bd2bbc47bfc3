// List prices of the platform, in US dollars, beyond what a plan includes. One line each: whoever negotiates others changes
// them here. Read in November 2026 at:
//
// - <https://developers.cloudflare.com/workers/platform/pricing/>: requests and processor time of the Worker;
// - <https://developers.cloudflare.com/durable-objects/platform/pricing/>: requests to objects (alarms are requests, twenty
//   messages from a socket are one, messages to it are none), their duration (128 MB, awake or unable to sleep), rows
//   (setting an alarm is one).

const MILLION = 1_000_000;

export const PRICES = {
  workerRequest: 0.3 / MILLION,
  workerCpuMs: 0.02 / MILLION,
  objectRequest: 0.15 / MILLION,
  objectGbSecond: 12.5 / MILLION,
  rowWritten: 1 / MILLION,
  rowRead: 0.001 / MILLION,
};

/** What a plan includes each month; it is told and not taken off, since other Workers of the account use it too. */
export const INCLUDED = "10 million requests, 30 million ms of CPU, 1 million object requests and 400,000 GB-s a month";

/** Messages that are one request: those that come in over a socket. */
export const MESSAGES_A_REQUEST = 20;

/** Each object is billed as if it had all of this, however little it uses. */
export const OBJECT_GB = 0.128;
