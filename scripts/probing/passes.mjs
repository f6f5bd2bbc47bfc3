// Passes that no origin may take. The forged ones anybody can make; the ones with a right signature are made from the
// root key, if it is there, and are worth nothing: their time is over, or they are for an event that does not exist.
import { createHash, createHmac, createPrivateKey, hkdfSync, randomBytes, sign } from "node:crypto";

const TYP = "wr-pass+jwt";
const KEY_BYTES = 32;
const HOUR_SECONDS = 3_600;
/** Long enough to be asked with. */
const OTHER_EVENT_SECONDS = 60;
/** What stands before the 32 bytes of an Ed25519 key in PKCS #8 (RFC 8410). */
const PKCS8_OF_ED25519 = Buffer.from("302e020100300506032b657004220420", "hex");

/** `{ what, token }` of each, and whether the root key was there. */
export function wrongPasses({ issuer, event, rootKey }, nowMs = Date.now()) {
  const now = Math.floor(nowMs / 1_000);
  const alg = event.pass_algorithm ?? "HS256";
  const claims = claimsOf({ issuer, event, now });
  const stranger = { alg, ...keyOf({ rootKey: strangersKey(), issuer, audience: event.hosts[0], alg }) };
  const forged = [
    { what: "no token at all", token: "a.b.c" },
    { what: "a pass without a signature", token: unsigned(claims) },
    { what: "a pass signed with another key", token: signed(stranger, claims) },
  ];
  if (!rootKey) return { passes: forged, hasKey: false };
  const own = { alg, ...keyOf({ rootKey, issuer, audience: event.hosts[0], alg }) };
  const past = { iat: now - 2 * HOUR_SECONDS, exp: now - HOUR_SECONDS, sx: now - HOUR_SECONDS };
  const over = signed(own, { ...claims, ...past });
  const changed = [over.split(".")[0], encoded(claims), over.split(".")[2]].join(".");
  return {
    hasKey: true,
    passes: [
      ...forged,
      { what: "a pass whose time is over", token: over },
      { what: "a pass of another event", token: signed(own, { ...claims, evt: `${event.id}-probe`.slice(0, 64) }) },
      { what: "a pass that was changed after it was signed", token: changed },
    ],
  };
}

const claimsOf = ({ issuer, event, now }) => ({
  v: 1,
  iss: issuer ?? "anteroom",
  aud: event.hosts[0],
  evt: event.id,
  run: event.run ?? 1,
  jti: "0.0.1",
  iat: now,
  exp: now + OTHER_EVENT_SECONDS,
  sx: now + OTHER_EVENT_SECONDS,
});

const strangersKey = () => `probe:${randomBytes(KEY_BYTES).toString("base64url")}`;

/** The key of an audience, as docs/tokens.md derives it. */
function keyOf({ rootKey, issuer, audience, alg }) {
  const [rootId, secret] = rootKey.split(":");
  const info = Buffer.concat(["anteroom/token/v1", TYP, alg, issuer ?? "anteroom", audience].map(field));
  const key = Buffer.from(hkdfSync("sha256", Buffer.from(secret, "base64url"), Buffer.alloc(0), info, KEY_BYTES));
  const suffix = createHash("sha256").update(info).digest("base64url").slice(0, 8);
  return { key, kid: `${rootId}.${suffix}` };
}

function signed({ alg, key, kid }, claims) {
  const content = `${encoded({ alg, typ: TYP, kid })}.${encoded(claims)}`;
  return `${content}.${signatureOf(alg, key, content)}`;
}

function signatureOf(alg, key, content) {
  if (alg === "HS256") return createHmac("sha256", key).update(content).digest("base64url");
  const privateKey = createPrivateKey({ key: Buffer.concat([PKCS8_OF_ED25519, key]), format: "der", type: "pkcs8" });
  return sign(null, Buffer.from(content), privateKey).toString("base64url");
}

const unsigned = (claims) => `${encoded({ alg: "none", typ: TYP })}.${encoded(claims)}.`;

const encoded = (value) => Buffer.from(JSON.stringify(value)).toString("base64url");

function field(text) {
  const bytes = Buffer.from(text, "utf8");
  return Buffer.concat([Buffer.from([bytes.length >> 8, bytes.length & 0xff]), bytes]);
}
