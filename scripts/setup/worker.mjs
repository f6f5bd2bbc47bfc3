// The Worker: Rust to WebAssembly into build/, by worker-build with tools that are here already.
import { copyFileSync, existsSync } from "node:fs";
import path from "node:path";
import { MAIN_MODULE, buildDir, npmBinary, root, targetDir } from "../paths.mjs";
import { runOrThrow } from "../processes.mjs";
import { contentHash, isStamped, stamp } from "../stamps.mjs";
import { buildTools } from "./build-tools.mjs";

const INPUTS = ["Cargo.toml", "build.rs", "Cargo.lock", "rust-toolchain.toml", "package-lock.json"];
const SOURCES = ["src", "static", "durable-objects", "crates", "docs/openapi.yaml", "scripts/setup/worker.mjs"];

const inputs = () => contentHash([...INPUTS, ...SOURCES]);

const built = (name) => path.join(buildDir, name);

/** What runs: what is loaded first, and what worker-build makes, a module and its WebAssembly. */
export const workerModules = () => [MAIN_MODULE, "index.js", "index_bg.wasm"].map(built);

/** With which worker-build finds the tools that are here. */
export const buildEnvironment = (tools) => ({
  ...process.env,
  CARGO_TARGET_DIR: targetDir,
  RUST_BACKTRACE: "0",
  WASM_BINDGEN_BIN: tools.wasmBindgen,
  ESBUILD_BIN: npmBinary("esbuild"),
  WASM_OPT_BIN: npmBinary("wasm-opt"),
});

export const workerStep = {
  title: "the Worker",
  usually: "15 to 40 s; 2 to 5 min the first time",
  isDone: () => workerModules().every(existsSync) && isStamped("worker", inputs()),
  work: async (onLine) => {
    // The sources may change while they are compiled: the stamp is for what was there before.
    const hash = inputs();
    const tools = buildTools();
    await runOrThrow(tools.workerBuild, ["--release", "--out-dir", buildDir, "crates/module"], {
      cwd: root,
      env: buildEnvironment(tools),
      onLine,
    });
    // What worker-build's own pass leaves: a twelfth of the size that counts, and the same program.
    const wasm = built("index_bg.wasm");
    await runOrThrow(npmBinary("wasm-opt"), ["-O3", wasm, "--output", wasm], { cwd: root, onLine });
    copyFileSync(path.join(root, "src", MAIN_MODULE), built(MAIN_MODULE));
    stamp("worker", hash);
  },
};
