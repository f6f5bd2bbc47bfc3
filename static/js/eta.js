// The wait as it is shown: it falls freely, small rises are held back, and a real rise is shown
// together with its cause.

const SMALL_RISE_SECONDS = 120;
const SMALL_RISE_SHARE = 0.15;
const CAUSE_STAYS_MS = 5 * MINUTE_MS;

/**
 * `shown` is what this returned before (or null): {eta, slowdowns, paused, cause, cause_until_ms}.
 * The cause is the end of a key, `cause.…`.
 */
function steadyEta(shown, me, now_ms) {
  const paused = me.phase === "paused" || Boolean(me.stop);
  const next = { eta: me.eta ?? null, slowdowns: me.slowdowns ?? 0, paused, cause: null, cause_until_ms: 0 };
  if (!shown) return next;
  next.paused = paused || (shown.paused && !me.eta);
  if (shown.cause && now_ms < shown.cause_until_ms) {
    next.cause = shown.cause;
    next.cause_until_ms = shown.cause_until_ms;
  }
  const last = shown.eta ?? shown.last;
  if (!me.eta) return { ...next, last, slowdowns: shown.slowdowns };
  if (!last) return next;
  const rise = me.eta.at_most_seconds - last.at_most_seconds;
  if (rise <= 0) return next;
  const slowed = next.slowdowns !== shown.slowdowns;
  if (!slowed && !shown.paused && rise <= Math.max(SMALL_RISE_SECONDS, SMALL_RISE_SHARE * last.at_most_seconds)) {
    return { ...next, eta: last };
  }
  next.cause = shown.paused ? "paused" : slowed ? "limit" : "slower";
  next.cause_until_ms = now_ms + CAUSE_STAYS_MS;
  return next;
}
