// Checks every published token vector with Node's own HKDF and the library jose: a verifier written from
// docs/tokens.md alone, which shares no code with the Rust crate.

import { createHash, hkdfSync } from "node:crypto";
import { readFileSync } from "node:fs";
import { importJWK, jwtVerify } from "jose";
import { checkEnqueue, requiredClaims } from "./enqueue-profile.mjs";

const folder = new URL("../../crates/token/tests/vectors/", import.meta.url);
const read = (name) => JSON.parse(readFileSync(new URL(name, folder), "utf8"));
const { issuer, event, run, audience, root_keys, derived_keys } = read("keys.json");

const MAX_TOKEN_BYTES = 1024;
const CLOCK_AHEAD_SECONDS = 30;
const ORIGIN_LEEWAY_SECONDS = 30;
const LAST_PASS_SECONDS = 60;
const MAX_WORK_BITS = 24;
// Refusals that the library alone, asked for algorithm, issuer, audience and time, must give as well.
const LIBRARY_REFUSES = new Set(["signature", "unknown-key", "wrong-issuer", "wrong-audience", "expired"]);

const number = (limit) => (value) => Number.isInteger(value) && value >= 0 && value <= limit;
const text = (longest) => (value) =>
  typeof value === "string" && value.length <= longest && /^[ -!#-[\]-~]+$/.test(value);
const oneOf =
  (...values) =>
  (value) =>
    values.includes(value);
const nonce = (value) => typeof value === "string" && Buffer.from(value, "base64url").length === 16 && canonical(value);
const session = (value) => {
  const parts = /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)$/.exec(value);
  return parts !== null && parts[1] <= 0xffff && parts[2] <= 0xffffffff && parts[3] <= 0xffffffff;
};
/** The ids of events, each once, or `*` for all. */
const events = (value) => {
  const ids = text(253)(value) ? value.split(",") : [""];
  const arePlain = ids.every((id) => id !== "" && id !== "*" && id.length <= 64);
  return value === "*" || (arePlain && new Set(ids).size === ids.length);
};
const SECONDS = number(Number.MAX_SAFE_INTEGER);
const RUN = { v: oneOf(1, 2), iss: text(253), evt: text(253), run: number(0xffffffff) };
const CLAIMS = {
  permit: {
    ...RUN,
    jti: nonce,
    home: number(0xffff),
    iat: SECONDS,
    exp: SECONDS,
    chl: oneOf("none", "pow"),
    bits: (value) => number(MAX_WORK_BITS)(value) && value > 0,
    arr: SECONDS,
  },
  ticket: {
    ...RUN,
    jti: nonce,
    home: number(0xffff),
    idx: number(0xffffffff),
    line: number(0xff),
    ent: SECONDS,
    rank: SECONDS,
    arr: SECONDS,
    iat: SECONDS,
    exp: SECONDS,
  },
  pass: {
    v: RUN.v,
    iss: RUN.iss,
    aud: text(253),
    evt: RUN.evt,
    run: RUN.run,
    jti: session,
    iat: SECONDS,
    exp: SECONDS,
    sx: SECONDS,
  },
  operator: {
    v: RUN.v,
    iss: RUN.iss,
    evt: events,
    sub: text(64),
    scp: oneOf("view", "operate", "configure", "read", "write"),
    iat: SECONDS,
    exp: SECONDS,
  },
};
CLAIMS.staff = { ...RUN, jti: nonce, name: text(64), iat: SECONDS, exp: SECONDS };
const OPTIONAL = { permit: ["bits", "arr"], ticket: ["ent", "rank"] };
const AUDIENCE = { pass: audience, enqueue: event };

function canonical(segment) {
  return Buffer.from(segment, "base64url").toString("base64url") === segment;
}

function derive(row) {
  const root = root_keys.find((key) => key.id === row.root);
  const fields = ["anteroom/token/v1", row.typ, row.alg, issuer, AUDIENCE[row.purpose] ?? ""];
  const info = Buffer.concat(
    fields.map((field) => Buffer.concat([Buffer.from([0, field.length]), Buffer.from(field)])),
  );
  const key = Buffer.from(hkdfSync("sha256", Buffer.from(root.key, "base64url"), "", info, 32)).toString("base64url");
  const fingerprint = createHash("sha256").update(info).digest("base64url").slice(0, 8);
  const kid = row.purpose in AUDIENCE ? `${row.root}.${fingerprint}` : row.root;
  return { info: info.toString("hex"), key, kid };
}

async function keysOf(purpose, alg) {
  const keys = new Map();
  for (const row of derived_keys.filter((row) => row.purpose === purpose && row.alg === alg)) {
    const jwk = alg === "EdDSA" ? { kty: "OKP", crv: "Ed25519", x: row.public_key } : { kty: "oct", k: row.key };
    const header = JSON.stringify({ alg, typ: row.typ, kid: row.kid });
    keys.set(row.kid, { key: await importJWK(jwk, alg), header, typ: row.typ });
  }
  return keys;
}

async function askLibrary(test, keys) {
  const isEnqueue = test.purpose === "enqueue";
  const required = isEnqueue
    ? requiredClaims
    : Object.keys(CLAIMS[test.purpose]).filter((name) => !OPTIONAL[test.purpose]?.includes(name));
  const scopes = { pass: { issuer, audience }, enqueue: { audience: issuer } };
  const pick = (header) => {
    const found = keys.get(header.kid);
    if (!found) throw new Error("unknown kid");
    return found.key;
  };
  return jwtVerify(test.token, pick, {
    algorithms: [test.alg],
    typ: [...keys.values()][0].typ,
    ...(scopes[test.purpose] ?? { issuer }),
    requiredClaims: required,
    clockTolerance: test.at === "origin" ? ORIGIN_LEEWAY_SECONDS : 0,
    currentDate: new Date(test.now * 1000),
  });
}

/** The checks of the strict profile that a library does not make. */
function checkProfile(test, keys) {
  const refuse = (why) => {
    throw new Error(why);
  };
  if (test.token.length > MAX_TOKEN_BYTES) refuse("too long");
  const segments = test.token.split(".");
  if (segments.length !== 3 || !segments.every((part) => /^[\w-]+$/.test(part) && canonical(part))) refuse("shape");
  if (test.purpose === "enqueue") return checkEnqueue(test, keys, { issuer, event });
  const header = Buffer.from(segments[0], "base64url").toString("latin1");
  if (![...keys.values()].some((key) => key.header === header)) refuse("header");
  const payload = Buffer.from(segments[1], "base64url").toString("utf8");
  const claims = JSON.parse(payload);
  if (JSON.stringify(claims) !== payload) refuse("not the one byte form");
  const rules = CLAIMS[test.purpose];
  const expected = Object.keys(rules).filter((name) => name in claims || !OPTIONAL[test.purpose]?.includes(name));
  if (JSON.stringify(Object.keys(claims)) !== JSON.stringify(expected)) refuse("claims or their order");
  for (const name of expected) if (!rules[name](claims[name])) refuse(`claim ${name}`);
  if ("chl" in claims && (claims.chl === "pow") !== "bits" in claims)
    refuse("work without its bits, or bits without work");
  if ("rank" in claims && !("ent" in claims)) refuse("rank without entry number");
  if ("sx" in claims && claims.exp > claims.sx + LAST_PASS_SECONDS) refuse("outlives its session");
  const named = test.purpose === "operator" ? claims.evt.split(",") : [claims.evt];
  if (!named.includes(event) && !(test.purpose === "operator" && claims.evt === "*")) refuse("event");
  if (test.at === "edge" && "run" in claims && test.purpose !== "pass" && claims.run !== run) refuse("run");
  if (claims.iat > test.now + CLOCK_AHEAD_SECONDS) refuse("issued in the future");
}

const problems = [];
for (const row of derived_keys) {
  const own = derive(row);
  if (own.info !== row.info_hex || own.key !== row.key || own.kid !== row.kid)
    problems.push(`derivation of ${row.kid}`);
}
let taken = 0;
let refusedByLibrary = 0;
const tests = [...read("valid.json"), ...read("refusals.json"), ...read("enqueue.json")];
for (const test of tests) {
  const name = `${test.purpose} ${test.alg} ${test.at}: ${test.name}`;
  const keys = await keysOf(test.purpose, test.alg);
  const library = await askLibrary(test, keys).then(
    () => null,
    (error) => error,
  );
  let profile = null;
  try {
    checkProfile(test, keys);
  } catch (error) {
    profile = error;
  }
  if (library) refusedByLibrary += 1;
  if (test.refusal === null) {
    taken += 1;
    if (library || profile) problems.push(`${name}: must be taken, ${(library ?? profile).message}`);
  } else if (!library && !profile) {
    problems.push(`${name}: must be refused (${test.refusal})`);
  } else if (LIBRARY_REFUSES.has(test.refusal) && !library) {
    problems.push(`${name}: the library alone must refuse (${test.refusal})`);
  }
}
for (const problem of problems) console.error(problem);
console.log(
  `jose: ${derived_keys.length} keys derived, ${taken} tokens taken, ${tests.length - taken} refused ` +
    `(${refusedByLibrary} by the library alone), ${problems.length} problems`,
);
process.exit(problems.length === 0 && taken > 0 ? 0 : 1);
