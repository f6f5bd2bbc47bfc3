// Commands that are Rust programs: optimised, built quietly, then run with the words they were given.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { command, UsageError } from "./command-line.mjs";
import { root, targetDir } from "./paths.mjs";
import { say, step } from "./progress.mjs";
import { onStopRequest, runOrThrow } from "./processes.mjs";
import { setup } from "./setup.mjs";

/** A step that takes no longer is not worth a line. */
const QUICK_MS = 3_000;

/**
 * A command that builds and runs a package's program; this process ends as that one does. Help is the program's own text,
 * `usageFile` of its sources, so that nobody waits for a build to read it, or to be told of an option that is not in it.
 */
export function runRustProgram(moduleUrl, name, usageFile) {
  const usage = readFileSync(path.join(root, usageFile), "utf8").trimEnd();
  command(moduleUrl, usage, async (words) => {
    const known = usage.match(/--[a-z][a-z-]*/g);
    const unknown = words.find((word) => word.startsWith("--") && !known.includes(word.split("=")[0]));
    if (unknown !== undefined) throw new UsageError(`${unknown} is not known`);
    onStopRequest((reason) => stopProgram(reason));
    await buildAndRun(name, words);
  });
}

/** Until the program runs, a stop ends this process and what it builds with. */
let stopProgram = () => process.exit(130);

/** Builds the programs of a package, optimised; answers the folder where they are. */
export async function buildNative(name) {
  await setup(["rust"]);
  const build = (onLine) =>
    runOrThrow("cargo", ["build", "--profile", "native", "--package", name], {
      cwd: root,
      env: { ...process.env, CARGO_TARGET_DIR: targetDir },
      onLine,
    });
  await step(name, "no time; 1 to 3 min the first time", build, { isQuietFor: QUICK_MS });
  return path.join(targetDir, "native");
}

async function buildAndRun(name, words) {
  const binary = path.join(await buildNative(name), name);
  const child = spawn(binary, words, { stdio: "inherit" });
  // Ctrl-C reaches the program by itself.
  stopProgram = (reason) => reason !== "SIGINT" && child.kill("SIGTERM");
  const [code, signal] = await new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("exit", (...ending) => resolve(ending));
  });
  if (signal) say(`${name} was ended by ${signal}`);
  process.exitCode = code ?? 1;
}
