// wrangler.toml as an object, made ready for one run on this machine.
import { readFileSync } from "node:fs";
import path from "node:path";
import { parse } from "smol-toml";
import { secretsOf } from "./setup/keys.mjs";

/** An event with this origin is served by the demo shop that the scripts start beside the Worker. */
const DEMO_SHOP = "demo-shop";

const EVENT_VARIABLE = /^EVENT_/;

/** What belongs to the Worker as a whole, and lands in the table above it when it is written at the end. */
const OF_THE_WORKER = ["compatibility_date", "main", "name", "route", "routes", "workers_dev"];

export function readWranglerConfig(file) {
  const text = readFileSync(file, "utf8");
  let config;
  try {
    config = parse(text);
  } catch (error) {
    throw new Error(`${path.basename(file)}${whereAndWhy(error)}`);
  }
  const misplaced = misplacedIn(config);
  if (misplaced.length > 0) throw new Error(`${path.basename(file)}: ${misplaced.join("; ")}`);
  return config;
}

/** What nobody would read where it stands: an event of it would be left unprotected without a word. */
function misplacedIn({ env = {}, ...config }) {
  const { vars = {}, ...rest } = config;
  return [
    ...Object.keys(rest)
      .filter((name) => EVENT_VARIABLE.test(name))
      .map((name) => `found [${name}], allowed is [vars.${name}]`),
    ...Object.entries(vars)
      .filter(([name, value]) => isTable(value) && !EVENT_VARIABLE.test(name) && !OF_THE_WORKER.includes(name))
      .map(([name]) => `found [vars.${name}], allowed as a table is [vars.EVENT_...], an event`),
    ...tablesOf(config).flatMap((table) => strayIn(config, table)),
    // What is said for one environment only is a configuration of its own.
    ...Object.values(env).filter(isTable).flatMap(misplacedIn),
  ];
}

const isTable = (value) => typeof value === "object" && value !== null;

/** The names of the tables in `config`: `["vars", "vars.EVENT_TOUR"]`. */
const tablesOf = (config, within = "") =>
  Object.entries(config)
    .filter(([, value]) => isTable(value) && !Array.isArray(value))
    .flatMap(([name, value]) => [`${within}${name}`, ...tablesOf(value, `${within}${name}.`)]);

/** What stands in `table` of `config` and belongs to the Worker. */
function strayIn(config, table) {
  const content = table.split(".").reduce((value, name) => value[name], config);
  return OF_THE_WORKER.filter((key) => Object.hasOwn(content, key)).map(
    (key) => `${key} stands in [${table}], allowed is above the first [table]`,
  );
}

/** Where the text is no TOML, and why; the parser's own reason for an unquoted text says little. */
function whereAndWhy({ message, line, column, codeblock }) {
  if (line === undefined) return `: ${message}`;
  const reason = message.split("\n")[0].replace(/^Invalid TOML document: /, "");
  const hint = reason === "invalid value" ? " (a text stands in quotation marks)" : "";
  return `, line ${line}, column ${column}: ${reason}${hint}\n\n${codeblock.trimEnd()}`;
}

/** The events of a configuration: `[{ variable, event }]`. */
export function eventsOf(config) {
  return Object.entries(config.vars ?? {})
    .filter(([variable]) => EVENT_VARIABLE.test(variable))
    .map(([variable, event]) => ({ variable, event }));
}

/** The events that the demo shop is the origin of. */
export const eventsOfDemoShop = (config) =>
  eventsOf(config)
    .map(({ event }) => event)
    .filter((event) => event?.origin === DEMO_SHOP);

/** The same configuration with the demo shop's real address in the events that name it. */
export function withShopAddress(config, shopUrl) {
  const vars = { ...config.vars };
  for (const { variable, event } of eventsOf(config)) {
    if (event?.origin === DEMO_SHOP) vars[variable] = { ...event, origin: shopUrl };
  }
  return { ...config, vars };
}

/** The secrets that lie beside a wrangler.toml; those of the repository when it has none of its own. */
export function secretsBeside(file, fallbackFile) {
  const own = secretsOf(path.join(path.dirname(file), ".dev.vars"));
  return Object.keys(own).length > 0 ? own : secretsOf(fallbackFile);
}

/** Where somebody who tries the deployment on this machine starts: the last event's first path. */
export function frontPath(config) {
  const paths = eventsOf(config).map(({ event }) => event?.paths?.[0]);
  return (paths.filter((rule) => typeof rule === "string").at(-1) ?? "/").replace(/\*.*$/, "");
}
