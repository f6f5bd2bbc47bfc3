// The edge and its joins, side by side with Workers that do next to nothing and with what many would build instead.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { say } from "../../scripts/progress.mjs";
import { sampled } from "./measuring.mjs";
import { document, table } from "./ratios.mjs";
import { startRedisQueue } from "./redis-queue.mjs";
import { rowsPer1000Joins } from "./rows.mjs";
import { startTargets } from "./targets.mjs";

/** Each target is measured so often, by turns, so that what else the machine does meets all of them alike. */
const ROUNDS = 5;
const SECONDS = 2;
/** Before the first round every target is run for so long: code is compiled, connections are known. */
const WARM_SECONDS = 1;

/** Measures everything, prints the table, and writes `json` if it is a file's name. */
export async function edge({ json, rounds = ROUNDS } = {}) {
  const folder = mkdtempSync(path.join(tmpdir(), "anteroom-bench-"));
  const started = [];
  try {
    const rows = await rowsPer1000Joins(folder);
    const room = await startTargets(folder);
    started.push(room);
    const redis = await startRedisQueue(folder);
    if (redis) started.push(redis);
    const targets = [...room.targets, ...(redis?.targets ?? [])];
    const samples = await measured(targets, rounds);
    process.stdout.write(`${table(samples, rows)}\n`);
    if (json) writeFileSync(json, `${JSON.stringify(document(samples, rows), null, 2)}\n`);
  } finally {
    await Promise.all(started.map((each) => each.stop()));
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measured(targets, rounds) {
  for (const target of targets) await sample(target, WARM_SECONDS, 0);
  const samples = [];
  for (let round = 1; round <= rounds; round += 1) {
    for (const target of targets) samples.push(await sample(target, SECONDS, round));
    say(`  round ${round} of ${rounds}`);
  }
  return samples;
}

async function sample(target, seconds, round) {
  await target.before?.(target);
  return sampled({ ...target, seconds }, round);
}
