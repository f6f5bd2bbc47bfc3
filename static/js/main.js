// The page: ties the parts together. State lives here and nowhere else.

const JOINABLE = ["prequeue", "drawing", "open", "paused"];
/** No page tries its address more often than this, whatever the server says. */
const SHORTEST_RATE_MS = 2_000;
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
let heard_ms = Date.now();
let skew_ms = room.me.now_ms - Date.now();
let failures = 0;
let busy = false;
let joining = false;
let acting = false;
let leaving = false;
/** The pass does not stick. */
let lost = false;
/** Why the page would move by itself, and does not: it has just done so, and is back. */
let stuck = null;
let otherRun = false;
let told = null;
let claimed = false;
let had_place = !["none", ...GIVEN_UP].includes(me.state);

const visible = () => document.visibilityState === "visible";
const serverNow = () => Date.now() + skew_ms;
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
  now: () => Date.now(),
  after: setTimeout,
});
const extras = extrasIn(window, find, words);

const poll = poller({
  ask: () => request("GET", mine),
  async done(answer) {
    hear(answer);
    await goOn();
  },
  failed(_error, count) {
    failures = count;
    redraw();
  },
  interval: pollMs,
  hidden: () => !visible(),
  now: () => performance.now(),
  timer(ms, run) {
    const id = setTimeout(run, ms);
    return () => clearTimeout(id);
  },
  chance: Math.random,
});

/** Takes an answer in. */
function hear(answer) {
  otherRun = answer.run != null && answer.run !== room.run;
  if (otherRun) return moveOn(`run ${answer.run}`, room.return);
  if (failures > 1) speaker.say(words.text("announce.online"));
  failures = 0;
  heard_ms = Date.now();
  if (answer.now_ms) skew_ms = answer.now_ms - heard_ms;
  const had = me.state;
  const forgotten = answer.state === "none" && CAN_LEAVE.includes(had) && answer.cookie !== true;
  me = nextState(me, { run: room.run, ...answer, ...(forgotten && { cookie: false }) });
  if (GIVEN_UP.includes(me.state)) forgetPermit();
  wait = steadyEta(wait, me, serverNow());
  tab.write({ wait });
  if (me.rank != null) memory.write(remembered(memory.read(), me));
  redraw();
}

/** The permit of a place that is gone makes no other: the next one needs a new permit. */
function forgetPermit() {
  if (had_place) room.permit = null;
  had_place = false;
  memory.write({ permit: undefined, rank: undefined });
}

/** The scene that is shown. */
function sceneNow() {
  if (lost) return "cookie";
  return stuck !== null && !isShut(me) ? "again" : sceneOf(me);
}

function redraw() {
  const scene = sceneNow();
  const slots = slotsOf(scene, room, me, words, wait.eta, serverNow(), busy);
  const kept = memory.read();
  const start = kept.rank === me.rank ? kept.start : null;
  const inLine = (scene === "waiting" || scene === "paused") && Number.isFinite(me.ahead) && start > 0;
  draw(find, scene, slots, move, inLine ? progressOf(start, me.ahead) : null, words);
  line(find("cause"), scene === "waiting" && wait.cause ? words.text(`cause.${wait.cause}`) : null);
  show(find("extras"), extras.any && slots.canLeave && scene !== "called");
  drawAge(scene);
  tick();
  tell(scene, slots);
  if (scene === "cookie") drawCookie();
  const focused = document.activeElement;
  if (focused && focused !== document.body && focused.closest("[hidden]")) find("headline").focus();
}

/** How old the numbers are, and whether there is a connection. */
function drawAge(scene) {
  const age_ms = Date.now() - heard_ms + (me.board_age_ms ?? 0);
  const minutes = Math.floor(age_ms / 60_000);
  const placed = CAN_LEAVE.includes(scene);
  const cut = !navigator.onLine || (failures > 1 && me.state !== "none");
  const numbers = SHOWS_PLACE.includes(scene);
  const age = minutes > 0 ? words.plural("age.minutes", minutes) : words.text("age.now");
  show(find("offline"), cut && scene !== "cookie");
  put(
    find("offline-text"),
    [placed && words.text("stopped.kept"), words.text("offline.text")].filter(Boolean).join(" "),
  );
  line(find("offline-age"), cut && numbers ? age : null);
  line(find("age"), !cut && numbers && (me.board_age_ms ?? 0) >= 10_000 ? age : null);
  show(find("live"), !cut && placed && (me.board_age_ms ?? 0) < 10_000);
}

function drawCookie() {
  const reason = cookieReason(window.top !== window, navigator.userAgent);
  for (const item of find("reasons").children) show(item, item.dataset.why === reason);
  show(find("copy"), Boolean(navigator.clipboard));
  poll.stop();
}

/** Once a second: the countdown, and the age while offline. */
function tick() {
  const at_ms = room.prequeue_at_ms ?? me.opens_at_ms;
  const counts = sceneNow() === "before" && at_ms != null;
  show(find("clock"), counts);
  if (!counts) return;
  const left = countdown(at_ms - serverNow(), words);
  put(find("clock-days"), left.days ?? "");
  put(find("clock-time"), left.clock);
}

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
  } else if (before !== null) speaker.say([slots.headline, standing].filter(Boolean).join(". "));
}

/** Does by itself what the state asks for: join, or go in. */
async function goOn() {
  if (otherRun || lost) return;
  if (me.mode === "off" && !isShut(me)) return moveOn("off", room.return);
  if (me.state !== "none" && me.cookie !== false && !leaving && claimsByItself(me, visible(), claimed)) {
    return enter(true);
  }
  if (stuck !== null) {
    stuck = null;
    redraw();
  }
  if (me.state !== "none" || me.cookie === false || leaving) return;
  if (isShut(me) || !JOINABLE.includes(me.phase)) return;
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

/** Too many at once, and no queue: the address itself is tried again, at the server's pace. */
function askAgainLater() {
  poll.stop();
  const poll_ms = Math.max(me.poll_ms ?? 0, SHORTEST_RATE_MS);
  const wait_ms = delayMs({ poll_ms, hidden: !visible(), failures: 0, chance: Math.random });
  setTimeout(() => location.replace(room.return), wait_ms);
}

/** As the server says; when the line opens meanwhile, just after that. */
function pollMs() {
  if (FINAL.includes(me.state)) return HIDDEN_MS;
  const poll_ms = me.poll_ms ?? 5_000;
  const opens_ms = (room.prequeue_at_ms ?? me.opens_at_ms ?? 0) - serverNow();
  return me.phase === "before" && opens_ms > 0 ? Math.min(poll_ms, opens_ms * 1.2 + 300) : poll_ms;
}

const pause = (ms) => new Promise((done) => setTimeout(done, ms));

/** Joins, once at a time, together with the browser's other tabs. */
async function join() {
  if (joining) return;
  joining = true;
  try {
    const answer = await joinTogether({
      locks: navigator.locks,
      name,
      memory,
      permit: room.permit,
      join: (permit) => request("POST", `${queue}/tickets`, { permit, ...(room.line && { line: room.line }) }),
      fresh: async () => (await request("POST", `${queue}/permits`, {})).permit,
      pause,
    });
    busy = false;
    had_place = true;
    if (answer.status !== 409 && answer.cookie === undefined) hear({ ...answer, ...(await request("GET", mine)) });
    else hear(answer);
    if (answer.status !== 409 && me.state === "none") hear({ state: "none", cookie: false });
    poll.replan();
  } catch (error) {
    busy = error.status === 503 || error.status === 429;
    throw error;
  } finally {
    joining = false;
  }
  if (me.state !== "none") await goOn();
}

/** Asks for the pass, and goes in with it. */
async function enter(byItself) {
  if (acting) return;
  const why = `${ENTER} ${me.rank}`;
  if (byItself && !mayMove(tab, why, Date.now())) return stay(why);
  acting = true;
  try {
    const answer = await request("POST", `${mine}/pass`, {});
    claimed = answer.status !== 409;
    if (answer.state === "admitted" && answer.status === 200) {
      me = { ...me, state: "admitted", session_ends_at_ms: answer.session_ends_at_ms };
      stuck = null;
      redraw();
      rememberMove(tab, why, Date.now());
      location.replace(sameSite(answer.location, location.origin, room.return));
    } else hear(answer);
    poll.replan();
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

async function rejoin() {
  me = { ...me, state: "none", entry: null, rank: null, ahead: null };
  wait = steadyEta(null, me, serverNow());
  redraw();
  await join();
  poll.replan();
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
  const { what } = actionOf(sceneNow(), words) ?? {};
  if (what === "rejoin") press(event, rejoin);
  else if (what === "enter" || what === "continue" || stuck?.startsWith(ENTER)) press(event, () => enter(false));
  else if (what === "retry") {
    event.preventDefault();
    location.replace(room.return);
  } else press(event, join);
});
find("give-up").addEventListener("submit", (event) => press(event, leave));
find("stay").addEventListener("click", () => {
  find("leave").open = false;
  find("leave").querySelector("summary").focus();
});
find("copy").addEventListener("click", async () => {
  await navigator.clipboard.writeText(location.href);
  put(find("copy"), words.text("do.copied"));
});
document.addEventListener("visibilitychange", () => (visible() ? poll.atOnce() : poll.replan()));
window.addEventListener("pageshow", (event) => event.persisted && poll.atOnce());
window.addEventListener("online", () => poll.atOnce());
window.addEventListener("offline", redraw);
setInterval(() => {
  tick();
  drawAge(sceneNow());
}, 1000);

show(find("stay"), true);
// Where nothing outlives a reload, the browser still says that this page replaced itself.
if (!tab.lasts() && document.referrer === location.href.split("#")[0]) rememberMove(tab, null, Date.now());
if (me.rank != null) memory.write(remembered(memory.read(), me));
if (me.state === "none" && !cookiesWork(document)) me.cookie = false;
redraw();
if (me.cookie !== false) {
  poll.start();
  goOn().catch(() => {
    failures += 1;
    redraw();
    poll.replan();
  });
}
