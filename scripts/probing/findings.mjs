// What can leak: each with how bad it is, what it means and what to do.
//
// high: somebody is in the shop who did not wait. medium: something gets out, or may be kept and given to others, that
// should not. low: one layer of several is missing. note: worth knowing, nothing leaks.

export const SEVERITIES = ["high", "medium", "low", "note"];

const high = (says, then) => ({ severity: "high", says, then });
const medium = (says, then) => ({ severity: "medium", says, then });
const low = (says, then) => ({ severity: "low", says, then });
const note = (says, then) => ({ severity: "note", says, then });

const ROUTE = "Let the Worker's route cover the whole host (tickets.example.com/*): routes compare letters one by one.";
const DENY = "Let the origin refuse every request without a valid pass, before it looks at anything else of it.";
const ONLY_EDGE =
  "Let the origin take connections from the edge only, and check the pass all the same (docs/back-door.md).";
const VERIFY =
  "Check signature, issuer, audience, event and time of every pass with a standard library (docs/tokens.md).";
const NO_CACHE = "Let no cache keep what says no-store; take the event's paths out of every cache rule.";

export const FINDINGS = {
  "room-absent": high(
    "No waiting room answers at this address.",
    "Deploy, and check the Worker's route and the DNS entry.",
  ),
  "other-room": high(
    "A waiting room answers, but not with this event and run: the deployment is another one.",
    "Deploy this configuration, or probe with the one that is deployed.",
  ),
  "everything-passes": high("The event's mode is off: everybody passes.", "npm run operator -- open"),
  "gate-open": high("The event's own address is answered without a pass, and not by the room.", ROUTE),
  "spelling-open": high("Spelled otherwise, the event's address is answered without a pass.", ROUTE),
  "method-open": high("Another method or kind of request gets an answer without a pass.", ROUTE),
  "header-opens": high(
    "A header that anybody can send opens the room.",
    "Take it away in whatever stands in front of the room.",
  ),
  "pass-accepted": high(
    "A pass that does not hold is accepted at the public address.",
    "Check that this deployment is the one that was built.",
  ),
  "bypass-wide": high("A bypass reaches more than it says.", "Make the bypass an exact path."),
  "operator-open": high(
    "What only operators may see is shown without a token.",
    "Check what stands in front of the room.",
  ),
  "port-open": high(
    "At another port the shop answers without a pass.",
    "Close the port, or put the room in front of it.",
  ),
  "plain-open": high(
    "Over http without TLS the shop answers without a pass.",
    "Let http lead to https, or close port 80.",
  ),
  "origin-open": high("Asked directly, the origin answers without a pass.", `${DENY} ${ONLY_EDGE}`),
  "origin-spelling-open": high("Asked directly, the origin answers an address that is spelled otherwise.", DENY),
  "origin-method-open": high(
    "Asked directly, the origin answers another method or kind of request without a pass.",
    DENY,
  ),
  "origin-header-opens": high(
    "Asked directly, the origin believes a header that anybody can send.",
    `Ignore X-Original-URL, X-Rewrite-URL and X-Forwarded-* there. ${ONLY_EDGE}`,
  ),
  "origin-pass-accepted": high("The origin accepts a pass that does not hold.", VERIFY),
  "page-cached": high(
    "Two visitors get the same queue page: a cache in front gives one's page, with its permit, to others.",
    NO_CACHE,
  ),
  "answer-kept": medium("An answer of the room may be kept by shared caches, or came from one.", NO_CACHE),
  "cookie-kept": medium("An answer that sets a cookie of the room may be kept by shared caches.", NO_CACHE),
  "origin-named": medium(
    "The origin's name or address stands in an answer that everybody can read.",
    "Let the shop write addresses with the host of X-Forwarded-Host, and take debug headers away.",
  ),
  "past-the-room": low("A spelling goes past the room and finds nothing at the origin today.", ROUTE),
  "preflight-content": medium(
    "A CORS preflight, which needs no pass, is answered with a page.",
    "Answer OPTIONS without a body.",
  ),
  "keys-missing": medium(
    "The event's passes are signed with EdDSA, and no public key is published.",
    "Check /_wr/jwks.json and what stands in front of it.",
  ),
  "headers-missing": low(
    "A page of the room arrives without a header that protects it.",
    "Let nothing in front change or take away headers of the room.",
  ),
  "cookie-weak": low(
    "A cookie of the room arrives without Secure or HttpOnly.",
    "Let nothing in front change Set-Cookie.",
  ),
  "foreign-reader": low(
    "Another site's scripts may read the room's answers.",
    "Take the CORS header away that something in front adds.",
  ),
  "clock-off": low(
    "The clocks differ by more than passes allow for (30 s).",
    "Set the clocks of the machines that check passes (NTP).",
  ),
  certificate: low(
    "The certificate is not trusted from here.",
    "Check the certificate and this machine's list of authorities.",
  ),
  "origin-is-room": note("The origin's address is answered by a waiting room itself.", ""),
  "leads-elsewhere": note("An answer leads to another host; whether that is a way in, this does not say.", ""),
  fault: note("A server answers with a fault of its own; nobody can say what is behind it.", ""),
  "clock-differs": note("The clocks of this machine and of the server differ.", ""),
};

/** Findings of one kind together, the worst first: `[{ id, severity, says, then, examples, count }]`. */
export function gathered(found, mostExamples = 4) {
  const kinds = [...new Set(found.map(({ id }) => id))];
  const all = kinds.map((id) => {
    const examples = found.filter((each) => each.id === id).map(({ example }) => example);
    return { id, ...FINDINGS[id], count: examples.length, examples: examples.slice(0, mostExamples) };
  });
  return all.sort((one, other) => SEVERITIES.indexOf(one.severity) - SEVERITIES.indexOf(other.severity));
}

/** Whether something of it leaks. */
export const isLeak = ({ severity }) => severity !== "note";
