// `npm run bench`: what the room's numbers say, measured here, each beside a baseline of the same run.
import { readFileSync } from "node:fs";
import path from "node:path";
import { command, readArguments, UsageError } from "./command-line.mjs";
import { root, targetDir } from "./paths.mjs";
import { step } from "./progress.mjs";
import { runOrThrow } from "./processes.mjs";
import { setup } from "./setup.mjs";

const USAGE = `npm run bench -- challenge
  challenge  how long the edge needs to refuse a solution that is none, in WebAssembly; baseline: one hash`;

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

command(import.meta.url, USAGE, async (words) => {
  const { positionals } = readArguments(words, {}, true);
  if (positionals.join() !== "challenge") throw new UsageError("name what to measure: challenge");
  await challenge();
});
