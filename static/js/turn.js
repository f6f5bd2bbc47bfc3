// "Not yet": a called visitor may make the turn stand longer, and the page waits for a tap. Its state is in main.js.

/** How long the visitor may still say "not yet", while the page is looked at. */
function mayStillDefer() {
  if (me.state !== "called" || !me.may_defer || claimed) return 0;
  offered_ms ??= performance.now();
  return offered_ms + CLAIM_AFTER_MS - performance.now();
}

/** "Not yet": the turn stands longer, once, and the page waits for a tap. */
async function defer() {
  const answer = await request("POST", `${mine}/defer`, {});
  hear({ ...answer, may_defer: false });
  hold();
  const time = words.time(me.offer_until_ms, serverNow());
  if (time !== null) speaker.turn(words.text("called.until", { time }));
}

/** From now on only a tap enters. */
function hold() {
  memory.write({ held: `${me.line} ${me.entry}` });
  redraw();
}
