// What the page tells of a draw: who is in it, what it is made of, what it gave. `src/page/fair.rs`
// writes the same for the first paint.

const BEFORE_NUMBERS = ["prequeue", "drawing"];
const BY = { none: "draw.alone", expected: "draw.beacon", here: "draw.beacon.here", absent: "draw.absent" };

/** How many are in the draw, while nobody has a number yet. */
const entrantsOf = (scene, me, words) =>
  me.draw && me.entrants != null && BEFORE_NUMBERS.includes(scene) ? words.plural("entrants", me.entrants) : null;

/** What happens in the draw, and for how long at most. */
function drawingOf(room, me, words) {
  const lead = [words.text("drawing.lead")];
  if (me.draw && room.draw_ms) lead.push(words.plural("drawing.most", Math.ceil(room.draw_ms / MINUTE_MS)));
  return lead;
}

/** The paragraphs about the draw; null: there is nothing to tell. */
function fairOf(scene, me, words) {
  if (!me.draw) return null;
  const by = words.text(BY[me.draw.beacon] ?? BY.none);
  if (scene === "drawing" && me.ahead != null) return [words.text("draw.later"), by];
  if (BEFORE_NUMBERS.includes(scene)) return [by];
  if (!me.draw.drawn || me.entry == null || (scene !== "waiting" && scene !== "paused")) return null;
  const gave = me.missed_draw ? "draw.missed" : me.entry < me.entrants ? "draw.yours" : "draw.later";
  return [words.text(gave), by];
}
