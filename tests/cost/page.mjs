// The queue page of one visitor as far as it decides what is asked and when: the page's own script, without what draws. Which
// way the news come, when to ask, what to do when a turn comes is decided by the very functions that a browser runs.
import { readFileSync } from "node:fs";

const read = (name) => readFileSync(new URL(`../../static/js/${name}`, import.meta.url), "utf8");

/** The parts of the script that ask. */
const PARTS = ["words.js", "room.js", "lines.js", "enter.js", "turn.js", "poll.js", "listening.js", "push.js"];
const [finals] = read("main.js").match(/^const FINAL = .*$/m);

// As main.js does it; nothing is drawn, remembered or said.
const TIES = `
const { room, timer, now } = host;
let me = host.me;
let failures = 0;
let acting = false;
let claimed = false;
let offered_ms = null;
const ear = { told: me.board_version ?? -1, shown: -1, owed: -1, timer: 0, tries: 0 };
const performance = { now };
const serverNow = () => Date.now();
const seen = () => me;
const visible = () => true;
function hear(answer, isWord = false) {
  failures = 0;
  if (!isWord) {
    ear.told = Math.max(ear.told, answer.board_version ?? -1);
    ear.tries += 1;
  }
  me = nextState(me, { run: room.run, ...answer });
  listening.want(host.pushes() && listens());
}
async function goOn() {
  if (!claimsByItself(seen(), visible(), claimed)) return;
  const wait_ms = mayStillDefer();
  if (wait_ms <= 0) return enter();
  timer(wait_ms, () => goOn().catch(poll.replan));
}
async function enter() {
  if (acting) return;
  acting = true;
  try {
    const answer = await host.claim();
    claimed = answer.status !== 409;
    if (answer.state === "admitted" && answer.status === 200) {
      stop();
      host.entered();
    } else hear(answer);
    poll.heard();
  } finally {
    acting = false;
  }
}
function stop() {
  poll.stop();
  listening.want(false);
  clearTimeout(ear.timer);
}
const poll = poller({
  ask: () => (asksByClaiming() ? enter() : host.ask(me, isOwed())),
  async done(answer) {
    if (!answer) return;
    hear(answer);
    await goOn();
  },
  failed(_error, count) {
    failures = count;
  },
  interval: pollMs,
  hidden: () => false,
  now,
  timer,
  chance: Math.random,
});
const listening = listener({
  ways: [host.way],
  heard: hearWord,
  changed: () => poll.replan(),
  hidden: () => false,
  timer,
  now,
  chance: Math.random,
});
return {
  hear,
  start: () => poll.start(),
  replan() {
    listening.want(host.pushes() && listens());
    poll.replan();
  },
  stop,
  LISTENING_MS,
};
`;

const program = new Function("host", `"use strict";\n${[...PARTS.map(read), finals, TIES].join("\n")}`);

/**
 * The page of a visitor: `host` is `{ room, me, timer, now, pushes, way, ask, claim, entered }`: what the page was given, its
 * clock, whether it listens, how it opens a socket, how it asks (with its state, and whether something was owed), how it
 * claims, and what happens when it is let in.
 */
export const pageOf = (host) => program(host);
