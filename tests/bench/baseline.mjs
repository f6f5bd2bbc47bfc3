// The Workers in Rust that the room is compared with, built with the tools that build the room.
import path from "node:path";
import { npmBinary, root } from "../../scripts/paths.mjs";
import { runOrThrow } from "../../scripts/processes.mjs";
import { step } from "../../scripts/progress.mjs";
import { buildTools } from "../../scripts/setup/build-tools.mjs";
import { buildEnvironment } from "../../scripts/setup/worker.mjs";

const crate = path.join("tests", "bench", "rust-baseline");

/** Where it is built. */
export const baselineDir = path.join(root, crate, "build");

/** Builds it; Cargo knows what is up to date. */
export async function buildBaseline() {
  const build = async (onLine) => {
    const tools = buildTools();
    const environment = { cwd: root, env: buildEnvironment(tools), onLine };
    await runOrThrow(tools.workerBuild, ["--release", crate], environment);
    const wasm = path.join(baselineDir, "index_bg.wasm");
    await runOrThrow(npmBinary("wasm-opt"), ["-O3", wasm, "--output", wasm], environment);
  };
  await step("the Workers to compare with", "10 s; 1 min the first time", build);
}
