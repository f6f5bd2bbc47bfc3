// Asks servers one request at a time: every byte of the path as it is given, nothing followed, nothing kept, never more
// than was agreed, not faster, and no answer waited for longer.
import http from "node:http";
import https from "node:https";

/** Enough of an answer to know whose it is. */
const MAX_BODY_BYTES = 256 * 1024;

/** Whoever reads a server's log finds out who asked. */
const NAME = "anteroom-probe/1";

/** What it means that a connection ends so. */
const FAILURES = [
  [/^(ENOTFOUND|EAI_AGAIN|EAI_NODATA)$/, "no such name"],
  [/^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|EACCES)$/, "nobody listens"],
  [/^(ETIMEDOUT|PROBE_TIMEOUT)$/, "no answer in time"],
  [/^(EPROTO|ERR_SSL|ERR_TLS|DEPTH_ZERO|CERT_|SELF_SIGNED|UNABLE_TO)/, "no TLS with us"],
];

export class Asker {
  /** How many were sent. */
  sent = 0;
  #most;
  #paceMs;
  #timeoutMs;
  #lastAt = 0;

  constructor({ most, paceMs, timeoutMs }) {
    this.#most = most;
    this.#paceMs = paceMs;
    this.#timeoutMs = timeoutMs;
  }

  /**
   * One request. `base`: scheme, host and port to connect to; `host`: the `Host` header and the name in TLS, by default
   * those of `base`. The answer has `status`, `headers`, `cookies` (lines), `text`, `times` ({ from, to }, Unix ms) and
   * `distrust` (why the certificate is not trusted); or only `failure`, in words.
   */
  async ask({ base, method = "GET", path, headers = {}, host }) {
    if (this.sent >= this.#most) throw new Error(`more than ${this.#most} requests would be needed; see --most`);
    this.sent += 1;
    const wait = this.#lastAt + this.#paceMs - Date.now();
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
    this.#lastAt = Date.now();
    return exchange({ url: new URL(base), method, path, headers, host, timeoutMs: this.#timeoutMs });
  }
}

function exchange({ url, method, path, headers, host, timeoutMs }) {
  const from = Date.now();
  const { request } = url.protocol === "https:" ? https : http;
  const name = new URL(`${url.protocol}//${host ?? url.host}`).hostname;
  const options = {
    method,
    hostname: url.hostname.replace(/^\[|\]$/g, ""),
    port: url.port,
    path,
    headers: { host: host ?? url.host, "user-agent": NAME, ...headers },
    agent: false,
    // A wrong certificate is a finding, not an end.
    rejectUnauthorized: false,
    // An address has no name in TLS.
    servername: /^[\d.]+$|:/.test(name) ? "" : name,
    setDefaultHeaders: false,
    maxHeaderSize: 128 * 1024,
  };
  return new Promise((resolve) => {
    const fail = (code) => resolve({ failure: failureOf(String(code)), times: { from, to: Date.now() } });
    const sent = request(options, async (response) => {
      const text = await textOf(response);
      resolve({ ...answerOf(response), text, times: { from, to: Date.now() } });
    });
    const timer = setTimeout(() => sent.destroy(Object.assign(new Error(), { code: "PROBE_TIMEOUT" })), timeoutMs);
    sent.on("error", ({ code, message }) => fail(code ?? message));
    sent.on("close", () => clearTimeout(timer));
    sent.on("upgrade", (response, socket) => {
      resolve({ ...answerOf(response), text: "", times: { from, to: Date.now() } });
      socket.destroy();
    });
    sent.end();
  });
}

/** What has arrived when the answer ends, is long enough, or breaks off. */
async function textOf(response) {
  const pieces = [];
  let bytes = 0;
  try {
    for await (const piece of response) {
      pieces.push(piece);
      bytes += piece.length;
      if (bytes >= MAX_BODY_BYTES) break;
    }
  } catch {
    // What came so far is what is judged.
  }
  response.destroy();
  return Buffer.concat(pieces).toString("utf8");
}

const answerOf = (response) => ({
  status: response.statusCode,
  headers: response.headers,
  cookies: response.headers["set-cookie"] ?? [],
  distrust: response.socket?.authorizationError ? String(response.socket.authorizationError) : null,
});

function failureOf(code) {
  const [, words] = FAILURES.find(([pattern]) => pattern.test(code)) ?? [];
  return words ?? `broken off (${code})`;
}
