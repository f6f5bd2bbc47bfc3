// The demo shop as a child process: its address, its keys, its store.
import { createServer } from "node:net";
import path from "node:path";
import { eventsOf, DEMO_SHOP } from "./wrangler-config.mjs";
import { startGroup, stopGroup } from "./processes.mjs";
import { shopBinary } from "./setup/shop.mjs";
import { answers } from "./probe.mjs";

const START_PATIENCE_MS = 20_000;

/** A port that is free now. */
export function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

/** Starts the shop for the events of `config` that name it. Resolves when it answers. */
export async function startShop({ config, secrets, stateDir, onOutput = () => {} }) {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const child = startGroup(shopBinary, [], {
    env: { ...process.env, ...shopSettings({ config, secrets, port, stateDir }) },
  });
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (bytes) => onOutput(String(bytes)));
  const ended = child.hasEnded.then(({ code, error }) => {
    throw new Error(`the demo shop ended with code ${code} ${error?.message ?? ""}`);
  });
  ended.catch(() => {});
  try {
    await Promise.race([answers(url, START_PATIENCE_MS), ended]);
  } catch (error) {
    await stopGroup(child);
    throw error;
  }
  return { url, port, pid: child.pid, hasEnded: child.hasEnded, stop: () => stopGroup(child) };
}
