// `npm run deploy`: checks, packages, deploys. A dry run needs no network and no secrets.
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { command, configFileOf, readArguments } from "./command-line.mjs";
import {
  checkAccepted,
  checkDeploymentIsNoDemo,
  checkKeys,
  checkRoutes,
  checkSize,
  checkVariableSizes,
  isLoopbackOnly,
} from "./deploying/checks.mjs";
import { liveValues } from "./deploying/live.mjs";
import { writeStaticFiles } from "./deploying/static-files.mjs";
import { MAIN_MODULE, buildDir, npmBinary, root, toolNode, wranglerEnvironment, wranglerFile } from "./paths.mjs";
import { DEFAULT_PREFIX } from "./answers.mjs";
import { run } from "./processes.mjs";
import { step } from "./progress.mjs";
import { setup } from "./setup.mjs";
import { freshRootKey } from "./setup/keys.mjs";

const USAGE = `npm run deploy -- [--dry-run] [--config FILE]
Checks the configuration, packages the Worker and deploys it with wrangler. Events for loopback hosts are
checked like all others and left out.
  --dry-run     checks and packages only; needs no network and no secrets
  --config FILE another wrangler.toml
Ends with 1 when a check fails, and deploys nothing then.`;

const deployDir = path.join(root, ".wrangler", "deploy");
const MARKS = { ok: "ok  ", failed: "FAIL", note: "note" };

async function main(words) {
  const { values } = readArguments(words, {
    "dry-run": { type: "boolean", default: false },
    config: { type: "string", default: wranglerFile },
  });
  const isDry = values["dry-run"];
  const configFile = configFileOf(values.config);
  // A configuration that cannot be read is said before what takes minutes; reading it needs a package.
  await setup(["packages"]);
  const { eventsOf, readWranglerConfig } = await import("./wrangler-config.mjs");
  const whole = readWranglerConfig(configFile);
  await setup(["packages", "rust", "tools", "worker"]);
  const { config, leftOut } = withoutLoopbackEvents(whole, eventsOf(whole));
  const events = eventsOf(config);
  const file = await writeConfig(config, "wrangler.toml");
  const acceptance = await step("the Worker reads the configuration", "2 to 5 s", () =>
    acceptedAsWhole(whole, file, leftOut),
  );
  await addStaticFiles(config, acceptance.solver);
  const results = [
    ...leftOut.map((id) => ({ outcome: "note", text: `${id}: checked but not deployed, only loopback reaches it` })),
    ...checkRoutes(config, events),
    ...checkVariableSizes(eventsOf(whole)),
    ...checkDeploymentIsNoDemo(config, events),
    ...(await keys(file, isDry, events)),
    ...(await liveValues(config, events)),
    ...acceptance.checks,
  ];
  const packing = ["deploy", "--dry-run", "--outdir", path.join(deployDir, "out"), "--config", file];
  const packed = await step("wrangler packs the Worker", "5 to 15 s", (onLine) => wrangler(packing, { onLine }));
  results.push(packed.code === 0 ? checkSize(packed.output) : { outcome: "failed", text: packed.output.trim() });
  for (const { outcome, text } of results) process.stdout.write(`${MARKS[outcome]}  ${text}\n`);
  const failures = results.filter(({ outcome }) => outcome === "failed").length;
  if (failures > 0) throw new Error(`${failures} ${failures === 1 ? "check" : "checks"} failed; nothing was deployed`);
  if (isDry) return void process.stdout.write("Dry run: nothing was deployed.\n");
  const deployed = await wrangler(["deploy", "--config", file], { stdio: "inherit" });
  if (deployed.code !== 0) throw new Error("wrangler did not deploy");
}

function withoutLoopbackEvents(config, events) {
  const local = events.filter(({ event }) => isLoopbackOnly(event));
  const vars = { ...config.vars };
  for (const { variable } of local) delete vars[variable];
  return { config: { ...config, vars }, leftOut: local.map(({ event }) => event.id) };
}

/** wrangler's own configuration: what was built, without the build command. */
async function writeConfig(config, name) {
  const { stringify } = await import("smol-toml");
  const { build, ...kept } = config;
  mkdirSync(deployDir, { recursive: true });
  const file = path.join(deployDir, name);
  writeFileSync(file, stringify({ ...kept, main: path.join(buildDir, MAIN_MODULE) }));
  return file;
}

/** The solver beside the Worker; who has static files of their own puts it there, or pays for its requests. */
async function addStaticFiles(config, solver) {
  if (!solver || config.assets) return;
  const directory = writeStaticFiles(deployDir, config.vars?.PREFIX ?? DEFAULT_PREFIX, solver);
  await writeConfig({ ...config, assets: { directory } }, "wrangler.toml");
}

/** wrangler, run to its end; its output is gathered unless `stdio` is "inherit". */
function wrangler(args, { stdio = ["ignore", "pipe", "pipe"], onLine } = {}) {
  const env = { ...process.env, ...wranglerEnvironment, CI: process.env.CI ?? "" };
  return run(toolNode(), [npmBinary("wrangler"), ...args], { cwd: root, env, stdio, onLine });
}

async function keys(file, isDry, events) {
  if (isDry) return checkKeys(null, "a dry run asks nobody for them");
  const { code, output } = await wrangler(["secret", "list", "--format", "json", "--config", file]);
  const list = output.match(/\[[\s\S]*\]/)?.[0];
  if (code !== 0 || !list) return checkKeys([], "", events);
  return checkKeys(
    JSON.parse(list).map(({ name }) => name),
    "",
    events,
  );
}

/** What is deployed, and the events that are left out of it too: one that is broken is broken on this machine. */
async function acceptedAsWhole(whole, file, leftOut) {
  const prefix = whole.vars?.PREFIX;
  const deployed = await accepted(file, prefix);
  const { solver } = deployed;
  if (leftOut.length === 0 || deployed.status !== 200) return { checks: checkAccepted(deployed), solver };
  const wholeFile = await writeConfig(whole, "whole.toml");
  const left = checkAccepted(await accepted(wholeFile, prefix), "with what is left out");
  return { checks: [...checkAccepted(deployed), ...left], solver };
}

/**
 * Starts the Worker here with this configuration and keys of no worth, and asks whether it is content, and for its solver.
 * One that is not content knows no prefix and says why under the one that holds when none is configured.
 */
async function accepted(file, prefix = DEFAULT_PREFIX) {
  const { startServer } = await import("./server.mjs");
  const secrets = { ROOT_KEY: freshRootKey("check"), TURNSTILE_SECRET: "check" };
  const server = await startServer({ configFile: file, withShop: false, secrets });
  try {
    const content = await fetch(`${server.url}${prefix}/health`);
    const response = content.ok ? content : await fetch(`${server.url}${DEFAULT_PREFIX}/health`);
    const solver = await fetch(`${server.url}${prefix}/solver.js`);
    return {
      ...{ status: response.status, body: await response.text() },
      solver: solver.ok ? { text: await solver.text(), headers: solver.headers } : null,
    };
  } finally {
    await server.stop();
  }
}

command(import.meta.url, USAGE, main);
