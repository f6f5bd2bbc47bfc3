// The arithmetic of the benchmark: medians, and ratios of what was measured in the same round.

/** The middle one; of an even number the lower of the two in the middle, so that it is one that occurred. */
export function median(values) {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted.length === 0 ? null : sorted[(sorted.length - 1) >> 1];
}

/** What each ratio is of: requests a second, or requests for a second of processor time. */
const RATIOS = {
  status_vs_js_hello: ["status", "js_hello", "per_second"],
  status_vs_rust_hello: ["status", "rust_hello", "per_second"],
  pass_vs_js_proxy: ["pass", "js_proxy", "per_second"],
  pass_vs_rust_proxy: ["pass", "rust_proxy", "per_second"],
  page_vs_js_hello: ["page", "js_hello", "per_second"],
  join_vs_nostore: ["join", "nostore", "per_second"],
  status_vs_redis_per_cpu: ["status", "redis_status", "per_cpu_second"],
  join_vs_redis_per_cpu: ["join", "redis_join", "per_cpu_second"],
};

/** What the project holds itself to. */
const GOALS = {
  status_vs_js_hello: 0.55,
  status_vs_rust_hello: 0.85,
  pass_vs_rust_proxy: 0.85,
  page_vs_js_hello: 0.4,
  join_vs_nostore: 0.75,
};

/** Rows written for a thousand joins at 500 a second, the coordinator's among them. */
export const MOST_ROWS = 40;

const measures = {
  per_second: (sample) => sample.per_second,
  per_cpu_second: (sample) => 1_000 / sample.cpu_seconds_per_1000,
};

/** The samples of one target, in the order of the rounds. */
const of = (samples, target) => samples.filter((sample) => sample.target === target);

/**
 * The median of the ratios of each round, as `{ name: number }`; null where one side was not measured. `samples` are
 * `{ target, round, per_second, cpu_seconds_per_1000 }`.
 */
export function ratios(samples) {
  const entries = Object.entries(RATIOS).map(([name, [above, below, what]]) => {
    const paired = of(samples, above).flatMap((sample) => {
      const other = of(samples, below).find(({ round }) => round === sample.round);
      return other ? [measures[what](sample) / measures[what](other)] : [];
    });
    return [name, rounded(median(paired))];
  });
  return Object.fromEntries(entries);
}

const rounded = (ratio) => (ratio === null ? null : Math.round(ratio * 1_000) / 1_000);

/** The table: each target's medians, then each ratio with what it is held to. */
export function table(samples, rowsPer1000Joins) {
  const targets = [...new Set(samples.map(({ target }) => target))].map((target) => {
    const middle = (key) => median(of(samples, target).map((sample) => sample[key]));
    const cpu = (middle("cpu_seconds_per_1000") * 1_000).toFixed(1);
    const [perSecond, p50, p99] = [Math.round(middle("per_second")), middle("p50_ms"), middle("p99_ms")];
    return `${target.padEnd(18)}${String(perSecond).padStart(8)}${cpu.padStart(12)}${ms(p50)}${ms(p99)}`;
  });
  const measured = Object.entries(ratios(samples)).map(([name, ratio]) => {
    const what = RATIOS[name][2] === "per_second" ? "requests/s" : "requests per CPU second";
    const goal = GOALS[name] ? `, held to ${GOALS[name]}` : "";
    return `${name.padEnd(26)}${(ratio === null ? "-" : ratio.toFixed(2)).padStart(6)}  of ${what}${goal}`;
  });
  const rows = rowsPer1000Joins === null ? "-" : rowsPer1000Joins.toFixed(1);
  return [
    `${"".padEnd(18)}${"requests/s".padStart(10)}${"CPU ms/1000".padStart(12)}${"p50 ms".padStart(10)}${"p99 ms".padStart(10)}`,
    ...targets,
    "",
    "Ratios: each round's, the median of the rounds",
    ...measured,
    `${"rows_per_1000_joins".padEnd(26)}${rows.padStart(6)}  at 500 joins/s on one shard, held to at most ${MOST_ROWS}`,
  ].join("\n");
}

const ms = (value) => value.toFixed(1).padStart(10);

/** What `--json` writes. */
export const document = (samples, rowsPer1000Joins) => ({
  ratios: ratios(samples),
  rows_per_1000_joins: rowsPer1000Joins,
  samples,
});
