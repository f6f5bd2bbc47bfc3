// What `npm run deploy` refuses, as tables.
import assert from "node:assert/strict";
import test from "node:test";
import {
  checkAccepted,
  checkDeploymentIsNoDemo,
  checkKeys,
  checkLiveHealth,
  checkLiveValues,
  checkRoutes,
  checkSize,
  checkVariableSizes,
  isLoopbackOnly,
  MAX_VARIABLE_BYTES,
} from "../../scripts/deploying/checks.mjs";
import { liveValues } from "../../scripts/deploying/live.mjs";

const event = (more = {}) => ({
  variable: "EVENT_TOUR",
  event: { id: "tour", hosts: ["tickets.example.com"], paths: ["/events/tour/*"], mode: "always", ...more },
});
const outcomes = (results) => results.map(({ outcome }) => outcome);

const ROUTES = [
  { says: "a pattern for the whole host", routes: ["tickets.example.com/*"], missing: 0 },
  {
    says: "a pattern in a table",
    routes: [{ pattern: "tickets.example.com/*", zone_name: "example.com" }],
    missing: 0,
  },
  { says: "a pattern for all subdomains", routes: ["*.example.com/*"], missing: 0 },
  { says: "a domain of its own", routes: [{ pattern: "tickets.example.com", custom_domain: true }], missing: 0 },
  { says: "a scheme in front", routes: ["https://tickets.example.com/*"], missing: 0 },
  {
    says: "two patterns that together take all",
    routes: ["tickets.example.com/events/*", "tickets.example.com/_wr/*"],
    missing: 0,
  },
  { says: "the waiting room's own paths left out", routes: ["tickets.example.com/events/*"], missing: 1 },
  { says: "another host", routes: ["www.example.com/*"], missing: 2 },
  { says: "a host that only ends alike", routes: ["example.com/*"], missing: 2 },
  { says: "no wildcard behind the path", routes: ["tickets.example.com/events/tour/"], missing: 2 },
  { says: "another domain of its own", routes: [{ pattern: "example.com", custom_domain: true }], missing: 2 },
  { says: "no routes", routes: [], missing: 2 },
];

for (const { says, routes, missing } of ROUTES) {
  test(`routes with ${says} leave out ${missing} paths`, () => {
    const results = checkRoutes({ routes }, [event()]);
    assert.equal(results.filter(({ outcome }) => outcome === "failed").length, missing);
  });
}

test("a variable may have the platform's size and no byte more", () => {
  const frame = Buffer.byteLength(JSON.stringify(event({ title: "" }).event));
  const withBytes = (bytes) => checkVariableSizes([event({ title: "a".repeat(bytes - frame) })]);
  assert.deepEqual(outcomes(withBytes(MAX_VARIABLE_BYTES)), ["ok"]);
  assert.deepEqual(outcomes(withBytes(MAX_VARIABLE_BYTES + 1)), ["failed"]);
});

test("the demo shop and the sample name are not deployed", () => {
  const config = (issuer) => ({ vars: { ISSUER: issuer } });
  assert.deepEqual(checkDeploymentIsNoDemo(config("tour-live"), [event()]), []);
  assert.deepEqual(outcomes(checkDeploymentIsNoDemo(config("tour-live"), [event({ origin: "demo-shop" })])), [
    "failed",
  ]);
  assert.deepEqual(outcomes(checkDeploymentIsNoDemo(config("anteroom-dev"), [event()])), ["failed"]);
});

test("events for loopback alone are not deployed, events for anything else are", () => {
  const local = [["*loopback"], ["localhost"], ["demo.localhost", "127.0.0.1"], ["[::1]"]];
  assert.deepEqual(
    local.map((hosts) => isLoopbackOnly({ hosts })),
    [true, true, true, true],
  );
  assert.equal(isLoopbackOnly({ hosts: ["localhost", "tickets.example.com"] }), false);
});

test("an event whose hosts are missing or no list is no event for loopback: the Worker refuses it", () => {
  for (const hosts of [undefined, [], "localhost", 5]) assert.equal(isLoopbackOnly({ hosts }), false);
  const broken = [event({ hosts: "tickets.example.com" }), event({ hosts: undefined, paths: "/events/*" })];
  assert.deepEqual(outcomes(checkRoutes({ routes: [] }, broken)), ["ok"]);
});

test("what the Worker refuses is said line by line, as configured and with what is left out", () => {
  assert.deepEqual(outcomes(checkAccepted({ status: 200, body: '{"ok":true}' })), ["ok"]);
  const body = JSON.stringify({ ok: false, problems: ["EVENT_A.id: found 5", "EVENT_A.title: found nothing"] });
  const results = checkAccepted({ status: 503, body }, "with what is left out");
  assert.deepEqual(outcomes(results), ["failed", "failed"]);
  assert.equal(results[1].text, "with what is left out: the Worker refuses it: EVENT_A.title: found nothing");
  assert.match(checkAccepted({ status: 500, body: "oops" })[0].text, /status 500\): oops/);
});

test("a missing key fails, a key that nobody could ask for is noted", () => {
  assert.deepEqual(outcomes(checkKeys(["ROOT_KEY"])), ["ok"]);
  assert.deepEqual(outcomes(checkKeys([])), ["failed"]);
  assert.deepEqual(outcomes(checkKeys(null, "offline")), ["note"]);
});

test("an event with a widget needs its secret, or that of all widgets", () => {
  const events = [event({ challenge: "turnstile" })];
  for (const [name, expected] of [
    ["TURNSTILE_SECRET", ["ok"]],
    ["TURNSTILE_SECRET_TOUR", ["ok"]],
    ["TURNSTILE_SECRET_OTHER", ["ok", "failed"]],
  ]) {
    assert.deepEqual(outcomes(checkKeys(["ROOT_KEY", name], "", events)), expected, name);
  }
  assert.deepEqual(outcomes(checkKeys(["ROOT_KEY"], "", [event()])), ["ok"]);
});

test("every live value that differs from the file is named", () => {
  const named = event({ admission: { per_minute: 1200 } });
  const board = { mode: "always", stop: false, message: null, limits: { per_minute: 1200, max_active: null } };
  assert.deepEqual(outcomes(checkLiveValues(named, board)), ["ok"]);
  const changed = { ...board, stop: true, limits: { per_minute: 60, max_active: 10 } };
  const texts = checkLiveValues(named, changed).map(({ text }) => text);
  assert.equal(texts.length, 3);
  assert.match(texts.join("\n"), /per_minute is 60 live and 1200 in the file/);
  assert.deepEqual(outcomes(checkLiveValues(named, null)), ["note"]);
});

test("what the deployment itself says should not stay is repeated, and stops nothing", () => {
  const line = "ROOT_KEY: the key dev1a2b was made for a developer's machine";
  assert.deepEqual(checkLiveHealth({ ok: true, warnings: [line] }), [{ outcome: "note", text: `live: ${line}` }]);
  for (const health of [null, { ok: true }, { warnings: "none" }, []]) assert.deepEqual(checkLiveHealth(health), []);
});

test("what a deployment says is asked at each of its hosts, and the first that answers is heard", async () => {
  const events = [
    event({ hosts: ["new.example.com", "tickets.example.com"] }),
    event({ id: "other", hosts: ["www.example.com"] }),
    event({ id: "broken", hosts: "none" }),
  ];
  const texts = async (says) => {
    const results = await liveValues({ vars: { PREFIX: "/room" } }, events, async (url) => says[url] ?? null);
    return results.map(({ text }) => text);
  };
  const away = ["tour", "other", "broken"].map(
    (id) => `${id}: live values not compared, the deployment cannot be reached`,
  );
  assert.deepEqual(await texts({}), away);
  const board = { mode: "always", stop: false, message: null };
  assert.deepEqual(
    await texts({
      "https://tickets.example.com/room/queues/tour": board,
      "https://tickets.example.com/room/health": { warnings: ["the second host"] },
      "https://www.example.com/room/health": { warnings: ["the third host"] },
    }),
    ["tour: live values are the file's", ...away.slice(1), "live: the second host"],
  );
});

test("a file that does not name the mode means the usual one, and a batch is compared as a whole", () => {
  const named = event({ mode: undefined, admission: { batch: { size: 5, every_seconds: 60 } } });
  const board = { mode: "always", stop: false, message: null, limits: { batch: { size: 5, every_seconds: 60 } } };
  assert.deepEqual(outcomes(checkLiveValues(named, board)), ["ok"]);
  const [{ text }] = checkLiveValues(named, { ...board, limits: { batch: { size: 5, every_seconds: 30 } } });
  assert.match(text, /batch is "5 every 30 s" live and "5 every 60 s" in the file/);
  const [{ text: paused }] = checkLiveValues(named, { ...board, pause: { reason: "bank" } });
  assert.match(paused, /pause is "bank" live and null in the file/);
});

test("the size is read from what wrangler prints, and a big Worker fails", () => {
  assert.equal(checkSize("Total Upload: 440.12 KiB / gzip: 169.11 KiB\n").outcome, "ok");
  assert.equal(checkSize("Total Upload: 4400.12 KiB / gzip: 1000.01 KiB\n").outcome, "failed");
  assert.equal(checkSize("something else").outcome, "failed");
});
