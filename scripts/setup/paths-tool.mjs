// The command `anteroom-paths`: says which rule decides about a path, with the edge's own code.
import { existsSync } from "node:fs";
import path from "node:path";
import { NATIVE_SELECTION, root, targetDir } from "../paths.mjs";
import { runOrThrow } from "../processes.mjs";
import { contentHash, isStamped, stamp } from "../stamps.mjs";

const INPUTS = ["Cargo.toml", "Cargo.lock", "rust-toolchain.toml", "crates/config", "crates/queue"];
export const pathsBinary = path.join(targetDir, "debug", "anteroom-paths");

const inputs = () => contentHash(INPUTS, [targetDir]);

export const pathsToolStep = {
  title: "the path tool",
  usually: "5 s; 20 to 40 s the first time",
  isDone: () => existsSync(pathsBinary) && isStamped("paths-tool", inputs()),
  work: async (onLine) => {
    const hash = inputs();
    const args = ["build", ...NATIVE_SELECTION, "--bin", "anteroom-paths"];
    const env = { ...process.env, CARGO_TARGET_DIR: targetDir };
    await runOrThrow("cargo", args, { cwd: root, env, onLine });
    stamp("paths-tool", hash);
  },
};
