// Visitors from the load generator, and the program that checks what they saw.
import path from "node:path";
import { targetDir } from "../../scripts/paths.mjs";
import { run, startGroup, stopGroup } from "../../scripts/processes.mjs";

export const native = (name) => path.join(targetDir, "native", name);

/**
 * Starts visitors; `ended` resolves when the last is through or `deadlineSeconds` after the last arrival are over. What they
 * saw is then in `history`.
 */
export function startCrowd(
  room,
  { history, visitors, perSecond, shopSeconds, deadlineSeconds, idleSeconds, seed = 1 },
) {
  const words = [
    ...["--url", room.url, "--event", room.event, "--alone", "--history", history, "--seed", seed],
    ...["--visitors", visitors, "--arrivals-per-second", perSecond, "--session-seconds", shopSeconds],
    ...["--deadline-seconds", deadlineSeconds, "--idle-seconds", idleSeconds],
  ];
  const child = startGroup(native("anteroom-load"), words.map(String));
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (bytes) => (output += bytes));
  let hasEnded = false;
  const ended = child.hasEnded.then(({ code, error }) => {
    hasEnded = true;
    // 1: a promise was broken, as the checker will say too. Anything else is no run.
    if (code !== 0 && code !== 1) throw new Error(`the crowd ended with ${error?.message ?? code}\n${output}`);
  });
  return {
    ended,
    /** Whether visitors are still there. */
    get isThere() {
      return !hasEnded;
    },
    stop: () => stopGroup(child),
  };
}

/** What the checker says of a history: `{ passed, figures, text }`. */
export async function checked(files) {
  const { code, output } = await run(native("check-history"), files);
  if (code !== 0 && code !== 1) throw new Error(`the history cannot be checked: ${output}`);
  const json = await run(native("check-history"), ["--json", ...files]);
  const figures = JSON.parse(json.output.split("\n").find((line) => line.startsWith("{")));
  return { passed: code === 0, figures, text: output.trimEnd() };
}
