// What a step prints: one line when it is done or was not needed; while it runs, how far it is if somebody watches.
const isTerminal = process.stderr.isTTY === true;

export const seconds = (ms) => (ms < 10_000 ? `${(ms / 1000).toFixed(1)} s` : `${Math.round(ms / 1000)} s`);

/** Messages go to stderr: stdout belongs to what a command answers. */
export const say = (text) => process.stderr.write(`${text}\n`);

/** Where nobody watches a moving line, a new one says so often how far it is. */
const SIGN_OF_LIFE_MS = 30_000;

/** Runs one step with its name, its usual time, and a moving last line on a terminal. */
export async function step(name, usually, work) {
  const startedAt = Date.now();
  say(`- ${name} (usually ${usually})`);
  let lastLine = "";
  const onLine = (line) => {
    lastLine = line;
    if (isTerminal) process.stderr.write(`\r\x1b[K    ${line.slice(0, (process.stderr.columns ?? 80) - 6)}`);
  };
  const ticker = setInterval(() => {
    if (!isTerminal) say(`    still at it after ${seconds(Date.now() - startedAt)}: ${lastLine.slice(0, 80)}`);
  }, SIGN_OF_LIFE_MS);
  try {
    return await work(onLine);
  } finally {
    clearInterval(ticker);
    if (isTerminal) process.stderr.write("\r\x1b[K");
    say(`  ${name}: ${seconds(Date.now() - startedAt)}`);
  }
}
