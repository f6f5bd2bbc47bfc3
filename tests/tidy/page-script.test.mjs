// The page's script is many files in one function: what one of them names, no other may name again.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { PAGE_SCRIPT } from "../page/carried.mjs";

const read = (file) => readFileSync(fileURLToPath(new URL(`../../${file}`, import.meta.url)), "utf8");
const NAMED = /^(?:async )?(?:function\*? |const |let )(\w+)/gm;

test("no two files of the page's script use one name", () => {
  const owners = new Map();
  for (const file of PAGE_SCRIPT) {
    for (const [, name] of read(file).matchAll(NAMED)) owners.set(name, [...(owners.get(name) ?? []), file]);
  }
  assert.ok(owners.size > 100, "the names are found");
  const shared = [...owners].filter(([, where]) => where.length > 1);
  assert.deepEqual(shared, []);
});
