// The strip: `<script src="/_wr/embed.js" data-event="world-tour" async></script>` on any page shows
// where the visitor stands in that event's line, and leads back when it is their turn. Without a
// living place it shows nothing. It needs nothing of the page but `connect-src` for this host: no
// markup is parsed, and the styles are a constructed sheet, which no policy of the page forbids.
//
// `FRONTS` (the events of this host: where their shop begins, and their own colours), `COLOURS` and
// the functions of js/poll.js stand before this file: build.rs puts them together.

const LIVE = ["provisional", "waiting", "called", "pending", "admitted"];
const WORDS = {
  en: {
    name: "Waiting room",
    ahead: "{n} ahead of you",
    about: "about {t}",
    soon: "less than a minute",
    first: "You are next",
    saved: "Your place is saved",
    draw: "You are in the draw",
    opens: "The sale starts: {t}",
    paused: "The line is paused · Your place is kept",
    soldout: "Sold out · Thank you for waiting",
    closed: "The sale is over",
    turn: "It is your turn",
    almost: "Almost there",
    open: "The shop is open for you",
    enter: "Enter",
    show: "Show",
    hide: "Hide",
  },
  de: {
    name: "Warteraum",
    ahead: "Noch {n} vor Ihnen",
    about: "etwa {t}",
    soon: "weniger als eine Minute",
    first: "Sie sind als Nächstes dran",
    saved: "Ihr Platz ist gesichert",
    draw: "Sie nehmen an der Verlosung teil",
    opens: "Der Verkauf beginnt: {t}",
    paused: "Die Schlange steht · Ihr Platz bleibt",
    soldout: "Ausverkauft · Danke fürs Warten",
    closed: "Der Verkauf ist beendet",
    turn: "Sie sind dran",
    almost: "Gleich geschafft",
    open: "Der Shop ist für Sie offen",
    enter: "Eintreten",
    show: "Ansehen",
    hide: "Ausblenden",
  },
  fr: {
    name: "Salle d’attente",
    ahead: "{n} devant vous",
    about: "environ {t}",
    soon: "moins d’une minute",
    first: "C’est bientôt à vous",
    saved: "Votre place est enregistrée",
    draw: "Vous participez au tirage",
    opens: "Début de la vente : {t}",
    paused: "La file est en pause · Votre place est gardée",
    soldout: "Complet · Merci d’avoir attendu",
    closed: "La vente est terminée",
    turn: "C’est votre tour",
    almost: "Vous y êtes presque",
    open: "La boutique vous est ouverte",
    enter: "Entrer",
    show: "Voir",
    hide: "Masquer",
  },
  es: {
    name: "Sala de espera",
    ahead: "{n} delante de ti",
    about: "unos {t}",
    soon: "menos de un minuto",
    first: "Eres el siguiente",
    saved: "Tu puesto está guardado",
    draw: "Participas en el sorteo",
    opens: "La venta empieza: {t}",
    paused: "La fila está en pausa · Tu puesto se guarda",
    soldout: "Agotado · Gracias por esperar",
    closed: "La venta ha terminado",
    turn: "Es tu turno",
    almost: "Ya casi está",
    open: "La tienda está abierta para ti",
    enter: "Entrar",
    show: "Ver",
    hide: "Ocultar",
  },
  pl: {
    name: "Poczekalnia",
    ahead: "Przed Tobą: {n}",
    about: "około {t}",
    soon: "mniej niż minuta",
    first: "Zaraz Twoja kolej",
    saved: "Twoje miejsce jest zapisane",
    draw: "Bierzesz udział w losowaniu",
    opens: "Początek sprzedaży: {t}",
    paused: "Kolejka wstrzymana · Miejsce jest Twoje",
    soldout: "Wyprzedane · Dziękujemy za czekanie",
    closed: "Sprzedaż zakończona",
    turn: "Twoja kolej",
    almost: "Jeszcze chwila",
    open: "Sklep jest dla Ciebie otwarty",
    enter: "Wejdź",
    show: "Pokaż",
    hide: "Ukryj",
  },
  ar: {
    name: "غرفة الانتظار",
    ahead: "أمامك {n}",
    about: "حوالي {t}",
    soon: "أقل من دقيقة",
    first: "أنت التالي",
    saved: "مكانك محفوظ",
    draw: "أنت مشارك في القرعة",
    opens: "يبدأ البيع: {t}",
    paused: "الطابور متوقف مؤقتًا · مكانك محفوظ",
    soldout: "نفدت التذاكر · شكرًا لانتظارك",
    closed: "انتهى البيع",
    turn: "حان دورك",
    almost: "اقتربت",
    open: "المتجر مفتوح لك",
    enter: "ادخل",
    show: "عرض",
    hide: "إخفاء",
  },
};
const STRIP = `
section {
  all: initial; position: fixed; inset: auto 0 0; z-index: 2147483000; box-sizing: border-box;
  display: flex; align-items: center; justify-content: center; gap: .5em;
  padding: .5em max(1em, env(safe-area-inset-right)) calc(.5em + env(safe-area-inset-bottom)) max(1em, env(safe-area-inset-left));
  border-top: 1px solid var(--hair); background: var(--card); color: var(--ink);
  font: medium/1.35 system-ui, sans-serif;
}
p { margin: 0; font-size: .9375em; font-weight: 600; font-variant-numeric: tabular-nums }
span { display: block }
i { display: none }
a, button { flex: none; min-height: 2.75em; box-sizing: border-box; font: inherit; border-radius: .75em; cursor: pointer }
a { padding: .65em .75em; border: 2px solid var(--main); color: var(--main); font-weight: 650; text-decoration: none }
:host([data-tone="turn"]) a { background: var(--main); color: var(--on-main) }
button { width: 2.75em; margin: 0 -.5em; padding: 0; border: 0; background: none; color: var(--soft) }
:focus-visible { outline: 3px solid var(--main); outline-offset: 2px }
.say { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap }
@media (min-width: 40em) { section { gap: 1.25em } p { font-size: 1em } span, i { display: inline } }
@media print { section { display: none } }
`;

const script = document.currentScript;
const event = script.dataset.event ?? "";
const source = new URL(script.src);
const mine = `${source.href.split("/embed.js")[0]}/queues/${event}/tickets/me`;
const memory = `wr-${event}-`;
const { front = "/", day, night } = FRONTS[event] ?? {};
const tags = [script.closest("[lang]")?.lang, ...navigator.languages].map((tag) => tag?.split("-")[0]);
const lang = tags[0] in WORDS ? tags[0] : tags[0] ? "en" : (tags.find((tag) => tag in WORDS) ?? "en");
const words = WORDS[lang];
const intl = lang === "ar" ? "ar-u-nu-latn" : lang;
const number = new Intl.NumberFormat(intl);
const fill = (text, value) => text.replace(/\{.\}/, value);

/** What the queue page has remembered of places, by the run; null where nothing can be read. */
function remembered() {
  try {
    const found = {};
    for (const key of Object.keys(localStorage)) {
      const run = key.startsWith(memory) && key.slice(memory.length);
      if (/^\d+$/.test(run)) found[run] = { ...JSON.parse(localStorage[key]) };
    }
    return found;
  } catch {
    return null;
  }
}

/** The number as it was last shown on any page: it never rises. */
function steadyAhead(me) {
  const kept = remembered()?.[me.run] ?? {};
  if (kept.rank !== me.rank || kept.ahead == null) return me.ahead;
  const ahead = Math.min(kept.ahead, me.ahead);
  try {
    localStorage[memory + me.run] = JSON.stringify({ ...kept, ahead });
  } catch {}
  return ahead;
}

/** Where the visitor waits: as the page says, else where they last were, else where the shop begins. */
function backTo(me) {
  for (const address of [script.dataset.href, remembered()?.[me.run]?.back, front].filter(Boolean)) {
    try {
      const { origin, href } = new URL(address, location.href);
      if (origin === location.origin) return href;
    } catch {}
  }
  return "/";
}

function waitOf({ likely_seconds, at_most_seconds }) {
  const late = Math.ceil(at_most_seconds / 60);
  if (late <= 1) return words.soon;
  const early = Math.max(1, Math.floor(likely_seconds / 60));
  const hours = early >= 60 && late > 180;
  const [a, b] = hours ? [Math.floor(early / 60), Math.ceil(late / 60)] : [early, late];
  const unit = new Intl.NumberFormat(intl, { style: "unit", unit: hours ? "hour" : "minute", unitDisplay: "long" });
  return fill(words.about, a < b && unit.formatRange ? unit.formatRange(a, b) : unit.format(b));
}

/** What the strip says: `[kind, text]`, or null when there is nothing to say. */
function saying(me) {
  if (!LIVE.includes(me.state)) return null;
  if (me.state === "admitted") {
    const inside = location.pathname.toLowerCase().startsWith(front.toLowerCase());
    return inside || me.stop ? null : ["open", words.open];
  }
  if (["soldout", "closed"].includes(me.phase)) return [me.phase, words[me.phase]];
  if (me.stop || me.phase === "paused") return ["paused", words.paused];
  if (me.state === "called") return ["turn", words.turn];
  if (me.state === "pending") return ["almost", words.almost];
  if (["before", "prequeue", "drawing"].includes(me.phase)) {
    const at_ms = me.opens_at_ms;
    if (me.phase === "drawing" || at_ms == null) return ["draw", words.draw];
    // By the edge's clock: the visitor's own may be set wrong.
    const at = new Date(at_ms);
    const today = at.toDateString() === new Date(me.now_ms).toDateString();
    const time = at.toLocaleString(intl, { dateStyle: today ? undefined : "medium", timeStyle: "short" });
    return ["draw", fill(words.opens, time)];
  }
  if (me.ahead == null) return ["saved", words.saved];
  const ahead = steadyAhead(me);
  const text = ahead > 0 ? fill(words.ahead, number.format(ahead)) : words.first;
  return [`waiting ${String(ahead).length}`, me.eta ? `${text} · ${waitOf(me.eta)}` : text];
}

/** The event's own colours; at the turn the strip itself has them. */
function ownColours() {
  const main = ([colour, on]) => `{--main:${colour};--on-main:${on}`;
  const turn = ([colour, on]) => `${main([on, colour])};--card:${colour};--hair:${on};--ink:${on};--soft:${on}`;
  return `:host${main(day)}}@media(prefers-color-scheme:dark){:host${main(night)}}}:host([data-tone="turn"])${turn(day)}}`;
}

const make = (name, more) => Object.assign(document.createElement(name), more);

/** Makes the strip. It stands at the bottom, and the page ends above it. */
function raise(dismiss) {
  const host = make("wr-strip");
  const root = host.attachShadow({ mode: "open" });
  const text = make("p");
  const link = make("a");
  const hide = make("button", { type: "button", textContent: "✕", title: words.hide });
  hide.setAttribute("aria-label", words.hide);
  const say = make("div", { className: "say", role: "status" });
  const bar = make("section", { lang, dir: lang === "ar" ? "rtl" : "ltr" });
  bar.setAttribute("aria-label", words.name);
  bar.append(text, link, hide, say);
  const css = COLOURS + (day ? ownColours() : "") + STRIP;
  try {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(css);
    root.adoptedStyleSheets = [sheet];
  } catch {
    root.append(make("style", { textContent: css }));
  }
  root.append(bar);
  document.body.append(host);
  const { style } = document.documentElement;
  const before = [style.paddingBlockEnd, style.scrollPaddingBlockEnd];
  const sizes = new ResizeObserver(() => {
    style.paddingBlockEnd = style.scrollPaddingBlockEnd = `${bar.offsetHeight}px`;
  });
  sizes.observe(bar);
  const lower = () => {
    sizes.disconnect();
    host.remove();
    [style.paddingBlockEnd, style.scrollPaddingBlockEnd] = before;
  };
  hide.onclick = () => {
    lower();
    dismiss();
  };
  return { host, text, link, say, lower };
}

let strip = null;
let told = null;
function show(me) {
  const says = saying(me);
  if (!says) {
    strip?.lower();
    strip = told = null;
    return;
  }
  strip ??= raise(stop);
  const [kind, text] = says;
  const turn = ["turn", "open"].includes(kind);
  strip.host.dataset.tone = turn ? "turn" : "calm";
  if (strip.text.textContent !== text) {
    // On a narrow page each part is a line, and the dot between them is not needed.
    const part = (textContent, at) => make(at % 2 ? "i" : "span", { textContent });
    strip.text.replaceChildren(...text.split(/( · )/).map(part));
  }
  strip.link.textContent = turn ? words.enter : words.show;
  strip.link.href = backTo(me);
  if (told !== kind) strip.say.textContent = text;
  told = kind;
}

let pace_ms = HIDDEN_MS;
const poll = poller({
  ask: () => request("GET", mine),
  done(me) {
    pace_ms = me.poll_ms ?? HIDDEN_MS;
    show(me);
    if (!LIVE.includes(me.state)) poll.stop();
  },
  failed(error) {
    if (error.status === 404) poll.stop();
  },
  interval: () => pace_ms,
  hidden: () => document.hidden,
  now: () => performance.now(),
  timer(ms, run) {
    const id = setTimeout(run, ms);
    return () => clearTimeout(id);
  },
  chance: Math.random,
});

/** Asks now; where the queue page of this event never was in this browser, nobody is asked. */
function look() {
  const known = remembered();
  if (document.hidden || (known && Object.keys(known).length === 0)) return;
  poll.start();
  poll.atOnce();
}
const restored = ({ persisted }) => persisted && look();
const visible = () => (document.hidden ? poll.replan() : look());
function stop() {
  poll.stop();
  document.removeEventListener("visibilitychange", visible);
  window.removeEventListener("pageshow", restored);
}
if (source.origin !== location.origin || !/^[a-z0-9-]+$/.test(event)) {
  console.warn("embed.js needs data-event, and its src on the page's own host");
} else if (!document.querySelector("wr-strip")) {
  document.addEventListener("visibilitychange", visible);
  window.addEventListener("pageshow", restored);
  look();
}
