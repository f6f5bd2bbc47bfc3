// `npm run dev`: the demo shop and `wrangler dev` in front of it, at one address.
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { command, portOf, readArguments } from "./command-line.mjs";
import { buildDir, devVarsFile, npmBinary, root, toolNode, wranglerEnvironment, wranglerFile } from "./paths.mjs";
import { answers } from "./probe.mjs";
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
  const running = [];
  let isStopping = false;
  const stop = async (code) => {
    isStopping = true;
    await Promise.all(running.map((child) => child.stop()));
    process.exit(code);
  };
  onStopRequest(() => stop(0));
  await setup();
  try {
    await start(path.resolve(values.config), portOf(values.port, DEFAULT_PORT), running);
  } catch (error) {
    if (isStopping) return;
    say(error.message);
    await stop(1);
  }
  const ended = await Promise.race(running.map((child) => child.hasEnded));
  if (isStopping) return;
  say(`Something has ended (${ended.signal ?? `code ${ended.code}`}); stopping the rest.`);
  await stop(1);
}

async function start(configFile, wantedPort, running) {
  const { freePort, startShop } = await import("./shop.mjs");
  const { frontPath, eventsOfDemoShop, readWranglerConfig, secretsBeside, withShopAddress } = await import(
    "./wrangler-config.mjs"
  );
  const port = wantedPort === 0 ? await freePort() : wantedPort;
  const url = `http://localhost:${port}`;
  let config = readWranglerConfig(configFile);
  const secrets = secretsBeside(configFile, devVarsFile);
  if (eventsOfDemoShop(config).length > 0) {
    const stateDir = path.join(devDir, "shop");
    mkdirSync(stateDir, { recursive: true });
    const shop = await startShop({ config, secrets, stateDir, roomUrl: url, onOutput: show });
    running.push(shop);
    config = withShopAddress(config, shop.url);
  }
  const wrangler = await startWrangler({ config, secrets, port });
  running.push(wrangler);
  await answers(`${url}/_wr/health`, START_PATIENCE_MS, wrangler);
  process.stdout.write(`\nOpen ${url}${frontPath(config)}\n`);
}

/** What the children print, without the addresses that nobody should open instead of the one printed at the end. */
function show(text) {
  const lines = text.split("\n").filter((line) => !/\b(Ready on|ready at) http/.test(line));
  process.stderr.write(lines.join("\n"));
}

/** wrangler with a configuration of its own: built already, the shop's address filled in, secrets beside it. */
async function startWrangler({ config, secrets, port }) {
  const { stringify } = await import("smol-toml");
  mkdirSync(devDir, { recursive: true });
  const { build, routes, route, ...kept } = config;
  const file = path.join(devDir, "wrangler.toml");
  writeFileSync(file, stringify({ ...kept, main: path.join(buildDir, "index.js") }));
  const lines = Object.entries(secrets).map(([name, value]) => `${name}=${JSON.stringify(value)}\n`);
  writeFileSync(path.join(devDir, ".dev.vars"), lines.join(""), { mode: 0o600 });
  const state = path.join(root, ".wrangler", "state");
  const address = ["--ip", "127.0.0.1", "--port", String(port)];
  const args = ["dev", "--config", file, ...address, "--persist-to", state, "--log-level", "log"];
  const child = startGroup(toolNode(), [npmBinary("wrangler"), ...args, "--show-interactive-dev-session=false"], {
    cwd: root,
    env: { ...process.env, ...wranglerEnvironment },
  });
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (bytes) => show(String(bytes)));
  return { hasEnded: child.hasEnded, stop: () => stopGroup(child) };
}

command(import.meta.url, USAGE, main);
