// One measurement: the closed loop against an address, and the processor time that the processes behind it use meanwhile.
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { targetDir } from "../../scripts/paths.mjs";
import { runOrThrow } from "../../scripts/processes.mjs";

/** The kernel's clock ticks in a second: <https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html>, field 14 on. */
const TICKS_PER_SECOND = 100;

/** The longest that requests which are sent once may take, all together. */
const ONCE_WITHIN_SECONDS = 60;

/** A loop that was stopped early, or met something else than it was made for, is no measurement. */
const MOST_OTHER_SHARE = 0.01;

/** Processor seconds that `stat`, a process's or a thread's, says were used. */
export function secondsIn(stat) {
  const fields = readFileSync(stat, "utf8").split(") ").at(-1).split(" ");
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

/** Processor seconds that processes have used. */
const usedSeconds = (pids) => pids.reduce((sum, pid) => sum + secondsIn(`/proc/${pid}/stat`), 0);

/**
 * Sends `requests` (`{ headers, body }`) to `url` for `seconds`, by turns, or `once` each. Answers the figures of the
 * loop; anything but `status` is an error.
 */
export async function closedLoop({ url, method = "GET", requests, connections, seconds, once, status, folder, keep }) {
  const file = path.join(folder, "requests.jsonl");
  writeFileSync(file, requests.map((request) => `${JSON.stringify(request)}\n`).join(""));
  const answers = path.join(folder, "answers.jsonl");
  const words = [
    ...["--url", url, "--method", method, "--requests", file, "--connections", String(connections)],
    ...["--seconds", String(once ? ONCE_WITHIN_SECONDS : seconds), ...(once ? ["--once"] : [])],
    ...(keep ? ["--answers", answers] : []),
  ];
  const figures = JSON.parse(await runOrThrow(path.join(targetDir, "native", "closed-loop"), words));
  const expected = figures.statuses[status] ?? 0;
  const others = figures.answered - expected + figures.failed;
  if (expected === 0 || others > MOST_OTHER_SHARE * figures.answered) {
    throw new Error(
      `${method} ${url}: expected ${status}, got ${JSON.stringify(figures.statuses)}, ${figures.failed} failed`,
    );
  }
  return keep ? { ...figures, answers: readFileSync(answers, "utf8").trimEnd().split("\n") } : figures;
}

/** One sample of a target. */
export async function sampled({ target, pids, ...loop }, round) {
  const before = usedSeconds(pids);
  const figures = await closedLoop(loop);
  const cpuSeconds = usedSeconds(pids) - before;
  const { per_second, p50_ms, p99_ms, answered } = figures;
  return { target, round, per_second, cpu_seconds_per_1000: (cpuSeconds * 1_000) / answered, p50_ms, p99_ms };
}
