// `npm run fuzz`: throws random bytes at one of the parsers that meet outside bytes, with libFuzzer.
import { spawn } from "node:child_process";
import { mkdirSync, readdirSync } from "node:fs";
import path from "node:path";
import { command, readArguments, UsageError, wholeNumber } from "./command-line.mjs";
import { root, targetDir, toolsDir } from "./paths.mjs";
import { run } from "./processes.mjs";
import { setup } from "./setup.mjs";

const TARGETS = readdirSync(path.join(root, "fuzz", "fuzz_targets")).map((name) => path.parse(name).name);
const USAGE = `npm run fuzz -- TARGET [--minutes N] [--keep]
  TARGET       ${TARGETS.join(", ")}
  --minutes N  how long; 10 unless said otherwise
  --keep       then takes the smallest set of inputs that reaches as much into fuzz/corpus/TARGET
Needs a nightly toolchain (rustup toolchain install nightly --target wasm32-unknown-unknown) and
  cargo install cargo-fuzz --locked.
What it finds is kept in .tools/fuzz/, what fails in fuzz/artifacts/.`;

/** No message, path or document that is taken is longer. */
const LONGEST_INPUT_BYTES = 4096;

/** The Worker's profile is made for its size; a fuzzer has other wishes. */
const PROFILE = {
  CARGO_PROFILE_RELEASE_LTO: "off",
  CARGO_PROFILE_RELEASE_CODEGEN_UNITS: "16",
  CARGO_PROFILE_RELEASE_STRIP: "none",
  CARGO_PROFILE_RELEASE_OPT_LEVEL: "2",
};

function cargoFuzz(args) {
  const child = spawn("cargo", ["+nightly", "fuzz", ...args], {
    cwd: root,
    stdio: "inherit",
    env: { ...process.env, ...PROFILE, CARGO_TARGET_DIR: path.join(targetDir, "fuzzing") },
  });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => (code === 0 ? resolve() : reject(new Error(`cargo fuzz ended with code ${code}`))));
  });
}

command(import.meta.url, USAGE, async (words) => {
  const options = { minutes: { type: "string" }, keep: { type: "boolean", default: false } };
  const { values, positionals } = readArguments(words, options, true);
  const [target] = positionals;
  if (positionals.length !== 1 || !TARGETS.includes(target)) throw new UsageError(`name one of ${TARGETS.join(", ")}`);
  const minutes = wholeNumber(values.minutes, { name: "--minutes", from: 1, to: 24 * 60 }) ?? 10;
  const { code } = await run("cargo", ["+nightly", "fuzz", "--version"], { cwd: root });
  if (code !== 0) throw new Error("cargo +nightly fuzz cannot be run: --help says what it needs");
  await setup(["packages"]);
  const found = path.join(toolsDir, "fuzz", target);
  mkdirSync(found, { recursive: true });
  const kept = path.join(root, "fuzz", "corpus", target);
  const limits = [`-max_total_time=${minutes * 60}`, `-max_len=${LONGEST_INPUT_BYTES}`, "-print_final_stats=1"];
  await cargoFuzz(["run", target, found, kept, "--", ...limits]);
  if (values.keep) await cargoFuzz(["cmin", target, kept, found]);
});
