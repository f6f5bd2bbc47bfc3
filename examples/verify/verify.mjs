// An origin in Node that admits only visitors with a pass of the waiting room, checked with jose. Take `verify` and
// `isAdmitted` into your server; `node verify.mjs 8080` is a small one. The settings come from `npm run origin-key`.
import { createServer } from "node:http";
import { argv } from "node:process";
import { pathToFileURL } from "node:url";
import { jwtVerify } from "jose";

const issuer = setting("WAITING_ROOM_ISSUER");
const audience = setting("WAITING_ROOM_AUDIENCE");
const event = setting("WAITING_ROOM_EVENT");
// `<key id>:<base64url>`, with spaces between them while two are live. Found by the whole header: one for each key.
const keys = new Map(setting("WAITING_ROOM_KEYS").split(" ").map(headerAndKey));

const MAX_PASS_BYTES = 1024;
const LEEWAY_SECONDS = 30;
/** How long the last pass of a session outlives it. */
const LAST_PASS_SECONDS = 60;

// The claims have one form, in bytes: whatever a library reads into another one, it is no pass.
const NUMBER = "(0|[1-9][0-9]{0,15})";
const CLAIMS = new RegExp(
  `^\\{"v":[12],"iss":"[^"]+","aud":"[^"]+","evt":"[^"]+","run":${NUMBER},` +
    `"jti":"${NUMBER}\\.${NUMBER}\\.${NUMBER}","iat":${NUMBER},"exp":${NUMBER},"sx":${NUMBER}\\}$`,
);
const LARGEST = [2 ** 32 - 1, 2 ** 16 - 1, 2 ** 32 - 1, 2 ** 32 - 1, ...Array(3).fill(Number.MAX_SAFE_INTEGER)];

/** The claims of a pass that holds at `now`, in Unix seconds. Rejects whatever else it is given. */
export async function verify(pass, now = Math.floor(Date.now() / 1000)) {
  if (typeof pass !== "string" || pass.length > MAX_PASS_BYTES) throw new Error("no pass");
  const [header, claims, signature, ...more] = pass.split(".");
  const key = keys.get(header);
  if (!key || more.length > 0 || !isCanonical(claims) || !isCanonical(signature)) throw new Error("no pass of ours");
  const { payload } = await jwtVerify(pass, key, {
    algorithms: ["HS256"],
    typ: "wr-pass+jwt",
    issuer,
    audience,
    clockTolerance: LEEWAY_SECONDS,
    currentDate: new Date(now * 1000),
  });
  const numbers = CLAIMS.exec(Buffer.from(claims, "base64url").toString("latin1"))?.slice(1).map(Number);
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

function headerAndKey(text) {
  const [kid, key] = text.split(":");
  if (Buffer.from(key ?? "", "base64url").length !== 32) throw new Error("WAITING_ROOM_KEYS: not <key id>:<32 bytes>");
  const header = `{"alg":"HS256","typ":"wr-pass+jwt","kid":"${kid}"}`;
  return [Buffer.from(header).toString("base64url"), Buffer.from(key, "base64url")];
}

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
