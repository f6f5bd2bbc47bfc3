// A stamp says from which inputs a step's result was made: the step runs again only when they differ.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { root, stampsDir } from "./paths.mjs";

const SKIPPED_FOLDERS = new Set(["target", "node_modules", ".git"]);

/** All files at or below the given paths of the repository, sorted. */
export function filesBelow(...names) {
  const found = [];
  const visit = (name) => {
    const full = path.join(root, name);
    if (!existsSync(full)) return;
    if (!statSync(full).isDirectory()) return void found.push(name);
    for (const entry of readdirSync(full)) if (!SKIPPED_FOLDERS.has(entry)) visit(path.join(name, entry));
  };
  names.forEach(visit);
  return found.sort();
}

/** A crate's tests are in nothing that is built for use. */
const isCrateTest = (name) => /^(crates\/[^/]+|durable-objects|examples\/[^/]+)\/tests\//.test(name);

/** One hash over the names and contents of files and over further words (versions, settings). */
export function contentHash(names, words = []) {
  const hash = createHash("sha256");
  for (const name of filesBelow(...names).filter((each) => !isCrateTest(each))) {
    hash
      .update(`${name}\0`)
      .update(readFileSync(path.join(root, name)))
      .update("\0");
  }
  for (const word of words) hash.update(`${word}\0`);
  return hash.digest("hex");
}

export function isStamped(step, hash) {
  const file = path.join(stampsDir, step);
  return existsSync(file) && readFileSync(file, "utf8") === hash;
}

export function stamp(step, hash) {
  mkdirSync(stampsDir, { recursive: true });
  writeFileSync(path.join(stampsDir, step), hash);
}
