// The rows of the token format as passes that travel over HTTP, signed with a room's own keys: one corpus for everybody who
// stands behind an address, those that check passes themselves and those that ask the room.
import { createHmac } from "node:crypto";
import { opened, signed } from "../e2e/harness/forge.mjs";

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
const encoded = (text) => Buffer.from(text).toString("base64url");

/**
 * `[{ name, token, taken }]`, made from a pass of a running session; `others` are tokens of the same visitor for other
 * purposes, `key` is what the origin verifies with.
 */
export function corpusOf(room, { pass, key, others }) {
  const { header, claims } = opened(pass);
  const secret = Buffer.from(key.k, "base64url");
  const mac = (content) => createHmac("sha256", secret).update(content).digest("base64url");
  const sealed = (head, payload) =>
    `${encoded(head)}.${encoded(payload)}.${mac(`${encoded(head)}.${encoded(payload)}`)}`;
  const [head, payload] = [JSON.stringify(header), JSON.stringify(claims)];
  const context = { room, pass, header, claims, head, payload, mac, sealed };
  const refused = [...forms(context), ...headers(context), ...payloads(context), ...scopes(context)];
  return [
    { name: "the visitor's own", token: pass, taken: true },
    { name: "T17 issued 20 s in the future", token: sealed(head, changed(claims, { iat: now() + 20 })), taken: true },
    { name: "T16 the next version of the claims", token: sealed(head, payload.replace('"v":1', '"v":2')), taken: true },
    ...refused.map(([name, token]) => ({ name, token, taken: false })),
    ...others.map((token) => ({ name: `T21 a ${opened(token).header.typ}`, token, taken: false })),
  ];
}

const now = () => Math.floor(Date.now() / 1000);
const changed = (claims, change) => JSON.stringify({ ...claims, ...change });

/** Segments, alphabet, signature. */
function forms({ pass, mac }) {
  const [header, payload, signature] = pass.split(".");
  const bytes = Buffer.from(signature, "base64url");
  const resigned = (...parts) => `${parts.join(".")}.${mac(parts.join("."))}`;
  const spare = (text) => text.slice(0, -1) + ALPHABET[ALPHABET.indexOf(text.at(-1)) + 1];
  return [
    ["O2 none", ""],
    ["T4 no signature", `${header}.${payload}.`],
    ["T4 two segments", `${header}.${payload}`],
    ["T4 null for a signature", `${header}.${payload}.null`],
    ["T9 one segment", header],
    ["T9 four segments", `${pass}.${signature}`],
    ["T9 five segments", `${pass}.${payload}.${signature}`],
    ["T9 a trailing dot", `${pass}.`],
    ["T9 an empty header", `.${payload}.${signature}`],
    ["T9 an empty payload", resigned(header, "")],
    ["T9 dots", ".."],
    ["T9 longer than allowed", pass + "A".repeat(1025 - pass.length)],
    ...["=", "+", "/", " ", "?", "%3D", "\t"].flatMap((junk) => [
      [`T10 ${JSON.stringify(junk)} in the header`, resigned(header + junk, payload)],
      [`T10 ${JSON.stringify(junk)} in the payload`, resigned(header, payload + junk)],
      [
        `T10 ${JSON.stringify(junk)} in the signature`,
        `${header}.${payload}.${signature.slice(0, 9)}${junk}${signature.slice(9)}`,
      ],
    ]),
    ["T10 spare bits in the signature", `${header}.${payload}.${spare(signature)}`],
    ...[0, 1, 16, 31].map((length) => [
      `T25 ${length} bytes of the signature`,
      `${header}.${payload}.${bytes.subarray(0, length).toString("base64url")}`,
    ]),
    ...[1, 32].map((more) => [
      `T25 ${more} bytes behind the signature`,
      `${header}.${payload}.${Buffer.concat([bytes, Buffer.alloc(more)]).toString("base64url")}`,
    ]),
    ...[0, 7, 128, 255].map((bit) => {
      const flipped = Buffer.from(bytes);
      flipped[bit >> 3] ^= 1 << (bit & 7);
      return [`T24 bit ${bit} of the signature`, `${header}.${payload}.${flipped.toString("base64url")}`];
    }),
  ];
}

function headers({ header, head, payload, sealed }) {
  const with_ = (change) => sealed(JSON.stringify({ ...header, ...change }), payload);
  const kids = ["k9", `${header.kid}A`, "../../dev/null", "' UNION SELECT", "\0", "", "k".repeat(300)];
  return [
    ...["none", "None", "nOnE", "NONE"].flatMap((alg) => [
      [`T1 alg ${alg}, signed`, with_({ alg })],
      [`T1 alg ${alg}, no signature`, `${encoded(JSON.stringify({ ...header, alg }))}.${encoded(payload)}.`],
    ]),
    ...["HS384", "HS512", "RS256", "ES256", "EdDSA", "hs256", ""].map((alg) => [`T2 alg ${alg}`, with_({ alg })]),
    ...["JWT", "wr-ticket+jwt", "WR-PASS+JWT", "application/wr-pass+jwt"].map((typ) => [
      `T21 typ ${typ}`,
      with_({ typ }),
    ]),
    ...kids.map((kid) => [`T6 kid ${JSON.stringify(kid.slice(0, 20))}`, with_({ kid })]),
    ["T13 another order", sealed(JSON.stringify({ typ: header.typ, alg: header.alg, kid: header.kid }), payload)],
    ["T13 white space", sealed(head.replaceAll(":", ": "), payload)],
    ["T13 alg twice", sealed(head.replace("{", '{"alg":"none",'), payload)],
    ["T13 kid twice", sealed(head.replace("}", `,"kid":"${header.kid}"}`), payload)],
    ["T13 crit", with_({ crit: ["exp"] })],
    ["T13 no typ", with_({ typ: undefined })],
  ];
}

/** Correctly signed, and yet no claims that the room writes. */
function payloads({ claims, head, payload, sealed }) {
  const without = (name) => JSON.stringify({ ...claims, [name]: undefined });
  const withRaw = (name, raw) =>
    `{${Object.entries(claims).map(([key, value]) => `"${key}":${key === name ? raw : JSON.stringify(value)}`)}}`;
  return [
    ...Object.keys(claims).map((name) => [`T14 no ${name}`, without(name)]),
    ...Object.entries(claims).flatMap(([name, value]) => [
      [`T12 ${name} twice`, payload.replace("}", `,"${name}":${JSON.stringify(value)}}`)],
      ...["null", "true", "[]", '""', "-1", "1.5", "1e3", "01"].map((raw) => [
        `T14 ${name} as ${raw}`,
        withRaw(name, raw),
      ]),
    ]),
    ["T16 an unknown claim", changed(claims, { admin: true })],
    ["T16 nbf", changed(claims, { nbf: 0 })],
    ["T16 version 3", changed(claims, { v: 3 })],
    ["T28 another order", JSON.stringify(Object.fromEntries(Object.entries(claims).reverse()))],
    ["T28 white space", JSON.stringify(claims, null, 1)],
    ["T28 a newline at the end", `${payload}\n`],
    ["T28 an escaped name", payload.replace('"iss"', '"i\\u0073s"')],
    ["T28 two objects", payload + payload],
    ["T28 no object", "null"],
    ["T17 issued in the future", changed(claims, { iat: now() + 90 })],
    ["T18 expired a minute ago", changed(claims, { iat: now() - 120, exp: now() - 60 })],
    ["T18 outlives its session", changed(claims, { sx: claims.exp - 61 })],
  ].map(([name, text]) => [name, sealed(head, text)]);
}

/** Made for somewhere else, or with another key. */
function scopes({ room, claims, head, payload, sealed }) {
  const [body] = sealed(head, payload).split(/\.(?=[^.]*$)/);
  const keyed = (secret) => `${body}.${createHmac("sha256", secret).update(body).digest("base64url")}`;
  return [
    ["T20 another event", sealed(head, changed(claims, { evt: "other" }))],
    ["T20 another audience", sealed(head, changed(claims, { aud: "other.example.com" }))],
    ["T20 another deployment", sealed(head, changed(claims, { iss: "staging" }))],
    ["T20 another audience with its own key", signed(room, "wr-pass+jwt", claims, { audience: "other.example.com" })],
    ["T5 an empty key", keyed("")],
    ["T5 a sample key", keyed(Buffer.from("08pSpjHMYcmVPMlYvVkSQ58r3QjaHGTL80_WJjzmAWg", "base64url"))],
    ["T21 the key of tickets", signed(room, "wr-ticket+jwt", claims)],
  ];
}
