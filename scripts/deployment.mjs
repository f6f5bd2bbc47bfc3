// Which deployment a command means: its wrangler.toml, its events, its keys.
import path from "node:path";
import { UsageError } from "./command-line.mjs";
import { devVarsFile } from "./paths.mjs";
import { eventsOf, readWranglerConfig, secretsBeside } from "./wrangler-config.mjs";

/** Root keys in the environment win over those beside the file: so those of production are never written down. */
export function readDeployment(configFile) {
  const file = path.resolve(configFile);
  const config = readWranglerConfig(file);
  const { ROOT_KEY, ROOT_KEY_PREVIOUS } = process.env;
  const secrets = ROOT_KEY ? { ROOT_KEY, ROOT_KEY_PREVIOUS } : secretsBeside(file, devVarsFile);
  return { config, secrets, issuer: config.vars?.ISSUER, events: eventsOf(config).map(({ event }) => event) };
}

/** The event of that id; a wrong one is answered with those that there are. */
export function eventNamed(deployment, id) {
  const event = deployment.events.find((each) => each.id === id);
  if (event) return event;
  const known = deployment.events.map((each) => each.id).join(", ");
  throw new UsageError(`--event is ${JSON.stringify(id ?? "")}, there are: ${known}`);
}
