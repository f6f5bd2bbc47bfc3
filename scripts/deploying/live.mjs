// What a deployment says now, before it is replaced: its boards, as everybody sees them, and its health.
import { DEFAULT_PREFIX } from "../answers.mjs";
import { checkLiveHealth, checkLiveValues, listOf } from "./checks.mjs";

const PATIENCE_MS = 5_000;

/** Notes on both; `ask` answers what an address does, see [`asked`]. */
export async function liveValues(config, events, ask = asked) {
  const prefix = config.vars?.PREFIX ?? DEFAULT_PREFIX;
  const live = (hosts, address) => firstOf(hosts.map((host) => ask(`https://${host}${prefix}/${address}`)));
  const boards = events.map(async (named) =>
    checkLiveValues(named, await live(listOf(named.event.hosts), `queues/${named.event.id}`)),
  );
  const allHosts = [...new Set(events.flatMap(({ event }) => listOf(event.hosts)))];
  const health = live(allHosts, "health").then(checkLiveHealth);
  return (await Promise.all([...boards, health])).flat();
}

/** Of answers that are waited for at once, the first in their order that is one. */
const firstOf = async (answers) => (await Promise.all(answers)).find((answer) => answer !== null) ?? null;

/** What is answered at an address as JSON; null when nobody does. */
async function asked(url) {
  const response = await fetch(url, { signal: AbortSignal.timeout(PATIENCE_MS) }).catch(() => null);
  return response?.ok ? response.json().catch(() => null) : null;
}
