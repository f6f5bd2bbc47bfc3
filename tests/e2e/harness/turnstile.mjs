// A stand-in for the third party behind the widget: the script, a frame that hands out tokens, and the question about one,
// with the answers and error codes that its documentation names:
// https://developers.cloudflare.com/turnstile/get-started/server-side-validation/
import { randomBytes } from "node:crypto";
import http from "node:http";

/** A secret in the form of real ones, of no worth. */
export const SECRET = "0x4AAAAAAAstandinstandinstandinstandin";
export const SITE_KEY = "0x4AAAAAAAstandinSiteKey";
/** The published secrets for tests, and the token of widgets with a site key for tests. */
export const DUMMY_SECRETS = {
  passes: "1x0000000000000000000000000000000AA",
  fails: "2x0000000000000000000000000000000AA",
  spent: "3x0000000000000000000000000000000AA",
};
const FOUR = "X".repeat(4);
export const DUMMY_TOKEN = `${FOUR}.DUMMY.TOKEN.${FOUR}`;
const MAX_TOKEN_CHARS = 2_048;
const LIFE_MS = 300_000;

export async function startTurnstile() {
  const standIn = new StandIn();
  await standIn.start();
  return standIn;
}

class StandIn {
  /** Questions as they came: `{ secret, response, idempotency_key }`. */
  asked = [];
  /** Addresses that browsers fetched. */
  fetched = [];
  /** How it fails: "hang", "500", "html", "broken", "internal-error"; null: it does not. */
  failure = null;
  /** Tokens hold as often as they are sent. */
  acceptsReused = false;
  /** Laid over every answer to a token. */
  says = {};
  /** What the frame does: "pass", "error", "silent". */
  frame = "pass";
  /** How far its clock is ahead. */
  ahead_ms = 0;
  #tokens = new Map();
  #sockets = new Set();
  #server = http.createServer((request, response) => {
    this.#take(request, response).catch((error) => response.destroy(error));
  });

  async start() {
    this.#server.on("connection", (socket) => {
      this.#sockets.add(socket);
      socket.on("close", () => this.#sockets.delete(socket));
    });
    await new Promise((done) => this.#server.listen(0, "127.0.0.1", done));
    this.url = `http://127.0.0.1:${this.#server.address().port}`;
  }

  async stop() {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((done) => this.#server.close(done));
  }

  /** A token as a widget that was given this would have made it. */
  token({ action = "join", cdata = "", hostname = "127.0.0.1", age_ms = 0 } = {}) {
    const token = `0.${randomBytes(32).toString("base64url")}`;
    this.#tokens.set(token, { action, cdata, hostname, at_ms: Date.now() + this.ahead_ms - age_ms, used_by: null });
    return token;
  }

  async #take(request, response) {
    const url = new URL(request.url, this.url);
    const send = (status, type, body) => response.writeHead(status, { "content-type": type }).end(body);
    if (url.pathname === "/turnstile/v0/siteverify") return this.#verify(request, send);
    this.fetched.push(request.url);
    if (url.pathname === "/turnstile/v0/api.js") return send(200, "text/javascript", API);
    if (url.pathname === "/turnstile/v0/frame") return send(200, "text/html; charset=utf-8", this.#frameOf(url));
    return send(404, "text/plain", "not here");
  }

  async #verify(request, send) {
    let body = "";
    for await (const piece of request) body += piece;
    const isJson = request.headers["content-type"]?.includes("json");
    const question = isJson ? JSON.parse(body) : Object.fromEntries(new URLSearchParams(body));
    this.asked.push(question);
    if (this.failure === "hang") return undefined;
    if (this.failure === "500") return send(500, "application/json", JSON.stringify({ success: true }));
    if (this.failure === "html") return send(200, "text/html", "<!doctype html><title>Just a moment...</title>");
    if (this.failure === "broken") return send(200, "application/json", '{"success": tru');
    const codes = this.failure ? [this.failure] : this.#mistakes(question);
    if (codes.length > 0) {
      return send(200, "application/json", JSON.stringify({ success: false, "error-codes": codes, messages: [] }));
    }
    return send(200, "application/json", JSON.stringify({ ...this.#pass(question), ...this.says }));
  }

  #mistakes({ secret, response, idempotency_key: key }) {
    if (!secret) return ["missing-input-secret"];
    if (secret === DUMMY_SECRETS.fails) return ["invalid-input-response"];
    if (secret === DUMMY_SECRETS.spent) return ["timeout-or-duplicate"];
    if (secret === DUMMY_SECRETS.passes) return [];
    if (secret !== SECRET) return ["invalid-input-secret"];
    if (!response) return ["missing-input-response"];
    const known = this.#tokens.get(response);
    if (!known || response.length > MAX_TOKEN_CHARS) return ["invalid-input-response"];
    const isOld = Date.now() + this.ahead_ms - known.at_ms > LIFE_MS;
    const isSpent = known.used_by !== null && known.used_by !== key;
    if (!this.acceptsReused && (isOld || isSpent)) return ["timeout-or-duplicate"];
    known.used_by ??= key ?? randomBytes(8).toString("hex");
    return [];
  }

  #pass({ secret, response }) {
    const now = { success: true, "error-codes": [], metadata: { interactive: false } };
    if (secret === DUMMY_SECRETS.passes) {
      const challenge_ts = new Date(Date.now() + this.ahead_ms).toISOString();
      return { ...now, challenge_ts, hostname: "example.com", action: "test" };
    }
    const { at_ms, hostname, action, cdata } = this.#tokens.get(response);
    return { ...now, challenge_ts: new Date(at_ms).toISOString(), hostname, action, cdata };
  }

  /** The frame of a widget: it hands a token to the page around it, or does not. */
  #frameOf({ searchParams: given }) {
    const token = this.token({
      action: given.get("action"),
      cdata: given.get("cdata"),
      hostname: given.get("hostname"),
    });
    const message = { pass: { token }, error: { error: "300010" }, silent: null }[this.frame];
    const script = message ? `setTimeout(() => parent.postMessage(${JSON.stringify(message)}, "*"), 600)` : "";
    const said = { pass: "Verifying …", error: "Error", silent: "Verifying …" }[this.frame];
    const dark = "@media (prefers-color-scheme: dark){body{background:#232323;color:#ddd;border-color:#797979}}";
    return `<!doctype html><html lang="en"><title>Widget</title><style>body{font:14px sans-serif;margin:0;padding:20px 12px;height:23px;background:#fafafa;border:1px solid #e0e0e0}${dark}</style><p style="margin:0">${said}</p><script>${script}</script></html>`;
  }
}

// What the third party's script leaves in the window, as far as a page uses it.
const API = `
window.turnstile = {
  render(box, options) {
    const frame = document.createElement("iframe");
    const origin = new URL(document.querySelector('script[src*="/turnstile/v0/"]').src).origin;
    const given = new URLSearchParams({
      sitekey: options.sitekey, action: options.action, cdata: options.cData, hostname: location.hostname,
    });
    frame.title = "Widget containing a security challenge";
    frame.src = origin + "/turnstile/v0/frame?" + given;
    frame.width = options.size === "compact" ? "150" : "300";
    frame.height = options.size === "compact" ? "140" : "65";
    frame.setAttribute("frameborder", "0");
    addEventListener("message", ({ source, data }) => {
      if (source !== frame.contentWindow) return;
      if (data.token) options.callback(data.token);
      else options["error-callback"](data.error);
    });
    (typeof box === "string" ? document.querySelector(box) : box).append(frame);
    return "widget";
  },
  remove() {
    for (const frame of document.querySelectorAll('iframe[src*="/turnstile/v0/"]')) frame.remove();
  },
};
`;
