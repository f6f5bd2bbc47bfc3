// A browser with a quarter of the processor: all its processes run and stand still by turns, some hundred times a
// second. Chromium's own throttle reaches the page's thread only, and not the worker that solves.

import { spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { constants, setPriority } from "node:os";
import { fileURLToPath } from "node:url";
import { launchOptions } from "../../scripts/testing/browser.mjs";

const RUN_MS = 2;
const STAND_MS = 6;
const HERE = fileURLToPath(import.meta.url);

const signal = (group, name) => {
  try {
    process.kill(-group, name);
  } catch {}
};

/** What the threads of that name in a process group do: their states as Linux writes them, `T` for standing still. */
function statesOf(group, name) {
  const states = [];
  const stat = (path) =>
    readFileSync(path, "utf8")
      .match(/^\d+ \((.*)\) (\S) \d+ (\d+)/)
      .slice(1);
  for (const pid of readdirSync("/proc").filter((entry) => /^\d+$/.test(entry))) {
    try {
      if (stat(`/proc/${pid}/stat`)[2] !== String(group)) continue;
      for (const thread of readdirSync(`/proc/${pid}/task`)) {
        const [comm, state] = stat(`/proc/${pid}/task/${thread}/stat`);
        if (comm === name) states.push(state);
      }
    } catch {
      // It has ended meanwhile.
    }
  }
  return states;
}

/** `browser`; `threads(name)`: what its threads of that name do; `slow()` and `fast()` change between a quarter and all of the processor; `close()` ends it. */
export async function launchSlowable() {
  const { chromium } = await import("playwright-core");
  const server = await chromium.launchServer(launchOptions());
  // Playwright starts it in a process group of its own.
  const group = server.process().pid;
  const browser = await chromium.connect(server.wsEndpoint());
  let brake = null;
  const fast = async () => {
    if (brake === null) return;
    const ended = new Promise((done) => brake.once("exit", done));
    brake.kill("SIGKILL");
    await ended;
    brake = null;
    signal(group, "SIGCONT");
  };
  return {
    browser,
    slow() {
      brake ??= spawn(process.execPath, [HERE, String(group)], { stdio: "ignore" });
    },
    fast,
    threads: (name) => statesOf(group, name),
    async close() {
      await fast();
      await browser.close();
      await server.close();
    },
  };
}

/** In a process of its own: stops and continues a process group until the parent is gone. */
function brakes(group) {
  const cell = new Int32Array(new SharedArrayBuffer(4));
  const parent = process.ppid;
  try {
    // On a busy machine it would come too late.
    setPriority(constants.priority.PRIORITY_HIGHEST);
  } catch {}
  while (process.ppid === parent) {
    signal(group, "SIGSTOP");
    Atomics.wait(cell, 0, 0, STAND_MS);
    signal(group, "SIGCONT");
    Atomics.wait(cell, 0, 0, RUN_MS);
  }
}

if (process.argv[1] === HERE) brakes(Number(process.argv[2]));
