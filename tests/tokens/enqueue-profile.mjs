// The rules of enqueue tokens, written from docs/tokens.md: lenient in how JSON is written, strict in what it says.
import { isIP } from "node:net";

const MAX_SECONDS = 60 * 86_400;
const CLOCK_AHEAD_SECONDS = 30;
const SPACE = "[ \\t\\r\\n]*";
const STRING = '"(?:[^"\\\\\\u0000-\\u001f]|\\\\(?:["\\\\/bfnrt]|u[0-9a-fA-F]{4}))*"';
const MEMBER = new RegExp(
  `${SPACE}(${STRING})${SPACE}:${SPACE}(${STRING}|(?:0|[1-9][0-9]*)(?![0-9.eE]))${SPACE}([,}])`,
  "y",
);

const text = (longest) => (value) =>
  typeof value === "string" && value.length <= longest && /^[ -!#-[\]-~]+$/.test(value);
const seconds = (value) => Number.isSafeInteger(value) && value >= 0;
const CLAIMS = {
  v: (value) => value === 1,
  iss: text(64),
  aud: text(64),
  evt: text(64),
  line: text(64),
  key: text(128),
  jti: text(64),
  iat: seconds,
  exp: seconds,
};
export const requiredClaims = Object.keys(CLAIMS);

function refuse(why) {
  throw new Error(why);
}

/** A flat object of texts and whole numbers, no name twice; `JSON.parse` would take the last of two. */
function flatObject(json) {
  const start = new RegExp(`^${SPACE}\\{`).exec(json);
  if (!start) refuse("no object");
  const found = new Map();
  MEMBER.lastIndex = start[0].length;
  for (let end = ","; end === ","; ) {
    const member = MEMBER.exec(json);
    if (!member) refuse("no flat object");
    const name = JSON.parse(member[1]);
    if (found.has(name)) refuse(`${name} twice`);
    found.set(name, JSON.parse(member[2]));
    end = member[3];
    if (end === "}" && /[^ \t\r\n]/.test(json.slice(MEMBER.lastIndex || json.length))) refuse("something behind it");
  }
  return found;
}

/** One spelling for each address; one of IPv4 inside one of IPv6 is the one of IPv4. */
function address(ip) {
  if (typeof ip !== "string" || ip.includes("%") || isIP(ip) === 0) return null;
  if (isIP(ip) === 4) return ip;
  const { hostname } = new URL(`http://[${ip}]/`);
  const mapped = /^\[::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})\]$/.exec(hostname);
  if (!mapped) return hostname;
  const [high, low] = mapped.slice(1).map((part) => Number.parseInt(part, 16));
  return [high >> 8, high & 255, low >> 8, low & 255].join(".");
}

/** Throws unless header and payload of a token with a good signature say what they have to. */
export function checkEnqueue({ token, now, ip }, keys, { issuer, event }) {
  const [header, payload] = token.split(".").map((part) => Buffer.from(part, "base64url").toString("utf8"));
  const said = flatObject(header);
  if (said.size !== 3 || said.get("alg") !== "HS256" || said.get("typ") !== "wr-enqueue+jwt") refuse("header");
  if (!keys.has(said.get("kid"))) refuse("unknown kid");
  const claims = flatObject(payload);
  for (const name of requiredClaims) if (!CLAIMS[name](claims.get(name))) refuse(`claim ${name}`);
  const bound = claims.get("ip");
  if (claims.has("ip") && address(bound) === null) refuse("claim ip");
  for (const name of claims.keys()) if (name !== "ip" && !Object.hasOwn(CLAIMS, name)) refuse(`unknown claim ${name}`);
  if (claims.get("aud") !== issuer || claims.get("evt") !== event) refuse("not for us");
  if (claims.has("ip") && address(bound) !== address(ip)) refuse("address");
  const [iat, exp] = [claims.get("iat"), claims.get("exp")];
  if (exp - iat > MAX_SECONDS) refuse("valid for too long");
  if (iat > now + CLOCK_AHEAD_SECONDS) refuse("issued in the future");
}
