// Child processes: run one to its end, or keep one as a group that is stopped as a whole.
import { spawn } from "node:child_process";
import { constants } from "node:os";

/** How long a child may take to stop by itself before it is killed. */
const STOP_PATIENCE_MS = 5_000;

const STOP_SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"];

/** Commands and groups under way: they end with this process. */
const underWay = new Set();
const groups = new Set();
process.on("exit", () => {
  for (const child of underWay) child.kill("SIGTERM");
  for (const child of groups) signalGroup(child, "SIGKILL");
});

/** Whether a command stops what it started by itself; else a signal ends this process, and with it the groups. */
let isStopHandled = false;
let doesEndWithSignals = false;
function endWithSignals() {
  if (doesEndWithSignals || isStopHandled) return;
  doesEndWithSignals = true;
  for (const signal of STOP_SIGNALS) {
    process.on(signal, () => isStopHandled || process.exit(128 + constants.signals[signal]));
  }
}

/**
 * Runs a command to its end and gathers what it printed (both streams, in order).
 * Resolves to `{ code, output }`; a command that cannot be started has code 127.
 */
export function run(command, args = [], { onLine, ...options } = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"], ...options });
    underWay.add(child);
    let output = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding("utf8");
      stream?.on("data", (text) => {
        output += text;
        if (onLine) for (const line of text.split(/[\r\n]+/)) if (line.trim()) onLine(line.trim());
      });
    }
    child.on("error", (error) => resolve({ code: 127, output: `${output}${error.message}\n` }));
    child.on("close", (code, signal) => {
      underWay.delete(child);
      resolve({ code: code ?? 1, signal, output });
    });
  });
}

/** Like `run`, but a failure throws what was printed. */
export async function runOrThrow(command, args, options) {
  const result = await run(command, args, options);
  if (result.code !== 0) {
    throw new Error(`${command} ${args.join(" ")} ended with code ${result.code}\n${result.output.trimEnd()}`);
  }
  return result.output;
}

/** Starts a command as the leader of its own process group, so that all it starts can be stopped with it. */
export function startGroup(command, args, options = {}) {
  endWithSignals();
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"], ...options, detached: true });
  groups.add(child);
  child.hasEnded = new Promise((resolve) => {
    child.on("error", (error) => resolve({ code: 127, error }));
    child.on("exit", (code, signal) => resolve({ code, signal }));
  });
  return child;
}

/** Sends a signal to the whole group; a group that is gone already is fine. */
export function signalGroup(child, signal) {
  if (!child?.pid) return;
  try {
    process.kill(-child.pid, signal);
  } catch (error) {
    if (error.code !== "ESRCH") throw error;
  }
}

/** Asks the group to stop, and kills what has not stopped in time. */
export async function stopGroup(child, patienceMs = STOP_PATIENCE_MS) {
  if (!child) return;
  signalGroup(child, "SIGTERM");
  const timer = setTimeout(() => signalGroup(child, "SIGKILL"), patienceMs);
  await child.hasEnded;
  clearTimeout(timer);
  signalGroup(child, "SIGKILL");
  groups.delete(child);
}

/**
 * Calls `stop` once when this process is asked to end: Ctrl-C, SIGTERM, a closed terminal, or npm gone away
 * (npm hands signals on, but a killed npm cannot).
 */
export function onStopRequest(stop) {
  isStopHandled = true;
  let isStopping = false;
  const once = async (reason) => {
    if (isStopping) return;
    isStopping = true;
    await stop(reason);
  };
  for (const signal of STOP_SIGNALS) process.on(signal, () => once(signal));
  if (process.env.npm_lifecycle_event) {
    const parent = process.ppid;
    setInterval(() => process.ppid !== parent && once("npm has ended"), 500).unref();
  }
}
