// A server that was killed leaves its children behind, which would go on writing to the same files and hold its port.
// The next start with the same state folder ends them.
import { existsSync, mkdirSync, readFileSync, readlinkSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { UsageError } from "./command-line.mjs";
import { hasFolder, leaveFolder, takeFolder } from "./owners.mjs";
import { signalGroup } from "./processes.mjs";

/** Where each child works inside the state folder: by this a leftover is known for certain. */
const WORKING_FOLDERS = { workerd: "serve", shop: "shop" };
const END_PATIENCE_MS = 5_000;
const INTERVAL_MS = 20;

const pidFile = (stateDir, name) => path.join(stateDir, "serve", `${name}.pid`);

/** The state folder's real path; it is made when it is missing. */
export function madeStateFolder(text) {
  if (text === "") throw new UsageError("--state is empty, allowed is the path of a folder");
  const folder = path.resolve(text);
  try {
    makeFolder(path.join(folder, "serve"));
    return realpathSync(folder);
  } catch (error) {
    throw new UsageError(`--state is ${JSON.stringify(text)}, but no folder can be made there (${error.code})`);
  }
}

/** One level after the other: Node's own way of making all at once does not end below /proc. */
function makeFolder(folder) {
  if (existsSync(folder)) return;
  makeFolder(path.dirname(folder));
  mkdirSync(folder);
}

/** Remembers a child for a next start that finds this one killed. */
export function noteChild(stateDir, name, pid) {
  if (pid) writeFileSync(pidFile(stateDir, name), String(pid));
}

/** The children have been stopped, and another server may take the folder; what another has taken stays as it is. */
export function leaveState(stateDir) {
  if (!hasFolder(path.join(stateDir, "serve"))) return;
  for (const name of Object.keys(WORKING_FOLDERS)) rmSync(pidFile(stateDir, name), { force: true });
  leaveFolder(path.join(stateDir, "serve"));
}

/** Takes the state folder, ends what a killed server left there, and waits until it is gone. */
export async function takeState(stateDir) {
  const owner = takeFolder(path.join(stateDir, "serve"));
  if (owner !== null && owner !== process.pid) {
    throw new UsageError(
      `--state is ${JSON.stringify(stateDir)}, but process ${owner} serves from there; end it or take another folder`,
    );
  }
  for (const [name, folder] of Object.entries(WORKING_FOLDERS)) {
    const file = pidFile(stateDir, name);
    const pid = existsSync(file) ? Number(readFileSync(file, "utf8")) : 0;
    const isOurs = () => pid > 0 && workingFolder(pid) === path.join(stateDir, folder);
    if (!isOurs()) continue;
    signalGroup({ pid }, "SIGKILL");
    for (const until = Date.now() + END_PATIENCE_MS; isOurs() && Date.now() < until; ) {
      await new Promise((resolve) => setTimeout(resolve, INTERVAL_MS));
    }
  }
}

/** Where a process works, or null where the system does not tell. */
function workingFolder(pid) {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return null;
  }
}
