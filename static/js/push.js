// The board as it changes: over a socket at the home of the place, else over the edge's own stream, else by asking. Nobody
// who looks notices which; only the numbers move sooner.

/** While words come, the page asks so seldom: for what they do not tell, and when it is looked at again, it asks at once. */
const LISTENING_MS = 1_800_000;
/** What words do not tell may be newer than the board of the edge that is asked: then soon once more. */
const OWED_AGAIN_MS = 1_500;
/** So often it is asked for soon. */
const OWED_TRIES = 2;
/** A longer wait says nothing: as the edge has it. */
const LONGEST_WAIT_SECONDS = 48 * 60 * 60;

/** The estimated wait, as the edge works it out. */
function estimated(ahead, advance) {
  if (!advance || ahead == null) return null;
  const seconds = (milli) => (milli > 0 ? Math.floor(((ahead + 1) * 60_000) / milli) : Number.POSITIVE_INFINITY);
  const likely_seconds = seconds(advance.likely_milli_per_minute);
  const slowest = seconds(advance.least_milli_per_minute);
  if (Math.max(likely_seconds, slowest) > LONGEST_WAIT_SECONDS) return null;
  return { likely_seconds, at_most_seconds: Math.max(likely_seconds, slowest) };
}

/**
 * A word as an answer of the edge would be; null: it says nothing of this place, or nothing new. `told` is the version that
 * an edge has told, `shown` that of the last word. What is newer than `told` and not in the word is still to be asked for:
 * until then no answer counts that is older.
 */
function answerOf(word, me, { told, shown }) {
  const line = word.lines.find(({ id }) => id === me.line);
  if (!line || word.version < Math.max(me.board_version ?? 0, shown)) return null;
  const ahead = me.rank == null ? me.ahead : Math.max(0, me.rank - line.called);
  const moves = me.state === "waiting" && line.phase === "open" && !word.stop && me.mode !== "closed";
  return {
    board_version: word.settled > told ? word.settled - 0.5 : word.version,
    board_age_ms: word.age_ms,
    now_ms: word.now_ms,
    phase: line.phase,
    stop: word.stop,
    stock_left: word.stock_left,
    called: line.called,
    ahead,
    eta: moves ? estimated(ahead, line.advance) : null,
    entrants: me.entrants != null && line.phase === "prequeue" ? line.entries : undefined,
  };
}

/** Whether it is this visitor's turn, by a word: only the edge can say so, and lets in. */
const isTurnIn = (word, me) =>
  me.state === "waiting" && me.rank != null && word.lines.some(({ id, called }) => id === me.line && me.rank < called);

/** Words from a socket. */
const overSocket = (address) => (word, over) => {
  const socket = new WebSocket(address);
  socket.onmessage = ({ data }) => word(JSON.parse(data));
  socket.onclose = over;
  return () => socket.close();
};

/** Words from the edge's stream: boards, of which everything but what a word says is compared. */
const overStream = (address) => {
  // From one stream to the next nothing has to be asked for that has not changed.
  let rest = null;
  let settled = 0;
  return (word, over) => {
    const source = new EventSource(address);
    source.addEventListener("board", ({ data }) => {
      const board = JSON.parse(data);
      const { mode, message, pause, slowdowns, lines } = board;
      const still = lines.map(({ id, phase, opens_at_ms }) => [id, phase, opens_at_ms]);
      const next = JSON.stringify([mode, message, pause, slowdowns, still]);
      if (next !== rest) settled = board.version;
      rest = next;
      word({ ...board, settled });
    });
    source.onerror = over;
    return () => source.close();
  };
};

// What follows is about the page's state, which is in main.js.

/** Whether there is a place in a line that moves, or will. */
const listens = () => me.state === "waiting" && me.entry != null && !OVER.includes(me.phase);

/** Whether something is to be asked for that words do not tell: what is new on the board, or one's own turn. */
const isOwed = () => ear.owed > ear.told || (me.state === "waiting" && me.rank != null && me.rank < me.called);

/** Whether the next question cannot wait, also for a page that nobody looks at: its turn may have come. */
const asksSoon = () => isOwed() && ear.tries < OWED_TRIES;

const wordsSuffice = () => listens() && listening.isAlive() && !isOwed();

/** What is owed is asked for soon, once or twice; then as often as the server says. */
const owedMs = (poll_ms) => (asksSoon() ? Math.min(OWED_AGAIN_MS, poll_ms) : poll_ms);

/** Asks within `ms`, unless it is planned; while questions fail, they come as they are planned. */
function askWithin(ms) {
  ear.tries = 0;
  if (failures > 0) return;
  clearTimeout(ear.timer);
  ear.timer = setTimeout(poll.atOnce, Math.random() * (ms ?? OWED_AGAIN_MS));
}

function hearWord(word) {
  if (word.run !== room.run) {
    poll.atOnce();
    return false;
  }
  const turn = isTurnIn(word, me) && !(me.rank < me.called);
  const answer = answerOf(word, me, ear);
  if (!answer) return false;
  ear.shown = word.version;
  hear(answer, true);
  const isNews = word.settled > Math.max(ear.told, ear.owed);
  if (isNews) ear.owed = word.settled;
  if (turn) askWithin(word.turn_within_ms ?? 0);
  else if (isNews) askWithin(word.ask_within_ms);
  return true;
}

/** As the server says; when the line opens meanwhile, just after that. */
function pollMs() {
  const poll_ms = me.poll_ms ?? 5_000;
  if (isOwed()) return owedMs(poll_ms);
  if (claimsSoon()) return CLAIMED_BY_MS;
  if (FINAL.includes(me.state) || OVER.includes(me.phase)) return HIDDEN_MS;
  if (wordsSuffice()) return LISTENING_MS;
  const opens_ms = (room.prequeue_at_ms ?? me.opens_at_ms ?? 0) - serverNow();
  return me.phase === "before" && opens_ms > 0 ? Math.min(poll_ms, opens_ms * 1.2 + 300) : poll_ms;
}
