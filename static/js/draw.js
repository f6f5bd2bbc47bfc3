// Puts texts into the page. What did not change is not touched, so that nothing flickers and a
// screen reader is not disturbed.

function put(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

function show(element, shown) {
  if (element.hidden === shown) element.hidden = !shown;
}

/** A line of text, hidden when there is none. */
function line(element, text) {
  show(element, text !== null);
  put(element, text ?? "");
}

/** Paragraphs, hidden when there are none. */
function paragraphs(element, texts) {
  show(element, texts !== null && texts.length > 0);
  const now = texts ?? [];
  if (element.childElementCount === now.length && now.every((text, at) => element.children[at].textContent === text)) {
    return;
  }
  element.replaceChildren(
    ...now.map((text) => Object.assign(document.createElement("p"), { textContent: text, dir: "auto" })),
  );
}

/** Shows `slots` (see scene.js). `move` is the moving number, `progress` is in thousandths or null. */
function draw(find, scene, slots, move, progress, words) {
  const root = document.documentElement;
  root.dataset.scene = scene;
  root.dataset.tone = toneOf(scene);
  document.title = slots.title;
  put(find("headline"), slots.headline);
  paragraphs(find("lead"), slots.lead);
  show(find("intro"), slots.intro);
  line(find("line"), slots.line);
  line(find("entrants"), slots.entrants);
  show(find("count"), slots.ahead !== null);
  move(slots.ahead);
  put(find("caption"), slots.caption);
  put(find("spoken"), slots.ahead === null ? "" : `${words.number(slots.ahead)} ${slots.caption}`);
  show(find("way"), slots.mine !== null);
  put(find("mine"), slots.mine ?? "");
  show(find("calling").parentElement, slots.calling !== null);
  put(find("calling"), slots.calling ?? "");
  show(find("progress"), progress !== null);
  find("progress").value = progress ?? 0;
  paragraphs(find("notice"), slots.notice);
  show(find("wait"), slots.wait !== null);
  put(find("range"), slots.wait ?? "");
  line(find("chances"), slots.chances);
  line(find("promise"), slots.promise);
  line(find("next"), slots.next);
  show(find("calendar"), slots.calendar);
  show(find("fair"), slots.fair !== null);
  find("fair").classList.toggle("notice", slots.absent);
  paragraphs(find("fair-texts"), slots.fair);
  if (find("organizer")) show(find("organizer"), slots.organizer);
  show(find("message"), slots.message !== null);
  put(find("words"), slots.message ?? "");
  show(find("act"), slots.action !== null);
  find("act").classList.toggle("urgent", Boolean(slots.action?.urgent));
  put(find("go"), slots.action?.label ?? "");
  show(find("defer"), slots.mayDefer);
  drawChoice(find("choice"), slots.choice, slots.chosen);
  drawCoded(find, slots.coded);
  show(find("leave"), slots.canLeave);
  show(find("outside"), scene === "cookie");
  show(find("reasons"), scene === "cookie");
}

/** Numbers of a board that is at least so old are told with their age; `OLD_AFTER_MS` in src/page/slots.rs. */
const OLD_AFTER_MS = 10_000;

/**
 * Whether numbers are told with their age: nothing was heard for longer than a question and its answer take, or their board
 * was old.
 */
const isOld = (unheard_ms, me) =>
  unheard_ms >= Math.max(DEAD_AFTER_MS, 1.5 * (me.poll_ms ?? 0)) || (me.board_age_ms ?? 0) >= OLD_AFTER_MS;

/** How long nothing was heard, what was heard then, and whether there is no connection. */
function drawAge(find, scene, words, { unheard_ms, me, cut }) {
  const board_age_ms = me.board_age_ms ?? 0;
  const minutes = Math.floor((unheard_ms + board_age_ms) / MINUTE_MS);
  const placed = CAN_LEAVE.includes(scene);
  const numbers = SHOWS_PLACE.includes(scene);
  const old = isOld(unheard_ms, me);
  const age = minutes > 0 ? words.plural("age.minutes", minutes) : words.text("age.now");
  show(find("offline"), cut && scene !== "cookie");
  put(
    find("offline-text"),
    [placed && words.text("stopped.kept"), words.text("offline.text")].filter(Boolean).join(" "),
  );
  line(find("offline-age"), cut && numbers ? age : null);
  line(find("age"), !cut && numbers && old ? age : null);
  show(find("live"), !cut && placed && !old);
}

/** What is left until `at_ms`, as `hh:mm:ss`, with the days before it. */
function countdown(left_ms, words) {
  const seconds = Math.max(0, Math.ceil(left_ms / 1000));
  const two = (value) => String(value).padStart(2, "0");
  const clock = `${two(Math.floor(seconds / 3600) % 24)}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
  const days = Math.floor(seconds / 86_400);
  return { days: days > 0 ? words.plural("days", days) : null, clock };
}
