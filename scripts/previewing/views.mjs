// The views of a preview: the scenes of the page's own tests, with what an event is configured to be over them.
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { LANGUAGES, NOW_MS, scenes, viewOf } from "../../tests/page/scenes.mjs";
import { root } from "../paths.mjs";

const MINUTE_MS = 60_000;
const MEDIA_TYPES = { ".svg": "image/svg+xml", ".png": "image/png", ".webp": "image/webp" };
const FOLDER = path.join(root, "static", "events");
/** Scenes that are an event's face already. */
const OF_A_FACE = /^looks_/;

/** What static/events says of an event: its texts, links and colours, and the logo as a data address. */
export function faceOf(id) {
  const file = path.join(FOLDER, `${id}.json`);
  if (!existsSync(file)) return {};
  let face;
  try {
    face = JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    throw new Error(`static/events/${id}.json: ${error.message}`);
  }
  if (!face.logo) return face;
  const logo = path.join(FOLDER, face.logo);
  if (!existsSync(logo)) throw new Error(`static/events/${id}.json: logo: there is no file static/events/${face.logo}`);
  const bytes = readFileSync(logo).toString("base64");
  return { ...face, logo: `data:${MEDIA_TYPES[path.extname(logo)]};base64,${bytes}` };
}

/** How far a zone is from UTC at an instant, in minutes. */
function offsetMinutes(zone, at_ms) {
  const parts = new Intl.DateTimeFormat("en", { timeZone: zone, timeZoneName: "longOffset" }).formatToParts(at_ms);
  const [, sign, hours, minutes = "0"] =
    parts.find(({ type }) => type === "timeZoneName").value.match(/([+-])(\d+):?(\d+)?/) ?? [];
  return hours === undefined ? 0 : (sign === "-" ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
}

function lookOf(face, texts) {
  const { accent = null, accent_dark = null } = face.colours ?? {};
  const { organizer = null, help = null, privacy = null, accessibility = null } = face.links ?? {};
  return {
    logo: Boolean(face.logo),
    accent,
    accent_dark,
    intro: texts.intro ?? null,
    organizer,
    help,
    privacy,
    accessibility,
  };
}

/** `[{ name, view }]` of an event in a language. What a scene is about (its phase, its place) stays the scene's. */
export function viewsOf(event, face, language, prefix = "/_wr") {
  const texts = face.texts?.[language] ?? {};
  const zone = event.time_zone ?? "UTC";
  const lines = (event.lines ?? []).map(({ id, title, access = "everyone" }) => ({
    id,
    title: texts.lines?.[id] ?? title ?? id,
    coded: access !== "everyone",
  }));
  const own = {
    event: event.id,
    title: texts.title ?? event.title,
    prefix,
    language: LANGUAGES[language],
    time_zone: zone,
    utc_offsets: [[0, offsetMinutes(zone, NOW_MS)]],
    return_to: (event.paths?.[0] ?? "/").replace(/\*$/, ""),
    hold: event.hold_minutes === 0 ? null : (event.hold_minutes ?? 30) * MINUTE_MS,
    session: (event.session_minutes ?? 20) * MINUTE_MS,
    handover: event.handover ?? true,
    face: lookOf(face, texts),
  };
  return Object.keys(scenes)
    .filter((name) => !OF_A_FACE.test(name) && (!scenes[name].lines || fitsLines(scenes[name], lines)))
    .map((name) => ({ name, view: { ...viewOf(name), ...own, ...linesOf(viewOf(name), lines) } }));
}

/** Scenes about lines are shown where the event has as many as they speak of: several, or one that takes a code. */
const fitsLines = (scene, lines) => (scene.lines.length > 1 ? lines.length > 1 : lines.length === 1 && lines[0].coded);

/** The event's lines in the phase of the scene. */
function linesOf({ phase, opens_at, place, lines: ofScene, line: named }, lines) {
  if (lines.length < 2 && !lines[0]?.coded) return { lines: [], line: null };
  const wantsCode = ofScene.find(({ id }) => id === named)?.coded ?? false;
  const mine = lines.find(({ coded }) => coded === wantsCode) ?? lines[0];
  const shown = lines.map((line) => ({ ...line, phase, opens_at: phase === "prequeue" ? opens_at : null }));
  return { lines: shown, line: mine.id, ...(place && { place }) };
}
