// Over which way words come: one after the other until one works, and from another back to the first when that works again.

/** A way that says nothing at first does not work here. */
const FIRST_WORD_MS = 12_000;
/** More than twice the silence that a shard or an edge keeps. */
const DEAD_AFTER_MS = 20_000;
/** What breaks off sooner has not worked. */
const WORKED_MS = 30_000;
/** So often a way may fail in a row. */
const TRIES = 2;
/** About so long everything rests when no way works; the first when another does, and each time twice as long. */
const REST_MS = 60_000;
const LONGEST_REST_MS = 16 * 60_000;

/**
 * Listens over `way`: `came(word, close)` has what says something, `over(close)` runs once when nothing comes any more.
 * Answers what closes it.
 */
function connected(way, { heard, timer, came, over }) {
  let closes = null;
  let open = true;
  const close = () => {
    if (!open) return;
    open = false;
    cancel();
    closes?.();
  };
  const fails = () => {
    if (!open) return;
    close();
    over(close);
  };
  const word = (said) => {
    if (!open || heard(said) === false || !open) return;
    cancel();
    cancel = timer(DEAD_AFTER_MS, fails);
    came(said, close);
  };
  let cancel = timer(FIRST_WORD_MS, fails);
  try {
    closes = way(word, fails);
  } catch {
    // The browser forbids it.
    cancel();
    cancel = timer(0, fails);
  }
  return close;
}

/**
 * The way back to the first, beside another that works: after a rest `opens()` listens over the first and answers what
 * closes it; unless `may()`, it rests again.
 */
function wayBack({ may, opens, timer, chance }) {
  let rest_ms = REST_MS;
  let cancel = null;
  let tried = null;
  const later = () => {
    if (tried === null) cancel ??= timer(rest_ms * (0.5 + chance()), tries);
  };
  const tries = () => {
    cancel = null;
    if (!may()) return later();
    rest_ms = Math.min(LONGEST_REST_MS, 2 * rest_ms);
    tried = opens();
  };
  return {
    later,
    /** Whether this is what is tried: that is over then. */
    ends(close) {
      if (close !== tried) return false;
      tried = null;
      return true;
    },
    /** The first works: as at the beginning. */
    works() {
      rest_ms = REST_MS;
    },
    forgo() {
      cancel?.();
      tried?.();
      cancel = null;
      tried = null;
    },
  };
}

/**
 * Listens one way after the other. `heard(word)` takes a word, and answers false when it says nothing: from whom nothing is
 * to be heard counts as silent. `changed(until_ms)` hears that words come, or do not any more, and until when they did:
 * until now if the way broke off, until the last one if it fell silent. While `hidden()` nothing is tried that nobody needs.
 */
function listener({ ways, heard, changed, hidden, timer, now, chance }) {
  let wanted = false;
  let [way, failures] = [0, 0];
  let within_ms = 1_000;
  let alive = false;
  let began_ms = 0;
  let said_ms = 0;
  let close = () => {};
  let cancel = () => {};
  const becomes = (now_alive) => {
    if (alive === now_alive) return;
    alive = now_alive;
    const isDead = now() - said_ms >= DEAD_AFTER_MS;
    changed(isDead ? said_ms : now());
  };
  const drop = () => {
    cancel();
    close();
    becomes(false);
  };
  const fails = () => {
    // What worked is tried again, also when it is not the first: the edge's streams may all end in one moment.
    const worked = alive && now() - began_ms >= WORKED_MS;
    drop();
    failures = worked ? 0 : failures + 1;
    if (worked && way === 0) back.works();
    if (!worked && failures % TRIES === 0) way = (way + 1) % ways.length;
    if (way === 0) back.forgo();
    const rests = failures > 0 && failures % (TRIES * ways.length) === 0;
    const wait_ms = Math.min(REST_MS, within_ms * 2 ** Math.max(0, failures - 1));
    cancel = timer(rests ? REST_MS * (0.5 + chance()) : wait_ms * chance(), open);
  };
  const came = (said, from) => {
    if (back.ends(from)) {
      // The first works again: the other has worked until now, and nobody notices.
      cancel();
      close();
      close = from;
      [way, failures, began_ms] = [0, 0, now()];
    }
    if (!alive) began_ms = now();
    said_ms = now();
    within_ms = said.return_within_ms ?? within_ms;
    if (way > 0) back.later();
    becomes(true);
  };
  const over = (from) => (back.ends(from) ? back.later() : fails());
  const opens = (number) => connected(ways[number], { heard, timer, came, over });
  const open = () => {
    close = opens(way);
  };
  const back = wayBack({ may: () => alive && !hidden(), opens: () => opens(0), timer, chance });
  return {
    /** Whether words are wanted from now on. */
    want(wants) {
      if (wanted === wants) return;
      wanted = wants;
      [way, failures] = [0, 0];
      back.works();
      back.forgo();
      if (wants) open();
      else drop();
    },
    isAlive: () => alive,
  };
}
