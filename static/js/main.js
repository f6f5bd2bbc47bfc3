// The page: ties the parts together. State lives here and nowhere else.

const brought = takeFragment(location, history);

const FINAL = [...GIVEN_UP, "elsewhere"];

const find = (id) => document.getElementById(id);
const room = JSON.parse(find("room").textContent);
const words = wordsIn(room.lang, room.words, navigator.languages);
const queue = `${room.prefix}/queues/${room.event}`;
const mine = `${queue}/tickets/me`;
const name = `wr-${room.event}-${room.run}`;
const memory = memoryIn(() => localStorage, name);
const tab = memoryIn(() => sessionStorage, name);
const reducedMotion = matchMedia("(prefers-reduced-motion: reduce)");

let me = recalled(memory.read(), { ...room.me, run: room.run });
let wait = steadyEta(tab.read().wait ?? null, me, room.me.now_ms);
let heard = heardNow();
/** The edge's clock, by time that passed: the visitor's own may be set wrong, and set anew meanwhile. */
let clock = { at_ms: room.me.now_ms, since_ms: performance.now() };
let failures = 0;
let acting = false;
let leaving = false;
/** The pass does not stick. */
let lost = false;
/** Why the page would move by itself, and does not: it has just done so, and is back. */
let stuck = null;
let otherRun = false;
let told = null;
let claimed = false;
/** How the joining goes, which is in join.js. */
const way = {
  busy: false,
  joining: false,
  had_place: !["none", ...GIVEN_UP].includes(me.state),
  /** A page that was open before the line opens joins by itself, whatever is chosen then. */
  chosen: me.state === "none" && me.phase === "before",
  /** How much of the permit's work is done, 0 to 1. */
  worked: 0,
  /** The widget is asked. */
  asked: false,
  prepared: false,
  /** What a claim brings after a check, and how much of its work is done; null: none is asked for. */
  check: null,
  checked: null,
  /** Why a code does not do. */
  refused: room.refused,
};
/** Since when the visitor, called and looking, may say "not yet". */
let offered_ms = null;
/** The versions of the board that an edge has told and that the last word showed, and the one since which words do not tell everything. */
const ear = { told: me.board_version ?? -1, shown: -1, owed: -1, timer: 0, tries: 0 };
/** What the visitor brings: it outlives a reload until it made a place, and is kept to join again. */
room.carried = brought ?? tab.read().carried ?? memory.read().carried ?? null;
if (brought) tab.write({ carried: brought });

function heardNow() {
  return { wall_ms: Date.now(), since_ms: performance.now() };
}
const visible = () => document.visibilityState === "visible";
const serverNow = () => clock.at_ms + performance.now() - clock.since_ms;
const move = movingNumber({
  write(value) {
    const written = words.number(value);
    put(find("number"), written);
    find("number").dataset.size = sizeOf(written);
  },
  frame: requestAnimationFrame.bind(window),
  still: () => reducedMotion.matches || !visible(),
});
const speaker = announcer({
  polite: (text) => put(find("polite"), text),
  atOnce: (text) => put(find("at-once"), text),
  now: () => performance.now(),
  after: setTimeout,
});
const extras = extrasIn(window, find, words);
const widget =
  room.widget &&
  widgetIn(room.widget, {
    box: find("widget-box"),
    changed: () => redraw(),
    asks: () => speaker.say(words.text("joining.widget")),
  });

const later = (ms, run) => {
  const id = setTimeout(run, ms);
  return () => clearTimeout(id);
};
const poll = poller({
  ask: () => (asksByClaiming() ? enter(true) : request("GET", mine)),
  async done(answer) {
    if (!answer) return;
    hear(answer);
    await goOn();
  },
  failed(_error, count) {
    failures = count;
    redraw();
  },
  interval: pollMs,
  hidden: () => !visible() && !asksSoon(),
  now: () => performance.now(),
  timer: later,
  chance: Math.random,
});
const listening = listener({
  ways: [overSocket(`${location.origin.replace("http", "ws")}${mine}/ws`), overStream(`${mine}/events`)],
  heard: hearWord,
  changed: (until_ms) => (listening.isAlive() ? poll.replan() : poll.wasTold(until_ms)),
  hidden: () => !visible(),
  timer: later,
  now: () => performance.now(),
  chance: Math.random,
});

/** Takes an answer in, or a word. */
function hear(answer, isWord = false) {
  otherRun = answer.run != null && answer.run !== room.run;
  if (otherRun) return moveOn(`run ${answer.run}`, room.return);
  if (failures > 1) speaker.say(words.text("announce.online"));
  failures = 0;
  heard = heardNow();
  if (!isWord) {
    ear.told = Math.max(ear.told, answer.board_version ?? -1);
    ear.tries += 1;
  }
  if (answer.now_ms) clock = { at_ms: answer.now_ms, since_ms: performance.now() };
  const had = me.state;
  const forgotten = answer.state === "none" && CAN_LEAVE.includes(had) && answer.cookie !== true;
  me = nextState(me, { run: room.run, ...answer, ...(forgotten && { cookie: false }) });
  if (GIVEN_UP.includes(me.state)) forgetPermit();
  wait = steadyEta(wait, me, serverNow());
  tab.write({ wait });
  if (me.rank != null) memory.write(remembered(memory.read(), me));
  listening.want(listens());
  redraw();
}

/** The permit of a place that is gone makes no other: the next one needs a new permit, and begins with nothing open. */
function forgetPermit() {
  if (way.had_place) {
    handover.forget();
    room.permit = null;
  }
  find("leave").open = false;
  way.had_place = false;
  memory.write({ permit: undefined, rank: undefined });
}

/** The state with what only this page knows: a choice that is open, and a wish to wait. */
function seen() {
  const held = me.entry != null && memory.read().held === `${me.line} ${me.entry}`;
  return { ...me, held, choosing: mustChoose(room, way.chosen) };
}

/** The scene that is shown. */
function sceneNow() {
  if (lost) return "cookie";
  if (way.checked !== null && stuck === null && !isShut(me)) return "recheck";
  return stuck !== null && !isShut(me) ? "again" : sceneOf(seen());
}

function redraw() {
  const scene = sceneNow();
  way.asked = Boolean(widget?.isPending());
  const slots = slotsOf(scene, room, seen(), words, wait.eta, serverNow(), way);
  slots.chosen = room.line;
  const kept = memory.read();
  const start = isOfPlace(kept, me) ? kept.start : null;
  const inLine = (scene === "waiting" || scene === "paused") && Number.isFinite(me.ahead) && start > 0;
  draw(find, scene, slots, move, inLine ? progressOf(start, me.ahead) : null, words);
  line(find("cause"), scene === "waiting" && wait.cause ? words.text(`cause.${wait.cause}`) : null);
  drawRefusal();
  if (widget) show(find("widget"), PROVES.includes(scene) && widget.isShown());
  show(find("handover"), Boolean(room.handover) && slots.canLeave && scene !== "provisional");
  show(find("extras"), extras.any && slots.canLeave && scene !== "called");
  redrawAge(scene);
  tick();
  tell(scene, slots);
  if (scene === "cookie") drawCookie();
  const focused = document.activeElement;
  if (focused && focused !== document.body && focused.closest("[hidden]")) find("headline").focus();
}

/** Why a code does not do; what was typed stays. */
function drawRefusal() {
  put(find("code-refused"), way.refused ? words.text(`coded.${way.refused}`) : "");
  if (way.refused) find("typed").setAttribute("aria-invalid", "true");
  else find("typed").removeAttribute("aria-invalid");
}

/** How old the numbers are, and whether there is a connection. */
function redrawAge(scene) {
  // One clock goes on while the device sleeps, the other is not set anew meanwhile.
  const unheard_ms = Math.max(Date.now() - heard.wall_ms, performance.now() - heard.since_ms);
  const cut = !navigator.onLine || (failures > 1 && me.state !== "none");
  drawAge(find, scene, words, { unheard_ms, me, cut });
}

function drawCookie() {
  const reason = cookieReason(window.top !== window, navigator.userAgent);
  for (const item of find("reasons").children) show(item, item.dataset.why === reason);
  show(find("copy"), Boolean(navigator.clipboard));
  poll.stop();
}

/** Once a second: the countdown, and the age while offline. */
function tick() {
  const scene = sceneNow();
  const joins = scene === "before" && room.prequeue_at_ms > serverNow();
  const at_ms = joins ? room.prequeue_at_ms : me.opens_at_ms;
  if (scene === "before" && at_ms - serverNow() < AHEAD_MS && !way.prepared) {
    way.prepared = true;
    prepare().catch(() => {});
  }
  const counts = COUNTS_DOWN.includes(scene) && at_ms != null;
  show(find("clock"), counts);
  put(find("clock-what"), words.text(scene === "before" ? "countdown" : "countdown.sale"));
  if (!counts) return;
  const left = countdown(at_ms - serverNow(), words);
  put(find("clock-days"), left.days ?? "");
  put(find("clock-time"), left.clock);
}

/** What follows a turn: that it has come is still true. */
const GOING_IN = ["pending", "admitted"];

/** Tells a screen reader what is new. */
function tell(scene, slots) {
  const ahead = slots.ahead === null ? "" : words.plural("announce.ahead", slots.ahead);
  const standing = [ahead, slots.wait].filter(Boolean).join(" ");
  const before = told;
  told = scene;
  if (scene === before) {
    if (scene === "waiting" && me.ahead != null) speaker.place(me.ahead, standing || slots.headline);
    return;
  }
  if (me.ahead != null) speaker.start(me.ahead);
  if (scene === "called" || (scene === "admitted" && before !== "called" && before !== null)) {
    speaker.turn(`${slots.headline}. ${slots.lead[0]}`);
    extras.turn(slots.headline, room.title);
  } else if (before !== null) {
    speaker.scene([slots.headline, standing].filter(Boolean).join(". "), GOING_IN.includes(scene));
  }
}

/** Does by itself what the state asks for: join, or go in. */
async function goOn() {
  if (otherRun || lost) return;
  if (me.mode === "off" && !isShut(me)) return moveOn("off", room.return);
  if (me.state !== "none" && me.cookie !== false && !leaving && claimsByItself(seen(), visible(), claimed)) {
    const wait_ms = mayStillDefer();
    if (wait_ms <= 0) return enter(true);
    setTimeout(() => goOn().catch(poll.replan), wait_ms);
    return;
  }
  if (stuck !== null) {
    stuck = null;
    redraw();
  }
  if (me.state !== "none" || me.cookie === false || leaving) return;
  const taken =
    JOINABLE.includes(me.phase) || (room.carried && me.lines?.some(({ phase }) => JOINABLE.includes(phase)));
  if (!isTakenIn(me, Boolean(room.widget)) || !taken || mustChoose(room, way.chosen)) return;
  if (me.mode === "rate") askAgainLater();
  else await join();
}

/** Replaces this page for the reason `why`; a page that has just done so and is back shows a button. */
function moveOn(why, address) {
  if (mayMove(tab, why, Date.now())) {
    rememberMove(tab, why, Date.now());
    location.replace(address);
  } else stay(why);
}

function stay(why) {
  stuck = why;
  lost = why.startsWith(ENTER) && passIsLost(tab, Date.now());
  redraw();
}

/** Asks for the pass, and goes in with it. */
async function enter(byItself) {
  if (acting) return;
  const why = `${ENTER} ${me.rank}`;
  if (byItself && !mayMove(tab, why, Date.now())) return stay(why);
  acting = true;
  try {
    const answer = await claimPass();
    way.checked = null;
    claimed = answer.status !== 409;
    if (answer.state === "admitted" && answer.status === 200) {
      me = { ...me, state: "admitted", session_ends_at_ms: answer.session_ends_at_ms };
      stuck = null;
      redraw();
      rememberMove(tab, why, Date.now());
      location.replace(sameSite(answer.location, location.origin, room.return));
    } else hear(answer);
    poll.heard();
  } finally {
    acting = false;
  }
}

async function leave() {
  leaving = true;
  try {
    hear({ ...(await request("DELETE", mine)), state: "left" });
  } finally {
    leaving = false;
  }
}

/** Runs what a button asks for, once at a time; the button keeps the focus meanwhile. */
function press(event, run) {
  event.preventDefault();
  const button = event.submitter ?? event.currentTarget.querySelector("button");
  if (button.getAttribute("aria-disabled") === "true") return;
  button.setAttribute("aria-disabled", "true");
  run()
    .catch(() => {
      failures += 1;
      redraw();
    })
    .finally(() => {
      button.removeAttribute("aria-disabled");
    });
}

find("act").addEventListener("submit", (event) => {
  const { what } = actionOf(sceneNow(), words, room) ?? {};
  if (what === "rejoin") press(event, rejoin);
  else if (what === "enter" || what === "continue" || stuck?.startsWith(ENTER)) press(event, () => enter(false));
  else if (what === "retry") {
    event.preventDefault();
    location.replace(room.return);
  } else {
    way.chosen = true;
    press(event, join);
  }
});
find("code").addEventListener("submit", (event) => press(event, () => joinWith(carriedAs(find("typed").value.trim()))));
find("defer").addEventListener("submit", (event) => press(event, defer));
find("give-up").addEventListener("submit", (event) => press(event, leave));
find("stay").addEventListener("click", () => {
  find("leave").open = false;
  find("leave").querySelector("summary").focus();
});
find("copy").addEventListener("click", async () => {
  await navigator.clipboard.writeText(location.href);
  put(find("copy"), words.text("do.copied"));
});
const handover = handoverIn({
  find,
  words,
  ask: () => request("POST", `${mine}/handover`, {}),
  now: serverNow,
  offered: hold,
});
document.addEventListener("visibilitychange", () => {
  offered_ms = null;
  if (visible()) poll.atOnce();
  else poll.replan();
});
window.addEventListener("hashchange", () => {
  const carried = takeFragment(location, history);
  if (carried) joinWith(carried).catch(redraw);
});
window.addEventListener("pagehide", () => listening.want(false));
window.addEventListener("pageshow", (event) => event.persisted && poll.atOnce());
window.addEventListener("online", () => poll.atOnce());
window.addEventListener("offline", redraw);
setInterval(() => {
  tick();
  redrawAge(sceneNow());
}, 1000);

show(find("stay"), true);
// Where nothing outlives a reload, the browser still says that this page replaced itself.
if (!tab.lasts() && document.referrer === location.href.split("#")[0]) rememberMove(tab, null, Date.now());
memory.write({ ...(me.rank != null && remembered(memory.read(), me)), back: room.return });
inPieces(
  () => {
    if (me.state === "none" && !cookiesWork(document, room.framed)) me.cookie = false;
  },
  redraw,
  () => {
    if (me.cookie === false) return;
    listening.want(listens());
    poll.start();
    (brought && CAN_SWITCH.includes(sceneNow()) ? joinWith(brought) : goOn()).catch(() => {
      failures += 1;
      redraw();
      poll.replan();
    });
  },
);
