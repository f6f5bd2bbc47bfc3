// `npm run operator-token`: a bearer token for the operator API.
import { command, configFileOf, readArguments, wholeNumber } from "./command-line.mjs";
import { wranglerFile } from "./paths.mjs";
import { setup } from "./setup.mjs";

const USAGE = `npm run operator-token -- [--event E] [--name NAME] [--read] [--hours H] [--config FILE]
  --event E    the one event it holds for; without it, every event of the deployment
  --name NAME  who it is for, as the log will show it; "operator" by default
  --read       may see and change nothing
  --hours H    how long it is valid, 1 to 2208 (92 days), 12 by default
Prints the token alone. The root keys are read from .dev.vars, or from ROOT_KEY in the environment.`;

/** The longest that the key tool signs for. */
const MAX_HOURS = 24 * 92;

async function main(words) {
  const { values } = readArguments(words, {
    config: { type: "string", default: wranglerFile },
    event: { type: "string" },
    name: { type: "string", default: "operator" },
    read: { type: "boolean", default: false },
    hours: { type: "string", default: "12" },
  });
  const hours = wholeNumber(values.hours, { name: "--hours", from: 1, to: MAX_HOURS });
  const configFile = configFileOf(values.config);
  await setup(["packages", "rust", "keys", "keysTool"]);
  const { eventNamed, readDeployment } = await import("./deployment.mjs");
  const { operatorToken } = await import("./setup/keys-tool.mjs");
  const deployment = readDeployment(configFile);
  const { issuer, secrets } = deployment;
  const event = values.event === undefined ? "*" : eventNamed(deployment, values.event).id;
  const scope = values.read ? "read" : "write";
  const token = await operatorToken({ issuer, event, name: values.name, scope, hours, secrets });
  process.stdout.write(`${token}\n`);
}

command(import.meta.url, USAGE, main);
