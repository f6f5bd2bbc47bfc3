// The programs of the crate verify-draw, which the suite has built.
import { spawn, spawnSync } from "node:child_process";
import path from "node:path";
import { targetDir } from "../../scripts/paths.mjs";

const PATIENCE_MS = 120_000;
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;

/** What the example `ranks` prints for these lines, as lists of numbers. */
export function ranksOf(lines) {
  const program = path.join(targetDir, "debug", "examples", "ranks");
  const input = `${lines.join("\n")}\n`;
  const ran = spawnSync(program, [], { input, encoding: "utf8", timeout: PATIENCE_MS, maxBuffer: MAX_OUTPUT_BYTES });
  if (ran.status !== 0) throw new Error(`ranks: ${ran.error?.message ?? ran.stderr}`);
  return ran.stdout
    .trimEnd()
    .split("\n")
    .map((line) => line.split(" ").map(Number));
}

/** Runs verify-draw and gives its exit code and what it said. */
export function verifyDraw(...words) {
  const program = spawn(path.join(targetDir, "debug", "verify-draw"), words, { timeout: PATIENCE_MS });
  let said = "";
  program.stdout.on("data", (text) => {
    said += text;
  });
  program.stderr.on("data", (text) => {
    said += text;
  });
  return new Promise((resolve, reject) => {
    program.on("error", reject);
    program.on("close", (code) => resolve({ code, said }));
  });
}
