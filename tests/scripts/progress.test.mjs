// What a step says while it is at work, and what it does not.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import path from "node:path";
import test from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { root } from "../../scripts/paths.mjs";
import { step } from "../../scripts/progress.mjs";

/** What a step says whose work takes a while where nobody watches. */
async function saidDuring(work, options = {}) {
  const said = [];
  const settings = { isWatched: false, signOfLifeMs: 40, write: (line) => said.push(line), ...options };
  await step("the pages", "a moment", work, settings).catch((error) => said.push(error.message));
  return said;
}

test("a step that says nothing itself still gives signs of life", async () => {
  const said = await saidDuring(() => sleep(150));
  assert.equal(said[0], "- the pages (usually a moment)");
  const signs = said.filter((line) => line.startsWith("    still at it after 0."));
  assert.ok(signs.length >= 2, said.join("\n"));
  for (const line of signs) assert.match(line, /after \d\.\d s$/, "no colon before nothing");
  assert.match(said.at(-1), /^ {2}the pages: 0\.\d s$/);
});

test("a sign of life ends with what the work said last", async () => {
  const said = await saidDuring(async (onLine) => {
    onLine("Compiling anteroom");
    await sleep(70);
  });
  assert.match(said[1], /^ {4}still at it after 0\.\d s: Compiling anteroom$/);
});

test("a quick step is mentioned only when it is not quick", async () => {
  assert.deepEqual(await saidDuring(() => sleep(1), { isQuietFor: 5_000 }), []);
  const said = await saidDuring(() => sleep(60), { isQuietFor: 20, signOfLifeMs: 10_000 });
  assert.equal(said.length, 2, said.join("\n"));
});

test("that cargo waits for another one is said at once, also by a step that is quiet yet", async () => {
  const waits = "Blocking waiting for file lock on build directory";
  const quiet = { isQuietFor: 60_000, signOfLifeMs: 60_000 };
  const said = await saidDuring(async (onLine) => onLine(waits), quiet);
  assert.deepEqual(said.slice(0, 2), ["- the pages (usually a moment)", `    ${waits}`]);
  assert.deepEqual(await saidDuring(async (onLine) => onLine("Compiling anteroom"), quiet), []);
});

test("what goes wrong in a step goes on to the caller", async () => {
  const said = await saidDuring(() => Promise.reject(new Error("no disk")));
  assert.equal(said.at(-1), "no disk");
});

/** Programs in Rust: their help needs no compiler, so it is there without one. */
const HELPS = [
  ["load", ["--url URL", "--deadline-seconds S", "1 to 86400 (600)", "Ends with 0"]],
  ["model", ["--small", "Ends with 0"]],
  ["simulate", ["--profile P", "raffle", "--visitors N", "1 to 5000000 (10000;", "--seeds K", "Ends with 0"]],
];

for (const [command, parts] of HELPS) {
  for (const word of ["--help", "-h"]) {
    test(`${command} ${word} explains every option without a build`, () => {
      const script = path.join("scripts", `${command}.mjs`);
      const environment = { ...process.env, PATH: "" };
      const { status, stdout, stderr } = spawnSync(process.execPath, [script, word], {
        cwd: root,
        env: environment,
        encoding: "utf8",
      });
      assert.deepEqual([status, stderr], [0, ""]);
      for (const part of [`npm run ${command} -- `, ...parts]) assert.ok(stdout.includes(part), `${part}: ${stdout}`);
    });
  }
}
