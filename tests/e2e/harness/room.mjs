// A waiting room for one file of tests: its own wrangler.toml, keys, state and ports; the built Worker on plain workerd;
// a stand-in for the shop, or the demo shop itself.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { stringify } from "smol-toml";
import { buildDir as builtDir, wranglerFile } from "../../../scripts/paths.mjs";
import { signalGroup } from "../../../scripts/processes.mjs";
import { startServer } from "../../../scripts/server.mjs";
import { freshRootKey } from "../../../scripts/setup/keys.mjs";
import { readWranglerConfig } from "../../../scripts/wrangler-config.mjs";
import { exchange, until } from "./exchange.mjs";
import { Operator } from "./operator.mjs";
import { startOrigin } from "./origin.mjs";
import { STAGE_FLAG, setStage, stagedBuild } from "./stage.mjs";
import { Visitor } from "./visitor.mjs";

const ISSUER = "anteroom-e2e";

/** Alarms keep to the real clock: where a test moves the other one, each request has to reach the one shard. */
const VISITORS_OF_ONE_SHARD = 1_000;

/** Joins that are gathered, and a report that is under way, are done within this time. */
const REST_MS = 100;

/** The first call of an object starts it, on a busy machine for some seconds. */
const START_PATIENCE_MS = 20_000;

/**
 * Starts a room. `events` are `{ id, ...fields }`; what an event does not say is filled in: any loopback host, the paths
 * below `/events/<id>/`, mode `always`, draws without a beacon, the stand-in as origin (`origin: null` leaves it out). `vars` are further
 * variables, `secrets` replace the fresh key, `staged`: the clock can be moved and the objects be cut off,
 * `asleep`: the events whose objects nobody calls before the tests do; `buildDir`: another build; `server`: how the server
 * is started beyond that (see `startServer`).
 */
export async function startRoom({ events = [{ id: "demo" }], staged = false, ...options } = {}) {
  const room = new Room({ events, staged, ...options });
  try {
    await room.start();
  } catch (error) {
    await room.stop();
    throw error;
  }
  return room;
}

class Room {
  issuer = ISSUER;
  evictions = 0;
  #options;
  #folder = mkdtempSync(path.join(tmpdir(), "anteroom-e2e-"));
  #server = null;
  #isStopped = false;

  constructor(options) {
    this.#options = options;
    this.event = options.events[0].id;
    this.secrets = options.secrets ?? { ROOT_KEY: freshRootKey("e2e") };
  }

  /** With which name visitors write the room: the address, without a slash at the end. */
  get url() {
    return this.#server.url;
  }

  get port() {
    return this.#server.port;
  }

  get output() {
    return this.#server.output;
  }

  /** Its wrangler.toml, with its keys beside it. */
  get configFile() {
    return path.join(this.#folder, "wrangler.toml");
  }

  /** Where the server keeps everything. */
  get stateDir() {
    return path.join(this.#folder, "state");
  }

  /** The process of the room, for who stops it for a while. */
  get workerdPid() {
    return this.#server.workerdPid;
  }

  get shopUrl() {
    return this.#server.shopUrl;
  }

  async start() {
    this.origin = await startOrigin();
    await this.#startServer();
    process.once("exit", this.#kill);
    const { events, asleep = [] } = this.#options;
    for (const { id } of events) if (!asleep.includes(id)) await this.#isAwake(id);
  }

  /** Starts again on the same state with other events, variables or secrets. */
  async restartWith(changes) {
    this.#options = { ...this.#options, ...changes };
    if (changes.secrets) this.secrets = changes.secrets;
    await this.#server.stop();
    await this.#startServer();
  }

  async #startServer() {
    const { configFile } = this;
    writeFileSync(configFile, stringify(this.#config()));
    const secrets = Object.entries(this.secrets).map(([name, value]) => `${name}=${value}\n`);
    writeFileSync(path.join(this.#folder, ".dev.vars"), secrets.join(""), { mode: 0o600 });
    const { staged, tls = false, buildDir: build = builtDir, server = {} } = this.#options;
    this.#server = await startServer({
      configFile,
      stateDir: this.stateDir,
      buildDir: staged ? stagedBuild(build, this.#folder) : build,
      tls,
      port: this.#server?.port ?? 0,
      isExperimental: staged,
      ...server,
    });
  }

  /** Nothing is tested before the objects of an event have started. */
  async #isAwake(event) {
    const ask = () => this.ask(`/_wr/queues/${event}`);
    await until(ask, ({ status }) => status !== 503, { within_ms: START_PATIENCE_MS, what: `the board of ${event}` });
  }

  #config() {
    const { events, vars = {} } = this.#options;
    const config = readWranglerConfig(wranglerFile);
    if (this.#options.staged) config.compatibility_flags = [...(config.compatibility_flags ?? []), STAGE_FLAG];
    const all = Object.fromEntries(events.map((event) => [variableOf(event.id), this.#event(event)]));
    return { ...config, vars: { ISSUER, ...all, ...vars } };
  }

  #event({ id, ...fields }) {
    const event = {
      id,
      title: `The ${id} on-sale`,
      hosts: ["*loopback"],
      paths: [`/events/${id}/*`],
      origin: this.origin.url,
      mode: "always",
      admission: { per_minute: 6000, max_active: 500 },
      challenge: "none",
      // Nothing here asks the world's beacon; a draw waits no longer than it may.
      beacon: "none",
      draw_grace_seconds: 5,
      ...(this.#options.staged && { expected_visitors: VISITORS_OF_ONE_SHARD }),
      ...fields,
    };
    return Object.fromEntries(Object.entries(event).filter(([, value]) => value !== null));
  }

  /** The front path of an event. */
  pathOf(id) {
    const fields = this.#options.events.find((event) => event.id === id);
    return (fields?.paths?.[0] ?? `/events/${id}/*`).replace(/\*$/, "");
  }

  visitor(options) {
    return new Visitor(this, options);
  }

  operator(options) {
    return Operator.of(this, options);
  }

  /** The header that makes a request one of which the platform says this (`request.cf`). No visitor knows its name. */
  told(cf) {
    return { [this.#server.cfHeader]: JSON.stringify(cf) };
  }

  /** A request of no browser. */
  ask(path, options = {}) {
    return exchange(this.url, { path, ...options });
  }

  /** The board of an event. */
  async board(event = this.event) {
    return (await this.ask(`/_wr/queues/${event}`)).json;
  }

  /** Moves the clock of a staged room ahead, for edge and objects alike. */
  advance(ms) {
    return setStage(this.url, { advance_ms: ms });
  }

  /** Cuts objects off by a part of their names (`"/shard/"`, `"/coordinator"`); without any, all are back. */
  cut(...names) {
    return setStage(this.url, { cut: names });
  }

  /** Gives a staged room the platform's rate limits (`{ RATE_POLLS: 5 }`); answers what they were asked so far, as `[name, key]`. */
  async limit(limits = {}) {
    return (await setStage(this.url, { limits })).limited;
  }

  /**
   * The next calls to objects of a staged room fail: `{ part, kind, times }`, for objects whose names have the part. `lost`
   * does what was asked and loses the answer; `overloaded`, `retryable` and `plain` are the platform's errors.
   */
  fails(...faults) {
    return setStage(this.url, { faults });
  }

  /** How often each of these faults was met. */
  async met() {
    return (await setStage(this.url, {})).faults.map(({ met = 0 }) => met);
  }

  /** Where each object of a staged room was first asked for, by its name; null: anywhere. */
  async hints() {
    return (await setStage(this.url, {})).hints;
  }

  /** The next alarms of a staged room fail, so many. */
  failAlarms(times) {
    return setStage(this.url, { alarms_fail: times });
  }

  /** The alarm of an object comes, in a staged room: the platform's own keep to the real clock. */
  alarm(object) {
    return setStage(this.url, { object, act: "alarm" });
  }

  /**
   * An object of a staged room is evicted as by the platform: what is under way ends first, memory is gone, sockets stay.
   * One that does not come to rest within `rest_ms` ends as with a deployment. Without a name all of them are. Answers
   * whether nothing had to fail; `evictions` counts the objects that came to rest and lost their memory.
   */
  async evict(object, { rest_ms = REST_MS } = {}) {
    const { done } = await setStage(this.url, { object, act: "evict", rest_ms });
    this.evictions += done.filter((each) => each === "evicted").length;
    return !done.includes("aborted");
  }

  /** An object of a staged room ends at once: what is under way fails, and its sockets close. */
  abort(object) {
    return setStage(this.url, { object, act: "abort" });
  }

  /** How often each object of a staged room was started, by its name. */
  async started() {
    return (await setStage(this.url, {})).started;
  }

  /** The keys of the rows that an object of a staged room has stored; null: it holds nothing at all. */
  async stored(object) {
    const [id] = (await setStage(this.url, { object })).ids;
    const file = this.#files("objects").find((each) => path.basename(each) === `${id}.sqlite`);
    return (file ? rowsOf(file) : null)?.map(({ key }) => key) ?? null;
  }

  /** Everything that all objects and the demo shop have stored: `[{ where, bytes }]`, a row or a file each. */
  everythingStored() {
    const files = [...this.#files("objects"), ...this.#files("shop")];
    const rows = files
      .filter((file) => file.endsWith(".sqlite"))
      .flatMap((file) => (rowsOf(file) ?? []).map(({ key, bytes }) => ({ where: key, bytes: Buffer.from(bytes) })));
    return [...rows, ...files.map((file) => ({ where: path.basename(file), bytes: readFileSync(file) }))];
  }

  /** What each object has stored: a list of its rows, `{ key, bytes }`, for each of them. */
  objectsStored() {
    const files = this.#files("objects").filter((file) => /^[0-9a-f]{64}\.sqlite$/.test(path.basename(file)));
    return files.map((file) => rowsOf(file) ?? []).filter((rows) => rows.length > 0);
  }

  #files(part) {
    const folder = path.join(this.#folder, "state", part);
    const all = readdirSync(folder, { recursive: true, withFileTypes: true });
    return all.filter((each) => each.isFile()).map((each) => path.join(each.parentPath, each.name));
  }

  /** As a power cut would. */
  kill9() {
    return this.#server.kill9();
  }

  restart() {
    return this.#server.restart();
  }

  async stop() {
    if (this.#isStopped) return;
    this.#isStopped = true;
    process.removeListener("exit", this.#kill);
    await Promise.all([this.#server?.stop(), this.origin?.stop()]);
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** A test process that ends early takes its own children with it. */
  #kill = () => {
    for (const pid of [this.#server?.workerdPid, this.#server?.shopPid]) if (pid) signalGroup({ pid }, "SIGKILL");
    rmSync(this.#folder, { recursive: true, force: true });
  };
}

/** The rows of one object's file; null: it holds nothing. */
function rowsOf(file) {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    const hasTable = database.prepare("SELECT name FROM sqlite_master WHERE name = 'rows'").all().length > 0;
    return hasTable ? apart(database.prepare("SELECT key, bytes FROM rows ORDER BY key").all()) : null;
  } finally {
    database.close();
  }
}

/** The rows with those that stand together each under its own key: docs/storage.md. */
function apart(rows) {
  const row = rows.find(({ key }) => key === "together");
  if (!row) return rows;
  const bytes = Buffer.from(row.bytes);
  let at = 1;
  const number = () => {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = bytes[at++];
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
  };
  const taken = (length) => {
    at += length;
    return bytes.subarray(at - length, at);
  };
  const together = new Map();
  for (let left = number(); left > 0; left -= 1) together.set(taken(number()).toString(), taken(number()));
  const under = rows.filter(({ key }) => key !== "together" && !together.has(key));
  const over = [...together].map(([key, bytes]) => ({ key, bytes }));
  return [...under, ...over].toSorted((a, b) => (a.key < b.key ? -1 : 1));
}

const variableOf = (id) => `EVENT_${id.toUpperCase().replaceAll("-", "_")}`;
