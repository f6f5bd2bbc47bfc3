// The room stands still for a minute and goes on as if nothing had been: what was asked meanwhile is answered late.
import { pause } from "../../e2e/harness/exchange.mjs";

/** How long visitors come before and after. */
const AROUND_SECONDS = 8;

export const title = "everything stands still (SIGSTOP), then goes on";

export const seconds = ({ freezeSeconds }) => freezeSeconds + 2 * AROUND_SECONDS;

export async function goesWrong({ room, journal }, { freezeSeconds }) {
  await pause(AROUND_SECONDS * 1_000);
  await journal.fault("freeze", async () => {
    process.kill(room.workerdPid, "SIGSTOP");
    await pause(freezeSeconds * 1_000);
    process.kill(room.workerdPid, "SIGCONT");
  });
}
