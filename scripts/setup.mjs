// `npm run setup`: prepares and builds everything. Other commands call `setup` with the steps that they need.
//
// Each step compares a hash of its inputs with the stamp of its last success, so a second run takes a moment.
// This file and what it imports must work before any npm package is there.
import { mkdirSync } from "node:fs";
import { command, readArguments } from "./command-line.mjs";
import { leaveFolder, takeTurn } from "./owners.mjs";
import { toolsDir } from "./paths.mjs";
import { onStopRequest } from "./processes.mjs";
import { say, seconds, step } from "./progress.mjs";
import { buildToolsStep } from "./setup/build-tools.mjs";
import { keysStep } from "./setup/keys.mjs";
import { keysToolStep } from "./setup/keys-tool.mjs";
import { packagesStep } from "./setup/packages.mjs";
import { pathsToolStep } from "./setup/paths-tool.mjs";
import { rustStep } from "./setup/rust.mjs";
import { shopStep } from "./setup/shop.mjs";
import { workerStep } from "./setup/worker.mjs";

const USAGE = `npm run setup -- [--quiet]
  --quiet  says nothing when everything is ready
Prepares and builds everything that the other commands need.`;

/** In the order in which they build on each other. */
const STEPS = {
  packages: packagesStep,
  rust: rustStep,
  tools: buildToolsStep,
  keys: keysStep,
  keysTool: keysToolStep,
  pathsTool: pathsToolStep,
  shop: shopStep,
  worker: workerStep,
};
export const everyStep = Object.keys(STEPS);

/** Does what is missing of the named steps. Throws with the reason when a step cannot be done. */
export async function setup(names = everyStep) {
  const pending = everyStep.filter((name) => names.includes(name));
  if (pending.every((name) => STEPS[name].isDone())) return false;
  mkdirSync(toolsDir, { recursive: true });
  await takeTurn(toolsDir, "setup");
  try {
    for (const name of pending) {
      const { isDone, title, usually, work } = STEPS[name];
      if (!isDone()) await step(title, usually, work);
    }
  } finally {
    leaveFolder(toolsDir);
  }
  return true;
}

async function main(words) {
  const { values } = readArguments(words, { quiet: { type: "boolean", default: false } });
  const startedAt = Date.now();
  onStopRequest(() => process.exit(130));
  const hasWorked = await setup();
  if (!values.quiet) say(hasWorked ? `Ready after ${seconds(Date.now() - startedAt)}.` : "Everything is ready.");
}

command(import.meta.url, USAGE, main);
