// `npm run origin-key`: the key with which one origin verifies passes.
import { command, configFileOf, readArguments, UsageError } from "./command-line.mjs";
import { wranglerFile } from "./paths.mjs";
import { setup } from "./setup.mjs";

const USAGE = `npm run origin-key -- --event E [--algorithm HS256|EdDSA] [--config FILE] [--json]
Prints the key of the event's origin as a JWK and as base64url. With HS256 it is a secret: who has it can make passes
for this origin, and for no other. With EdDSA it is public. The root keys are read from .dev.vars, or from ROOT_KEY and
ROOT_KEY_PREVIOUS in the environment; while two are live there are two keys, the one that signs first.`;

const ALGORITHMS = ["HS256", "EdDSA"];

async function main(words) {
  const { values } = readArguments(words, {
    config: { type: "string", default: wranglerFile },
    event: { type: "string" },
    algorithm: { type: "string" },
    json: { type: "boolean", default: false },
  });
  if (values.algorithm !== undefined) checkAlgorithm("--algorithm", values.algorithm);
  const configFile = configFileOf(values.config);
  await setup(["packages", "rust", "keys", "keysTool"]);
  const { eventNamed, readDeployment } = await import("./deployment.mjs");
  const { originKeys } = await import("./setup/keys-tool.mjs");
  const deployment = readDeployment(configFile);
  const event = eventNamed(deployment, values.event);
  const algorithm = values.algorithm ?? event.pass_algorithm ?? "HS256";
  checkAlgorithm(`pass_algorithm of ${event.id}`, algorithm);
  const { issuer, secrets } = deployment;
  const set = await originKeys({ issuer, audience: event.hosts[0], algorithm, secrets });
  if (values.json) process.stdout.write(`${JSON.stringify(set)}\n`);
  else for (const key of set.keys) print(event, key);
}

function checkAlgorithm(name, text) {
  if (ALGORITHMS.includes(text)) return;
  throw new UsageError(`${name} is ${JSON.stringify(text)}, allowed are ${ALGORITHMS.join(" and ")}`);
}

function print(event, key) {
  const lines = [
    ["event", event.id],
    ["key id", key.kid],
    ["issuer", key.issuer],
    ["audience", key.audience],
    ["jwk", JSON.stringify(key)],
    ["base64url", key.k ?? key.x],
  ];
  process.stdout.write(`${lines.map(([name, value]) => `${name.padEnd(10)}${value}`).join("\n")}\n`);
}

command(import.meta.url, USAGE, main);
