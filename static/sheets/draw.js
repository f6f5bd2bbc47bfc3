// The page of the draw: fetches what is published and where this visitor stands, recomputes, and says what fits.

const find = (id) => document.getElementById(id);
const { address, lang, words } = JSON.parse(find("sheet").textContent);
const number = new Intl.NumberFormat(lang);
const fill = (text, filled) => text.replace(/\{(\w+)\}/g, (whole, name) => filled[name] ?? whole);
const canHash = Boolean(globalThis.crypto?.subtle);
/** What fits into the field: more than any line has entry numbers. */
const MOST_ENTRY = 999_999_999_999_999;
const AGAIN_MS = 10_000;

let published = null;

function put(id, text) {
  const element = find(id);
  if (element.textContent !== text) element.textContent = text;
}

function show(id, shown) {
  find(id).hidden = !shown;
}

/** A verdict: its kind, its title and its sentences. */
function say(kind, title, ...texts) {
  find("verdict").dataset.kind = kind;
  put("verdict-title", title);
  put("verdict-text", texts.filter(Boolean).join(" "));
  show("verdict", true);
}

/** The line whose draw is shown: the visitor's, else the first that has one. */
function lineOf(me) {
  const mine = me?.entry != null ? published.lines.find(({ id }) => id === me.line) : null;
  return mine ?? published.lines.find(({ draw }) => draw) ?? published.lines[0];
}

function drawChecks(line, checks) {
  const { beacon } = line.draw;
  const items = Object.entries(checks).map(([name, holds]) => {
    const item = document.createElement("li");
    item.dataset.holds = holds;
    item.dataset.check = name;
    const verdict = document.createElement("strong");
    verdict.textContent = holds ? words.holds : words.fails;
    item.append(verdict, ` ${words[`check.${name}`]}`);
    return item;
  });
  find("checked").replaceChildren(...items);
  const without = beacon === null ? words["beacon.none"] : beacon.absent ? words["beacon.absent"] : "";
  put("without", without);
  show("without", without !== "");
  show("checks", true);
}

function drawMine(me, rank) {
  put("entry", number.format(me.entry));
  put("recomputed", rank === null ? "–" : number.format(rank));
  put("said", me.rank == null ? "–" : number.format(me.rank));
  show("mine", true);
  // It is said beside the visitor's own numbers.
  show("counted", false);
}

function verdictOf(me, line, rank, checks) {
  const broken = Object.values(checks).includes(false);
  if (me?.entry == null) {
    if (broken) say("bad", words.broken, words["broken.text"]);
    else say("plain", words.sound, words.noplace);
    return;
  }
  if (me.rank !== rank) say("bad", words.unequal, words["unequal.text"]);
  else if (broken) say("bad", words.broken, words["broken.text"]);
  else say("good", words.equal, me.entry >= line.draw.entrants ? words.late : words["equal.text"]);
}

async function recompute(me) {
  const line = lineOf(me);
  show("try", published.lines.some(isDrawn) && canHash);
  if (!line?.draw) return say("plain", words.none);
  if (!isDrawn(line)) return say("plain", words.early, words["early.text"]);
  if (!canHash) return say("plain", words.nohash, words["nohash.text"]);
  const checks = await checksOf(published, line);
  const rank = me?.entry == null ? null : await rankOf(me.entry, line.draw.entrants, line.draw.seed);
  if (me?.entry != null) drawMine(me, rank);
  drawChecks(line, checks);
  verdictOf(me, line, rank, checks);
}

/** What is published, as it stands in the page. */
function drawValues() {
  for (const line of published.lines) {
    const { beacon, ...draw } = line.draw ?? {};
    const values = { ...draw, round: beacon?.round, signature: beacon?.signature, randomness: beacon?.randomness };
    const isWithout = draw.entrants != null && !beacon;
    for (const [name, value] of Object.entries(values)) {
      const element = find(`${line.id}.${name}`);
      if (element && value != null) element.textContent = value;
      if (element && value === undefined) element.parentElement.hidden = isWithout;
    }
  }
}

async function look() {
  try {
    published = await request("GET", `${address}/draw`);
    const me = await request("GET", `${address}/tickets/me`).catch(() => null);
    drawValues();
    await recompute(me);
  } catch {
    say("plain", words.failed);
  }
  const undecided = !published || published.lines.some(({ draw }) => draw && !draw.seed);
  const poll_ms = document.hidden ? HIDDEN_MS : AGAIN_MS;
  if (undecided) setTimeout(look, delayMs({ poll_ms, hidden: document.hidden, failures: 0, chance: Math.random }));
}

find("try").addEventListener("submit", async (event) => {
  event.preventDefault();
  const line = published.lines.find(({ id }) => id === find("try").elements.line?.value) ?? lineOf(null);
  const typed = find("tried").value.trim();
  if (!isDrawn(line)) return put("result", words.early);
  if (!/^\d{1,15}$/.test(typed)) {
    find("tried").setAttribute("aria-invalid", "true");
    return put("result", fill(words["try.range"], { n: number.format(MOST_ENTRY) }));
  }
  find("tried").removeAttribute("aria-invalid");
  const entry = Number(typed);
  const rank = await rankOf(entry, line.draw.entrants, line.draw.seed);
  put("result", fill(words["try.result"], { e: number.format(entry), r: number.format(rank) }));
});

look();
