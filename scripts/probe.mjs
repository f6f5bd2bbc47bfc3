// `npm run probe`: looks from outside for ways around the waiting room.
import { command, configFileOf, readArguments, UsageError, wholeNumber } from "./command-line.mjs";
import { counted } from "./counted.mjs";
import { wranglerFile } from "./paths.mjs";
import { say } from "./progress.mjs";
import { setup } from "./setup.mjs";

const USAGE = `npm run probe -- --event E [options]
npm run probe -- --explain URL…
Looks from outside for ways around the waiting room: whether this room answers, what the origin says when it is asked
directly, the event's addresses in every spelling, methods, headers, passes that do not hold, caches. It reads, changes
nothing and takes no place; of methods that could change something it sends the bare request without a body.
  --event E      the event; its hosts and its origin are those of the configuration
  --url URL      the public address; by default https and the event's first host
  --origin URL   the origin, when the configuration does not name it, or another one
  --path P       a further path of the event, may be given several times
  --port N       a further port to look at, at the public host; may be given several times
  --most N       so many requests at most, 1000 by default
  --pace MS      so long between two, 50 by default
  --timeout MS   so long for one, 5000 by default
  --plan         says what would be sent, and sends nothing
  --json         the report as one JSON document
  --explain URL  which rule decides about an address, by the edge's own code; asks nobody. May be given several times
  --config FILE  another wrangler.toml
Ends with 0 when nothing leaks, 1 when something does, 2 when the public address could not be asked.
Probe only what is yours. docs/back-door.md explains the report.`;

const MOST = { from: 1, to: 20_000 };
const PACE_MS = { from: 0, to: 60_000 };
const TIMEOUT_MS = { from: 100, to: 60_000 };

const text = { type: "string" };
const several = { type: "string", multiple: true, default: [] };
const flag = { type: "boolean", default: false };

async function main(words) {
  const { values } = readArguments(words, {
    ...{ event: text, url: text, origin: text, path: several, port: several, explain: several },
    ...{ most: text, pace: text, timeout: text, plan: flag, json: flag },
    config: { type: "string", default: wranglerFile },
  });
  const configFile = configFileOf(values.config);
  if (values.explain.length === 0 && values.event === undefined) throw new UsageError("--event is missing");
  const limits = {
    most: wholeNumber(values.most, { name: "--most", ...MOST }) ?? 1_000,
    paceMs: wholeNumber(values.pace, { name: "--pace", ...PACE_MS }) ?? 50,
    timeoutMs: wholeNumber(values.timeout, { name: "--timeout", ...TIMEOUT_MS }) ?? 5_000,
  };
  const ports = values.port.map((each) => wholeNumber(each, { name: "--port", from: 1, to: 65_535 }));
  await setup(["packages", "rust", "pathsTool"]);
  const { eventNamed, readDeployment } = await import("./deployment.mjs");
  const deployment = readDeployment(configFile);
  if (values.explain.length > 0) return explain(deployment, values.explain, values.json);
  const event = eventNamed(deployment, values.event);
  const { targetOf } = await import("./probing/target.mjs");
  const named = { url: values.url, origin: values.origin, paths: values.path, ports };
  const { target, unseen } = targetOf({ ...deployment, event }, named);
  const groups = await planned(target, deployment);
  return values.plan ? printPlan(groups) : probe(groups, target, { unseen, limits, isJson: values.json });
}

async function planned(target, { config }) {
  const { pathsToExplain, planOf } = await import("./probing/plan.mjs");
  const { explained, pathAtTheEdge } = await import("./probing/rules.mjs");
  const { publicHost: host } = target;
  const known = new Map();
  const learn = async (paths) => {
    const asked = [...new Set(paths.map(pathAtTheEdge))].map((path) => ({ host, path }));
    (await explained(config, asked)).forEach(({ verdict }, index) => void known.set(asked[index].path, verdict));
  };
  await learn(["/anteroom-probe", ...pathsToExplain(target)]);
  // Whatever stands behind it, an address that nobody knows is as open as any other of its kind.
  return planOf(target, (path) => known.get(pathAtTheEdge(path)) ?? known.get("/anteroom-probe"));
}

async function probe(groups, target, { unseen, limits, isJson }) {
  const { Asker } = await import("./probing/asking.mjs");
  const { carryOut } = await import("./probing/carrying-out.mjs");
  const { documentOf, linesOf, verdictOf } = await import("./probing/report.mjs");
  const count = groups.reduce((sum, { asks }) => sum + asks.length, 0);
  const servers = [...new Set(groups.flatMap(({ asks }) => asks.map(({ base }) => base)))];
  if (count > limits.most) throw new UsageError(`${count} requests are planned, --most is ${limits.most}`);
  say(`Up to ${counted(count, "request")} to ${servers.join(", ")}, ${limits.paceMs} ms apart:`);
  const startedAt = Date.now();
  const asker = new Asker(limits);
  const onGroup = ({ name, asks }) => say(`- ${name}: ${asks.length}`);
  const outcome = await carryOut(groups, target, asker, onGroup);
  outcome.unseen = [...unseen, ...outcome.unseen];
  const spent = { requests: asker.sent, seconds: Math.round((Date.now() - startedAt) / 1_000) };
  const lines = isJson
    ? [JSON.stringify(documentOf(outcome, target, spent), null, 2)]
    : linesOf(outcome, target, spent);
  process.stdout.write(`${lines.join("\n")}\n`);
  process.exitCode = { closed: 0, leaks: 1, unasked: 2 }[verdictOf(outcome)];
}

function printPlan(groups) {
  const line = ({ what, base, host, method = "GET", path }) => `  ${method} ${base}${path} as ${host} (${what})`;
  const lines = groups.flatMap(({ name, asks }) => [`${name}: ${asks.length}`, ...asks.map(line)]);
  process.stdout.write(`${lines.join("\n")}\n`);
}

async function explain({ config }, urls, isJson) {
  const { explained, explanation, pathAtTheEdge } = await import("./probing/rules.mjs");
  const asked = urls.map((url) => {
    const [, host, path] = url.match(/^https?:\/\/([^/?#\\]+)(.*)$/) ?? [];
    if (host === undefined)
      throw new UsageError(`--explain is ${JSON.stringify(url)}, allowed is an http or https address`);
    return { host, path: pathAtTheEdge(path.startsWith("/") ? path : `/${path}`) };
  });
  const told = await explained(config, asked);
  const documents = told.map((each, index) => ({ url: urls[index], path: asked[index].path, ...each }));
  const lines = documents.flatMap(({ url, path, ...each }) => explanation(url, path, each));
  process.stdout.write(`${(isJson ? [JSON.stringify(documents, null, 2)] : lines).join("\n")}\n`);
}

/** What ends a probe early is no leak. */
const unasked = (error) => {
  if (error instanceof UsageError) throw error;
  say(error.message);
  process.exitCode = 2;
};

command(import.meta.url, USAGE, (words) => main(words).catch(unasked));
