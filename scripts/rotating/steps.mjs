// The steps of a rotation, how long each has to stand before the next, and why.
//
//   one key ── prepare ──► both open, the old one signs ── promote ──► both open, the new one signs ── retire ──► one key
//                 ◄─ rollback: the new key goes ─┘              ◄─ rollback: the two are exchanged ─┘
//
// The times follow from what visitors hold. They are compared with the sources by tests/tidy.

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Origins may keep `/_wr/jwks.json` so long (src/routes/jwks.rs). */
export const JWKS_MAX_AGE_MS = 5 * MINUTE_MS;
/** Until every edge has a new secret, with room. */
const SPREAD_MS = MINUTE_MS;
/** A new key is published so long before it signs: an origin that is one fetch late, 10 minutes behind, knows it too. */
export const PUBLISHED_FOR_MS = 2 * JWKS_MAX_AGE_MS + SPREAD_MS;

/** A ticket (src/cookies.rs); it is signed anew at half of that. */
export const TICKET_MS = DAY_MS;
/** A permit makes a place so long (src/permits.rs), a pass lives at most so long (docs/runbook.md). */
export const PERMIT_MS = 5 * MINUTE_MS;
/** After its end either finds the place or the session again for a day (crates/token/src/validity.rs). */
export const FOUND_AGAIN_MS = DAY_MS;
/** After the old key has signed for the last time, every visitor has something of the new one so much later. */
export const VISITORS_MS = Math.max(TICKET_MS, PERMIT_MS + FOUND_AGAIN_MS) + SPREAD_MS;
/** An invitation of an organizer (crates/token/src/enqueue.rs). */
export const INVITATION_MS = 60 * DAY_MS;

/** How long both keys have to be there after a promotion, and whose sake it is for. `Infinity`: only people know. */
export function overlapOf(events) {
  const accesses = events.flatMap((event) => [event?.lines ?? []].flat().map(({ access }) => access));
  if (accesses.includes("code"))
    return { ms: Number.POSITIVE_INFINITY, why: "access codes hold until their event is over" };
  if (accesses.includes("enqueue_token")) return { ms: INVITATION_MS, why: "invitations hold for up to 60 days" };
  return { ms: VISITORS_MS, why: "tickets hold for a day, permits and passes find their place a day after their end" };
}

/** What comes next from a state of the key file: `{ step, atMs, why }`. `atMs` null: whenever you like. */
export function nextOf({ step, since }, events) {
  if (step === "steady") return { step: "prepare", atMs: null, why: "" };
  if (step === "prepared") {
    const why = "origins fetch keys every 5 minutes, and may be 10 behind";
    return { step: "promote", atMs: since + PUBLISHED_FOR_MS, why };
  }
  const { ms, why } = overlapOf(events);
  return { step: "retire", atMs: since + ms, why };
}
