// The demo shop as a child process: its address, its keys, its store.
import { freePort } from "./ports.mjs";
import { answers } from "./answers.mjs";
import { startGroup, stopGroup } from "./processes.mjs";
import { originKeys } from "./setup/keys-tool.mjs";
import { shopBinary } from "./setup/shop.mjs";
import { eventsOfDemoShop } from "./wrangler-config.mjs";

const START_PATIENCE_MS = 20_000;

/**
 * Starts the shop for the events of `config` that name it; `roomUrl` is the waiting room's address, to which it
 * sends those who come without a pass; `settings` are further environment variables of the shop. Resolves when it answers.
 */
export async function startShop({ config, secrets, stateDir, roomUrl, settings = {}, onOutput = () => {} }) {
  const [port, bankPort] = [await freePort(), await freePort()];
  const url = `http://127.0.0.1:${port}`;
  // Another host than the shop's, as a real bank is.
  const bankUrl = `http://localhost:${bankPort}`;
  const environment = {
    ...process.env,
    SHOP_LISTEN: `127.0.0.1:${port}`,
    SHOP_BANK_LISTEN: `127.0.0.1:${bankPort}`,
    SHOP_STATE: stateDir,
    SHOP_ROOM_URL: roomUrl,
    SHOP_EVENTS: JSON.stringify(await protectedEvents(config, secrets)),
    ...settings,
  };
  const child = startGroup(shopBinary, [], { cwd: stateDir, env: environment });
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (bytes) => onOutput(String(bytes)));
  try {
    await answers([url], START_PATIENCE_MS, { child });
  } catch (error) {
    await stopGroup(child);
    throw new Error(`the demo shop does not start: ${error.message}`);
  }
  return { url, bankUrl, pid: child.pid, hasEnded: child.hasEnded, stop: () => stopGroup(child) };
}

/** As a browser asks for them: other letters than those of an address are encoded. */
const asAsked = (paths) => paths.map((rule) => new URL(rule, "http://shop").pathname);

const isListOf = (value, isOne) => Array.isArray(value) && value.length > 0 && value.every(isOne);
const isText = (value) => typeof value === "string";
const isPath = (value) => isText(value) && /^\/(?!\/)/.test(value);

/** The Worker says what is wrong with the others. */
const isSellable = ({ hosts, paths }) => isListOf(hosts, isText) && isListOf(paths, isPath);

/** What the shop has to know of its events: where they are and which passes to admit. */
export function protectedEvents(config, secrets) {
  const issuer = config.vars?.ISSUER;
  const events = eventsOfDemoShop(config).filter(isSellable);
  return Promise.all(
    events.map(async ({ id, title, paths, hosts, pass_algorithm: algorithm }) => {
      const [audience] = hosts;
      const { keys } = await originKeys({ issuer, audience, algorithm, secrets });
      return { id, title, paths: asAsked(paths), issuer, audience, keys };
    }),
  );
}
