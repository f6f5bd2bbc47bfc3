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

test("pages of the model rest as long as pages do between two tries for a socket", () => {
  const script = read("static/js/listening.js");
  const model = read("tests/simulation/src/megasale/pages.rs");
  const first_ms = script.match(/^const REST_MS = ([\d_]+);$/m)[1];
  const [, times, of_ms] = script.match(/^const LONGEST_REST_MS = (\d+) \* ([\d_]+);$/m);
  assert.equal(model.match(/^const REST_MS: u64 = ([\d_]+);$/m)[1], first_ms);
  assert.equal(of_ms, first_ms);
  assert.equal(2 ** Number(model.match(/^const MOST_DOUBLED: u8 = (\d+);$/m)[1]), Number(times));
});
