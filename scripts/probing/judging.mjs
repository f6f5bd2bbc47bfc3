// What an answer shows, for somebody who has no pass. A judge is `(answer, seen) => id | { id, detail } | null`.
import { isFromCache, isRooms, kindOf, mayBeKept, OUR_COOKIE, redirectOf, saysTheSame } from "./answered.mjs";

/** Clocks of a well-kept machine differ by less; Date has whole seconds. */
const CLOCK_SLACK_MS = 5_000;
/** What origins allow for: docs/tokens.md. */
const CLOCK_LIMIT_MS = 30_000;

/** Statuses of somebody who looked and has nothing there. */
const LOOKED = [404, 405, 410];

/** Nobody but the room may answer, or something that refuses in front of it. */
export const closed = (id) => (answer) => {
  const kind = kindOf(answer);
  if (kind === "open") return id;
  if (kind === "fault") return { id: "fault", detail: id };
  if (kind === "redirect" && !redirectOf(answer, answer.asked)?.isHere) return "leads-elsewhere";
  return null;
};

/** As `closed`, for an address that the edge's own rules protect: then somebody else's "not found" came past the room. */
export const closedBySpelling = (answer) =>
  kindOf(answer) === "refused" && LOOKED.includes(answer.status) ? "past-the-room" : closed("spelling-open")(answer);

/** An address that is none of the event's to the edge: the shop may answer it, but as one that it does not know. */
export const nothingThere = (id) => (answer, seen) => {
  const nothing = seen.nothing.get(placeOf(answer.asked));
  const isKnown = kindOf(answer) === "open" && !(nothing && saysTheSame(answer, nothing));
  return isKnown ? id : null;
};

/** Where an answer about nothing at all is compared with those of the same server under the same name. */
export const placeOf = ({ base, host }) => `${base} ${host ?? ""}`;

/** The origin, asked directly: it may refuse, lead to the room, or not be there. */
export const denied =
  (id, publicHost, { isOtherwise = false } = {}) =>
  (answer, seen) => {
    const kind = kindOf(answer);
    if (kind === "room") return "origin-is-room";
    if (kind === "fault") return { id: "fault", detail: id };
    if (kind === "redirect") {
      const redirect = redirectOf(answer, answer.asked);
      return redirect && (redirect.isHere || redirect.host === publicHost) ? null : "leads-elsewhere";
    }
    if (kind !== "open") return null;
    return isOtherwise ? nothingThere(id)(answer, seen) : id;
  };

/** An answer that has to be the room's page, with what protects it. */
export function roomsPage(answer) {
  if (!isRooms(answer)) return closed("gate-open")(answer);
  const missing = missingHeaders(answer.headers);
  return missing.length > 0 ? { id: "headers-missing", detail: missing.join(", ") } : null;
}

function missingHeaders(headers) {
  const policy = headers["content-security-policy"] ?? "";
  const wanted = [
    ["Content-Security-Policy", policy !== "" && !/'unsafe-(inline|eval)'/.test(policy)],
    ["frame-ancestors", /frame-ancestors/.test(policy)],
    ["X-Content-Type-Options", headers["x-content-type-options"] === "nosniff"],
    ["Referrer-Policy", headers["referrer-policy"] !== undefined],
    ["Permissions-Policy", headers["permissions-policy"] !== undefined],
  ];
  return wanted.filter(([, isThere]) => !isThere).map(([name]) => name);
}

/** The second of two pages: each visitor gets an own one, down to the nonce in it. */
export function anotherPage(answer, seen) {
  const first = seen.page;
  const isSame = first && isRooms(answer) && answer.text !== "" && answer.text === first.text;
  return isSame ? "page-cached" : null;
}

/** The board: whether it is this event's and run's; keeps it in `seen`. */
export function theBoard(event) {
  return (answer, seen) => {
    if (answer.status === 429) return { id: "fault", detail: "asked too often; wait a minute" };
    const board = parsed(answer);
    if (!board || typeof board.event !== "string" || typeof board.run !== "number") {
      const isOther = isRooms(answer);
      return isOther ? { id: "other-room", detail: parsed(answer)?.title } : "room-absent";
    }
    seen.board = board;
    const isThis = board.event === event.id && board.run === (event.run ?? 1);
    if (!isThis) return { id: "other-room", detail: `event ${board.event}, run ${board.run}` };
    return board.mode === "off" ? "everything-passes" : null;
  };
}

/** The public keys of passes. */
export const theKeys = (event) => (answer) => {
  const keys = parsed(answer)?.keys;
  const needsOne = event.pass_algorithm === "EdDSA";
  return needsOne && !(Array.isArray(keys) && keys.length > 0) ? "keys-missing" : null;
};

/** What only operators see. */
export const forOperators = (answer) => (kindOf(answer) === "open" ? "operator-open" : null);

/** What other sites' scripts may not read. */
export const forNoOtherSite = (answer) =>
  answer.headers?.["access-control-allow-origin"] !== undefined ? "foreign-reader" : null;

/** The preflight goes to the origin by design, which answers it with headers. */
export const onlyHeaders = (answer) => {
  const isPage = kindOf(answer) === "open" && /text\/html/.test(answer.headers["content-type"] ?? "");
  return isPage && answer.text.trim() !== "" ? "preflight-content" : null;
};

/** How far a server's clock is from this machine's; keeps in `seen` whether it can be known. */
export function clock(answer, seen) {
  const date = Date.parse(answer.headers?.date ?? "");
  if (!Number.isFinite(date)) return null;
  seen.hasClock = true;
  const { from, to } = answer.times;
  const off = date < from - 1_000 ? from - 1_000 - date : Math.max(0, date - to);
  if (off <= CLOCK_SLACK_MS) return null;
  const detail = `${Math.round(off / 1_000)} s`;
  return { id: off > CLOCK_LIMIT_MS ? "clock-off" : "clock-differs", detail };
}

/** What holds for every answer of the public address. */
export function everywhere(answer, { originNames }) {
  if (answer.failure) return [];
  const found = [];
  const ours = answer.cookies.filter((cookie) => OUR_COOKIE.test(cookie));
  if (ours.length > 0 && mayBeKept(answer)) found.push("cookie-kept");
  if (isRooms(answer) && (mayBeKept(answer) || isFromCache(answer))) found.push("answer-kept");
  const isSecure = answer.asked.base.startsWith("https:");
  const isWeak = (cookie) => !/;\s*httponly/i.test(cookie) || (isSecure && !/;\s*secure/i.test(cookie));
  if (ours.some(isWeak)) found.push("cookie-weak");
  const told = `${JSON.stringify(answer.headers)}\n${answer.text}`;
  const named = originNames.find((name) => nameIn(name).test(told));
  if (named) found.push({ id: "origin-named", detail: named });
  return found;
}

const nameIn = (name) => new RegExp(`(?<![\\w.-])${name.replace(/[.[\]]/g, "\\$&")}(?![\\w-]|\\.\\w)`, "i");

function parsed({ text, failure }) {
  if (failure) return null;
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
