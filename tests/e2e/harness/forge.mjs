// Tokens taken apart, changed and signed anew from the description in docs/tokens.md, with the room's own root key: what
// somebody who had that key could make, and what nobody else can.
import { createHash, createHmac, hkdfSync } from "node:crypto";

const PURPOSES = ["wr-permit+jwt", "wr-ticket+jwt", "wr-pass+jwt", "wr-operator+jwt"];

const KEY_BYTES = 32;

/** `{ header, claims, signature }` of a token, unverified. */
export function opened(token) {
  const [header, claims, signature] = token.split(".");
  const read = (segment) => JSON.parse(Buffer.from(segment, "base64url").toString("utf8"));
  return { header: read(header), claims: read(claims), signature };
}

/** The same token with changed claims and the old signature. */
export function tampered(token, change) {
  const [header, , signature] = token.split(".");
  return [header, encoded({ ...opened(token).claims, ...change }), signature].join(".");
}

/** The token with one bit of its signature turned. */
export function withWrongSignature(token) {
  const [header, claims, signature] = token.split(".");
  const bytes = Buffer.from(signature, "base64url");
  bytes[0] ^= 1;
  return [header, claims, bytes.toString("base64url")].join(".");
}

/**
 * Signs `claims` for a purpose with a room's root key; `audience` only for passes. `key` and `kid` replace what follows
 * from the root key.
 */
export function signed(room, typ, claims, { audience = "", alg = "HS256", key, kid } = {}) {
  if (!PURPOSES.includes(typ)) throw new Error(`no purpose ${typ}`);
  const [rootId, secret] = room.secrets.ROOT_KEY.split(":");
  const info = Buffer.concat(["anteroom/token/v1", typ, alg, room.issuer, audience].map(field));
  const derived = hkdfSync("sha256", Buffer.from(secret, "base64url"), Buffer.alloc(0), info, KEY_BYTES);
  const suffix = createHash("sha256").update(info).digest("base64url").slice(0, 8);
  const header = { alg, typ, kid: kid ?? (typ === "wr-pass+jwt" ? `${rootId}.${suffix}` : rootId) };
  const content = `${encoded(header)}.${encoded(claims)}`;
  const mac = createHmac("sha256", Buffer.from(key ?? derived))
    .update(content)
    .digest("base64url");
  return `${content}.${mac}`;
}

/** An operator's token with any claims. */
export function operatorTokenOf(room, changes = {}) {
  const now = Math.floor(Date.now() / 1000);
  const claims = {
    v: 1,
    iss: room.issuer,
    evt: room.event,
    sub: "somebody",
    scp: "configure",
    iat: now,
    exp: now + 600,
  };
  return signed(room, "wr-operator+jwt", { ...claims, ...changes });
}

const encoded = (value) => Buffer.from(JSON.stringify(value)).toString("base64url");

function field(text) {
  const bytes = Buffer.from(text, "utf8");
  return Buffer.concat([Buffer.from([bytes.length >> 8, bytes.length & 0xff]), bytes]);
}
