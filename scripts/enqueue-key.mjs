// `npm run enqueue-key`: the key with which an organizer's system signs invitations, and a check of what it signed.
import { command, configFileOf, readArguments, UsageError } from "./command-line.mjs";
import { wranglerFile } from "./paths.mjs";
import { say } from "./progress.mjs";
import { setup } from "./setup.mjs";

const USAGE = `npm run enqueue-key -- --event E [--json] [--check TOKEN [--ip ADDRESS]] [--config FILE]
  --event E       the event
  --json          as a JSON Web Key Set
  --check TOKEN   says whether this enqueue token would be taken now, and why not
  --ip ADDRESS    with --check: the visitor's address
  --config FILE   another wrangler.toml
Prints the key for enqueue tokens of this event as a JWK and as base64url. It is a secret: who has it can invite anybody
to this event, and to no other. The root keys are read from .dev.vars, or from ROOT_KEY and ROOT_KEY_PREVIOUS in the
environment; while two are live there are two keys, and the first is the one to sign with.`;

async function main(words) {
  const { values } = readArguments(words, {
    config: { type: "string", default: wranglerFile },
    event: { type: "string" },
    json: { type: "boolean", default: false },
    check: { type: "string" },
    ip: { type: "string" },
  });
  if (values.event === undefined) throw new UsageError("--event is missing");
  if (values.ip !== undefined && values.check === undefined) throw new UsageError("--ip belongs to --check");
  const configFile = configFileOf(values.config);
  await setup(["packages", "keys"]);
  const { eventNamed, readDeployment } = await import("./deployment.mjs");
  const { linesWith } = await import("./lines.mjs");
  const deployment = readDeployment(configFile);
  const event = eventNamed(deployment, values.event);
  const lines = linesWith(event, "enqueue_token");
  await setup(["rust", "keysTool"]);
  const { checkEnqueue, enqueueKeys } = await import("./setup/keys-tool.mjs");
  const of = { issuer: deployment.issuer, event: event.id, secrets: deployment.secrets };
  if (values.check !== undefined) {
    const claims = await checkEnqueue({ ...of, token: values.check, address: values.ip });
    requireLine(event, lines, claims.line);
    process.stdout.write(`${JSON.stringify(claims)}\n`);
    return;
  }
  if (lines.length === 0) say(`${event.id} has no line with access = "enqueue_token" yet`);
  const set = await enqueueKeys(of);
  if (values.json) process.stdout.write(`${JSON.stringify(set)}\n`);
  else for (const key of set.keys) print(key, lines);
}

function requireLine(event, lines, id) {
  if (lines.includes(id)) return;
  const known = lines.length > 0 ? `there are: ${lines.join(", ")}` : "there is none";
  throw new Error(
    `The token holds, but its claim line is ${JSON.stringify(id)}, which is no line of ${event.id} with ` +
      `access = "enqueue_token"; ${known}`,
  );
}

function print(key, lines) {
  const rows = [
    ["event", key.event],
    ["lines", lines.join(", ") || "none"],
    ["key id", key.kid],
    ["audience", key.audience],
    ["jwk", JSON.stringify(key)],
    ["base64url", key.k],
  ];
  process.stdout.write(`${rows.map(([name, value]) => `${name.padEnd(10)}${value}`).join("\n")}\n`);
}

command(import.meta.url, USAGE, main);
