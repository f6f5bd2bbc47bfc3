// What many stories begin with: visitors in the line, and an event that stands still.
import { until } from "./exchange.mjs";

/** So many visitors who have joined, one after the other. */
export async function joined(room, event, count) {
  const fans = Array.from({ length: count }, () => room.visitor({ event }));
  for (const fan of fans) {
    await fan.visit();
    await fan.join();
  }
  return fans;
}

/** Pauses an event; the operator who did is there once its board says so. `within`: see `until`. */
export async function paused(room, event, within = {}) {
  const operator = await room.operator({ event });
  await operator.act("pause", { reason: "A short break." });
  await until(
    () => room.board(event),
    ({ lines }) => lines[0].phase === "paused",
    { what: "the pause", ...within },
  );
  return operator;
}
