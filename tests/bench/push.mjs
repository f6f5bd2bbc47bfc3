// Push, measured: as many sockets as a shard takes, visitors who join at the same shard, and a board that changes.
import { writeFileSync } from "node:fs";
import { runOrThrow } from "../../scripts/processes.mjs";
import { step } from "../../scripts/progress.mjs";
import { startRoom } from "../e2e/harness/room.mjs";
import { native } from "../faults/crowd.mjs";

const SOCKETS = 8_000;
const JOINS_PER_SECOND = 200;
const CHANGES = 10;

/** What the project holds itself to, in milliseconds. */
const CHANGE_P99_MS = 2_000;
const JOIN_P99_MS = 500;

/** The event has one shard, and nobody comes in, so that everybody goes on listening. */
const EVENT = { id: "demo", origin: null, expected_visitors: 8_000, admission: { max_active: 1 } };

export async function push({ json, sockets = SOCKETS, joinsPerSecond = JOINS_PER_SECOND, changes = CHANGES } = {}) {
  const room = await startRoom({ events: [EVENT] });
  try {
    const { token } = await room.operator({ role: "operate" });
    const words = [
      ...["--url", room.url, "--event", EVENT.id, "--sockets", sockets],
      ...["--joins-per-second", joinsPerSecond, "--changes", changes],
    ];
    const options = { env: { ...process.env, OPERATOR_TOKEN: token } };
    const output = await step("sockets, joins and changes", "90 s", (onLine) =>
      runOrThrow(native("push-load"), words.map(String), { ...options, onLine }),
    );
    const figures = JSON.parse(output.trimEnd().split("\n").at(-1));
    process.stdout.write(`${table(figures)}\n`);
    if (json) writeFileSync(json, `${JSON.stringify(figures, null, 2)}\n`);
    return figures;
  } finally {
    await room.stop();
  }
}

/** The figures in words. */
export function table(figures) {
  const { sockets, broken, words, changes, unheard, joins, joins_failed: failed } = figures;
  const ms = (value) => `${value.toFixed(0).padStart(6)} ms`;
  return [
    `${sockets} sockets at one shard (${broken} broke off), ${words} words; ${changes} changes, ${unheard} not heard of`,
    `change to socket   p50${ms(figures.change_p50_ms)}   p99${ms(figures.change_p99_ms)}   last${ms(figures.change_max_ms)}   held to p99 < ${CHANGE_P99_MS} ms`,
    `join               p50${ms(figures.join_p50_ms)}   p99${ms(figures.join_p99_ms)}   ${joins} joins, ${failed} failed   held to p99 < ${JOIN_P99_MS} ms`,
  ].join("\n");
}
