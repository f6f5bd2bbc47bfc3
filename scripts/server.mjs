// The Worker on a plain `workerd serve`, with the demo shop beside it: what `npm run serve` and the tests start.
//
// Layout of a state folder: objects/ (what the Durable Objects store), shop/ (the demo shop's store),
// serve/ (the generated configuration, the certificate and the modules of this start, so that a later build changes nothing).
import { randomBytes } from "node:crypto";
import { chownSync, copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { leaveState, madeStateFolder, noteChild, takeState } from "./leftovers.mjs";
import { buildDir as ownBuildDir, devVarsFile, npmBinary, wranglerFile } from "./paths.mjs";
import { freePort } from "./ports.mjs";
import { workerAnswers } from "./answers.mjs";
import { signalGroup, startGroup, stopGroup } from "./processes.mjs";
import { startShop } from "./shop.mjs";
import { selfSignedCertificate } from "./tls.mjs";
import { listeningPort, modulesOf, workerdConfig } from "./workerd-config.mjs";
import { eventsOfDemoShop, readWranglerConfig, secretsBeside, withShopAddress } from "./wrangler-config.mjs";

const START_PATIENCE_MS = 30_000;
/** The discard port: nothing listens there. */
const UNREACHABLE_ORIGIN = "http://127.0.0.1:9";
/** How much of the latest output is kept for a failure's message. */
const KEPT_OUTPUT_CHARACTERS = 64_000;

/**
 * Starts a server and resolves when it answers.
 *
 * - `port` (0: any free one), `host`, `tls` (true: self-signed, see `server.certificate`; or a list of further names)
 * - `stateDir`: kept between starts; without it a temporary one that `stop` removes
 * - `configFile`: a wrangler.toml; `vars` and `secrets` are laid over its own (a null takes one away)
 * - `withShop`: false starts no demo shop; the events that name it get an origin that refuses connections
 * - `shopSettings`: further environment variables of the shop, such as `{ SHOP_TEST_ENDPOINTS: "1" }`
 * - `buildDir`: where index.js and index_bg.wasm are; `onOutput(text)`: what the children print
 * - `isExperimental`: the Worker may have the platform's experimental flags
 * - `under`: a command with its first arguments that starts workerd; `uid`: the user who runs it, and owns the state then
 * - `beside`, `outbound`: Workers in the same process, see `workerdConfig`; their modules are `{ name, bytes }`
 */
export async function startServer(options = {}) {
  const server = new Server(options);
  try {
    await server.start();
  } catch (error) {
    await server.stop();
    // Whoever is shown the output as it comes has seen it already.
    throw new Error(options.onOutput ? error.message : `${error.message}\n${server.output}`.trimEnd());
  }
  return server;
}

class Server {
  /** The latest output of workerd and the shop. */
  output = "";
  /** The header in which a test says, as JSON, what the platform would say of the connection. */
  cfHeader = `cf-told-${randomBytes(8).toString("hex")}`;
  /** What the Worker finds wrong with its configuration, a line each. */
  problems = [];
  #options;
  #workerd = null;
  #shop = null;
  #isTemporary;
  #prefix;

  constructor(options) {
    this.#options = { port: 0, host: "127.0.0.1", configFile: wranglerFile, buildDir: ownBuildDir, ...options };
    this.#isTemporary = !options.stateDir;
    this.stateDir = madeStateFolder(options.stateDir ?? mkdtempSync(path.join(tmpdir(), "anteroom-state-")));
    this.port = this.#options.port;
  }

  get workerdPid() {
    return this.#workerd?.pid;
  }

  get shopUrl() {
    return this.#shop?.url;
  }

  /** The pretend bank's address. */
  get bankUrl() {
    return this.#shop?.bankUrl;
  }

  get shopPid() {
    return this.#shop?.pid;
  }

  /** Resolves with `{ code, signal }` when workerd ends, whoever ended it. */
  get hasEnded() {
    return this.#workerd.hasEnded;
  }

  async start() {
    const { configFile, vars = {}, secrets = {}, tls, buildDir, withShop = true, shopSettings } = this.#options;
    const file = readWranglerConfig(configFile);
    const config = { ...file, vars: laidOver(file.vars, vars) };
    this.#prefix = config.vars?.PREFIX;
    const allSecrets = laidOver(secretsBeside(configFile, devVarsFile), secrets);
    for (const folder of ["objects", "shop"]) mkdirSync(path.join(this.stateDir, folder), { recursive: true });
    await takeState(this.stateDir);
    if (withShop && eventsOfDemoShop(config).length > 0) {
      this.port ||= await freePort();
      this.#shop = await startShop({
        config,
        secrets: allSecrets,
        stateDir: this.#in("shop"),
        roomUrl: this.#address(),
        settings: shopSettings,
        onOutput: this.#keep,
      });
      noteChild(this.stateDir, "shop", this.#shop.pid);
    }
    const pair = tls ? await selfSignedCertificate(Array.isArray(tls) ? tls : []) : null;
    this.certificate = pair?.certificate;
    if (pair) writeFileSync(this.#in("serve", "certificate.pem"), pair.certificate);
    const modules = modulesOf(buildDir);
    for (const { name, bytes } of modules) writeFileSync(this.#in("serve", name), bytes);
    const { beside = [], outbound } = this.#options;
    const workersBeside = beside.map((worker) => this.#withFiles(worker));
    this.#writeConfig = () => {
      const text = workerdConfig({
        config: withShopAddress(config, this.#shop?.url ?? UNREACHABLE_ORIGIN),
        secrets: allSecrets,
        modules: modules.map(({ name }) => ({ name, file: name })),
        stateDir: this.#in("objects"),
        address: `${this.#options.host}:${this.port}`,
        tls: pair,
        cfHeader: this.cfHeader,
        beside: workersBeside,
        outbound,
      });
      writeFileSync(this.#in("serve", "config.capnp"), text, { mode: 0o600 });
    };
    await this.#startWorkerd();
  }

  /** Ends workerd as a power cut would. */
  async kill9() {
    signalGroup(this.#workerd, "SIGKILL");
    await this.#workerd.hasEnded;
  }

  /** Starts workerd again on the same state and the same port; it may run, or be killed. */
  async restart() {
    await stopGroup(this.#workerd);
    await this.#startWorkerd();
  }

  async stop() {
    await Promise.all([stopGroup(this.#workerd), this.#shop?.stop()]);
    leaveState(this.stateDir);
    if (this.#isTemporary) rmSync(this.stateDir, { recursive: true, force: true });
  }

  #writeConfig = () => {};

  /** A Worker beside the room's, with its modules where the configuration finds them. */
  #withFiles(worker) {
    const modules = worker.modules.map(({ name, bytes }) => {
      const file = `${worker.name}-${name}`;
      writeFileSync(this.#in("serve", file), bytes);
      return { name, file };
    });
    return { ...worker, modules };
  }

  /** Another user may not reach where the packages are. */
  #binary(uid) {
    if (uid === undefined) return npmBinary("workerd");
    const copy = this.#in("serve", "workerd");
    copyFileSync(npmBinary("workerd"), copy);
    return copy;
  }

  #address() {
    return `${this.#options.tls ? "https" : "http"}://${urlHost(this.#options.host)}:${this.port}`;
  }

  #in(...names) {
    return path.join(this.stateDir, ...names);
  }

  #keep = (text) => {
    this.output = (this.output + text).slice(-KEPT_OUTPUT_CHARACTERS);
    this.#options.onOutput?.(text);
  };

  async #startWorkerd() {
    this.#writeConfig();
    const { uid, under = [], isExperimental = false } = this.#options;
    const flags = ["--control-fd=3", ...(isExperimental ? ["--experimental"] : [])];
    const [program, ...words] = [...under, this.#binary(uid), "serve", "config.capnp", ...flags];
    if (uid !== undefined) giveAway(this.stateDir, uid);
    const child = startGroup(program, words, {
      cwd: this.#in("serve"),
      stdio: ["ignore", "pipe", "pipe", "pipe"],
      ...(uid !== undefined && { uid, gid: uid }),
    });
    this.#workerd = child;
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (bytes) => this.#keep(String(bytes)));
    noteChild(this.stateDir, "workerd", child.pid);
    this.port = await firstPort(child);
    this.url = this.#address();
    this.problems = await workerAnswers(this.url, this.#prefix, START_PATIENCE_MS, child);
  }
}

/** All that is below a folder, and itself, to another user. */
function giveAway(folder, uid) {
  for (const name of readdirSync(folder, { recursive: true })) chownSync(path.join(folder, name), uid, uid);
  chownSync(folder, uid, uid);
}

/** The port from workerd's control stream; rejects when workerd ends before it listens. */
function firstPort(child) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error("workerd does not listen")), START_PATIENCE_MS);
    child.hasEnded.then(({ code, error }) => {
      clearTimeout(timer);
      reject(new Error(`workerd ended with code ${code} ${error?.message ?? ""}`));
    });
    createInterface({ input: child.stdio[3] }).on("line", (line) => {
      const port = listeningPort(line);
      if (port === null) return;
      clearTimeout(timer);
      resolve(port);
    });
  });
}

/** A server that listens everywhere is reached at loopback. */
const urlHost = (host) => (host === "0.0.0.0" ? "127.0.0.1" : host);

function laidOver(below = {}, above) {
  const merged = { ...below, ...above };
  return Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== null));
}
