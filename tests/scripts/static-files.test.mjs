// The deployment serves the solver without its Worker: the same script with the same headers.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import test from "node:test";
import { writeStaticFiles } from "../../scripts/deploying/static-files.mjs";
import { startServer } from "../../scripts/server.mjs";

test("the static file is the Worker's own answer, at the Worker's own address", async () => {
  const folder = mkdtempSync(path.join(tmpdir(), "anteroom-static-"));
  const server = await startServer({ withShop: false });
  try {
    const answer = await fetch(`${server.url}/_wr/solver.js`);
    const { headers } = answer;
    const text = await answer.text();
    const files = writeStaticFiles(folder, "/_wr", { text, headers });
    assert.equal(readFileSync(path.join(files, "_wr/solver.js"), "utf8"), text);
    const [address, ...lines] = readFileSync(path.join(files, "_headers"), "utf8").trimEnd().split("\n");
    assert.equal(address, "/_wr/solver.js");
    const kept = Object.fromEntries(lines.map((line) => line.trim().split(/: (.*)/s)));
    for (const name of ["cache-control", "content-security-policy", "x-content-type-options"]) {
      assert.equal(kept[name], headers.get(name), name);
    }
    assert.ok(!("content-length" in kept) && !("content-type" in kept), Object.keys(kept).join());
    // Another prefix, and nothing of the one before is left.
    const moved = writeStaticFiles(folder, "/queue", { text: "x", headers });
    assert.equal(readFileSync(path.join(moved, "queue/solver.js"), "utf8"), "x");
    assert.throws(() => readFileSync(path.join(moved, "_wr/solver.js")));
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
});
