// D18, isolation, measured: one event is flooded so that the room's process spends half a core on it, and the joins of another
// event of the same process are held against their own times without the flood, turn by turn in the same run.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { runOrThrow, startGroup, stopGroup } from "../../scripts/processes.mjs";
import { pause } from "../e2e/harness/exchange.mjs";
import { startRoom } from "../e2e/harness/room.mjs";
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

const EVENTS = [
  { id: "flooded", expected_visitors: 400_000, admission: { max_active: 1 } },
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

/** Measures; `{ ratio, pairs, flood }`: the median of the paired ratios, the pairs, and what the flood was. */
export async function isolation() {
  const folder = mkdtempSync(path.join(tmpdir(), "anteroom-isolation-"));
  const room = await startRoom({ events: EVENTS });
  try {
    await calmP99(room, folder);
    const idle = await shareDuring(room.workerdPid, () => pause(1_000));
    const tried = await underFlood(room, TRIED_PER_SECOND, () =>
      shareDuring(room.workerdPid, () => pause(TRIED_SECONDS * 1_000)),
    );
    const perSecond = Math.min(MOST_PER_SECOND, (TRIED_PER_SECOND * SHARE) / Math.max(0.01, tried.share - idle.share));
    const pairs = [];
    for (let turn = 0; turn < PAIRS; turn += 1) {
      const alone = await shareDuring(room.workerdPid, () => calmP99(room, folder));
      const flooded = await underFlood(room, perSecond, () =>
        shareDuring(room.workerdPid, () => calmP99(room, folder)),
      );
      pairs.push({
        alone_ms: alone.result,
        flooded_ms: flooded.result,
        share: flooded.share - alone.share,
        ratio: flooded.result / alone.result,
      });
    }
    const ratios = pairs.map(({ ratio }) => ratio).toSorted((a, b) => a - b);
    return { ratio: ratios[ratios.length >> 1], pairs, perSecond };
  } finally {
    await room.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
