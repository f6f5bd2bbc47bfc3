// When to ask again: as the server says, spread a little; once a minute while hidden; at once on
// return; after failures later and later.

const HIDDEN_MS = 60_000;
const FIRST_RETRY_MS = 2_000;
const LONGEST_RETRY_MS = 60_000;
const ANSWER_WITHIN_MS = 10_000;
/** Events that come together (visible, shown, online) ask once. */
const AT_ONCE_APART_MS = 1_000;

function delayMs({ poll_ms, hidden, failures, retry_after_ms = 0, chance }) {
  const spread = (ms, by) => ms * (1 - by + 2 * by * chance());
  let delay = spread(poll_ms, 0.15);
  if (failures > 0) {
    const most = Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** (failures - 1));
    delay = Math.max(spread(most * 0.75, 0.33), retry_after_ms * (1 + 0.25 * chance()));
  }
  return Math.round(hidden ? Math.max(delay, spread(HIDDEN_MS, 0.1)) : delay);
}

/** `ask()` resolves or rejects; `done(answer)` and `failed(error, count)` show it. */
function poller({ ask, done, failed, interval, hidden, now, timer, chance }) {
  let cancel = () => {};
  let asking = false;
  /** When something was last answered: from then the interval counts. */
  let asked_ms = 0;
  /** Until when something else told it, when that ended: the interval counts from there if that is later. */
  let told_ms = Number.NEGATIVE_INFINITY;
  let failures = 0;
  let stopped = true;
  const plan = (retry_after_ms) => {
    cancel();
    if (stopped || asking) return;
    const ms = delayMs({ poll_ms: interval(), hidden: hidden(), failures, retry_after_ms, chance });
    cancel = timer(Math.max(0, Math.max(asked_ms, told_ms) + ms - now()), once);
  };
  const once = async () => {
    if (asking || stopped) return;
    asking = true;
    cancel();
    let retry_after_ms;
    try {
      const answer = await ask();
      failures = 0;
      await done(answer);
    } catch (error) {
      retry_after_ms = error?.retry_after_ms;
      failed(error, ++failures);
    }
    asking = false;
    asked_ms = now();
    plan(retry_after_ms);
  };
  return {
    start() {
      stopped = false;
      asked_ms = now() - AT_ONCE_APART_MS;
      plan();
    },
    stop() {
      stopped = true;
      cancel();
    },
    /** Ask now, unless it was just done. */
    atOnce() {
      if (now() - asked_ms >= AT_ONCE_APART_MS) once();
      else plan();
    },
    /** Something else was answered just now: the interval counts from here. */
    heard() {
      asked_ms = now();
      plan();
    },
    /**
     * Until then something else has told what a question would: the interval counts from there, unless something has to be
     * asked at once. What ends for everybody makes nobody ask at once.
     */
    wasTold(until_ms) {
      told_ms = until_ms;
      plan();
    },
    /** The interval has changed, or the page was hidden. */
    replan: () => plan(),
  };
}

/** One request to the API: its answer, or an error that knows when to try again. */
async function request(method, address, body) {
  const response = await fetch(address, {
    method,
    cache: "no-store",
    credentials: "same-origin",
    headers: { accept: "application/json", ...(body && { "content-type": "application/json" }) },
    body: body && JSON.stringify(body),
    signal: AbortSignal.timeout?.(ANSWER_WITHIN_MS),
  });
  const answer = await response.json().catch(() => ({}));
  if (response.ok || response.status === 409) return { ...answer, status: response.status };
  const seconds = Number(response.headers.get("retry-after"));
  throw Object.assign(new Error(`${method} ${address}: ${response.status}`), {
    status: response.status,
    answer,
    retry_after_ms: answer.retry_after_ms ?? (seconds > 0 ? seconds * 1000 : 0),
  });
}
