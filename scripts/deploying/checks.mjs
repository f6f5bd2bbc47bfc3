// What has to be right before a deployment: each check gives `{ outcome, text }`, outcome "ok", "failed" or "note".

import { healthIn } from "../answers.mjs";

/** The platform's limit on one variable. */
export const MAX_VARIABLE_BYTES = 5 * 1024;
/** How much is shown of an answer that is none of the Worker's. */
const MAX_SHOWN_CHARACTERS = 2_000;
/** The budget of the Worker, compressed: a small one starts fast. The platform would take 3 MB. */
export const MAX_WORKER_KIB = 1000;

const ok = (text) => ({ outcome: "ok", text });
const failed = (text) => ({ outcome: "failed", text });
const note = (text) => ({ outcome: "note", text });

const LOOPBACK = /^(\*loopback|localhost|.+\.localhost|127(\.\d+){3}|\[?::1\]?)$/;

/** An event that only this machine reaches: for trying, not for a deployment. */
export const isLoopbackOnly = ({ hosts }) =>
  Array.isArray(hosts) && hosts.length > 0 && hosts.every((host) => LOOPBACK.test(host));

/** What is no list is the Worker's to refuse. */
export const listOf = (value, usual = []) =>
  (value === undefined ? usual : Array.isArray(value) ? value : []).map(String);

/** The patterns of a configuration's routes: `[{ pattern, isDomain }]`. */
function routesOf(config) {
  const routes = [...(config.routes ?? []), ...(config.route ? [config.route] : [])];
  return routes.map((route) =>
    typeof route === "string"
      ? { pattern: route, isDomain: false }
      : { pattern: route.pattern ?? "", isDomain: route.custom_domain === true },
  );
}

/** Whether a route takes everything below `path` on `host`. A domain takes every path. */
function covers({ pattern, isDomain }, host, path) {
  const withoutScheme = pattern.replace(/^https?:\/\//, "");
  if (isDomain) return withoutScheme === host;
  const slash = withoutScheme.indexOf("/");
  const hostPattern = slash < 0 ? withoutScheme : withoutScheme.slice(0, slash);
  const pathPattern = slash < 0 ? "/" : withoutScheme.slice(slash);
  const isHost = hostPattern.startsWith("*") ? host.endsWith(hostPattern.slice(1)) : host === hostPattern;
  return isHost && pathPattern.endsWith("*") && path.startsWith(pathPattern.slice(0, -1));
}

/** Every host needs a route that takes the event's paths and the waiting room's own. */
export function checkRoutes(config, events) {
  if (events.length === 0) return [note("no event is left: this deployment will queue nobody")];
  const routes = routesOf(config);
  const prefix = config.vars?.PREFIX ?? "/_wr";
  const missing = [];
  for (const { event } of events) {
    for (const host of listOf(event.hosts)) {
      const paths = [...listOf(event.paths, ["/"]).map((rule) => rule.replace(/\*.*$/, "")), `${prefix}/`];
      for (const path of paths) {
        if (!routes.some((route) => covers(route, host, path)))
          missing.push(`${event.id}: no route takes ${host}${path}*`);
      }
    }
  }
  return missing.length > 0 ? missing.map(failed) : [ok("every host has a route for its events")];
}

/** One variable holds so much and no more. */
export function checkVariableSizes(events) {
  return events.map(({ variable, event }) => {
    const bytes = Buffer.byteLength(JSON.stringify(event));
    const text = `${variable}: ${bytes} bytes of ${MAX_VARIABLE_BYTES}`;
    return bytes <= MAX_VARIABLE_BYTES
      ? ok(text)
      : failed(`${text}; shorten its texts and lists (title, message, hosts, paths)`);
  });
}

/** The demo shop is on this machine only, and the name of the sample deployment is everybody's. */
export function checkDeploymentIsNoDemo(config, events) {
  const found = events
    .filter(({ event }) => event.origin === "demo-shop")
    .map(({ variable }) =>
      failed(`${variable}.origin: "demo-shop" is on this machine only; allowed is an https address`),
    );
  if (events.length > 0 && config.vars?.ISSUER === "anteroom-dev") {
    found.push(failed('ISSUER: is "anteroom-dev"; name this deployment, so that no other one\'s tokens hold here'));
  }
  return found;
}

/** The secret of an event's widget: its own, or that of all. */
const widgetSecrets = ({ variable }) => [variable.replace(/^EVENT_/, "TURNSTILE_SECRET_"), "TURNSTILE_SECRET"];

/** Whether an event asks for the widget of a third party. */
export const usesTurnstile = ({ event }) => String(event.challenge).includes("turnstile");

/** The secrets' names as wrangler lists them; null when they cannot be listed. */
export function checkKeys(names, whyUnknown, events = []) {
  if (names === null) return [note(`keys: not checked, ${whyUnknown}`)];
  const root = names.includes("ROOT_KEY")
    ? ok("keys: ROOT_KEY is there")
    : failed(
        "keys: ROOT_KEY is missing; make one with npm run keys -- new --file ~/live.keys, put it with npx wrangler secret bulk ~/live.keys",
      );
  const missing = events
    .filter((named) => usesTurnstile(named) && !widgetSecrets(named).some((name) => names.includes(name)))
    .map(({ event }) =>
      failed(`keys: ${event.id} uses Turnstile; put its secret key with wrangler secret put TURNSTILE_SECRET`),
    );
  return [root, ...missing];
}

/** `mode` of an event that does not say. */
const DEFAULT_MODE = "always";

/** A batch as one text, so that two can be compared. */
const batchText = (batch) => (batch ? `${batch.size} every ${batch.every_seconds} s` : null);

/** Live values win over the file's until they are reset: whoever deploys should know which do. */
export function checkLiveValues({ event }, board) {
  if (board === null) return [note(`${event.id}: live values not compared, the deployment cannot be reached`)];
  const limits = board.limits ?? {};
  const pairs = [
    ["max_active", event.admission?.max_active ?? null, limits.max_active ?? null],
    ["per_minute", event.admission?.per_minute ?? null, limits.per_minute ?? null],
    ["batch", batchText(event.admission?.batch), batchText(limits.batch)],
    ["mode", event.mode ?? DEFAULT_MODE, board.mode],
    ["stop", false, board.stop],
    ["pause", null, board.pause?.reason ?? null],
    ["message", null, board.message],
  ];
  const different = pairs.filter(([, inFile, live]) => inFile !== live);
  if (different.length === 0) return [ok(`${event.id}: live values are the file's`)];
  return different.map(([name, inFile, live]) =>
    note(
      `${event.id}: ${name} is ${JSON.stringify(live)} live and ${JSON.stringify(inFile)} in the file; the live one stays`,
    ),
  );
}

/** What the deployment says of itself now; null when it cannot be reached, which is said of its live values. */
export const checkLiveHealth = (health) => listOf(health?.warnings).map((line) => note(`live: ${line}`));

/** From wrangler's own words about what it packed. */
export function checkSize(output) {
  const match = output.match(/Total Upload:.*?gzip:\s*([\d.]+)\s*KiB/);
  if (!match) return failed("size: wrangler did not say it");
  const text = `size: ${match[1]} KiB compressed, the budget is ${MAX_WORKER_KIB} KiB`;
  return Number(match[1]) <= MAX_WORKER_KIB ? ok(text) : failed(text);
}

/** What the Worker itself says about the configuration, asked at its health address. */
export function checkAccepted({ status, body }, what = "configuration") {
  if (status === 200) return [ok(`${what}: the Worker accepts it`)];
  const problems = healthIn({ body })?.problems ?? [];
  if (problems.length === 0) {
    return [failed(`${what}: the Worker refuses it (status ${status}): ${body.trim().slice(0, MAX_SHOWN_CHARACTERS)}`)];
  }
  return problems.map((problem) => failed(`${what}: the Worker refuses it: ${problem}`));
}
