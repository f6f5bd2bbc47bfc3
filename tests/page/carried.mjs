// Which files become the script of the queue page and the strip, and in which order, read where it is decided.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";

const build = readFileSync(new URL("../../build.rs", import.meta.url), "utf8");

function filesIn(list) {
  const [, files] = build.match(new RegExp(`^const ${list}: \\[&str; \\d+\\] = \\[([^\\]]*)\\];`, "m")) ?? [];
  assert.ok(files, `build.rs lists ${list}`);
  return [...files.matchAll(/"([^"]+)"/g)].map(([, file]) => `static/${file}`);
}

export const PAGE_SCRIPT = filesIn("PAGE_SCRIPT");
export const STRIP = filesIn("STRIP");
