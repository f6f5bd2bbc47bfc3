// C19. Schemathesis asks a real room whatever docs/openapi.yaml allows and forbids, in all its phases: examples, edges of
// every value, random documents, and random ways from one answer to the next request. No answer may be a server error, lack
// a credential that the document demands, take what it forbids, or have another form than it says; and a place that was
// given up stays given up.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import path from "node:path";
import { after, before, test } from "node:test";
import { root } from "../../scripts/paths.mjs";
import { startRoom } from "../e2e/harness/room.mjs";

const PHASES = [
  { phase: "examples", examples: 10 },
  { phase: "coverage", examples: 10 },
  { phase: "fuzzing", examples: 20 },
  { phase: "stateful", examples: 60 },
];
/** Those that the face of world-tour names. */
const LINES = [{ id: "general" }, { id: "fan-club", access: "code" }];
/** The same run every time; another one: API_SEED=7 npm test -- api. */
const SEED = process.env.API_SEED;
const CHOICE = SEED ? ["--seed", SEED] : ["--generation-deterministic"];
const PATIENCE_MS = 600_000;
const NEXT_WEEK_MS = 7 * 24 * 60 * 60_000;
const SHOWN_LINES = 400;

const python = process.env.PYTHON ?? path.join(root, ".venv", "bin", "python");

let room;
let operator;
before(async () => {
  // Operators steer an event of their own, so that visitors of the other one find it open; a third is still to open.
  const opens_at = new Date(Date.now() + NEXT_WEEK_MS).toISOString();
  room = await startRoom({ events: [{ id: "demo" }, { id: "steered" }, { id: "world-tour", opens_at, lines: LINES }] });
  operator = await room.operator({ holdsFor: "*" });
});
after(() => room?.stop());

/** One run of the command line; resolves with `{ code, output }`. */
function schemathesis(args, env) {
  const child = spawn(python, ["-m", "schemathesis.cli", ...args], {
    cwd: path.join(root, "tests", "api"),
    env: { ...process.env, ...env },
    timeout: PATIENCE_MS,
    killSignal: "SIGKILL",
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (bytes) => (output += bytes));
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, output }));
  });
}

for (const { phase, examples } of PHASES) {
  test(`C19: the ${phase} phase finds no fault`, async (context) => {
    const { code, output } = await schemathesis(
      [
        ...["--config-file", "schemathesis.toml", "run", path.join(root, "docs", "openapi.yaml")],
        ...["--url", room.url, "--phases", phase, "--max-examples", String(examples), ...CHOICE],
      ],
      { OPERATOR_TOKEN: operator.token, ROOM_URL: room.url },
    );
    const shown = output.split("\n").slice(-SHOWN_LINES).join("\n");
    assert.equal(code, 0, shown);
    assert.doesNotMatch(output, /No test cases were generated|Warning: .*misconfigured/i);
    context.diagnostic(output.match(/\d[\d,]* generated[^\n]*/)?.[0] ?? "");
    assert.doesNotMatch(room.output, /panicked|RuntimeError|critical/i);
  });
}
