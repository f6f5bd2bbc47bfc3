// D18, isolation, measured: one event is flooded so that the room's process spends half a core on it, and the joins of another
// event of the same process are held against their own times without the flood, turn by turn in the same run.
//
// workerd runs everything on one thread, where the platform gives each object and each isolate its own. So there is a third
// turn in which a Worker and an object that store nothing, and have nothing to do with the room, are flooded for the same
// share of the core: what the joins wait then, they wait for the thread.
import http from "node:http";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { runOrThrow, startGroup, stopGroup } from "../../scripts/processes.mjs";
import { pause } from "../e2e/harness/exchange.mjs";
import { startRoom } from "../e2e/harness/room.mjs";
import { baselineDir } from "../bench/baseline.mjs";
import { modulesOf } from "../../scripts/workerd-config.mjs";
import { freePort } from "../../scripts/ports.mjs";
import { native } from "./crowd.mjs";

/** What the flood shall take of one core. */
const SHARE = 0.5;
/** Joins a second of the event that is looked at, and for how long in each turn. */
const CALM = { perSecond: 40, seconds: 12 };
const PAIRS = 5;
/** The flood's first rate, to see what a join costs here. */
const TRIED_PER_SECOND = 100;
const TRIED_SECONDS = 6;
const MOST_PER_SECOND = 5_000;

/** The kernel's clock ticks in a second: <https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html>, field 14 on. */
const TICKS_PER_SECOND = 100;

/** Requests of the flood on what stores nothing are sent in this rhythm. */
const BEAT_MS = 10;

/** The flood is more than ten times what its event is planned for. One shard takes it all, as the busiest would of a sale. */
const EVENTS = [
  { id: "flooded", expected_visitors: 1_000, admission: { max_active: 1 } },
  { id: "calm", expected_visitors: 20_000, admission: { max_active: 1 } },
];

/** Processor seconds that a process has used. */
function usedSeconds(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1].split(" ");
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

/** The share of a core that a process takes while something else happens. */
async function shareDuring(pid, work) {
  const [began, used] = [performance.now(), usedSeconds(pid)];
  const result = await work();
  return { result, share: (usedSeconds(pid) - used) / ((performance.now() - began) / 1_000) };
}

const joins = (room, event, perSecond, seconds, more = []) => [
  ...["--url", room.url, "--event", event, "--joins-only", "--visitors", String(Math.ceil(perSecond * seconds))],
  ...["--arrivals-per-second", String(Math.ceil(perSecond)), ...more],
];

/** Joins of the event that is looked at: its p99 in milliseconds. */
async function calmP99(room, folder) {
  const file = path.join(folder, "calm.json");
  await runOrThrow(native("anteroom-load"), joins(room, "calm", CALM.perSecond, CALM.seconds, ["--json", file]));
  return JSON.parse(readFileSync(file, "utf8")).joins.p99_ms;
}

/** The flood while something else happens. Its permits are made before, so it is waited for until joins arrive. */
async function underFlood(room, perSecond, work) {
  // Twice as long as the turn: it is stopped when the turn is over.
  const flood = startGroup(native("anteroom-load"), joins(room, "flooded", perSecond, 2 * CALM.seconds));
  const before = (await room.board("flooded")).lines[0].entries;
  try {
    while ((await room.board("flooded")).lines[0].entries < before + perSecond / 2) await pause(100);
    return await work();
  } finally {
    await stopGroup(flood);
  }
}

/** As many requests a second to `url` while something else happens, whatever becomes of them. */
async function underOtherFlood(url, perSecond, work) {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 256 });
  const began = performance.now();
  let sent = 0;
  const beat = setInterval(() => {
    for (; sent < ((performance.now() - began) / 1_000) * perSecond; sent += 1) {
      const request = http.request(url, { agent, method: "POST" }, (answer) => answer.resume());
      request.on("error", () => {});
      request.end("a join's body is as long as a permit, and so is this one".repeat(5));
    }
  }, BEAT_MS);
  try {
    return await work();
  } finally {
    clearInterval(beat);
    agent.destroy();
  }
}

/** The Worker that is flooded in the room's stead. */
const nothing = (address) => ({
  name: "rustNothing",
  modules: modulesOf(baselineDir),
  vars: { KIND: "nothing" },
  objects: [{ binding: "NOTHING", className: "Nothing" }],
  address,
});

const median = (numbers) => numbers.toSorted((a, b) => a - b)[numbers.length >> 1];

/** The rate at which a flood takes its share of a core, from the share that a first rate takes. */
async function rateOf(room, idle, flood) {
  const tried = await flood(TRIED_PER_SECOND, () => shareDuring(room.workerdPid, () => pause(TRIED_SECONDS * 1_000)));
  return Math.min(MOST_PER_SECOND, (TRIED_PER_SECOND * SHARE) / Math.max(0.01, tried.share - idle.share));
}

/**
 * Measures; `{ ratio, other, pairs, perSecond, otherPerSecond }`: the medians of the ratios under both floods, the turns, and
 * what the floods were.
 */
export async function isolation() {
  const folder = mkdtempSync(path.join(tmpdir(), "anteroom-isolation-"));
  const address = `127.0.0.1:${await freePort()}`;
  const room = await startRoom({ events: EVENTS, server: { beside: [nothing(address)] } });
  const flood = (perSecond, work) => underFlood(room, perSecond, work);
  const otherFlood = (perSecond, work) => underOtherFlood(`http://${address}/`, perSecond, work);
  try {
    const calm = () => shareDuring(room.workerdPid, () => calmP99(room, folder));
    await calm();
    const idle = await shareDuring(room.workerdPid, () => pause(1_000));
    const perSecond = await rateOf(room, idle, flood);
    const otherPerSecond = await rateOf(room, idle, otherFlood);
    const pairs = [];
    for (let turn = 0; turn < PAIRS; turn += 1) {
      const alone = await calm();
      const flooded = await flood(perSecond, calm);
      const other = await otherFlood(otherPerSecond, calm);
      pairs.push({
        alone_ms: alone.result,
        flooded_ms: flooded.result,
        share: flooded.share - alone.share,
        ratio: flooded.result / alone.result,
        other_ms: other.result,
        other_share: other.share - alone.share,
        other_ratio: other.result / alone.result,
      });
    }
    return {
      ratio: median(pairs.map(({ ratio }) => ratio)),
      other: median(pairs.map(({ other_ratio }) => other_ratio)),
      pairs,
      perSecond,
      otherPerSecond,
    };
  } finally {
    await room.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
