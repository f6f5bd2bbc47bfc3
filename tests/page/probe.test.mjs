// Whether cookies come back is found out by every tab for itself, also while others do the same.

import assert from "node:assert/strict";
import { test } from "node:test";
import { script } from "./script.mjs";

/** The document of one tab; `between` runs after each cookie that it sets. */
const tab = (jar, between = () => {}) => ({
  get cookie() {
    return [...jar].map(([name, value]) => `${name}=${value}`).join("; ");
  },
  set cookie(line) {
    const [, name, value] = line.match(/^([^=]+)=([^;]*)/);
    if (line.includes("Max-Age=0")) jar.delete(name);
    else jar.set(name, value);
    between();
  },
});

test("two tabs that look for cookies at the same instant both find them, and leave none behind", () => {
  const jar = new Map([["sid", "1"]]);
  const found = [];
  const first = tab(jar, () => found.push(script.cookiesWork(tab(jar))));
  assert.equal(script.cookiesWork(first), true);
  assert.deepEqual(found, [true, true]);
  assert.deepEqual([...jar], [["sid", "1"]]);
});
