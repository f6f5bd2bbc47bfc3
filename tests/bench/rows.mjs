// Rows that a thousand joins write, counted where the platform counts them for the bill: `rowsWritten` of every statement,
// and one for each alarm that is set. The Worker is the built one with a few lines around the classes of its objects.
import assert from "node:assert/strict";
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { buildDir } from "../../scripts/paths.mjs";
import { runOrThrow } from "../../scripts/processes.mjs";
import { exchange, pause } from "../e2e/harness/exchange.mjs";
import { startRoom } from "../e2e/harness/room.mjs";
import { native } from "../faults/crowd.mjs";

const CONTROL = "/__rows";
const PER_SECOND = 500;
const JOINS = 5_000;
/** Joins before, so few that no second shard is opened for them: all permits of the measurement name the first. */
const FIRST = { joins: 50, perSecond: 25 };
/** What is under way when the last join is answered is written by then, and no rate of joins is measured any more. */
const SETTLED_MS = 3_000;

const counting = (shard, coordinator) => `
const counted = { rows: 0, alarms: 0 };
let isPatched = false;
const patch = (storage) => {
  if (isPatched) return;
  isPatched = true;
  const sql = Object.getPrototypeOf(storage.sql);
  const { exec } = sql;
  sql.exec = function (...words) {
    const cursor = exec.apply(this, words);
    counted.rows += cursor.rowsWritten;
    return cursor;
  };
  const prototype = Object.getPrototypeOf(storage);
  const { setAlarm } = prototype;
  prototype.setAlarm = function (...words) {
    counted.alarms += 1;
    return setAlarm.apply(this, words);
  };
};
class CountedShard {
  constructor(context, env) {
    patch(context.storage);
    return new ${shard}(context, env);
  }
}
class CountedCoordinator {
  constructor(context, env) {
    patch(context.storage);
    return new ${coordinator}(context, env);
  }
}
import * as countedSelf from "./index.js";
{
  const prototype = countedSelf.default.prototype;
  const { fetch } = prototype;
  prototype.fetch = function (request) {
    return new URL(request.url).pathname === "${CONTROL}" ? Response.json(counted) : fetch.call(this, request);
  };
}
`;

/** The built modules with the counting around them, in a folder below `folder`. */
export function countingBuild(folder) {
  const counted = path.join(folder, "counting");
  mkdirSync(counted, { recursive: true });
  copyFileSync(path.join(buildDir, "index_bg.wasm"), path.join(counted, "index_bg.wasm"));
  writeFileSync(path.join(counted, "index.js"), withCounting(readFileSync(path.join(buildDir, "index.js"), "utf8")));
  return counted;
}

/** The script with classes that count instead of those that it exports. */
export function withCounting(script) {
  const names = {};
  const exported = script.replace(/([\w$]+) as (ShardObject|CoordinatorObject)\b/g, (_, name, kind) => {
    names[kind] = name;
    return `${kind === "ShardObject" ? "CountedShard" : "CountedCoordinator"} as ${kind}`;
  });
  assert.equal(Object.keys(names).length, 2, "the built script exports its two classes by name");
  return `${exported}\n${counting(names.ShardObject, names.CoordinatorObject)}`;
}

/** Joins arrive at 500 a second at one shard, whatever the room does; the rows of shard and coordinator for 1,000 of them. */
export async function rowsPer1000Joins(folder) {
  const events = [{ id: "demo", origin: null, expected_visitors: 1_000, admission: { max_active: 1 } }];
  const room = await startRoom({ events, buildDir: countingBuild(folder) });
  try {
    const counted = async () => (await exchange(room.url, { path: CONTROL })).json;
    const joins = (count, perSecond) =>
      runOrThrow(
        native("anteroom-load"),
        [
          ...["--url", room.url, "--event", "demo", "--joins-only", "--alone"],
          ...["--visitors", count, "--arrivals-per-second", perSecond],
        ].map(String),
      );
    await joins(FIRST.joins, FIRST.perSecond);
    await pause(SETTLED_MS);
    assert.equal((await room.board()).open_shards.length, 1, "one shard takes joins");
    const before = await counted();
    await joins(JOINS, PER_SECOND);
    await pause(SETTLED_MS);
    const after = await counted();
    const entries = (await room.board()).lines[0].entries;
    assert.equal(entries, JOINS + FIRST.joins, "every join has its number");
    return ((after.rows - before.rows + after.alarms - before.alarms) * 1_000) / JOINS;
  } finally {
    await room.stop();
  }
}
