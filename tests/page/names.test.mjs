// The scripts are put together from files that use one another's functions, so a linter that sees one file cannot know
// which names exist. Here it sees each script whole, as it is sent.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { npmBinary, root } from "../../scripts/paths.mjs";
import { PAGE_SCRIPT, STRIP } from "./carried.mjs";

const read = (name) => readFileSync(path.join(root, name), "utf8");

/** The files that a Rust file puts together, in its order. */
const filesIn = (name) => [...new Set([...read(name).matchAll(/static\/(?:js|sheets)\/\w+\.js/g)].flat())];
const SHEETS = ["src/sheets/draw.rs", "src/sheets/handover.rs", "src/sheets/staff.rs"];
/** Each with its files and what else is given. */
const SCRIPTS = [
  ["the queue page", PAGE_SCRIPT, ""],
  ["the strip", STRIP, "const FRONTS = {}, COLOURS = '';"],
  ...SHEETS.map((name) => [name, filesIn(name), ""]),
];

/** What the linter says of a script: the names that exist nowhere. */
function unknownNames(script) {
  const folder = mkdtempSync(path.join(tmpdir(), "names-"));
  try {
    writeFileSync(path.join(folder, "script.js"), script);
    const options = ["--only=correctness/noUndeclaredVariables", "--error-on-warnings", "--reporter=github"];
    const run = spawnSync(npmBinary("biome"), ["lint", ...options, "script.js"], { cwd: folder, encoding: "utf8" });
    assert.equal(run.error, undefined);
    return { names: [...run.stdout.matchAll(/The (\w+) variable is undeclared/g)].map(([, name]) => name), run };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

for (const [name, files, given] of SCRIPTS) {
  test(`every name in the script of ${name} exists`, () => {
    assert.ok(files.length > 1);
    const script = files.map(read).join("");
    const { names, run } = unknownNames(`(() => {"use strict";${given}${script}})();`);
    assert.deepEqual(names, []);
    assert.equal(run.status, 0, run.stdout + run.stderr);
    assert.deepEqual(unknownNames(`${script}\nnobody = 1;`).names.at(-1), "nobody");
  });
}
