// `npm run operator-token`: a bearer token for the operator API.
import { command, configFileOf, readArguments, UsageError, wholeNumber } from "./command-line.mjs";
import { wranglerFile } from "./paths.mjs";
import { setup } from "./setup.mjs";

const USAGE = `npm run operator-token -- [--event E]... [--role R] [--name NAME] [--hours H] [--config FILE]
  --event E    an event that it holds for, more than once for several; without it, every event of the deployment
  --role R     view: sees everything and changes nothing
               operate: steers the sale while it runs, within the configured limits; the default
               configure: also what was promised, such as the opening, more than the configured limits, staff passes
  --name NAME  who it is for, as the log will show it; "operator" by default
  --hours H    how long it is valid, 1 to 2208 (92 days), 12 by default
Prints the token alone. The root keys are read from .dev.vars, or from ROOT_KEY in the environment. Which command needs
which role: docs/runbook.md.`;

const ROLES = ["view", "operate", "configure"];
/** The longest that the key tool signs for. */
const MAX_HOURS = 24 * 92;

async function main(words) {
  const { values } = readArguments(words, {
    config: { type: "string", default: wranglerFile },
    event: { type: "string", multiple: true },
    role: { type: "string", default: "operate" },
    name: { type: "string", default: "operator" },
    hours: { type: "string", default: "12" },
  });
  const hours = wholeNumber(values.hours, { name: "--hours", from: 1, to: MAX_HOURS });
  const { name, role } = values;
  if (!ROLES.includes(role)) {
    throw new UsageError(`--role is ${JSON.stringify(role)}, allowed are ${ROLES.join(", ")}`);
  }
  const configFile = configFileOf(values.config);
  await setup(["packages", "rust", "keys", "keysTool"]);
  const { eventNamed, readDeployment } = await import("./deployment.mjs");
  const { operatorToken } = await import("./setup/keys-tool.mjs");
  const deployment = readDeployment(configFile);
  const { issuer, secrets } = deployment;
  const ids = (values.event ?? []).map((id) => eventNamed(deployment, id).id);
  const events = ids.length === 0 ? "*" : [...new Set(ids)].join(",");
  const token = await operatorToken({ issuer, events, name, role, hours, secrets });
  process.stdout.write(`${token}\n`);
}

command(import.meta.url, USAGE, main);
