// An origin in Node that admits only visitors with a pass of the waiting room, checked with jose and the public keys that
// the room publishes: for events with `pass_algorithm = "EdDSA"`. Take `verify` and `isAdmitted` into your server;
// `node verify-ed25519.mjs 8080` is a small one. Issuer and audience come from `npm run origin-key`.
import { createServer } from "node:http";
import { argv } from "node:process";
import { pathToFileURL } from "node:url";
import { createRemoteJWKSet, jwtVerify } from "jose";

const issuer = setting("WAITING_ROOM_ISSUER");
const audience = setting("WAITING_ROOM_AUDIENCE");
const event = setting("WAITING_ROOM_EVENT");
// `https://tickets.example.com/_wr/jwks.json`. Kept for five minutes; an unknown key id is no reason to ask earlier, since
// new keys are published long before they sign.
const KEPT_MS = 300_000;
const keys = createRemoteJWKSet(new URL(setting("WAITING_ROOM_JWKS")), {
  cacheMaxAge: KEPT_MS,
  cooldownDuration: KEPT_MS,
});

const MAX_PASS_BYTES = 1024;
const LEEWAY_SECONDS = 30;
/** How long the last pass of a session outlives it. */
const LAST_PASS_SECONDS = 60;

// Header and claims have one form, in bytes: whatever a library reads into another one, it is no pass.
const HEADER = /^\{"alg":"EdDSA","typ":"wr-pass\+jwt","kid":"[a-z0-9-]{1,16}\.[\w-]{8}"\}$/;
const NUMBER = "(0|[1-9][0-9]{0,15})";
const CLAIMS = new RegExp(
  `^\\{"v":[12],"iss":"[^"]+","aud":"[^"]+","evt":"[^"]+","run":${NUMBER},` +
    `"jti":"${NUMBER}\\.${NUMBER}\\.${NUMBER}","iat":${NUMBER},"exp":${NUMBER},"sx":${NUMBER}\\}$`,
);
const LARGEST = [2 ** 32 - 1, 2 ** 16 - 1, 2 ** 32 - 1, 2 ** 32 - 1, ...Array(3).fill(Number.MAX_SAFE_INTEGER)];

/** The claims of a pass that holds at `now`, in Unix seconds. Rejects whatever else it is given. */
export async function verify(pass, now = Math.floor(Date.now() / 1000)) {
  if (typeof pass !== "string" || pass.length > MAX_PASS_BYTES) throw new Error("no pass");
  const segments = pass.split(".");
  if (segments.length !== 3 || !segments.every(isCanonical)) throw new Error("no pass");
  const [header, claims] = segments.map((text) => Buffer.from(text, "base64url").toString("latin1"));
  if (!HEADER.test(header)) throw new Error("no pass of ours");
  const { payload } = await jwtVerify(pass, keys, {
    algorithms: ["EdDSA"],
    typ: "wr-pass+jwt",
    issuer,
    audience,
    clockTolerance: LEEWAY_SECONDS,
    currentDate: new Date(now * 1000),
  });
  const numbers = CLAIMS.exec(claims)?.slice(1).map(Number);
  if (!numbers?.every((number, at) => number <= LARGEST[at])) throw new Error("claims that no pass has");
  if (payload.evt !== event) throw new Error("a pass to another event");
  if (payload.iat > now + LEEWAY_SECONDS || payload.exp > payload.sx + LAST_PASS_SECONDS)
    throw new Error("wrong times");
  return payload;
}

/** Whether a request comes from an admitted visitor. Believe no other header, and no cookie. */
export const isAdmitted = (request) =>
  verify(request.headers["waiting-room-pass"]).then(
    () => true,
    () => false,
  );

/** Node reads base64url with padding, other letters and spare bits as well. */
function isCanonical(text) {
  return Boolean(text) && Buffer.from(text, "base64url").toString("base64url") === text;
}

function setting(name) {
  if (!process.env[name]) throw new Error(`${name} is not set`);
  return process.env[name];
}

if (import.meta.url === pathToFileURL(argv[1] ?? "").href) {
  createServer(async (request, response) => {
    const isIn = await isAdmitted(request);
    response.writeHead(isIn ? 200 : 403, { "content-type": "text/plain", "cache-control": "no-store" });
    response.end(isIn ? "the shop\n" : "only through the waiting room\n");
  }).listen(Number(argv[2]), "127.0.0.1");
}
