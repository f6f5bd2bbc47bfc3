// The lines of an event: which can be chosen, which take a code, which one the visitor is in. With
// one line nothing of it is shown. `src/page/choice.rs` decides the same for the first paint.

const CAN_SWITCH = ["provisional", "prequeue", "drawing", "waiting", "paused"];
const CAN_JOIN = ["before", "join", "ended", "lapsed", "left"];
const OVER = ["soldout", "closed"];
const JOINABLE = ["prequeue", "drawing", "open", "paused"];

const everyoneIn = (room) => (room.lines ?? []).filter((line) => !line.coded);

/** Whether a visitor who brings nothing, or what is kept of an earlier join, can join. */
const canJoin = (room) => !room.lines?.length || everyoneIn(room).length > 0 || Boolean(room.carried);

/** Whether the visitor has something to choose before a join: a line, or what to bring. */
const mustChoose = (room, chosen) => !room.carried && (!canJoin(room) || (everyoneIn(room).length > 1 && !chosen));

/** The lines with what the board last said of them. */
function linesNow(room, me) {
  const board = new Map((me.lines ?? []).map((line) => [line.id, line]));
  return (room.lines ?? []).map((line) => ({ ...line, ...board.get(line.id) }));
}

function shownLine(line, me, words, now_ms, zone) {
  const ahead = line.opens_at_ms > now_ms && line.opens_at_ms !== me.opens_at_ms;
  const time = ahead ? words.timeThere(line.opens_at_ms, now_ms, zone) : null;
  return { id: line.id, title: line.title, opens: time === null ? null : words.text("line.opens", { time }) };
}

/** The lines for everyone, where there is a choice. */
function choiceOf(scene, room, me, words, now_ms) {
  const everyone = linesNow(room, me).filter((line) => !line.coded);
  if ((scene !== "before" && scene !== "join") || everyone.length < 2) return [];
  return everyone.map((line) => shownLine(line, me, words, now_ms, room.zone));
}

/** The way in for a code: its lines, and whether a place is kept meanwhile; null: there is none. */
function codedOf(scene, room, me, words, now_ms) {
  const lines = linesNow(room, me).filter((line) => line.coded && !OVER.includes(line.phase));
  const keeps = CAN_SWITCH.includes(scene);
  const inOne = keeps && lines.some((line) => line.id === me.line);
  if (lines.length === 0 || inOne || !(keeps || CAN_JOIN.includes(scene))) return null;
  return { keeps, lines: lines.map((line) => shownLine(line, me, words, now_ms, room.zone)) };
}

/** Which line a place is in, where there are several. */
function ownLineOf(scene, room, me, words) {
  const line = room.lines?.length > 1 && CAN_LEAVE.includes(scene) && room.lines.find(({ id }) => id === me.line);
  return line ? words.text("line.yours", { line: `\u2068${line.title}\u2069` }) : null;
}

/** Which line a join without a code is for: who joins again joins the same. `chosen` is the choice. */
function lineToJoin(room, me, chosen) {
  if (!(room.lines?.length > 1)) return null;
  const own = GIVEN_UP.includes(me.state) && everyoneIn(room).find(({ id }) => id === me.line);
  return own ? own.id : (chosen ?? room.line);
}

/** Title and opening of a line, put into `element`. */
function writeLine(element, { title, opens }) {
  const name = Object.assign(document.createElement("bdi"), { textContent: title });
  const when = opens && Object.assign(document.createElement("small"), { textContent: opens });
  element.replaceChildren(...[name, when && " ", when].filter(Boolean));
}

function drawChoice(fieldset, choice, chosen) {
  show(fieldset, choice.length > 0);
  fieldset.disabled = choice.length === 0;
  for (const line of choice) {
    let input = [...fieldset.querySelectorAll("input")].find(({ value }) => value === line.id);
    if (!input) {
      const label = document.createElement("label");
      input = Object.assign(document.createElement("input"), { type: "radio", name: "line", value: line.id });
      input.checked = line.id === chosen;
      label.append(input, document.createElement("span"));
      fieldset.append(label);
    }
    const text = input.nextElementSibling;
    if (text.textContent !== [line.title, line.opens].filter(Boolean).join(" ")) writeLine(text, line);
  }
}

function drawCoded(find, coded) {
  show(find("coded"), coded !== null);
  if (coded === null) return;
  const list = find("coded-lines").querySelector("ul");
  while (list.childElementCount > coded.lines.length) list.lastElementChild.remove();
  while (list.childElementCount < coded.lines.length) list.append(document.createElement("li"));
  coded.lines.forEach((line, at) => {
    const item = list.children[at];
    if (item.textContent !== [line.title, line.opens].filter(Boolean).join(" ")) writeLine(item, line);
  });
  show(find("code-keeps"), coded.keeps);
}
