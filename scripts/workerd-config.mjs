// From a wrangler.toml to the configuration of a plain `workerd serve`: one Worker, its objects on the local disk.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { MAIN_MODULE } from "./paths.mjs";

/** Names inside the generated configuration. */
const STATE_DISK = "state";
const SOCKET = "http";

/** Kinds of binding that a wrangler.toml may hold and that this server cannot give. */
const BINDINGS_NOT_SERVED = ["kv_namespaces", "r2_buckets", "d1_databases", "services", "queues", "ai", "vectorize"];

/**
 * The text of the configuration. `modules` are `{ name, file }` with files relative to where the text will lie,
 * `tls` is null or `{ certificate, privateKey }` as PEM. `cfHeader` names the header that says what the platform says of a
 * connection (`request.cf`): whoever knows the name can say it, so it is a secret of this start.
 *
 * `beside` are Workers in the same process that are compared with this one: `{ name, modules, vars, objects, address,
 * outbound }`; without an address one is reached only as another's `outbound`, which takes all that a Worker fetches. The
 * room's own is `outbound`.
 */
export function workerdConfig({ config, secrets, modules, stateDir, address, tls, cfHeader, beside = [], outbound }) {
  refuseWhatIsNotServed(config);
  const classes = config.durable_objects?.bindings ?? [];
  const sqlite = new Set((config.migrations ?? []).flatMap((migration) => migration.new_sqlite_classes ?? []));
  const http = `(style = host, cfBlobHeader = ${text(cfHeader)})`;
  const socket = tls
    ? `https = (options = ${http}, tlsOptions = (keypair = (privateKey = ${text(tls.privateKey)}, certificateChain = ${text(tls.certificate)})))`
    : `http = ${http}`;
  return `using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [
    (name = "anteroom", worker = .anteroom),
    (name = "${STATE_DISK}", disk = (path = ${text(stateDir)}, writable = true)),
    (name = "internet", network = (allow = ["public", "private"], tlsOptions = (trustBrowserCas = true))),
${beside.map(({ name }) => `    (name = ${text(name)}, worker = .${name}),\n`).join("")}  ],
  sockets = [
    (name = "${SOCKET}", address = ${text(address)}, service = "anteroom", ${socket}),
${beside
  .filter((worker) => worker.address)
  .map(socketBeside)
  .join("")}  ],
);

const anteroom :Workerd.Worker = (
  compatibilityDate = ${text(dateOf(config))},
  compatibilityFlags = ${list((config.compatibility_flags ?? []).map(text))},
  modules = ${list(modules.map(module))},
  bindings = ${list([...variables(config.vars ?? {}, secrets), ...classes.map(objectBinding)])},
  durableObjectNamespaces = ${list(classes.map((binding) => namespace(config, binding, sqlite)))},
  durableObjectStorage = (localDisk = "${STATE_DISK}"),${outbound ? `\n  globalOutbound = ${text(outbound)},` : ""}
);
${beside.map((worker) => workerBeside(worker, dateOf(config))).join("")}`;
}

const socketBeside = ({ name, address }) =>
  `    (name = ${text(name)}, address = ${text(address)}, service = ${text(name)}, http = ()),\n`;

/** A Worker that is compared with the room's. Its objects keep nothing. */
function workerBeside({ name, modules, vars = {}, objects = [], outbound }, date) {
  const bindings = objects.map(({ binding, className }) => objectBinding({ name: binding, class_name: className }));
  const namespaces = objects.map(
    ({ className }) => `(className = ${text(className)}, uniqueKey = ${text(`${name}-${className}`)})`,
  );
  return `
const ${name} :Workerd.Worker = (
  compatibilityDate = ${text(date)},
  modules = ${list(modules.map(module))},
  bindings = ${list([...variables(vars, {}), ...bindings])},
  durableObjectNamespaces = ${list(namespaces)},
  durableObjectStorage = (inMemory = void),${outbound ? `\n  globalOutbound = ${text(outbound)},` : ""}
);
`;
}

/** The port that workerd says it listens on, from one line of its control stream, or null. */
export function listeningPort(line) {
  const event = JSON.parse(line);
  return event.event === "listen" && event.socket === SOCKET ? event.port : null;
}

function refuseWhatIsNotServed(config) {
  for (const kind of BINDINGS_NOT_SERVED) {
    if (config[kind]) throw new Error(`${kind}: only variables, secrets and Durable Objects are served here`);
  }
}

// smol-toml gives a date without quotes as its own Date class; both print alike.
const dateOf = (config) => String(config.compatibility_date ?? "").slice(0, 10);

const list = (items) => (items.length === 0 ? "[]" : `[\n    ${items.join(",\n    ")},\n  ]`);

/** A Cap'n Proto string: JSON's escapes are a superset that it does not know, so control characters go as \\x. */
function text(value) {
  const escaped = String(value).replace(/["\\]/g, "\\$&");
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that need an escape
  return `"${escaped.replace(/[\x00-\x1f\x7f]/g, (c) => `\\x${c.charCodeAt(0).toString(16).padStart(2, "0")}`)}"`;
}

function module({ name, file }) {
  const kind = name.endsWith(".wasm") ? "wasm" : "esModule";
  return `(name = ${text(name)}, ${kind} = embed ${text(file)})`;
}

/** Strings arrive as text, everything else as the value it is: like wrangler does it. */
function variables(vars, secrets) {
  const all = { ...vars, ...secrets };
  return Object.entries(all).map(([name, value]) =>
    typeof value === "string"
      ? `(name = ${text(name)}, text = ${text(value)})`
      : `(name = ${text(name)}, json = ${text(JSON.stringify(value))})`,
  );
}

const objectBinding = ({ name, class_name: className }) =>
  `(name = ${text(name)}, durableObjectNamespace = ${text(className)})`;

function namespace(config, { class_name: className }, sqlite) {
  const uniqueKey = `${config.name ?? "worker"}-${className}`;
  return `(className = ${text(className)}, uniqueKey = ${text(uniqueKey)}, enableSql = ${sqlite.has(className)})`;
}

/**
 * The modules of a build folder: what is loaded first (a build with something around it has no more than its script), the
 * script, the WebAssembly that it imports, and further scripts that lie beside it.
 */
export function modulesOf(buildDir) {
  const front = existsSync(path.join(buildDir, MAIN_MODULE)) ? [MAIN_MODULE] : [];
  const own = [...front, "index.js", "index_bg.wasm"];
  const isFurther = (name) => name.endsWith(".js") && !own.includes(name);
  const further = existsSync(buildDir) ? readdirSync(buildDir).filter(isFurther) : [];
  return [...own, ...further].map((name) => {
    const file = path.join(buildDir, name);
    if (!existsSync(file)) throw new Error(`${name} is not built: run npm run setup`);
    return { name, bytes: readFileSync(file) };
  });
}
