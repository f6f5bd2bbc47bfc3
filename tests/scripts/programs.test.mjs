// The calls of docs/programs.md, typed in as they stand there.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import test, { after, before } from "node:test";
import { findOnPath, root } from "../../scripts/paths.mjs";
import { startServer } from "../../scripts/server.mjs";

const PATIENCE = { timeout: 90_000 };

let server;
before(async () => {
  server = await startServer();
});
after(() => server?.stop());

/** The document's blocks of shell, as one script, against this server. */
function script() {
  const text = readFileSync(path.join(root, "docs", "programs.md"), "utf8");
  const blocks = [...text.matchAll(/^```bash\n([\s\S]*?)^```$/gm)].map(([, block]) => block);
  assert.equal(blocks.length, 6);
  const [, address] = blocks[0].match(/^ROOM=(.*)$/m);
  return blocks.join("\n").replace(`ROOM=${address}`, `ROOM=${server.url}`);
}

/** What the script prints. */
function run(shell) {
  const child = spawn("bash", ["-eu", "-c", shell], { timeout: PATIENCE.timeout });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (bytes) => (output += bytes));
  return new Promise((resolve) => child.on("close", (code) => resolve({ code, output })));
}

const skip = ["bash", "curl"].every(findOnPath) ? false : "bash or curl is missing";

test("permit, ticket, pass, shop: as documented, and the session is given back", { ...PATIENCE, skip }, async () => {
  const { code, output } = await run(script());
  assert.equal(code, 0, output);
  assert.match(output, /"ticket":"[\w-]+\.[\w-]+\.[\w-]+"/);
  assert.match(output, /^the shop answers 200$/m);
  assert.match(output, /"state":"ended"/);
});
