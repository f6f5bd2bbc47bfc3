// What the benchmark makes of its measurements, without measuring anything.
import assert from "node:assert/strict";
import { test } from "node:test";
import { workerdConfig } from "../../scripts/workerd-config.mjs";
import { table as pushTable } from "../bench/push.mjs";
import { document, median, ratios, table } from "../bench/ratios.mjs";
import { withCounting } from "../bench/rows.mjs";

const TARGETS = {
  js_hello: [100, 1],
  rust_hello: [60, 2],
  status: [50, 3],
  page: [40, 4],
  js_proxy: [80, 2],
  rust_proxy: [50, 4],
  pass: [40, 5],
  nostore: [20, 10],
  join: [16, 12],
};
const REDIS = { redis_status: [90, 6], redis_join: [70, 6] };

/** Samples of several rounds; `slow` rounds, of a machine that does something else too, take all alike. */
function samplesOf(targets, slow = [1]) {
  return slow.flatMap((factor, round) =>
    Object.entries(targets).map(([target, [perSecond, cpu]]) => ({
      target,
      round,
      per_second: perSecond / factor,
      cpu_seconds_per_1000: cpu,
      p50_ms: 1,
      p99_ms: 2,
    })),
  );
}

test("a median is a value that occurred, and of nothing there is none", () => {
  assert.equal(median([3, 1, 2]), 2);
  assert.equal(median([4, 1, 3, 2]), 2);
  assert.equal(median([7]), 7);
  assert.equal(median([]), null);
});

test("ratios are of the same round, whatever else the machine does in it", () => {
  const expected = {
    status_vs_js_hello: 0.5,
    status_vs_rust_hello: 0.833,
    pass_vs_js_proxy: 0.5,
    pass_vs_rust_proxy: 0.8,
    page_vs_js_hello: 0.4,
    join_vs_nostore: 0.8,
    status_vs_redis_per_cpu: 2,
    join_vs_redis_per_cpu: 0.5,
  };
  assert.deepEqual(ratios(samplesOf({ ...TARGETS, ...REDIS }, [1, 10, 3])), expected);
});

test("without Redis its ratios are null and the others are there", () => {
  const found = ratios(samplesOf(TARGETS));
  assert.equal(found.status_vs_redis_per_cpu, null);
  assert.equal(found.join_vs_redis_per_cpu, null);
  assert.equal(found.join_vs_nostore, 0.8);
  assert.match(table(samplesOf(TARGETS), 24.5), /join_vs_redis_per_cpu +- /);
});

test("the JSON has the ratios, the rows and every sample, and nothing else", () => {
  const samples = samplesOf({ ...TARGETS, ...REDIS }, [1, 2]);
  const written = JSON.parse(JSON.stringify(document(samples, 24.5)));
  assert.deepEqual(Object.keys(written), ["ratios", "rows_per_1000_joins", "samples"]);
  assert.equal(written.rows_per_1000_joins, 24.5);
  assert.equal(written.samples.length, samples.length);
  assert.ok(Object.values(written.ratios).every((ratio) => typeof ratio === "number"));
});

test("the table says of each ratio what it is of and what it is held to", () => {
  const text = table(samplesOf({ ...TARGETS, ...REDIS }), 24.5);
  assert.match(text, /status_vs_rust_hello +0\.83 +of requests\/s, held to 0\.85/);
  assert.match(text, /status_vs_redis_per_cpu +2\.00 +of requests per CPU second/);
  assert.match(text, /rows_per_1000_joins +24\.5 .*at most 40/);
});

test("what push measured is said with what it is held to", () => {
  const figures = { sockets: 7_999, broken: 1, words: 80_000, changes: 10, unheard: 0, joins: 8_000, joins_failed: 0 };
  const times = { change_p50_ms: 700, change_p99_ms: 1_400.4, change_max_ms: 1_600, join_p50_ms: 90, join_p99_ms: 310 };
  const text = pushTable({ ...figures, ...times });
  assert.match(text, /p99 +1400 ms .*held to p99 < 2000 ms/);
  assert.match(text, /p99 +310 ms .*held to p99 < 500 ms/);
});

test("rows are counted around the classes that the built script exports, under the same names", () => {
  const counted = withCounting("class a{}class b{}export{a as CoordinatorObject,b as ShardObject};");
  assert.match(counted, /export\{CountedCoordinator as CoordinatorObject,CountedShard as ShardObject\}/);
  assert.match(counted, /new b\(context, env\)/);
  assert.throws(() => withCounting("export{a as ShardObject};"), /exports its two classes/);
});

test("Workers beside the room stand in its configuration with their sockets, objects and outbound", () => {
  const text = workerdConfig({
    config: { compatibility_date: "2026-11-01" },
    secrets: {},
    modules: [],
    stateDir: "/state",
    address: "127.0.0.1:1",
    tls: null,
    cfHeader: "cf",
    outbound: "stub",
    beside: [
      { name: "stub", modules: [{ name: "index.js", file: "stub.js" }] },
      {
        name: "nothing",
        modules: [],
        vars: { KIND: "nothing" },
        objects: [{ binding: "NOTHING", className: "Nothing" }],
        address: "127.0.0.1:2",
      },
    ],
  });
  assert.match(text, /\(name = "stub", worker = \.stub\)/);
  assert.match(text, /\(name = "nothing", address = "127\.0\.0\.1:2", service = "nothing", http = \(\)\)/);
  assert.doesNotMatch(text, /\(name = "stub", address/, "nobody reaches the stub from outside");
  assert.match(text, /globalOutbound = "stub"/);
  assert.match(text, /durableObjectNamespace = "Nothing"/);
});
