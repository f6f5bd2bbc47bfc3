// The demo shop, the origin that the demo events protect.
import { existsSync } from "node:fs";
import path from "node:path";
import { NATIVE_SELECTION, root, targetDir } from "../paths.mjs";
import { runOrThrow } from "../processes.mjs";
import { contentHash, isStamped, stamp } from "../stamps.mjs";

const PACKAGE = "anteroom-demo-shop";
const INPUTS = ["Cargo.toml", "Cargo.lock", "rust-toolchain.toml", "crates/token", "examples/origin"];

const inputs = () => contentHash(INPUTS, [targetDir]);

/** A debug build: it shares its dependencies with the tests, and one machine's visitors do not need more. */
export const shopBinary = path.join(targetDir, "debug", PACKAGE);

export const shopStep = {
  title: "the demo shop",
  usually: "10 s; 1 to 3 min the first time",
  isDone: () => existsSync(shopBinary) && isStamped("shop", inputs()),
  work: async (onLine) => {
    const hash = inputs();
    await runOrThrow("cargo", ["build", ...NATIVE_SELECTION, "--bin", PACKAGE], {
      cwd: root,
      env: { ...process.env, CARGO_TARGET_DIR: targetDir },
      onLine,
    });
    stamp("shop", hash);
  },
};
