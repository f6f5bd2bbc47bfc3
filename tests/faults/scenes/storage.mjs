// Nothing more can be written: first because files may not grow, then because the folder is somebody else's.
import assert from "node:assert/strict";
import { chmodSync, readdirSync, statSync } from "node:fs";
import path from "node:path";
import { runOrThrow } from "../../../scripts/processes.mjs";
import { exchange, pause } from "../../e2e/harness/exchange.mjs";

/** No file may grow beyond that: less than the first page that an object writes. */
const MOST_BYTES = 4_096;
const EPISODES = 3;

/** Debian's nobody. */
const NOBODY = 65_534;

export const title = "storage that fails: no file may grow, then the folder cannot be written";

export const seconds = ({ lastsSeconds, betweenSeconds }) =>
  EPISODES * (lastsSeconds + betweenSeconds) + betweenSeconds;

/** What reaches the limit is told so and lives on. */
export const settings = () => ({ room: { server: { under: ["sh", "-c", 'trap \'\' XFSZ; exec "$0" "$@"'] } } });

const limitTo = (pid, bytes) => runOrThrow("prlimit", ["--pid", String(pid), `--fsize=${bytes}:`]);

export async function goesWrong({ room, journal }, { lastsSeconds, betweenSeconds }) {
  await pause(betweenSeconds * 1_000);
  await journal.fault("full", async () => {
    await limitTo(room.workerdPid, MOST_BYTES);
    await pause(lastsSeconds * 1_000);
    await pageIsThere(room);
    await limitTo(room.workerdPid, "unlimited");
  });
  await pause(betweenSeconds * 1_000);
  await journal.fault("full-and-killed", async () => {
    await limitTo(room.workerdPid, MOST_BYTES);
    await pause(lastsSeconds * 1_000);
    await room.kill9();
    await room.restart();
  });
  await pause(betweenSeconds * 1_000);
  await journal.fault("unwritable", () => withoutFolder(room, lastsSeconds));
}

/** The room as a user who may read its state and not write it; then as one who may again. */
async function withoutFolder(room, seconds) {
  const objects = path.join(room.stateDir, "objects");
  const folders = foldersBelow(objects);
  const unprivileged = process.getuid() === 0 ? { uid: NOBODY } : {};
  chmodSync(path.dirname(room.stateDir), 0o755);
  await room.kill9();
  for (const folder of folders) chmodSync(folder, 0o555);
  await room.restartWith({ server: unprivileged });
  const until = Date.now() + seconds * 1_000;
  for (; Date.now() < until; await pause(1_000)) await pageIsThere(room);
  await room.kill9();
  for (const folder of folders) chmodSync(folder, 0o755);
  await room.restart();
}

function foldersBelow(folder) {
  const names = readdirSync(folder, { recursive: true }).map((name) => path.join(folder, name));
  return [folder, ...names.filter((name) => statSync(name).isDirectory())];
}

/** Whoever comes sees the queue page or the room's own words, never an error of the platform. */
async function pageIsThere(room) {
  const page = await exchange(room.url, { path: `/events/${room.event}/`, headers: { accept: "text/html" } });
  assert.equal(typeof page.state, "string", `${page.status} ${page.text.slice(0, 200)}`);
}
