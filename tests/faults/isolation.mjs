// D18, isolation, measured: one event is flooded so that the thread of the room's process is busy with it for half of the
// time, and the joins of another event of the same process are held against their own times without the flood, turn by turn
// in the same run. Every flood is an open loop of even arrivals, to an event that nobody has joined before.
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
import { secondsIn } from "../bench/measuring.mjs";
import { modulesOf } from "../../scripts/workerd-config.mjs";
import { freePort } from "../../scripts/ports.mjs";
import { native } from "./crowd.mjs";

/** What the flood shall take of the thread, and how near to that its rate is sought. */
const SHARE = 0.5;
const NEAR = 0.05;
/** Joins a second of the event that is looked at, and for how long in each turn: twenty of them are above the p99. */
const CALM = { perSecond: 100, seconds: 20 };
const PAIRS = 5;
/** The flood's first rate. The more joins come, the less each costs, since they are gathered: so a rate is tried itself. */
const TRIED_PER_SECOND = 200;
const TRIED_SECONDS = 6;
const MOST_TRIES = 6;
const MOST_PER_SECOND = 5_000;
/** A flood goes on for so much longer than what is measured under it; then it is stopped. */
const SPARE_SECONDS = 10;
/** The longest that a flood may take to make its permits: 500 a second are enough for 5,000 a second and half a minute. */
const FLOODS_WITHIN_MS = 300_000;

/** Requests of the flood on what stores nothing are sent in this rhythm. */
const BEAT_MS = 1;

/**
 * An event for each flood, so that none finds the places of those before. Each is more than ten times what its event is
 * planned for. One shard takes it all, as the busiest would of a sale.
 */
const FLOODED = Array.from({ length: MOST_TRIES + PAIRS }, (_, n) => `flooded-${n}`);
const EVENTS = [
  ...FLOODED.map((id) => ({ id, expected_visitors: 1_000, admission: { max_active: 1 } })),
  { id: "calm", expected_visitors: 50_000, admission: { max_active: 1 } },
];

/** Processor seconds that the thread of a process has used on which everything runs. */
const usedSeconds = (pid) => secondsIn(`/proc/${pid}/task/${pid}/stat`);

/** The share of its time that this thread is busy while something else happens. */
async function shareDuring(pid, work) {
  const [began, used] = [performance.now(), usedSeconds(pid)];
  const result = await work();
  return { result, share: (usedSeconds(pid) - used) / ((performance.now() - began) / 1_000) };
}

const joins = (room, event, perSecond, seconds, more = []) => [
  ...["--url", room.url, "--event", event, "--joins-only", "--visitors", String(Math.ceil(perSecond * seconds))],
  ...["--arrivals-per-second", String(Math.ceil(perSecond)), ...more],
];

/** Joins of the event that is looked at: how many milliseconds they take, by quantile. */
async function calmJoins(room, folder) {
  const file = path.join(folder, "calm.json");
  await runOrThrow(native("anteroom-load"), joins(room, "calm", CALM.perSecond, CALM.seconds, ["--json", file]));
  const { p50_ms, p95_ms, p99_ms } = JSON.parse(readFileSync(file, "utf8")).joins;
  return { p50: p50_ms, p95: p95_ms, p99: p99_ms };
}

/**
 * The flood of an event while something else happens that takes `seconds`. Its permits are made before, so it is waited for
 * until joins arrive. A flood that ends before, or does not come, is an error.
 */
async function underFlood(room, event, perSecond, seconds, work) {
  const flood = startGroup(native("anteroom-load"), joins(room, event, perSecond, seconds + SPARE_SECONDS));
  let end = null;
  flood.hasEnded.then((outcome) => {
    end = outcome;
  });
  const began = performance.now();
  try {
    while ((await room.board(event)).lines[0].entries < perSecond / 2) {
      if (end) throw new Error(`the flood of ${event} ended before it began: ${JSON.stringify(end)}`);
      if (performance.now() - began > FLOODS_WITHIN_MS) throw new Error(`the flood of ${event} does not come`);
      await pause(100);
    }
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

/** What is told of the joins. The quarter is wanted of the last; the others say whether all are late, or some in stalls. */
export const QUANTILES = ["p50", "p95", "p99"];

/** By quantile: how many times as long joins took beside a flood as alone, in the median of the turns. */
const ratios = (pairs, beside) =>
  Object.fromEntries(
    QUANTILES.map((quantile) => [quantile, median(pairs.map((pair) => pair[beside][quantile] / pair.alone[quantile]))]),
  );

/** The rate at which a flood takes its share; that none was found is an error. */
async function rateOf(room, idle, flood) {
  const tried = [];
  let perSecond = TRIED_PER_SECOND;
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const busy = () => shareDuring(room.workerdPid, () => pause(TRIED_SECONDS * 1_000));
    const share = (await flood(perSecond, TRIED_SECONDS, busy)).share - idle.share;
    if (Math.abs(share - SHARE) <= NEAR) return perSecond;
    tried.push(`${share.toFixed(2)} at ${Math.round(perSecond)} a second`);
    perSecond = Math.min(MOST_PER_SECOND, (perSecond * SHARE) / Math.max(0.01, share));
  }
  throw new Error(`no flood takes ${SHARE} of a core here: ${tried.join(", ")}`);
}

/**
 * Measures; `{ flooded, other, pairs, perSecond, otherPerSecond }`: the ratios under both floods by quantile, the turns with
 * milliseconds by quantile and the share of the thread that the flood got, and what the floods were.
 */
export async function isolation() {
  const folder = mkdtempSync(path.join(tmpdir(), "anteroom-isolation-"));
  const address = `127.0.0.1:${await freePort()}`;
  const room = await startRoom({ events: EVENTS, server: { beside: [nothing(address)] } });
  const fresh = [...FLOODED];
  const flood = (perSecond, seconds, work) => underFlood(room, fresh.shift(), perSecond, seconds, work);
  const otherFlood = (perSecond, _, work) => underOtherFlood(`http://${address}/`, perSecond, work);
  try {
    const calm = async () => {
      const { result, share } = await shareDuring(room.workerdPid, () => calmJoins(room, folder));
      return { ...result, share };
    };
    await calm();
    const idle = await shareDuring(room.workerdPid, () => pause(1_000));
    const perSecond = await rateOf(room, idle, flood);
    const otherPerSecond = await rateOf(room, idle, otherFlood);
    const pairs = [];
    for (let turn = 0; turn < PAIRS; turn += 1) {
      const alone = await calm();
      const beside = ({ share, ...joins }) => ({ ...joins, share: share - alone.share });
      pairs.push({
        alone,
        flooded: beside(await flood(perSecond, CALM.seconds, calm)),
        other: beside(await otherFlood(otherPerSecond, CALM.seconds, calm)),
      });
    }
    return { flooded: ratios(pairs, "flooded"), other: ratios(pairs, "other"), pairs, perSecond, otherPerSecond };
  } finally {
    await room.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
