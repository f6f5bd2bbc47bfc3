// Who works in a folder: one process at a time. It is known by its number and by which run of that number it is, so that
// what a killed process wrote there holds nobody up when the system has given the number to another program.
import { spawnSync } from "node:child_process";
import { existsSync, linkSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { say, withSignsOfLife } from "./progress.mjs";

const TURN_INTERVAL_MS = 250;

const ownerFile = (folder) => path.join(folder, "owner.pid");

/**
 * From now on the folder, which is there, is this process's: null. Or the number of the process that has it already,
 * perhaps this one's own.
 */
export function takeFolder(folder) {
  const file = ownerFile(folder);
  const mine = `${file}.${process.pid}`;
  // Linked when it is whole: of two that come at the same time one is first, and nobody reads half a line.
  writeFileSync(mine, `${process.pid} ${runOf(process.pid) ?? ""}`);
  try {
    for (;;) {
      try {
        linkSync(mine, file);
        return null;
      } catch (error) {
        if (error.code !== "EEXIST") throw error;
      }
      const found = textOf(file);
      const owner = ownerOf(found);
      if (owner !== null) return owner;
      clear(file, found, mine);
    }
  } finally {
    rmSync(mine, { force: true });
  }
}

/** Takes the folder as soon as nobody else has it. Whoever waits says at once for whom; `what` both of them do. */
export async function takeTurn(folder, what, write = say) {
  const other = takeFolder(folder);
  if (other === null) return;
  write(`Another ${what} is at work in this folder, process ${other}; waiting for it.`);
  await withSignsOfLife("waiting,", async () => {
    while (takeFolder(folder) !== null) await sleep(TURN_INTERVAL_MS);
  });
}

/** Whether this process has taken the folder. */
export const hasFolder = (folder) => ownerOf(textOf(ownerFile(folder))) === process.pid;

/** Gives the folder up, if this process has it. */
export function leaveFolder(folder) {
  if (hasFolder(folder)) rmSync(ownerFile(folder), { force: true });
}

/** Takes away what a dead process wrote, if it is still there. One at a time: whoever is slow would take away the next one's. */
function clear(file, found, mine) {
  const turn = `${file}.turn`;
  try {
    linkSync(mine, turn);
  } catch (error) {
    if (error.code !== "EEXIST") throw error;
    if (ownerOf(textOf(turn)) === null) rmSync(turn, { force: true });
    return;
  }
  try {
    if (textOf(file) === found) rmSync(file, { force: true });
  } finally {
    rmSync(turn, { force: true });
  }
}

/** What the file says; null: it is gone. */
function textOf(file) {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if (error.code === "ENOENT") return null;
    throw error;
  }
}

/** The number of the living process that wrote this; null: none. */
function ownerOf(text) {
  const [, pid, run] = text?.match(/^(\d+) (.+)$/) ?? [];
  return run !== undefined && runOf(pid) === run ? Number(pid) : null;
}

/** Which run of a process number this is: when it began, as the system counts; null: none runs. */
function runOf(pid) {
  if (!existsSync("/proc/self/stat")) {
    return spawnSync("ps", ["-o", "lstart=", "-p", String(pid)], { encoding: "utf8" }).stdout?.trim() || null;
  }
  try {
    const [state, ...rest] = readFileSync(`/proc/${pid}/stat`, "latin1").split(") ").at(-1).split(" ");
    return "ZX".includes(state) ? null : rest[18];
  } catch {
    return null;
  }
}
