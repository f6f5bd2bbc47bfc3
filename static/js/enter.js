// Going in: the pass is asked for by itself only while the page is visible, and the page is
// replaced by the shop, so that "back" never leads here. A pass that does not stick must not
// become a loop.

const LOOP_WITHIN_MS = 60_000;
const LOOP_AFTER = 3;

/** Whether the page may go in by itself once more; remembers that it does. */
function mayEnter(memory, now_ms) {
  const recent = (memory.read().entered ?? []).filter((at_ms) => now_ms - at_ms < LOOP_WITHIN_MS);
  if (recent.length >= LOOP_AFTER) return false;
  memory.write({ entered: [...recent, now_ms] });
  return true;
}

/**
 * Whether this state asks for a pass without the visitor's doing. `claimed`: this tab has asked
 * before, and fetches what it asked for also when it is hidden meanwhile.
 */
function claimsByItself(me, visible, claimed) {
  if (me.stop || me.cookie === false || !(visible || claimed)) return false;
  return me.state === "admitted" || (me.state === "called" && me.phase === "open");
}

/** An address on this site, or the fallback: whatever was answered, the page stays here. */
function sameSite(location, origin, fallback) {
  try {
    const address = new URL(location ?? fallback, origin);
    if (address.origin === origin) return address.pathname + address.search;
  } catch {}
  return fallback;
}
