// `npm run bench`: what the room's numbers say, measured here, each beside a baseline of the same run.
import { readFileSync } from "node:fs";
import path from "node:path";
import { command, readArguments, UsageError } from "./command-line.mjs";
import { counted } from "./counted.mjs";
import { root, targetDir } from "./paths.mjs";
import { step } from "./progress.mjs";
import { runOrThrow } from "./processes.mjs";
import { buildNative } from "./rust-program.mjs";
import { setup } from "./setup.mjs";

const USAGE = `npm run bench -- [--json FILE] | push [--json FILE] | challenge | isolation | places
  (nothing)  the edge: status poll, queue page, board, join and admitted request beside Workers in JavaScript and Rust that
             do next to nothing, an object that stores nothing, and a Node server on Redis (Debian's package redis-server;
             without it those ratios are null); rows written for a thousand joins (4 min)
  push       8,000 sockets at one shard while 200 visitors join each second: how soon everyone has a changed board (2 min)
  challenge  how long the edge needs to refuse a solution that is none, in WebAssembly; baseline: one hash
  isolation  joins of one event while another is flooded by half a core, in one process; baseline: the same joins without
             the flood, and under as great a flood on what has nothing to do with the room, turn by turn (12 min)
  places     what a million anonymous places take in memory and rows, and eight thousand in the files of workerd
  --json FILE  also write the figures there`;

const TARGET = "wasm32-unknown-unknown";
const MODULE = path.join(targetDir, TARGET, "release/examples/rubbish.wasm");
const ROUNDS = 9;
const EACH_ROUND = 100_000;
/** docs/challenges.md promises that nobody is held up by rubbish. */
const MOST_US = 20;

async function challenge() {
  await setup(["rust"]);
  const build = ["build", "--quiet", "--release", "--package", "anteroom-challenge", "--target", TARGET];
  await step("the module", "10 s", (onLine) =>
    runOrThrow("cargo", [...build, "--example", "rubbish"], {
      cwd: root,
      env: { ...process.env, CARGO_TARGET_DIR: targetDir },
      onLine,
    }),
  );
  const { instance } = await WebAssembly.instantiate(readFileSync(MODULE));
  const { rubbish, hashes } = instance.exports;
  const took = (work) => {
    const began = performance.now();
    if (work(EACH_ROUND) !== 0) throw new Error("rubbish held");
    return ((performance.now() - began) * 1_000) / EACH_ROUND;
  };
  const rounds = Array.from({ length: ROUNDS }, () => [took(rubbish), took(hashes)]);
  const median = (at) => rounds.map((round) => round[at]).toSorted((a, b) => a - b)[ROUNDS >> 1];
  const [refused, hash] = [median(0), median(1)];
  const ratio = (refused / hash).toFixed(2);
  process.stdout.write(`a solution that is none is refused in ${refused.toFixed(2)} us, ${ratio} x one hash\n`);
  if (refused > MOST_US) throw new Error(`more than ${MOST_US} us`);
}

/** A paired measurement that other work on the machine disturbs: its ratios are reported, and fail nothing. */
async function isolation() {
  await setup(["packages", "rust", "tools", "keys", "keysTool", "worker"]);
  await buildNative("anteroom-load");
  await (await import("../tests/bench/baseline.mjs")).buildBaseline();
  const { QUANTILES, isolation: measure } = await import("../tests/faults/isolation.mjs");
  const measured = await measure();
  const told = (joins, digits, unit) =>
    QUANTILES.map((name) => `${name} ${joins[name].toFixed(digits)}${unit}`).join(", ");
  const percent = ({ share }) => `${Math.round(share * 100)} % of a core`;
  for (const { alone, flooded, other } of measured.pairs) {
    process.stdout.write(`alone                          ${told(alone, 0, " ms")}\n`);
    process.stdout.write(`beside a flood of ${percent(flooded)}  ${told(flooded, 0, " ms")}\n`);
    process.stdout.write(`elsewhere of      ${percent(other)}  ${told(other, 0, " ms")}\n`);
  }
  const flood = `${Math.round(measured.perSecond)} joins/s of another event`;
  const other = `${Math.round(measured.otherPerSecond)} calls/s of an object that stores nothing`;
  process.stdout.write(`medians beside ${flood}: ${told(measured.flooded, 2, " x")}\n`);
  process.stdout.write(`and beside ${other}: ${told(measured.other, 2, " x")}: so much is the one thread\n`);
}

async function places() {
  await setup(["packages", "rust", "tools", "keys", "keysTool", "worker"]);
  await buildNative("anteroom-load");
  const example = [
    "run",
    "--quiet",
    "--profile",
    "native",
    "--package",
    "anteroom-durable-objects",
    "--example",
    "places",
  ];
  const environment = { ...process.env, CARGO_TARGET_DIR: targetDir };
  process.stdout.write(await runOrThrow("cargo", example, { cwd: root, env: environment }));
  const { places, bytes, files } = await (await import("../tests/faults/places.mjs")).placesOnDisk();
  const each = (bytes / places).toFixed(1);
  process.stdout.write(
    `on disk  ${each} bytes a place, ${counted(places, "place")} in ${counted(files, "file")} of workerd\n`,
  );
}

async function edge(options) {
  await setup(["packages", "rust", "tools", "keys", "keysTool", "worker"]);
  await buildNative("anteroom-load");
  await (await import("../tests/bench/baseline.mjs")).buildBaseline();
  await (await import("../tests/bench/edge.mjs")).edge(options);
}

async function push(options) {
  await setup(["packages", "rust", "tools", "keys", "keysTool", "worker"]);
  await buildNative("anteroom-load");
  await (await import("../tests/bench/push.mjs")).push(options);
}

const BENCHES = { edge, push, challenge, isolation, places };
/** Those that write figures. */
const WITH_JSON = ["edge", "push"];

command(import.meta.url, USAGE, async (words) => {
  const { values, positionals } = readArguments(words, { json: { type: "string" } }, true);
  const [name = "edge"] = positionals;
  if (positionals.length > 1 || !Object.hasOwn(BENCHES, name)) {
    throw new UsageError(`name what to measure: ${Object.keys(BENCHES).join(", ")}`);
  }
  if (values.json !== undefined && !WITH_JSON.includes(name)) {
    throw new UsageError(`--json is for ${WITH_JSON.join(" and ")}`);
  }
  await BENCHES[name](values);
});
