// `npm run dev`: the demo shop and `wrangler dev` in front of it, at one address.
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { command, configFileOf, portOf, readArguments, UsageError } from "./command-line.mjs";
import { heldOutput } from "./held-output.mjs";
import { takeFolder } from "./owners.mjs";
import {
  MAIN_MODULE,
  buildDir,
  devVarsFile,
  npmBinary,
  root,
  toolNode,
  wranglerEnvironment,
  wranglerFile,
} from "./paths.mjs";
import { freePort, requireFreePort } from "./ports.mjs";
import { refusedText, workerAnswers } from "./answers.mjs";
import { onStopRequest, startGroup, stopGroup } from "./processes.mjs";
import { say } from "./progress.mjs";
import { setup } from "./setup.mjs";

const USAGE = `npm run dev -- [--port P] [--config FILE]
  --port P      the port, 8787 by default; 0 takes any free one
  --config FILE another wrangler.toml
Prepares what is missing, starts the demo shop and wrangler in front of it, prints one address. Ctrl-C stops everything.`;

const DEFAULT_PORT = 8787;
const START_PATIENCE_MS = 60_000;
const devDir = path.join(root, ".wrangler", "anteroom");

async function main(words) {
  const { values } = readArguments(words, {
    port: { type: "string" },
    config: { type: "string", default: wranglerFile },
  });
  const wantedPort = portOf(values.port, DEFAULT_PORT);
  const configFile = configFileOf(values.config);
  await requireFreePort(wantedPort);
  mkdirSync(devDir, { recursive: true });
  const owner = takeFolder(devDir);
  if (owner !== null) {
    throw new UsageError(`another \`npm run dev\` works in this folder, process ${owner}; end it first`);
  }
  const running = [];
  let isStopping = false;
  const stop = async (code) => {
    isStopping = true;
    await Promise.all(running.map((child) => child.stop()));
    process.exit(code);
  };
  onStopRequest(() => stop(0));
  // A configuration that cannot be read is said before what takes minutes; reading it needs a package.
  await setup(["packages"]);
  const { readWranglerConfig } = await import("./wrangler-config.mjs");
  const config = readWranglerConfig(configFile);
  await setup();
  const output = heldOutput(show);
  try {
    await start({ config, configFile, wantedPort }, running, output);
  } catch (error) {
    if (isStopping) return;
    output.let();
    say(error.message);
    await stop(1);
  }
  const ended = await Promise.race(running.map((child) => child.hasEnded));
  if (isStopping) return;
  say(`Something has ended (${ended.signal ?? `code ${ended.code}`}); stopping the rest.`);
  await stop(1);
}

async function start({ config: wholeConfig, configFile, wantedPort }, running, output) {
  const { startShop } = await import("./shop.mjs");
  const { eventsOf, frontPath, eventsOfDemoShop, secretsBeside, withShopAddress } = await import(
    "./wrangler-config.mjs"
  );
  await requireFreePort(wantedPort);
  const port = wantedPort === 0 ? await freePort() : wantedPort;
  const url = `http://localhost:${port}`;
  let config = wholeConfig;
  const secrets = secretsBeside(configFile, devVarsFile);
  if (eventsOfDemoShop(config).length > 0) {
    const stateDir = path.join(devDir, "shop");
    mkdirSync(stateDir, { recursive: true });
    const shop = await startShop({ config, secrets, stateDir, roomUrl: url, onOutput: output.take });
    running.push(shop);
    config = withShopAddress(config, shop.url);
  }
  const wrangler = await startWrangler({ config, secrets, port, onOutput: output.take });
  running.push(wrangler);
  const problems = await workerAnswers(url, config.vars?.PREFIX, START_PATIENCE_MS, wrangler);
  if (problems.length > 0) {
    output.drop();
    throw new Error(refusedText(problems));
  }
  output.let();
  const [event] = eventsOf(config).slice(-1);
  if (event)
    say(
      `\nTo see a long line, send visitors from another terminal:\n  ${crowdCommand(`${url}${frontPath(config)}`, event.event)}`,
    );
  process.stdout.write(`\nOpen ${url}${frontPath(config)}\n`);
}

/** More visitors than the event admits at once, for some minutes. */
const crowdCommand = (url, { id }) =>
  `npm run load -- --url ${url} --event ${id} --visitors 300 --arrivals-per-second 20`;

/** What the children print, without the addresses that nobody should open instead of the one printed at the end. */
function show(text) {
  const lines = text.split("\n").filter((line) => !/\b(Ready on|ready at) http/.test(line));
  process.stderr.write(lines.join("\n"));
}

/** wrangler with a configuration of its own: built already, the shop's address filled in, secrets beside it. */
async function startWrangler({ config, secrets, port, onOutput }) {
  const { stringify } = await import("smol-toml");
  const { build, routes, route, ...kept } = config;
  const file = path.join(devDir, "wrangler.toml");
  writeFileSync(file, stringify({ ...kept, main: path.join(buildDir, MAIN_MODULE) }));
  const lines = Object.entries(secrets).map(([name, value]) => `${name}=${JSON.stringify(value)}\n`);
  writeFileSync(path.join(devDir, ".dev.vars"), lines.join(""), { mode: 0o600 });
  const state = path.join(root, ".wrangler", "state");
  const address = ["--ip", "127.0.0.1", "--port", String(port)];
  const args = ["dev", "--config", file, ...address, "--persist-to", state, "--log-level", "log"];
  const child = startGroup(toolNode(), [npmBinary("wrangler"), ...args, "--show-interactive-dev-session=false"], {
    cwd: root,
    env: { ...process.env, ...wranglerEnvironment },
  });
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (bytes) => onOutput(String(bytes)));
  return { hasEnded: child.hasEnded, stop: () => stopGroup(child) };
}

command(import.meta.url, USAGE, main);
