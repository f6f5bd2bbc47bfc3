// Which page it is, and what stands on it: the same decisions as src/page/scene.rs and
// src/page/slots.rs take for the first paint.

const TURN = ["called", "admitted"];
const QUIET = ["ended", "elsewhere", "lapsed", "left", "stopped", "soldout", "closed", "cookie", "error"];
const CAN_LEAVE = ["provisional", "prequeue", "drawing", "waiting", "paused", "called", "pending"];
const GREETS = ["before", "join", "joining", "prequeue"];
const COUNTS_DOWN = ["before", "prequeue"];
const PROVES = ["before", "joining"];
const SHOWS_PLACE = ["prequeue", "waiting", "paused"];

function sceneOf(me) {
  if (me.cookie === false) return "cookie";
  if (me.state === "elsewhere") return "elsewhere";
  if (me.stop) return "stopped";
  if (me.mode === "closed") return "closed";
  if (me.state === "admitted" || me.state === "recheck") return me.state;
  if (me.unavailable && me.state !== "none") return "error";
  if (me.phase === "soldout" || me.phase === "closed") return me.phase;
  if (me.state === "none") {
    if (me.mode === "rate") return "busy";
    if (me.phase === "before") return "before";
    return me.choosing ? "join" : "joining";
  }
  if (["ended", "lapsed", "left", "provisional"].includes(me.state)) return me.state;
  if (me.phase === "paused") return "paused";
  if (me.state !== "waiting") return me.state;
  if (me.phase === "before" || me.phase === "prequeue") return "prequeue";
  return me.phase === "drawing" ? "drawing" : "waiting";
}

const toneOf = (scene) => (TURN.includes(scene) ? "turn" : QUIET.includes(scene) ? "quiet" : "calm");

/** The texts of a scene. `eta` is the steady one (see eta.js), `now_ms` the server's time. */
function slotsOf(scene, room, me, words, eta, now_ms, way = {}) {
  const { text, plural, number } = words;
  const placed = SHOWS_PLACE.includes(scene);
  const ahead = placed && me.ahead > 0 ? me.ahead : null;
  const headline = text(headlineOf(scene, me));
  const over = scene === "soldout" || scene === "closed";
  const titled = (scene === "waiting" || scene === "paused") && ahead !== null;
  return {
    headline,
    title: titled
      ? text("title.ahead", { n: number(ahead), event: room.title })
      : text("title.plain", { headline, event: room.title }),
    lead: leadOf(scene, room, me, words, now_ms, way),
    intro: Boolean(room.intro) && GREETS.includes(scene),
    line: ownLineOf(scene, room, me, words),
    entrants: entrantsOf(scene, me, words),
    ahead,
    caption: ahead === null ? "" : plural("ahead", ahead),
    mine: placed && me.rank != null ? number(me.rank + 1) : null,
    calling: me.called > 0 ? number(me.called) : null,
    wait: scene === "waiting" ? words.wait(eta) : null,
    notice: noticeOf(scene, room, me, words, now_ms),
    chances: chancesOf(scene, me, words),
    next: nextOf(scene, room, me, words),
    promise: promiseOf(scene, me, words, eta, now_ms),
    calendar: COUNTS_DOWN.includes(scene) && (room.prequeue_at_ms ?? me.opens_at_ms) != null,
    fair: fairOf(scene, me, words),
    absent: me.draw?.beacon === "absent",
    action: actionOf(scene, words, room),
    mayDefer: scene === "called" && Boolean(me.may_defer),
    choice: choiceOf(scene, room, me, words, now_ms),
    coded: codedOf(scene, room, me, words, now_ms),
    organizer: over && Boolean(room.organizer),
    message: me.message || null,
    canLeave: CAN_LEAVE.includes(scene),
  };
}

function headlineOf(scene, me) {
  if (scene === "waiting" && me.ahead === 0) return "waiting.first";
  if (scene === "paused" && waitsForStock(me)) return "stock.headline";
  if (scene === "paused" && waitsForOrigin(me)) return "origin.headline";
  if (scene === "prequeue" && me.draw) return "prequeue.draw.headline";
  return scene === "ended" && !me.ran_out ? "ended.early.headline" : `${scene}.headline`;
}

/** Only a session that ran to its end used all of its minutes. */
function endedOf(room, me, words, now_ms) {
  const time = words.time(me.session_ends_at_ms, now_ms);
  if (me.ran_out && time !== null)
    return [words.plural("ended.lead", room.session_minutes, { time }), words.text("ended.next")];
  const ended = time === null ? words.text("ended.plain") : words.text("ended.early.lead", { time });
  return [ended, words.text("ended.early.next")];
}

function leadOf(scene, room, me, words, now_ms, { busy = false, worked = 0, checked = 0, asked = false }) {
  const { text } = words;
  const opening = (at_ms, key) => {
    const time = words.timeThere(at_ms, now_ms, room.zone);
    return time === null ? text(`${key}.soon`) : text(`${key}.lead`, { time });
  };
  switch (scene) {
    case "waiting":
      return [];
    case "before":
      return [opening(room.prequeue_at_ms ?? me.opens_at_ms, "before")];
    case "prequeue":
      return [opening(me.opens_at_ms, "prequeue"), me.draw && text("prequeue.draw")].filter(Boolean);
    case "drawing":
      return drawingOf(room, me, words);
    case "join":
      return [text(canJoin(room) ? "join.lead" : "coded.only")];
    case "paused":
      return [text(waitsForStock(me) ? "stock.lead" : waitsForOrigin(me) ? "origin.lead" : "paused.lead")];
    case "called": {
      const time = words.time(me.offer_until_ms, now_ms);
      return [text("called.lead"), time !== null && text("called.until", { time })].filter(Boolean);
    }
    case "ended":
      return endedOf(room, me, words, now_ms);
    case "stopped":
      return [text("stopped.lead"), me.state !== "none" && text("stopped.kept")].filter(Boolean);
    case "recheck":
      return [text("recheck.lead"), checked > 0 && workOf(checked, words)].filter(Boolean);
    case "joining":
      if (worked > 0 && worked < 1) return [workOf(worked, words)];
      return [text(busy ? "joining.busy" : asked ? "joining.widget" : "joining.lead")];
    default:
      return [text(`${scene}.lead`)];
  }
}

const workOf = (share, { text, number }) => text("joining.work", { n: number(Math.floor(100 * share)) });

function nextOf(scene, room, me, words) {
  if (scene === "before") return words.text(canJoin(room) ? "before.next" : "coded.only");
  if (scene === "called") return me.held ? words.text("called.still") : me.may_defer ? words.text("called.next") : null;
  if (!SHOWS_PLACE.includes(scene)) return null;
  const hold = room.hold_minutes ? words.plural("hold", room.hold_minutes) : "";
  return `${words.text("waiting.next")} ${hold}`.trim();
}

function promiseOf(scene, me, words, eta, now_ms) {
  const back = (at_ms) => {
    const time = words.time(at_ms, now_ms);
    return time === null ? words.text("promise") : words.text("promise.back", { time });
  };
  if (scene === "waiting") {
    if (!eta) return words.text("promise");
    if (eta.likely_seconds < NEAR_SECONDS) return words.text("promise.near");
    return back(now_ms + eta.likely_seconds * 1000);
  }
  if (scene === "prequeue" && me.opens_at_ms != null) return back(me.opens_at_ms);
  return ["prequeue", "provisional", "drawing"].includes(scene) ? words.text("promise") : null;
}

function actionOf(scene, words, room) {
  const does = {
    join: "join",
    ended: "rejoin",
    lapsed: "rejoin",
    left: "rejoin",
    called: "enter",
    admitted: "enter",
    recheck: "enter",
    elsewhere: "continue",
    again: "retry",
  };
  const what = does[scene];
  if (!what || ((what === "join" || what === "rejoin") && !canJoin(room))) return null;
  return { what, label: words.text(`do.${what}`), urgent: ["enter", "retry", "join"].includes(what) };
}
