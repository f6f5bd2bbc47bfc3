// Whose answer it is, and what it means for somebody who came without a pass.

const PROBLEM = "urn:anteroom:problem:";

/** What our cookies hold, as their names say it: `word` in src/cookies.rs. */
export const COOKIE_KINDS = ["permit", "ticket", "pass", "browser", "check", "binding"];

/** Our cookies, on any scheme and for any event. */
export const OUR_COOKIE = new RegExp(`^\\s*(__Host-|__Secure-)?wr-(${COOKIE_KINDS.join("|")})-[a-z0-9-]+=`, "i");

/** Refusals: whoever answers so has not opened. */
const REFUSED = [400, 401, 403, 404, 405, 406, 407, 410, 411, 413, 414, 415, 416, 421, 426, 428, 429, 431, 451, 501];

const typeOf = (answer) => answer.headers?.["content-type"] ?? "";

/** Whether the waiting room itself has answered. */
export function isRooms(answer) {
  if (answer.failure) return false;
  if (answer.headers["waiting-room-state"] !== undefined) return true;
  // HEAD brings no text.
  return typeOf(answer).startsWith("application/problem+json") && (answer.text === "" || answer.text.includes(PROBLEM));
}

/** `{ host, isHere }` of a redirect; `isHere`: it stays at the address that was asked. */
export function redirectOf(answer, { base, host }) {
  const location = answer.headers?.location;
  if (location === undefined || answer.status < 300 || answer.status > 399 || answer.status === 304) return null;
  const from = new URL(base);
  const here = host ?? from.host;
  if (!URL.canParse(location, `${from.protocol}//${here}`)) return null;
  const target = new URL(location, `${from.protocol}//${here}`);
  return { host: target.host, scheme: target.protocol, isHere: [here, from.host].includes(target.host), target };
}

/**
 * What an answer is to somebody without a pass: `"room"`, `"shut"` (no connection), `"refused"`, `"redirect"`, `"fault"`
 * (the server's own 5xx), or `"open"`.
 */
export function kindOf(answer) {
  if (answer.failure) return "shut";
  if (isRooms(answer)) return "room";
  if (REFUSED.includes(answer.status)) return "refused";
  if (answer.status >= 500) return "fault";
  if (answer.status >= 300 && answer.status !== 304) return "redirect";
  return "open";
}

/** Whether both say the same: of two unknown addresses a server says the same, but for the address itself. */
export function saysTheSame(one, other) {
  if (one.failure || other.failure || one.status !== other.status) return false;
  return bareText(one) === bareText(other);
}

const bareText = ({ text, asked }) => {
  const path = asked?.path ?? "";
  const spelled = [path, path.replaceAll("&", "&amp;"), encodeURIComponent(path), path.split("/").at(-1)];
  const bare = spelled.filter((each) => each.length > 1).reduce((left, each) => left.replaceAll(each, ""), text ?? "");
  return bare.replace(/[\d\s]+/g, "");
};

/** Whether a shared cache may keep the answer and give it to somebody else. */
export function mayBeKept({ headers }) {
  const control = (headers["cache-control"] ?? "").toLowerCase();
  return !/no-store|private/.test(control);
}

/** Whether a cache says that it gave the answer from its store. */
export function isFromCache({ headers }) {
  const says = [headers["cf-cache-status"], headers["x-cache"], headers["x-cache-status"], headers["cache-status"]];
  return Number(headers.age ?? 0) > 0 || says.some((value) => /\bhit\b/i.test(value ?? ""));
}

/** One answer in a few words, without anything of what it holds. */
export function shown(answer) {
  if (answer.failure) return answer.failure;
  const [type] = typeOf(answer).split(";");
  return [answer.status, type, answer.headers["waiting-room-state"] && "(the room)"].filter(Boolean).join(" ");
}
