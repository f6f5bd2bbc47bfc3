// What `npm run cost` makes of counts: the arithmetic by hand, its form, and what it says to input that makes no sense.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import test from "node:test";
import {
  admission,
  admittedTraffic,
  bill,
  DIRECT_SHARDS,
  PLACES_OF_SHARD,
  SHARDS_OF_RELAY,
  waiting,
} from "../../scripts/costing/arithmetic.mjs";
import { eventOf, expectationOf } from "../../scripts/costing/events.mjs";
import { PRICES } from "../../scripts/costing/prices.mjs";
import { dollars } from "../../scripts/costing/table.mjs";
import { asksInWait, eachAt, readingsOf } from "../../scripts/costing/readings.mjs";
import { root } from "../../scripts/paths.mjs";
import { run } from "../../scripts/processes.mjs";

const LOOK = "GET /queues/{event}/tickets/me";
const CLAIM = "POST /queues/{event}/tickets/me/pass";

/** A part in which nothing happened, but for what is given. */
function part({ shard = {}, coordinator = {}, ...more }) {
  const still = { objects: 1, written: 0, read: 0, awake_ms: 0 };
  return {
    ...{ people: 100, seconds: 10, cpu_ms: 0, requests: {}, calls: {}, alarms: {}, messages: {} },
    objects: { shard: { ...still, ...shard }, coordinator: { ...still, ...coordinator } },
    asks: { planned: 0, turn: 0, owed: 0, after: 0, claims: 0 },
    ...more,
  };
}

const joins = (perSecond, written) =>
  part({
    per_second: perSecond,
    cpu_ms: 200,
    requests: { "POST /queues/{event}/tickets": 100 },
    calls: { "POST /queues/{event}/tickets -> shard: place": 100, "shard -> coordinator: sync": 20 },
    shard: { written: written / 2 },
    coordinator: { written: written / 2, read: 10 },
  });

const awake = { awake_ms: 10_000 };
const waits = { "shard -> coordinator: sync": 10 };

/** Counts with round numbers. */
const COUNTS = {
  format: 1,
  measured: {
    at: "2026-11-28T12:00:00Z",
    visitors: 100,
    wait_minutes: 10,
    pass_seconds: 60,
    machine: "-",
    workerd: "-",
  },
  parts: {
    pages: part({ cpu_ms: 100, requests: { page: 100 } }),
    solver: part({ cpu_ms: 50 }),
    joins: [joins(20, 400), joins(100, 100)],
    looks: part({ cpu_ms: 100, requests: { [LOOK]: 100 } }),
    sockets: part({ cpu_ms: 100, requests: { [`${LOOK}/ws`]: 100 }, calls: { [`${LOOK}/ws -> shard: socket`]: 100 } }),
    quietPush: part({ calls: waits, shard: awake, coordinator: awake }),
    push: part({
      entered: 10,
      calls: { ...waits, [`${LOOK} -> shard: place`]: 20, [`${CLAIM} -> shard: place`]: 30 },
      asks: { planned: 1, turn: 10, owed: 0, after: 10, claims: 30 },
      shard: { ...awake, written: 40 },
      coordinator: { ...awake, written: 30 },
    }),
    poll: part({
      by_minute: [
        { asks: 60, seconds: 120 },
        { asks: 10, seconds: 100 },
      ],
    }),
    quietPoll: part({ calls: { ...waits, [`${LOOK} -> shard: board`]: 10 }, shard: awake, coordinator: awake }),
    admission: part({
      asks: { planned: 0, turn: 0, owed: 0, after: 0, claims: 100 },
      cpu_ms: 100,
      shard: { written: 100 },
    }),
    shop: part({ requests: { shop: 500 }, cpu_ms: 500, calls: { "page -> shard: place": 50 }, shard: awake }),
    ends: part({
      requests: { "DELETE /queues/{event}/tickets/me/pass": 100, shop: 100 },
      calls: { "DELETE /queues/{event}/tickets/me/pass -> shard: place": 100, "shard -> coordinator: sync": 100 },
      shard: { written: 200 },
      coordinator: { written: 100 },
    }),
  },
};

const CROWD = {
  ...{ visitors: 1_000_000, waitMinutes: 10, arriveMinutes: 10, isolates: 100, challenge: "pow" },
  ...{ sessionMinutes: 5, sessionRequests: 20, passSeconds: 180 },
};

/** What the command takes when it is asked for a million and ten minutes. */
const CROWD_ASKED = { ...CROWD, isolates: 500, hasStaticFiles: true };

const readings = readingsOf(COUNTS);
const of = (lines) => Object.fromEntries(lines.map(({ what, units }) => [what, Math.round(units)]));
const near = (value, wanted) =>
  assert.ok(Math.abs(value - wanted) < 1e-6 * Math.abs(wanted) + 1e-9, `${value}, ${wanted}`);

test("what each visitor asks for is multiplied by the visitors", () => {
  const units = of(waiting(readings, CROWD, "push", PRICES));
  for (const what of ["the queue page", "the join", "the socket"]) {
    assert.equal(units[`requests: ${what}`], 1_000_000, what);
  }
  // One of a hundred in ten seconds: six tenths of a question in ten minutes.
  assert.equal(units["requests: questions on the way"], 600_000);
  assert.equal(units["objects: joins"], 1_000_000);
  assert.equal(units["objects: sockets"], 1_000_000);
  assert.equal(units["objects: closings of sockets"], 50_000);
  // Page 1 ms, join 2 ms, socket 1 ms, and 0.6 looks.
  assert.equal(units["processor of the edge, ms"], 4_600_000);
});

test("what a shard takes in a second is multiplied by shards and seconds, and the coordinator is one", () => {
  const units = of(waiting(readings, CROWD, "push", PRICES));
  // 1,666.7 joins a second at four shards; 125 shards in the end, each filled within 19.2 s and waited at for 600.
  const shardSeconds = 125 * (8_000 / (1_000_000 / 600 / 4) + 600);
  const ofRelay = 1_200;
  assert.equal(units["objects: reports while they wait"], Math.round(shardSeconds + ofRelay));
  assert.equal(units["objects awake, GB-s"], Math.round(0.128 * (shardSeconds + 1_200 * 2)));
  // One read a second of each of a hundred isolates.
  assert.equal(units["objects: reads of the board"], 120_000);
});

test("with a draw somebody waits at each shard to the end", () => {
  const units = of(waiting(readings, { ...CROWD, isDrawn: true }, "push", PRICES));
  assert.equal(units["objects awake, GB-s"], Math.round(0.128 * (125 * 1_200 + 1_200 * 2)));
});

test("joins share rows the more there are in a second, as far as was measured", () => {
  const points = [
    [20, 4],
    [100, 1],
  ];
  for (const [perSecond, each] of [
    [1, 4],
    [20, 4],
    [60, 90 / 60],
    [100, 1],
    [400, 0.25],
  ]) {
    near(eachAt(points, perSecond), each);
  }
  const units = of(waiting(readings, CROWD, "push", PRICES));
  assert.equal(units["rows written: joins"], Math.round((1_000_000 * 100) / (1_000_000 / 600 / 4)));
});

test("who asks does so minute by minute before the turn, and as at the farthest from there on", () => {
  const { by_minute } = COUNTS.parts.poll;
  near(asksInWait(by_minute, 30), 15);
  near(asksInWait(by_minute, 120), 36);
  near(asksInWait(by_minute, 600), 36 + 48);
  const units = of(waiting(readings, CROWD, "poll", PRICES));
  assert.equal(units["requests: questions on the way"], 84_000_000);
  assert.equal(units["requests: the socket"], undefined);
});

test("the script that works is paid for where the Worker serves it, and is not there without work", () => {
  const [free, paid, none] = [{ hasStaticFiles: true }, { hasStaticFiles: false }, { challenge: "none" }].map((more) =>
    waiting(readings, { ...CROWD, ...more }, "push", PRICES),
  );
  const sum = (lines) => lines.reduce((total, { usd }) => total + usd, 0);
  near(sum(paid) - sum(free), 0.3 + 0.5 * 0.02);
  near(sum(free), sum(none));
  assert.equal(of(free)["static file: the script that works"], 1_000_000);
  assert.equal(of(none)["static file: the script that works"], undefined);
});

test("admission is what happens from the turn to the pass", () => {
  const units = of(admission(readings, 1_000, 1, PRICES));
  assert.equal(units["requests: questions at the turn"], 2_000);
  assert.equal(units["requests: claims"], 3_000);
  assert.equal(units["objects: questions"], 2_000);
  assert.equal(units["objects: claims"], 3_000);
  assert.equal(units["rows written"], 7_000);
});

test("a session is its requests, its renewals past half of each pass, and its end", () => {
  const units = of(admittedTraffic(readings, 1_000, CROWD, PRICES));
  assert.equal(units["requests: to the shop"], 20_000);
  assert.equal(units["requests: giving back"], 1_000);
  // 0.05 a second with passes of a minute: five minutes with passes of three have five.
  assert.equal(units["objects: renewals"], 5_000);
  assert.equal(units["rows written: ends"], 3_000);
});

test("the sums are those of the lines, and follow the price list", () => {
  const reckoned = bill(readings, CROWD, "push", PRICES);
  const lines = waiting(readings, CROWD, "push", PRICES);
  near(
    reckoned.by_mode.push,
    lines.reduce((sum, { usd }) => sum + usd, 0),
  );
  assert.equal(reckoned.usd.waiting, reckoned.by_mode.push);
  assert.equal(bill(readings, CROWD, "poll", PRICES).usd.waiting, reckoned.by_mode.poll);
  const dearer = bill(readings, CROWD, "push", { ...PRICES, workerRequest: 2 * PRICES.workerRequest });
  near(dearer.by_mode.push - reckoned.by_mode.push, 0.3 * 3.6);
  const half = bill(readings, { ...CROWD, visitors: 500_000 }, "push", PRICES);
  assert.ok(half.by_mode.push < 0.6 * reckoned.by_mode.push && half.by_mode.push > 0.4 * reckoned.by_mode.push);
  assert.equal(half.usd.admission > 0, true);
});

test("an event's crowd waits by its limits: half of what it takes to let all of them in", () => {
  const times = { arriveMinutes: 10, sessionMinutes: 5 };
  const event = { id: "a", expected_visitors: 12_000, admission: { per_minute: 100 } };
  const crowd = expectationOf(event, times);
  assert.deepEqual(
    [crowd.visitors, crowd.waitMinutes, crowd.lastsMinutes, crowd.challenge, crowd.limit],
    [12_000, 55, 120, "pow", "per_minute = 100"],
  );
  for (const [limits, minutes] of [
    [{ per_minute: 100, max_active: 250 }, 240],
    [{ max_active: 250 }, 240],
    [{ batch: { size: 100, every_seconds: 30 } }, 60],
    [{ per_minute: 100_000 }, 10],
  ]) {
    assert.equal(expectationOf({ ...event, admission: limits }, times).lastsMinutes, minutes, JSON.stringify(limits));
  }
  const events = { vars: { EVENT_A: event, EVENT_B: { id: "b" } } };
  assert.equal(eventOf(events, "a"), event);
  assert.throws(() => eventOf(events, "c"), /--event is "c"; there are: a, b/);
  assert.throws(() => expectationOf({ id: "a" }, times), /no limit in admission/);
  assert.throws(() => expectationOf({ ...event, mode: "off" }, times), /nobody waits in a line/);
});

test("shards and relays hold as many as the core's limits say", () => {
  const limits = readFileSync(path.join(root, "crates/queue/src/limits.rs"), "utf8");
  for (const [name, value] of [
    ["PLANNED_PLACES", PLACES_OF_SHARD],
    ["DIRECT_SHARDS", DIRECT_SHARDS],
    ["RELAY_CHILDREN", SHARDS_OF_RELAY],
  ]) {
    const [, text] = limits.match(new RegExp(`const ${name}: u\\d+ = ([\\d_]+);`)) ?? [];
    assert.equal(Number(text?.replaceAll("_", "")), value, name);
  }
});

test("the page about scale has the prices of the counts that lie beside it", () => {
  const counts = JSON.parse(readFileSync(path.join(root, "tests/cost/counts.json"), "utf8"));
  const { usd, by_mode } = bill(readingsOf(counts), CROWD_ASKED, "push", PRICES);
  assert.ok(by_mode.push < 2, `a million who listen for ten minutes cost ${by_mode.push}`);
  const page = readFileSync(path.join(root, "docs/scale.md"), "utf8");
  for (const [what, sum] of [
    ["waiting, by push", by_mode.push],
    ["waiting, by polling", by_mode.poll],
    ["admission", usd.admission],
    ["admitted traffic", usd.admitted_traffic],
  ]) {
    const [row] = page.split("\n").filter((text) => text.startsWith("|") && text.includes(what));
    assert.ok(row?.includes(dollars(sum)), `${what}: ${dollars(sum)}`);
  }
});

const cost = (...words) => run(process.execPath, [path.join(root, "scripts/cost.mjs"), ...words], { cwd: root });

test("the command writes the sums in their exact form, and prints every line with how it scales", async () => {
  const folder = mkdtempSync(path.join(tmpdir(), "anteroom-cost-test-"));
  try {
    const [counts, json] = ["counts.json", "sums.json"].map((name) => path.join(folder, name));
    writeFileSync(counts, JSON.stringify(COUNTS));
    const { code, output } = await cost(
      "--counts",
      counts,
      "--visitors",
      "1000000",
      "--wait-minutes",
      "10",
      "--json",
      json,
    );
    assert.equal(code, 0, output);
    const written = JSON.parse(readFileSync(json, "utf8"));
    assert.deepEqual(Object.keys(written), ["usd", "by_mode"]);
    assert.deepEqual(Object.keys(written.usd), ["waiting", "admission", "admitted_traffic"]);
    assert.deepEqual(Object.keys(written.by_mode), ["push", "poll"]);
    for (const sum of [...Object.values(written.usd), ...Object.values(written.by_mode)])
      assert.equal(typeof sum, "number");
    for (const said of [
      "the queue page",
      "125 shards",
      "each visitor",
      "Assumed, not measured",
      "What others publish",
    ]) {
      assert.ok(output.includes(said), said);
    }
    const event = await cost("--counts", counts, "--event", "demo");
    assert.equal(event.code, 0, event.output);
    assert.match(event.output, /event demo: 8,000 visitors .* let in by max_active = 500/);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test("one is said as one: a visitor, a shard, a relay", async () => {
  const alone = ["--isolates", "1", "--session-minutes", "1", "--session-requests", "1"];
  for (const [visitors, said] of [
    ["1", ["1 visitor comes", "1 shard of at most", "1 isolate of the edge; 1 minute and 1 request inside"]],
    ["405000", ["405,000 visitors come", "51 shards of at most", " 1 relay\n"]],
  ]) {
    const { code, output } = await cost("--counts", "tests/cost/counts.json", "--visitors", visitors, ...alone);
    assert.equal(code, 0, output);
    for (const words of said) assert.ok(output.includes(words), `${words}: ${output}`);
  }
});

test("input that makes no sense is told which field it is, and what is allowed", async () => {
  const folder = mkdtempSync(path.join(tmpdir(), "anteroom-cost-test-"));
  const file = (name, text) => {
    writeFileSync(path.join(folder, name), text);
    return path.join(folder, name);
  };
  try {
    for (const [words, says] of [
      [["--visitors", "0"], '--visitors is "0", allowed is 1 to 200000000'],
      [["--visitors", "many"], '--visitors is "many"'],
      [["--wait-minutes", "-1"], '--wait-minutes is "-1", allowed is 0 to 10080'],
      [["--wait-minutes", "10081"], '--wait-minutes is "10081", allowed is 0 to 10080'],
      [["--mode", "pull"], '--mode is "pull", allowed is push or poll'],
      [["--event", "nowhere"], '--event is "nowhere"; there are: demo, world-tour'],
      [["--event", "demo", "--visitors", "5"], "--visitors does not go with --event"],
      [["--counts", path.join(folder, "none.json")], "there is no such file"],
      [["--counts", file("bad.json", "{")], "not JSON"],
      [["--counts", file("other.json", '{"format":7}')], "format is 7, allowed is 1"],
      [
        ["--counts", file("part.json", JSON.stringify({ ...COUNTS, parts: { pages: {} } }))],
        "parts has no solver, joins",
      ],
      [["--json", path.join(folder, "nowhere", "sums.json")], "there is no such folder"],
      [["--isolates", "0"], '--isolates is "0"'],
      [["--surprise"], "--surprise"],
    ]) {
      const { code, output } = await cost(...words);
      assert.equal(code, 2, `${words.join(" ")}: ${output}`);
      assert.ok(output.includes(says), output);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
