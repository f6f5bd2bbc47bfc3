// The Worker: Rust to WebAssembly into build/, by worker-build with tools that are here already.
import { existsSync } from "node:fs";
import path from "node:path";
import { buildDir, npmBinary, root, targetDir } from "../paths.mjs";
import { runOrThrow } from "../processes.mjs";
import { contentHash, isStamped, stamp } from "../stamps.mjs";
import { buildTools } from "./build-tools.mjs";

const INPUTS = ["Cargo.toml", "build.rs", "Cargo.lock", "rust-toolchain.toml", "package-lock.json"];
const SOURCES = ["src", "static", "durable-objects", "crates", "docs/openapi.yaml", "scripts/setup/worker.mjs"];

const inputs = () => contentHash([...INPUTS, ...SOURCES]);

/** What worker-build makes and what runs: the module and its WebAssembly. */
export const workerModules = () => ["index.js", "index_bg.wasm"].map((name) => path.join(buildDir, name));

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
    await runOrThrow(tools.workerBuild, ["--release", ".", "--package", "anteroom"], {
      cwd: root,
      env: buildEnvironment(tools),
      onLine,
    });
    // What worker-build's own pass leaves: a twelfth of the size that counts, and the same program.
    const [, wasm] = workerModules();
    await runOrThrow(npmBinary("wasm-opt"), ["-O3", wasm, "--output", wasm], { cwd: root, onLine });
    stamp("worker", hash);
  },
};
