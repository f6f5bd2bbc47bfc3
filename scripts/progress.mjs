// What a step prints: one line when it is done or was not needed; while it runs, how far it is.
const isTerminal = process.stderr.isTTY === true;

export const seconds = (ms) => (ms < 10_000 ? `${(ms / 1000).toFixed(1)} s` : `${Math.round(ms / 1000)} s`);

/** Messages go to stderr: stdout belongs to what a command answers. */
export const say = (text) => process.stderr.write(`${text}\n`);

/** Where nobody watches a moving line, a new one says so often how far it is. */
const SIGN_OF_LIFE_MS = 30_000;
/** On a terminal the moving line counts the seconds. */
const COUNTED_EVERY_MS = 1_000;
const NARROWEST_COLUMNS = 20;
const LONGEST_SIGN_CHARACTERS = 100;
/** What cargo says while another one works in the same folder: it is told at once, for nothing else comes meanwhile. */
const WAITS = /^Blocking waiting for/;

/** Runs one step with its name, its usual time and signs of life; one that is over within `isQuietFor` ms is not told. */
export async function step(name, usually, work, { isQuietFor = 0, write = say, ...options } = {}) {
  const startedAt = Date.now();
  let isTold = false;
  const begin = () => {
    isTold = true;
    write(`- ${name} (usually ${usually})`);
  };
  const beginning = isQuietFor === 0 ? begin() : setTimeout(begin, isQuietFor);
  const onWait = (line) => {
    clearTimeout(beginning);
    if (!isTold) begin();
    write(`    ${line}`);
  };
  try {
    return await withSignsOfLife("", work, { isShown: () => isTold, onWait, write, ...options });
  } finally {
    clearTimeout(beginning);
    if (isTold) write(`  ${name}: ${seconds(Date.now() - startedAt)}`);
  }
}

/**
 * Does the work, which is given `onLine`: what it says last is what it is at. `name` is for work that has no line of its
 * own. The options are for tests and for steps.
 */
export async function withSignsOfLife(name, work, options = {}) {
  const { isShown = () => true, isWatched = isTerminal, signOfLifeMs = SIGN_OF_LIFE_MS, write = say } = options;
  const { onWait = (line) => write(`    ${name} ${line}`) } = options;
  const startedAt = Date.now();
  let lastLine = "";
  const farther = () => {
    const after = [name, "still at it after", seconds(Date.now() - startedAt)].filter(Boolean).join(" ");
    return (lastLine ? `${after}: ${lastLine}` : after).slice(0, LONGEST_SIGN_CHARACTERS);
  };
  const move = () => {
    if (!isWatched || !isShown()) return;
    const columns = Math.max(process.stderr.columns ?? 80, NARROWEST_COLUMNS);
    process.stderr.write(`\r\x1b[K    ${farther().slice(0, columns - 6)}`);
  };
  const ticker = isWatched
    ? setInterval(move, COUNTED_EVERY_MS)
    : setInterval(() => write(`    ${farther()}`), signOfLifeMs);
  try {
    return await work((line) => {
      lastLine = line;
      if (WAITS.test(line)) onWait(line);
      move();
    });
  } finally {
    clearInterval(ticker);
    if (isWatched && isShown()) process.stderr.write("\r\x1b[K");
  }
}
