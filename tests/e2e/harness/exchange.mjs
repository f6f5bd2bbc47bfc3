// One request and its answer over plain node:http(s): every header and every byte of the path as given, nothing added,
// nothing followed. What the room may never answer, whatever the question, is checked here for every answer.
import assert from "node:assert/strict";
import http from "node:http";
import https from "node:https";

const PATIENCE_MS = 15_000;

/** Our cookies, with their kind and event. */
const OURS = /^(__Host-|__Secure-)?wr-(permit|ticket|pass|browser|check|binding)-([a-z0-9-]+?)-\d+(-framed)?$/;

/** A day: what the cookies of a visitor live at most. */
const LONGEST_COOKIE_SECONDS = 24 * 60 * 60;

/**
 * Sends one request. `path` goes as it is; `body` is a string or bytes. The answer: `status`, `headers` (of one name the
 * last, but see `cookies`), `cookies` (`[{ name, value, attributes }]`), `text`, `json`, `state`.
 */
export async function exchange(base, { method = "GET", path = "/", headers = {}, body } = {}) {
  const url = new URL(base);
  const { request } = url.protocol === "https:" ? https : http;
  const answer = await new Promise((resolve, reject) => {
    const options = {
      method,
      hostname: url.hostname,
      port: url.port,
      path,
      headers: { host: url.host, ...headers },
      agent: false,
      rejectUnauthorized: false,
      timeout: PATIENCE_MS,
      maxHeaderSize: 128 * 1024,
    };
    const sent = request(options, (response) => {
      const pieces = [];
      response.on("data", (bytes) => pieces.push(bytes));
      response.on("error", reject);
      response.on("end", () => resolve(answerOf(response, Buffer.concat(pieces))));
    });
    sent.on("timeout", () => sent.destroy(new Error(`${method} ${path}: no answer within ${PATIENCE_MS} ms`)));
    sent.on("error", reject);
    sent.on("upgrade", (response, socket) => {
      socket.destroy();
      resolve(answerOf(response, Buffer.alloc(0)));
    });
    sent.end(body);
  });
  checkHouseRules(answer, { base, method, path });
  return answer;
}

function answerOf(response, bytes) {
  const text = bytes.toString("utf8");
  return {
    status: response.statusCode,
    headers: response.headers,
    cookies: (response.headers["set-cookie"] ?? []).map(cookieOf),
    bytes,
    text,
    state: response.headers["waiting-room-state"],
    get json() {
      return JSON.parse(text);
    },
  };
}

function cookieOf(line) {
  const [pair, ...rest] = line.split(";").map((piece) => piece.trim());
  const at = pair.indexOf("=");
  const attributes = rest.map((attribute) => {
    const [key, ...value] = attribute.split("=");
    return [key.toLowerCase(), value.join("=")];
  });
  return { name: pair.slice(0, at), value: pair.slice(at + 1), attributes: Object.fromEntries(attributes), line };
}

/** Whether a cookie is the room's; its kind and event if so. */
export function ourCookie(name) {
  const [, prefix = "", kind, event, framed] = name.match(OURS) ?? [];
  return kind ? { prefix, kind, event, isFramed: framed !== undefined } : null;
}

/** What has no links and asks for nothing itself. */
const DATA = /^application\/(problem\+)?json/;

/** C14: what an answer of the room says to browsers, unless it is a page, which says more. */
export function isCarefullyDressed({ headers }, where) {
  const policy = headers["content-security-policy"] ?? "";
  assert.match(policy, /^default-src 'none'/, `${where}: ${policy}`);
  assert.doesNotMatch(policy, /'unsafe-(inline|eval)'|\*/, where);
  assert.match(policy, /frame-ancestors/, where);
  assert.equal(headers["x-content-type-options"], "nosniff", where);
  if (!DATA.test(headers["content-type"])) {
    assert.equal(headers["referrer-policy"], "same-origin", where);
    assert.match(headers["permissions-policy"] ?? "", /camera=\(\)/, where);
  }
  assert.match(headers["cross-origin-resource-policy"] ?? "", /^(same|cross)-origin$/, where);
  assert.equal(headers["strict-transport-security"], undefined, `${where}: that is for the owner of the host to say`);
}

/** C1, C7 and C14: what holds for every answer of the room, whatever was asked. */
function checkHouseRules(answer, { base, method, path }) {
  const where = `${method} ${path.slice(0, 120)} -> ${answer.status}`;
  const control = answer.headers["cache-control"] ?? "";
  for (const { name, attributes, line } of answer.cookies) {
    const ours = ourCookie(name);
    if (!ours) continue;
    assert.match(control, /no-store/, `${where} sets ${name} and says Cache-Control: ${control}`);
    const isSecure = base.startsWith("https:");
    assert.equal(ours.prefix, isSecure ? "__Host-" : "", line);
    assert.equal("secure" in attributes, isSecure, line);
    assert.ok("httponly" in attributes, line);
    assert.equal(attributes.path, "/", line);
    const travels = ours.isFramed || (["pass", "binding"].includes(ours.kind) && isSecure);
    assert.equal(attributes.samesite, travels ? "None" : "Lax", line);
    assert.equal("partitioned" in attributes, ours.isFramed, line);
    assert.ok(!("domain" in attributes), line);
    assert.ok(Number(attributes["max-age"]) <= LONGEST_COOKIE_SECONDS, line);
  }
  if (answer.state !== undefined) {
    assert.match(control, /no-store/, `${where} is the room's and may be stored`);
    isCarefullyDressed(answer, where);
  }
  if (answer.status < 500 || answer.headers["x-shop"] !== undefined) return;
  // A 502 says that the shop is away. Everything else above 499 is the room's own 503, which says its state.
  const isShopAway = answer.status === 502 && answer.headers["retry-after"] !== undefined;
  const isOwn = answer.status === 503 && (answer.state !== undefined || path === "/_wr/health");
  assert.ok(isShopAway || isOwn, `${where} is no answer of the room: ${answer.text.slice(0, 400)}`);
}

/** Asks again until the answer satisfies; fails with the last answer when it does not in time. */
export async function until(ask, satisfies, { within_ms = 8_000, every_ms = 60, what = "this" } = {}) {
  const end = Date.now() + within_ms;
  for (;;) {
    const answer = await ask();
    if (satisfies(answer)) return answer;
    if (Date.now() > end) assert.fail(`${what} does not come within ${within_ms} ms; last: ${shown(answer)}`);
    await pause(every_ms);
  }
}

export const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

const shown = (answer) =>
  answer?.status ? `${answer.status} ${answer.state ?? ""} ${answer.text.slice(0, 600)}` : JSON.stringify(answer);
