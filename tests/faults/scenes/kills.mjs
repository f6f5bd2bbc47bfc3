// The power goes every few seconds, with a pause between now and then.
import { pause } from "../../e2e/harness/exchange.mjs";

/** Every so many kills an operator pauses the event; it goes on after the next kill. */
const PAUSE_EVERY_KILLS = 8;

export const title = "kill -9 every few seconds, restarted on the same state";

/** How long visitors come: all the time, and a little longer. */
export const seconds = ({ kills, everySeconds }) => Math.ceil(kills * (everySeconds + 1.2)) + 3;

export async function goesWrong({ room, journal, operator }, { kills, everySeconds }) {
  let isPaused = false;
  for (let kill = 1; kill <= kills; kill += 1) {
    await pause(everySeconds * 1_000);
    if (kill % PAUSE_EVERY_KILLS === 0) {
      await journal.operator("pause", () => operator.act("pause"));
      isPaused = true;
    }
    await journal.fault("kill", async () => {
      await room.kill9();
      await room.restart();
    });
    if (isPaused && kill % PAUSE_EVERY_KILLS === 1) {
      await journal.operator("resume", () => operator.act("resume"));
      isPaused = false;
    }
  }
  if (isPaused) await journal.operator("resume", () => operator.act("resume"));
}
