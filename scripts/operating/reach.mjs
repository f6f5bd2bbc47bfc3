// The operator API of one event, with a token that opens it.
import { UsageError } from "../command-line.mjs";
import { setup } from "../setup.mjs";
import { operatorApi } from "./api.mjs";
import { zoneOf } from "./instants.mjs";

export const DEFAULT_URL = "http://127.0.0.1:8787";

export function requireUrl(text) {
  if (/^https?:/.test(text) && URL.canParse(text)) return;
  throw new UsageError(`--url is ${JSON.stringify(text)}, allowed is an http or https address`);
}

/** `{ event, url, zone, api }`; without the wish for an event it is the one of the deployment's front page. */
export async function reach({ config: configFile, event: wanted, url }) {
  if (!process.env.OPERATOR_TOKEN) await setup(["keys"]);
  const { eventNamed, readDeployment } = await import("../deployment.mjs");
  const deployment = readDeployment(configFile);
  const named = eventNamed(deployment, wanted ?? deployment.events.at(-1)?.id);
  const event = named.id;
  const token = process.env.OPERATOR_TOKEN || (await makeToken(deployment, event));
  const prefix = deployment.config.vars?.PREFIX;
  const zone = zoneOf(named);
  return { event, url, zone, api: operatorApi({ url, prefix, event, token }) };
}

async function makeToken({ issuer, secrets }, event) {
  await setup(["rust", "keysTool"]);
  const { operatorToken } = await import("../setup/keys-tool.mjs");
  const name = (process.env.USER ?? "operator").replace(/[^A-Za-z0-9._-]/g, "") || "operator";
  // Whoever has the root keys may do everything.
  return operatorToken({ issuer, events: event, name, role: "configure", hours: 1, secrets });
}
