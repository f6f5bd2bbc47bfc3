// Random requests, from a seed: whatever comes, the room answers as the harness demands of every answer (no 5xx that is
// not its own, no cookie that could be stored), and goes on working.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startRoom } from "./harness/room.mjs";

const REQUESTS = 600;
const AT_ONCE = 8;
/** Another seed: E2E_SEED=7 npm test -- e2e. */
const SEED = Number(process.env.E2E_SEED ?? 20_261_127);

let room;
let fan;
before(async () => {
  room = await startRoom({
    events: [{ id: "demo" }, { id: "auto", mode: "auto" }, { id: "off", mode: "off" }, { id: "shut", mode: "closed" }],
  });
  fan = room.visitor();
  await fan.admitted();
});
after(() => room?.stop());

/** Numbers from 0 to below 1 (mulberry32). */
function numbersFrom(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const METHODS = ["GET", "GET", "POST", "POST", "HEAD", "PUT", "PATCH", "DELETE", "OPTIONS", "PROPFIND"];
const EVENTS = ["demo", "auto", "off", "shut", "none", "%64emo", "DEMO", ""];
const PATHS = [
  (e) => `/_wr/queues/${e}`,
  (e) => `/_wr/queues/${e}/permits`,
  (e) => `/_wr/queues/${e}/tickets`,
  (e) => `/_wr/queues/${e}/tickets/me`,
  (e) => `/_wr/queues/${e}/tickets/me/pass`,
  (e) => `/_wr/queues/${e}/tickets/me/leave`,
  (e) => `/_wr/queues/${e}/tickets/me/defer`,
  (e) => `/_wr/queues/${e}/tickets/me/handover`,
  (e) => `/_wr/queues/${e}/handover`,
  (e) => `/_wr/queues/${e}/staff`,
  (e) => `/_wr/queues/${e}/staff/enter`,
  (e) => `/_wr/queues/${e}/draw`,
  (e) => `/_wr/queues/${e}/calendar.ics`,
  (e) => `/_wr/queues/${e}/log?after=${e}`,
  (e) => `/_wr/events/${e}/logo`,
  () => "/_wr/embed.js",
  (e) => `/_wr/queues/${e}/observability`,
  () => "/_wr/access",
  () => "/_wr/metrics",
  () => "/_wr/jwks.json",
  () => "/_wr/health",
  (e) => `/events/${e}/`,
  (e) => `/events/${e}/seats`,
  () => "/",
];
const ODD_TEXTS = [
  "",
  "%",
  "%ff",
  "%00",
  "..%2f",
  "\\",
  ";a=b",
  "?x=%",
  "?wr-refresh=off&wr-cookies=off",
  "?token=x",
  "//",
  "é",
  "'\"<>",
  "a".repeat(3_000),
];
const TYPES = ["application/json", "application/x-www-form-urlencoded", "text/plain", "multipart/form-data", ""];
const BODIES = [
  "",
  "{}",
  "[]",
  "{",
  "null",
  '{"permit":"a.b.c"}',
  "permit=a.b.c&return=/",
  "return=//evil.example",
  '{"action":"close"}',
  '{"return":1}',
  '{"permit":"a.b.c","code":"0","enqueue_token":"a.b.c","line":"x"}',
  '{"code":"00000000000000000000","id":"AAAAAAAAAAAAAAAAAAAAAA"}',
  '{"token":"a.b.c"}',
  "code=%00&id=x&return=/",
  "\u0000",
  "x".repeat(70_000),
];

/** One random request; `tokens` are good ones to put where they do not belong. */
function randomRequest(random, tokens) {
  const one = (list) => list[Math.floor(random() * list.length)];
  const maybe = (chance, value) => (random() < chance ? value() : undefined);
  const odd = maybe(0.3, () => one(ODD_TEXTS)) ?? "";
  const method = one(METHODS);
  const path = encodeURI(one(PATHS)(one(EVENTS)) + odd).replaceAll("%25", "%");
  const body = ["GET", "HEAD"].includes(method) ? undefined : one(BODIES);
  const token = () => maybe(0.3, () => one(tokens).split("").reverse().join("")) ?? one(tokens);
  const fields = {
    accept: maybe(0.7, () => one(["text/html", "*/*", "application/json", "", ";;;", "text/html;q=zz"])),
    "content-type": maybe(0.8, () => one(TYPES)),
    cookie: maybe(
      0.6,
      () => `wr-${one(["permit", "ticket", "pass", "browser"])}-${one(["demo", "auto"])}-1=${token()}; =; a`,
    ),
    authorization: maybe(0.3, () => `${one(["Bearer", "bearer ", "Basic"])} ${token()}`),
    "waiting-room-pass": maybe(0.2, token),
    origin: maybe(0.3, () => one([room.url, "null", "https://evil.example", ""])),
    "sec-fetch-site": maybe(0.5, () => one(["same-origin", "cross-site", "none", "same-site", "x"])),
    "sec-fetch-mode": maybe(0.4, () => one(["navigate", "cors", "no-cors", "websocket"])),
    "accept-language": maybe(0.3, () => one(["de", "*", "x;q=9", ""])),
    range: maybe(0.1, () => "bytes=0-1"),
    "sec-purpose": maybe(0.1, () => "prefetch"),
    "access-control-request-method": maybe(0.1, () => one(["PUT", ""])),
    // From many networks: what one of them is charged for wrong tokens is for another test.
    "cf-connecting-ip": maybe(0.9, () => one(["x", `198.51.100.${Math.floor(random() * 250)}`])),
  };
  const headers = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
  return { method, path, headers, body };
}

test(`${REQUESTS} random requests find no fault`, async (context) => {
  context.diagnostic(`seed ${SEED}`);
  const random = numbersFrom(SEED);
  const { token } = await room.operator({ role: "view" });
  const tokens = [
    fan.cookie("permit"),
    fan.cookie("ticket"),
    fan.cookie("pass"),
    fan.cookie("browser"),
    token,
    "a.b.c",
    "",
  ];
  const requests = Array.from({ length: REQUESTS }, () => randomRequest(random, tokens));
  const statuses = new Map();
  const worker = async () => {
    while (requests.length > 0) {
      const request = requests.shift();
      const shown = JSON.stringify(request).slice(0, 500);
      const answer = await room.ask(request.path, request).catch((error) => {
        throw new Error(`seed ${SEED}, ${shown}: ${error.message}`);
      });
      assert.ok(answer.status !== 500 && answer.status !== 501, shown);
      statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  context.diagnostic(JSON.stringify([...statuses].sort()));
  assert.ok(statuses.size >= 6, "the requests are of many kinds");
  assert.doesNotMatch(room.output, /panicked|RuntimeError|critical/i);
  const late = room.visitor();
  await late.visit();
  await late.join();
  await late.enter();
  assert.equal((await late.visit()).status, 200, "and the room goes on");
});
