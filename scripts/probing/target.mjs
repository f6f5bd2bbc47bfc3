// What is probed: the event of the configuration, its public address, the origins that are known, and what cannot be seen.
import { UsageError } from "../command-line.mjs";
import { DEFAULT_PREFIX } from "../answers.mjs";
import { wrongPasses } from "./passes.mjs";

const LOOPBACK = "*loopback";
const DEMO_SHOP = "demo-shop";
/** Where `npm run dev` and `npm run serve` are. */
const LOOPBACK_URL = "http://127.0.0.1:8787";
const NAMED = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\]|[\w.-]+\.localhost)$/;
const MAX_PATHS = 20;

/** `{ target, unseen }` of what the command line names; a mistake there is a usage error. */
export function targetOf({ event, config, secrets, issuer }, { url, origin, paths, ports }) {
  const publicBase = baseOf("--url", url ?? publicAddressOf(event));
  const publicHost = new URL(publicBase).host;
  const unseen = [];
  const originBase = originOf(event, origin, unseen);
  const { passes, hasKey } = wrongPasses({ issuer, event, rootKey: secrets.ROOT_KEY });
  if (!hasKey) unseen.push("passes that are signed rightly and do not hold: ROOT_KEY is not here to make them with");
  if ((event.hosts ?? []).length > 1 && url === undefined) {
    unseen.push(`the event's other hosts: ${event.hosts.slice(1).join(", ")}; name each with --url`);
  }
  if (originBase) {
    unseen.push("whether the origin's address can be found out, in old DNS entries and certificates for instance");
    unseen.push("whether the origin can be reached from other networks than this machine's");
  }
  const hostsAtOrigin = originBase ? [...new Set([publicHost, new URL(originBase).host])] : [];
  return {
    unseen,
    target: {
      event,
      prefix: config.vars?.PREFIX ?? DEFAULT_PREFIX,
      publicBase,
      publicHost,
      paths: pathsOf(event, paths),
      bypass: event.bypass ?? [],
      passes,
      ports,
      origins: hostsAtOrigin.map((host) => ({ base: originBase, host })),
      originNames: namesOf(originBase, publicHost),
      trusts: new Set(),
    },
  };
}

function publicAddressOf({ hosts }) {
  const [first] = hosts ?? [];
  return first === LOOPBACK || first === undefined ? LOOPBACK_URL : `https://${first}`;
}

function originOf(event, named, unseen) {
  if (named !== undefined) return baseOf("--origin", named);
  if (event.origin === undefined) {
    unseen.push(
      "the origin: the event names none, behind a Worker route only you know where it is; name it with --origin",
    );
    return null;
  }
  if (event.origin === DEMO_SHOP) {
    unseen.push("the origin: the demo shop listens somewhere else each time it starts; name it with --origin");
    return null;
  }
  return baseOf("origin", event.origin);
}

/** Scheme, host and port of an address that says nothing more. */
function baseOf(name, text) {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol) || url.pathname !== "/" || url.search || url.username) {
    throw new UsageError(`${name} is ${JSON.stringify(text)}, allowed is http(s)://host[:port]`);
  }
  return url.origin;
}

/** Where the event's rules begin, and what was named besides: paths of the same host, never of another. */
function pathsOf(event, named) {
  for (const path of named) {
    if (!/^\/(?!\/)[^\s]*$/.test(path)) {
      throw new UsageError(`--path is ${JSON.stringify(path)}, allowed is a path of the event: /events/…`);
    }
  }
  const fronts = (event.paths ?? []).map((rule) => new URL(rule.replace(/\*$/, ""), "http://host").pathname);
  const all = [...new Set([...fronts, ...named])];
  if (all.length > MAX_PATHS)
    throw new UsageError(`${all.length} paths; allowed are ${MAX_PATHS} with those of the event`);
  return all;
}

/** What may stand in no answer: the origin's name, and with a port of its own also that. */
function namesOf(base, publicHost) {
  if (base === null) return [];
  const { host, hostname } = new URL(base);
  const isTold = hostname === new URL(`http://${publicHost}`).hostname || NAMED.test(hostname);
  return isTold ? (host === publicHost ? [] : [host]) : [hostname];
}
