// What is out of the ordinary: a pause, a stop, a moved opening, and tickets that will hardly do.
// `src/page/notices.rs` writes the same for the first paint.

/** Nobody is let in because nothing is free, and no operator has paused. */
const waitsForStock = (me) => me.phase === "paused" && !me.pause && me.stock_left === 0;

/** Nobody is let in because the shop does not answer: the room paused by itself, and promises no news. */
const waitsForOrigin = (me) =>
  me.phase === "paused" && me.pause?.reason === "origin" && me.pause.next_update_at_ms == null;

/** The operator's words, and when there is more news, as long as that lies ahead. */
function pauseOf(scene, me, words, now_ms) {
  if (!me.pause) return [];
  if (waitsForOrigin(me)) return scene === "paused" ? [] : [words.text("origin.join")];
  const at_ms = me.pause.next_update_at_ms;
  const time = at_ms > now_ms ? words.time(at_ms, now_ms) : null;
  return [me.pause.reason, time === null ? null : words.text("paused.update", { time })].filter(Boolean);
}

/** What changed: when the opening is, when it was to be, and why. */
function movedOf(room, me, words, now_ms) {
  const to = words.timeThere(me.opens_at_ms, now_ms, room.zone);
  const from = words.timeThere(me.moved?.from_ms, now_ms, room.zone);
  if (!me.moved || to === null || from === null) return [];
  const said = [words.text("moved.to", { time: to }), words.text("moved.from", { time: from }), me.moved.reason];
  return said.filter(Boolean);
}

function noticeOf(scene, room, me, words, now_ms) {
  const moved = ["before", "prequeue", "join"].includes(scene) ? movedOf(room, me, words, now_ms) : [];
  const pause = ["paused", "stopped", "joining", "join"].includes(scene) ? pauseOf(scene, me, words, now_ms) : [];
  return [...moved, ...pause];
}

/** People far back are told honestly; nobody else is alarmed. */
function chancesOf(scene, me, words) {
  const far = (scene === "waiting" || scene === "paused") && me.stock_left > 0 && me.ahead >= me.stock_left;
  return far ? words.plural("chances", me.stock_left) : null;
}
