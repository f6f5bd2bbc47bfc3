// What many would build instead of a room: a Node server on Redis, with a log of every write (`appendonly yes`). Started
// here on free ports, and stopped again.
import { existsSync, mkdirSync } from "node:fs";
import path from "node:path";
import { createInterface } from "node:readline";
import { connect } from "node:net";
import { fileURLToPath } from "node:url";
import { findOnPath } from "../../scripts/paths.mjs";
import { freePort } from "../../scripts/ports.mjs";
import { runOrThrow, startGroup, stopGroup } from "../../scripts/processes.mjs";
import { say, step } from "../../scripts/progress.mjs";
import { pause } from "../e2e/harness/exchange.mjs";
import { closedLoop } from "./measuring.mjs";

const here = path.join(path.dirname(fileURLToPath(import.meta.url)), "redis");
const CONNECTIONS = 32;
const WAITING = 2_000;
const START_PATIENCE_MS = 10_000;

/** `{ targets, stop }`; null, and the reason on stderr, where Redis is not installed. */
export async function startRedisQueue(folder) {
  if (!findOnPath("redis-server")) {
    say("redis-server is not installed: what is compared with Redis is left out (Debian's package: redis-server)");
    return null;
  }
  if (!existsSync(path.join(here, "node_modules"))) {
    await step("packages of the Redis server", "5 s", (onLine) => runOrThrow("npm", ["ci"], { cwd: here, onLine }));
  }
  const started = [];
  const stop = () => Promise.all(started.map((child) => stopGroup(child)));
  try {
    const port = await freePort();
    const data = path.join(folder, "redis");
    mkdirSync(data);
    const words = ["--port", port, "--bind", "127.0.0.1", "--dir", data, "--appendonly", "yes", "--save", ""];
    started.push(startGroup("redis-server", words.map(String)));
    await listens(port);
    const server = startGroup(process.execPath, ["server.mjs"], {
      cwd: here,
      env: { ...process.env, REDIS_PORT: String(port), NODE_ENV: "production" },
    });
    started.push(server);
    const url = `http://127.0.0.1:${await firstLine(server)}`;
    return {
      targets: await targetsOf(
        url,
        started.map(({ pid }) => pid),
        folder,
      ),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function targetsOf(url, pids, folder) {
  const join = { url: `${url}/join`, method: "POST", status: 201, requests: [{}], connections: CONNECTIONS, folder };
  const waiting = Array.from({ length: WAITING }, () => ({}));
  const { answers } = await closedLoop({ ...join, requests: waiting, once: true, keep: true });
  const requests = answers.map((answer) => ({ headers: { authorization: `Bearer ${JSON.parse(answer).id}` } }));
  return [
    { target: "redis_status", url: `${url}/position`, pids, connections: CONNECTIONS, status: 200, folder, requests },
    { target: "redis_join", pids, ...join },
  ];
}

async function listens(port) {
  const until = Date.now() + START_PATIENCE_MS;
  const answers = () =>
    new Promise((resolve) => {
      const socket = connect({ port, host: "127.0.0.1" });
      const end = (is) => {
        socket.destroy();
        resolve(is);
      };
      socket.once("connect", () => end(true));
      socket.once("error", () => end(false));
    });
  while (!(await answers())) {
    if (Date.now() > until) throw new Error("redis-server does not listen");
    await pause(50);
  }
}

function firstLine(child) {
  return new Promise((resolve, reject) => {
    let complaints = "";
    child.stderr.on("data", (bytes) => (complaints += bytes));
    child.hasEnded.then(() => reject(new Error(`the server on Redis ended\n${complaints}`)));
    createInterface({ input: child.stdout }).once("line", resolve);
  });
}
