// wrangler.toml as an object, made ready for one run on this machine.
import { readFileSync } from "node:fs";
import path from "node:path";
import { parse } from "smol-toml";
import { secretsOf } from "./setup/keys.mjs";

/** An event with this origin is served by the demo shop that the scripts start beside the Worker. */
const DEMO_SHOP = "demo-shop";

const EVENT_VARIABLE = /^EVENT_/;

/** What belongs to the Worker as a whole, and lands in the table above it when it is written at the end. */
const OF_THE_WORKER = ["compatibility_date", "route", "routes", "workers_dev"];
/** The same, but tables other than the variables' have such keys of their own. */
const AND_OF_OTHERS = ["main", "name"];

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
const misplacedIn = (config) => tablesOf(config).flatMap(([names, table]) => misplacedInTable(names, table));

const isTable = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

/** Every table of a table, itself first: `[[["vars", "EVENT_TOUR"], {…}]]`. */
const tablesOf = (table, names = []) => [
  [names, table],
  ...Object.entries(table)
    .filter(([, value]) => isTable(value))
    .flatMap(([name, value]) => tablesOf(value, [...names, name])),
];

function misplacedInTable(names, table) {
  const bracketed = (...words) => `[${words.join(".")}]`;
  const stray = (keys, isStray = () => true) =>
    keys
      .filter((key) => Object.hasOwn(table, key) && isStray(table[key]))
      .map((key) => `${key} stands in ${bracketed(...names)}, allowed is above the first [table]`);
  const everyKey = [...OF_THE_WORKER, ...AND_OF_OTHERS];
  // The names of environments; what is said for one only is a configuration of its own.
  if (names.join() === "env") return stray(everyKey, (value) => !isTable(value));
  const within = names[0] === "env" ? names.slice(0, 2) : [];
  const own = names.slice(within.length);
  const tables = Object.keys(table).filter((key) => isTable(table[key]));
  const [events, others] = [true, false].map((isEvent) => tables.filter((key) => EVENT_VARIABLE.test(key) === isEvent));
  if (own.join() === "vars") {
    const allowed = bracketed(...names, "EVENT_...");
    return [
      ...others
        .filter((key) => !everyKey.includes(key))
        .map((key) => `found ${bracketed(...names, key)}, allowed as a table is ${allowed}, an event`),
      ...stray(everyKey),
    ];
  }
  return [
    ...events.map((key) => `found ${bracketed(...names, key)}, allowed is ${bracketed(...within, "vars", key)}`),
    ...(own.length === 0 ? [] : stray(own[0] === "vars" ? everyKey : OF_THE_WORKER)),
  ];
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
