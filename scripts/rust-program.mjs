// Commands that are Rust programs: built in release, quietly, then run with the words they were given.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import path from "node:path";
import { root, targetDir } from "./paths.mjs";
import { say, step } from "./progress.mjs";
import { runOrThrow } from "./processes.mjs";
import { setup } from "./setup.mjs";

/** Builds and runs a package's program; this process ends as that one does. */
export async function runRustProgram(name, words) {
  await setup(["rust"]);
  const binary = path.join(targetDir, "release", name);
  const build = (onLine) =>
    runOrThrow("cargo", ["build", "--release", "--package", name], {
      cwd: root,
      env: { ...process.env, CARGO_TARGET_DIR: targetDir },
      onLine,
    });
  if (existsSync(binary)) await build(() => {});
  else await step(name, "1 min the first time", build);
  const child = spawn(binary, words, { stdio: "inherit" });
  // Ctrl-C reaches the program by itself; it decides what to do with it.
  process.on("SIGINT", () => {});
  process.on("SIGTERM", () => child.kill("SIGTERM"));
  const [code, signal] = await new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("exit", (...ending) => resolve(ending));
  });
  if (signal) say(`${name} was ended by ${signal}`);
  process.exitCode = code ?? 1;
}
