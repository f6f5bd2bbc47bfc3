// The real templates, rendered by a native program that is asked line by line.

import { spawn, spawnSync } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const BUILD_WITHIN_MS = 15 * 60_000;

/** Builds a renderer, one of the edge's examples, and says where it is. */
function renderer(example) {
  const build = spawnSync(
    "cargo",
    ["build", "--quiet", "--package", "anteroom", "--example", example, "--message-format", "json"],
    { cwd: process.env.PAGE_BUILD_ROOT ?? ROOT, stdio: ["ignore", "pipe", "inherit"], timeout: BUILD_WITHIN_MS },
  );
  const built = build.stdout.toString().split("\n").filter(Boolean).map(JSON.parse);
  const made = built.find((message) => message.target?.name === example && message.executable);
  if (!made) throw new Error(`cargo did not build the example ${example}`);
  return made.executable;
}

/** `render(view)` resolves to what the example makes of the view, by default the queue page; `stop()` ends it. */
export function startRenderer(example = "render_page") {
  const child = spawn(renderer(example), { stdio: ["pipe", "pipe", "inherit"] });
  const waiting = [];
  createInterface({ input: child.stdout }).on("line", (line) => waiting.shift()(JSON.parse(line)));
  return {
    render: (view) =>
      new Promise((done) => {
        waiting.push(done);
        child.stdin.write(`${JSON.stringify(view)}\n`);
      }),
    stop: () => child.stdin.end(),
  };
}
