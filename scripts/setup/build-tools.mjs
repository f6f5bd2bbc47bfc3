// worker-build and wasm-bindgen at the versions that the Worker is built with.
//
// In this order: what is in .tools/bin or on PATH at the right version; the project's own prebuilt archive
// (wasm-bindgen); else built from source into .tools. wasm-bindgen has to match the crate in Cargo.lock exactly.
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { findOnPath, lockedCrateVersion, root, toolsDir } from "../paths.mjs";
import { say } from "../progress.mjs";
import { run, runOrThrow } from "../processes.mjs";
import { isStamped, stamp } from "../stamps.mjs";

/** The release of worker-build that goes with the crate `worker`. */
const workerBuildVersion = () => lockedCrateVersion("worker");
const wasmBindgenVersion = () => lockedCrateVersion("wasm-bindgen");
const binDir = path.join(toolsDir, "bin");
const DOWNLOAD_PATIENCE_MS = 60_000;

const PREBUILT_TARGETS = {
  "linux-x64": "x86_64-unknown-linux-musl",
  "linux-arm64": "aarch64-unknown-linux-musl",
  "darwin-x64": "x86_64-apple-darwin",
  "darwin-arm64": "aarch64-apple-darwin",
};

const inputs = () => `${workerBuildVersion()} ${wasmBindgenVersion()}`;
const toolPath = (name) => (existsSync(path.join(binDir, name)) ? path.join(binDir, name) : findOnPath(name));

/** Full paths of the tools; the step has run. */
export const buildTools = () => ({
  workerBuild: toolPath("worker-build"),
  wasmBindgen: toolPath("wasm-bindgen"),
  wasmTestRunner: toolPath("wasm-bindgen-test-runner"),
});

export const buildToolsStep = {
  title: `worker-build and wasm-bindgen`,
  usually: "2 to 5 min; up to 8 min when both are built from source on a busy machine",
  isDone: () => isStamped("tools", inputs()) && Object.values(buildTools()).every(Boolean),
  work: async (onLine) => {
    await provideWasmBindgen(onLine);
    if (!(await hasVersion("worker-build", workerBuildVersion()))) {
      say(`  building worker-build ${workerBuildVersion()} from source`);
      await cargoInstall("worker-build", workerBuildVersion(), onLine);
    }
    rmSync(path.join(toolsDir, "target"), { recursive: true, force: true });
    stamp("tools", inputs());
  },
};

async function provideWasmBindgen(onLine) {
  const version = wasmBindgenVersion();
  const isPresent =
    (await hasVersion("wasm-bindgen", version)) && (await hasVersion("wasm-bindgen-test-runner", version));
  if (isPresent) return;
  try {
    await downloadWasmBindgen(version, onLine);
    say(`  wasm-bindgen ${version}: downloaded`);
  } catch (error) {
    say(`  wasm-bindgen ${version}: no download (${error.message}); building it from source`);
    await cargoInstall("wasm-bindgen-cli", version, onLine);
  }
}

async function hasVersion(name, version) {
  const file = toolPath(name);
  if (!file) return false;
  const { code, output } = await run(file, ["--version"]);
  return code === 0 && output.trim().split(" ").includes(version);
}

async function downloadWasmBindgen(version, onLine) {
  const target = PREBUILT_TARGETS[`${process.platform}-${process.arch}`];
  if (!target) throw new Error(`none for ${process.platform} on ${process.arch}`);
  const name = `wasm-bindgen-${version}-${target}`;
  const from = process.env.WASM_BINDGEN_RELEASES ?? "https://github.com/wasm-bindgen/wasm-bindgen/releases/download";
  onLine(`downloading ${name}`);
  const response = await fetch(`${from}/${version}/${name}.tar.gz`, {
    signal: AbortSignal.timeout(DOWNLOAD_PATIENCE_MS),
  }).catch((error) => {
    throw new Error(error.cause?.code ?? error.message);
  });
  if (!response.ok) throw new Error(`status ${response.status}`);
  mkdirSync(binDir, { recursive: true });
  const archive = path.join(toolsDir, `${name}.tar.gz`);
  writeFileSync(archive, Buffer.from(await response.arrayBuffer()));
  await runOrThrow("tar", ["-xzf", archive, "-C", binDir, "--strip-components=1"]);
  rmSync(archive);
  if (!(await hasVersion("wasm-bindgen", version))) throw new Error("it does not start here");
}

async function cargoInstall(crate, version, onLine) {
  // A debug build takes half the time, and these tools work for seconds only; nobody steps through them.
  const args = ["install", crate, "--version", version, "--locked", "--debug", "--force", "--root", toolsDir];
  await runOrThrow("cargo", args, {
    cwd: root,
    env: { ...process.env, CARGO_TARGET_DIR: path.join(toolsDir, "target"), CARGO_PROFILE_DEV_DEBUG: "0" },
    onLine,
  });
}
