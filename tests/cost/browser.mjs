// One visitor's browser, as light as a crowd needs it: cookies, connections that are kept, a socket.
import http from "node:http";
import WebSocket from "ws";

const PAGE_DATA = /<script type="application\/json"[^>]* id="room">(.*?)<\/script>/s;
const MOST_CONNECTIONS = 64;
const PATIENCE_MS = 30_000;

const HEADERS = {
  "user-agent": "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36",
  "accept-language": "en",
  "accept-encoding": "identity",
};

const agent = new http.Agent({ keepAlive: true, maxSockets: MOST_CONNECTIONS });

/** Lets go of the connections that are kept. */
export const closeConnections = () => agent.destroy();

export class Browser {
  #room;
  #path;
  #headers;
  #cookies = new Map();

  /** `address`: where the platform would say that it sits. */
  constructor(room, event, address) {
    this.#room = room;
    this.#headers = { ...HEADERS, host: `127.0.0.1:${room.port}`, "cf-connecting-ip": address };
    this.#path = room.pathOf(event);
    this.queue = `/_wr/queues/${event}`;
  }

  get #cookie() {
    return [...this.#cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  }

  #keep(lines = []) {
    for (const line of lines) {
      const [pair] = line.split(";");
      const at = pair.indexOf("=");
      if (/max-age=0(;|$)/i.test(line)) this.#cookies.delete(pair.slice(0, at));
      else this.#cookies.set(pair.slice(0, at), pair.slice(at + 1));
    }
  }

  #send(method, path, headers, body) {
    return new Promise((resolve, reject) => {
      const sent = http.request(
        {
          ...{ method, path, agent, hostname: "127.0.0.1", port: this.#room.port, timeout: PATIENCE_MS },
          headers: { ...this.#headers, ...headers, ...(this.#cookies.size > 0 && { cookie: this.#cookie }) },
        },
        (response) => {
          const pieces = [];
          response.on("data", (bytes) => pieces.push(bytes));
          response.on("error", reject);
          response.on("end", () => {
            this.#keep(response.headers["set-cookie"]);
            resolve({ status: response.statusCode, text: Buffer.concat(pieces).toString("utf8") });
          });
        },
      );
      sent.on("timeout", () => sent.destroy(new Error(`${method} ${path}: no answer`)));
      sent.on("error", reject);
      sent.end(body);
    });
  }

  /** Goes to the shop's address: the text of what comes. */
  async visit(path = this.#path) {
    const headers = {
      accept: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
      "sec-fetch-mode": "navigate",
      "sec-fetch-dest": "document",
      "sec-fetch-site": "none",
    };
    return this.#send("GET", path, headers);
  }

  /** Loads the queue page; answers what it gives its script. */
  async open() {
    const { status, text } = await this.visit();
    const data = text.match(PAGE_DATA);
    if (!data) throw new Error(`no queue page: ${status} ${text.slice(0, 200)}`);
    return JSON.parse(data[1]);
  }

  /** A request of the page's script: the answer with its status. */
  async script(method, path, document) {
    const body = document && JSON.stringify(document);
    const headers = {
      accept: "application/json",
      "sec-fetch-site": "same-origin",
      "sec-fetch-mode": "cors",
      "sec-fetch-dest": "empty",
      ...(method !== "GET" && { origin: this.#room.url }),
      ...(body && { "content-type": "application/json", "content-length": Buffer.byteLength(body) }),
    };
    const { status, text } = await this.#send(method, path, headers, body);
    const answer = text && JSON.parse(text);
    if (status < 300 || status === 409) return { ...answer, status };
    throw Object.assign(new Error(`${method} ${path}: ${status} ${text.slice(0, 300)}`), { status, answer });
  }

  ask() {
    return this.script("GET", `${this.queue}/tickets/me`);
  }

  claim() {
    return this.script("POST", `${this.queue}/tickets/me/pass`, {});
  }

  release() {
    return this.script("DELETE", `${this.queue}/tickets/me/pass`);
  }

  /** Opens the socket: words to `word`, its end to `over`; answers how to close it. */
  listen(word, over) {
    const address = `ws://127.0.0.1:${this.#room.port}${this.queue}/tickets/me/ws`;
    const socket = new WebSocket(address, {
      headers: { ...this.#headers, cookie: this.#cookie, origin: this.#room.url },
      perMessageDeflate: false,
      handshakeTimeout: PATIENCE_MS,
    });
    socket.on("message", (data) => word(JSON.parse(String(data))));
    socket.on("close", () => over());
    socket.on("error", () => {});
    return () => socket.close();
  }
}
