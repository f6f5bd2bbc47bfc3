// A build with the meter of in-worker.js around it, and what the meter says.
import assert from "node:assert/strict";
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { root, wranglerFile } from "../../scripts/paths.mjs";
import { readWranglerConfig } from "../../scripts/wrangler-config.mjs";

const CONTROL = "/__meter";
/** The kernel's clock ticks in a second: <https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html>, field 14 on. */
const TICK_MS = 10;

/** Makes a build folder with the meter below `folder`, from the one that was built. */
export function meteredBuild(builtDir, folder) {
  const metered = path.join(folder, "metered");
  mkdirSync(metered, { recursive: true });
  copyFileSync(path.join(builtDir, "index_bg.wasm"), path.join(metered, "index_bg.wasm"));
  copyFileSync(path.join(builtDir, "index.js"), path.join(metered, "room.js"));
  const classes = readWranglerConfig(wranglerFile).durable_objects.bindings.map((binding) => binding.class_name);
  const exported = classes.map((name) => `export const ${name} = meteredClass("${name}", room.${name});\n`);
  const meter = readFileSync(path.join(root, "tests/cost/in-worker.js"), "utf8");
  writeFileSync(path.join(metered, "index.js"), `${meter}${exported.join("")}`);
  return metered;
}

/** Milliseconds of the processor that a process has used. */
export function usedMs(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1].split(" ");
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}

/** All that has been counted so far: see in-worker.js, and the processor's and this process's time. */
export async function counted(room) {
  const response = await fetch(`${room.url}${CONTROL}`);
  assert.equal(response.status, 200, "only a metered room tells what it counts");
  const { objects, ...tables } = await response.json();
  const kinds = {};
  for (const { kind, written, read, awake_ms } of objects) {
    kinds[kind] ??= { objects: 0, written: 0, read: 0, awake_ms: 0 };
    const sum = kinds[kind];
    sum.objects += 1;
    sum.written += written;
    sum.read += read;
    sum.awake_ms += awake_ms;
  }
  return { at_ms: performance.now(), cpu_ms: usedMs(room.workerdPid), ...tables, objects: kinds };
}

const minus = (after = {}, before = {}) => {
  const left = Object.entries(after).map(([key, value]) => [key, value - (before[key] ?? 0)]);
  return Object.fromEntries(left.filter(([, value]) => value !== 0));
};

/** What was counted from `before` to `after`. */
export function between(before, after) {
  const kinds = Object.keys(after.objects);
  const table = (name) => minus(after[name], before[name]);
  const objects = kinds.map((kind) => {
    const { objects, ...grown } = after.objects[kind];
    const left = Object.keys(grown).map((key) => [key, grown[key] - (before.objects[kind]?.[key] ?? 0)]);
    return [kind, { objects, ...Object.fromEntries(left) }];
  });
  return {
    seconds: (after.at_ms - before.at_ms) / 1_000,
    cpu_ms: after.cpu_ms - before.cpu_ms,
    requests: table("requests"),
    calls: table("calls"),
    alarms: table("alarms"),
    messages: table("messages"),
    objects: Object.fromEntries(objects),
  };
}
