// Leaving this page by itself: for the shop, whose address is the same, or to see anew what the gate
// says. The page is replaced, so that "back" never leads here. Whatever comes back instead of the
// shop (a pass that does not stick, a gate that sees it otherwise) must not become a loop: the same
// reason moves the page once within a while, then a button does.

const AGAIN_AFTER_MS = 30_000;
/** So many moves within that time are enough, also for reasons that take turns. */
const MOST_MOVES = 3;
const REMEMBERED_MS = 2 * MINUTE_MS;
/** Went in so often within the time above, and is back: the pass does not stick. */
const LOST_AFTER = 3;
const ENTER = "enter";

/** The moves that are remembered; a clock that was set back forgets those that are to come. */
const movesIn = (memory, now_ms) =>
  (memory.read().moves ?? []).filter(({ at_ms }) => at_ms <= now_ms && now_ms - at_ms < REMEMBERED_MS);

/** Whether the page may move by itself for the reason `why`. A move without a reason counts as any. */
function mayMove(memory, why, now_ms) {
  const recent = movesIn(memory, now_ms).filter(({ at_ms }) => now_ms - at_ms < AGAIN_AFTER_MS);
  return recent.length < MOST_MOVES && !recent.some((move) => move.why === why || move.why === null);
}

function rememberMove(memory, why, now_ms) {
  memory.write({ moves: [...movesIn(memory, now_ms), { why, at_ms: now_ms }] });
}

const passIsLost = (memory, now_ms) =>
  movesIn(memory, now_ms).filter(({ why }) => why?.startsWith(ENTER)).length >= LOST_AFTER;

/** What the gate asks before any pass and any mode: nobody gets past these. */
const isShut = (me) => Boolean(me.stop) || me.mode === "closed";

/**
 * Whether who comes now gets a place. A stop keeps everybody out of the shop and nobody out of the line: programs join then,
 * and so does the page, unless somebody has to be asked something on it that it does not show meanwhile.
 */
const isTakenIn = (me, asks) => !isShut(me) || (["auto", "always"].includes(me.mode) && !asks);

/** So long a visitor who is called may say "not yet" before the page goes in by itself. */
const CLAIM_AFTER_MS = 6_000;

/**
 * Whether this state asks for a pass without the visitor's doing. `claimed`: this tab has asked
 * before, and fetches what it asked for also when it is hidden meanwhile: so a pending claim asks again. `me.held`: the visitor
 * wanted to wait, or to go on elsewhere; then only a tap enters.
 */
function claimsByItself(me, visible, claimed) {
  if (isShut(me) || me.cookie === false || !(visible || claimed)) return false;
  if (me.phase === "open" && (me.state === "pending" || (me.state === "called" && !me.held))) return true;
  return me.state === "admitted" || me.state === "recheck";
}

/** When the page has gone in by itself if it will: until then it does not ask how it stands. */
const CLAIMED_BY_MS = 1.5 * CLAIM_AFTER_MS;

/** Whether the page goes in by itself within the time in which the visitor may still say "not yet". */
const claimsSoon = () => me.state === "called" && claimsByItself(seen(), visible(), claimed) && mayStillDefer() > 0;

/** Whether a claim takes the place of a question: one that is pending is answered with how it stands. */
const asksByClaiming = () => me.state === "pending" && claimsByItself(seen(), visible(), claimed);

/** An address on this site, or the fallback: whatever was answered, the page stays here. */
function sameSite(location, origin, fallback) {
  try {
    const address = new URL(location ?? fallback, origin);
    if (address.origin === origin) return address.pathname + address.search;
  } catch {}
  return fallback;
}
