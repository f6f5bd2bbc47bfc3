// `npm run codes`: access codes for a line, to print or to send.
import { command, configFileOf, readArguments, UsageError, wholeNumber } from "./command-line.mjs";
import { wranglerFile } from "./paths.mjs";
import { setup } from "./setup.mjs";

const USAGE = `npm run codes -- --event E --line L --count N [--uses U] [--config FILE]
  --event E      the event
  --line L       one of its lines with access = "code"
  --count N      how many codes, 1 to 100000
  --uses U       how often each may be used, 1 to 1000, once by default
  --config FILE  another wrangler.toml
Prints the codes one a line. They open this line in this run of the event and nothing else. Nothing is stored about
them, here or there, so keep the list. The root keys are read from .dev.vars, or from ROOT_KEY in the environment: take
those of the deployment that the codes are for.`;

/** The most that the key tool makes in one go, and the most uses of a code. */
const MAX_CODES = 100_000;
const MAX_USES = 1_000;

async function main(words) {
  const { values } = readArguments(words, {
    config: { type: "string", default: wranglerFile },
    event: { type: "string" },
    line: { type: "string" },
    count: { type: "string" },
    uses: { type: "string", default: "1" },
  });
  for (const name of ["event", "line", "count"]) {
    if (values[name] === undefined) throw new UsageError(`--${name} is missing`);
  }
  const count = wholeNumber(values.count, { name: "--count", from: 1, to: MAX_CODES });
  const uses = wholeNumber(values.uses, { name: "--uses", from: 1, to: MAX_USES });
  const configFile = configFileOf(values.config);
  await setup(["packages", "keys"]);
  const { eventNamed, readDeployment } = await import("./deployment.mjs");
  const { lineNamed } = await import("./lines.mjs");
  const deployment = readDeployment(configFile);
  const event = eventNamed(deployment, values.event);
  const line = lineNamed(event, "code", values.line);
  await setup(["rust", "keysTool"]);
  const { accessCodes } = await import("./setup/keys-tool.mjs");
  const { issuer, secrets } = deployment;
  const codes = await accessCodes({ issuer, event: event.id, run: event.run, line, count, uses, secrets });
  process.stdout.write(`${codes}\n`);
}

command(import.meta.url, USAGE, main);
