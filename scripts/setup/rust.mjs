// Rust with the WebAssembly target, and a C compiler (for SQLite in the demo shop).
import { existsSync } from "node:fs";
import { findOnPath, root, targetDir } from "../paths.mjs";
import { run, runOrThrow } from "../processes.mjs";
import { contentHash, isStamped, stamp } from "../stamps.mjs";

const TARGET = "wasm32-unknown-unknown";
const inputs = () => contentHash(["rust-toolchain.toml"], [findOnPath("cargo") ?? "", targetDir]);

export const rustStep = {
  title: "Rust and its WebAssembly target",
  usually: "5 s, 1 min when it is downloaded",
  isDone: () => isStamped("rust", inputs()),
  work: async (onLine) => {
    if (!findOnPath("cargo")) throw new Error("Rust is missing: install it from https://rustup.rs and start again");
    if (!["cc", "gcc", "clang"].some(findOnPath)) {
      throw new Error("a C compiler is missing: install gcc or clang (Debian: apt-get install build-essential)");
    }
    if (!(await hasTarget())) {
      if (!findOnPath("rustup")) {
        throw new Error(`this Rust has no target ${TARGET}: install it from your system, or use https://rustup.rs`);
      }
      await runOrThrow("rustup", ["target", "add", TARGET], { cwd: root, onLine });
    }
    stamp("rust", inputs());
  },
};

async function hasTarget() {
  const result = await run("rustc", ["--print", "target-libdir", "--target", TARGET], { cwd: root });
  if (result.code !== 0) return false;
  return existsSync(result.output.trim().split("\n").at(-1));
}
