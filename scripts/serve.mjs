// `npm run serve`: the built Worker on plain workerd, with its state in a folder. For benchmarks, tests, one machine.
import path from "node:path";
import { command, configFileOf, portOf, readArguments } from "./command-line.mjs";
import { heldOutput } from "./held-output.mjs";
import { madeStateFolder, takeState } from "./leftovers.mjs";
import { root, wranglerFile } from "./paths.mjs";
import { requireFreePort } from "./ports.mjs";
import { refusedText } from "./answers.mjs";
import { onStopRequest } from "./processes.mjs";
import { say } from "./progress.mjs";
import { setup } from "./setup.mjs";

const USAGE = `npm run serve -- [--port P] [--state DIR] [--config FILE] [--host H] [--tls] [--print-pids]
  --port P      the port, 8787 by default; 0 takes any free one
  --state DIR   where the objects store, .state/serve by default; kept between starts
  --config FILE another wrangler.toml; an event whose origin is "demo-shop" starts the demo shop too
  --host H      the address to listen at, 127.0.0.1 by default
  --tls         https with a self-signed certificate, DIR/serve/certificate.pem
  --print-pids  one more line, JSON: {"url","port","workerd_pid","shop_pid","shop_url"}
Prints "ready ADDRESS" when it answers. Ctrl-C and SIGTERM stop everything. A configuration that the Worker refuses is
said, and nothing is served.`;

const DEFAULT_PORT = 8787;

async function main(words) {
  const { values } = readArguments(words, {
    port: { type: "string" },
    state: { type: "string", default: path.join(root, ".state", "serve") },
    config: { type: "string", default: wranglerFile },
    host: { type: "string", default: "127.0.0.1" },
    tls: { type: "boolean", default: false },
    "print-pids": { type: "boolean", default: false },
  });
  const port = portOf(values.port, DEFAULT_PORT);
  const configFile = configFileOf(values.config);
  const stateDir = madeStateFolder(values.state);
  await takeState(stateDir);
  await requireFreePort(port, [values.host]);
  let server;
  let isStopping = false;
  const stop = async () => {
    isStopping = true;
    await server?.stop();
    process.exit(0);
  };
  onStopRequest(stop);
  // A configuration that cannot be read is said before what takes minutes; reading it needs a package.
  await setup(["packages"]);
  (await import("./wrangler-config.mjs")).readWranglerConfig(configFile);
  await setup();
  await requireFreePort(port, [values.host]);
  const { startServer } = await import("./server.mjs");
  const output = heldOutput((text) => process.stderr.write(text));
  const wanted = { port, stateDir, configFile, host: values.host, tls: values.tls, onOutput: output.take };
  server = await startServer(wanted).catch((error) => {
    output.let();
    throw error;
  });
  if (server.problems.length > 0) {
    await server.stop();
    throw new Error(refusedText(server.problems));
  }
  output.let();
  if (values["print-pids"]) {
    const { url, port, workerdPid, shopPid, shopUrl } = server;
    const pids = { url, port, workerd_pid: workerdPid, shop_pid: shopPid ?? null, shop_url: shopUrl ?? null };
    process.stdout.write(`${JSON.stringify(pids)}\n`);
  }
  process.stdout.write(`ready ${server.url}\n`);
  const { code, signal } = await server.hasEnded;
  if (isStopping) return;
  say(`workerd has ended (${signal ?? `code ${code}`})`);
  await server.stop();
  process.exit(1);
}

command(import.meta.url, USAGE, main);
