// Where things are. Everything a script makes lies inside the repository, in folders that git ignores.
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "..");
export const toolsDir = path.join(root, ".tools");
export const stampsDir = path.join(toolsDir, "stamps");
export const buildDir = path.join(root, "build");
/** What the platform loads of it. */
export const MAIN_MODULE = "main.js";
export const devVarsFile = path.join(root, ".dev.vars");
export const wranglerFile = path.join(root, "wrangler.toml");

/** Cargo's target folder: a caller may have moved it. */
export const targetDir = path.resolve(root, process.env.CARGO_TARGET_DIR ?? "target");

/**
 * Every native build selects the same packages and features, also where it makes one program of them: so all of them
 * share the same compiled dependencies.
 */
export const NATIVE_SELECTION = ["--workspace", "--all-features"];

/** A command that an npm package brings. */
export const npmBinary = (name) => path.join(root, "node_modules", ".bin", name);

/** The oldest Node that wrangler starts on. */
const WRANGLER_NODE = [22, 12];

/** The Node that runs wrangler: this one if it is new enough, else the one from the npm package `node`. */
export function toolNode() {
  const [major, minor] = process.versions.node.split(".").map(Number);
  const isNewEnough = major > WRANGLER_NODE[0] || (major === WRANGLER_NODE[0] && minor >= WRANGLER_NODE[1]);
  return isNewEnough ? process.execPath : npmBinary("node");
}

/** wrangler asks nothing, reports nothing, and looks nothing up that a run on this machine does not need. */
export const wranglerEnvironment = {
  WRANGLER_SEND_METRICS: "false",
  WRANGLER_SEND_ERROR_REPORTS: "false",
  CLOUDFLARE_CF_FETCH_ENABLED: "false",
  CI: "true",
  WRANGLER_LOG_PATH: path.join(root, ".wrangler", "logs"),
};

/** The version of a Rust crate as Cargo.lock has it: the place where it is pinned. */
export function lockedCrateVersion(crate) {
  const lock = readFileSync(path.join(root, "Cargo.lock"), "utf8");
  const match = lock.match(new RegExp(`name = "${crate}"\\nversion = "([^"]+)"`));
  if (!match) throw new Error(`Cargo.lock names no crate ${crate}`);
  return match[1];
}

/** The first folder of PATH that holds `name`, as a full path, or null. */
export function findOnPath(name) {
  for (const folder of (process.env.PATH ?? "").split(path.delimiter)) {
    const candidate = path.join(folder, name);
    if (folder && existsSync(candidate)) return candidate;
  }
  return null;
}
