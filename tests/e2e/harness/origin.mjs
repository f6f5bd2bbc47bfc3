// A stand-in for the shop behind the room: it keeps what reached it and answers what the test wants.
import http from "node:http";
import { WebSocketServer } from "ws";

/** Every answer of the stand-in carries this header, so that a test knows whose answer it has. */
const MARK = { "x-shop": "1" };

export async function startOrigin() {
  const origin = new StandIn();
  await origin.start();
  return origin;
}

class StandIn {
  /** Requests as they came: `{ method, url, headers, rawHeaders, body }`. */
  seen = [];
  /** What the room asked for itself, to know whether the shop answers. */
  questions = [];
  /** What to answer: `(request) => ({ status, headers, body })`; without it, a page that names the address. */
  answer = null;
  #server = null;
  #port = 0;
  #sockets = new Set();
  #upgrades = new WebSocketServer({ noServer: true });

  get url() {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** What arrived for an address that ends so. */
  arrived(ending) {
    return this.seen.filter(({ url }) => url.endsWith(ending));
  }

  /** Listens; after a `stop`, at the same port again. */
  async start() {
    this.#server = http.createServer((request, response) => this.#take(request, response));
    this.#server.on("connection", (socket) => {
      this.#sockets.add(socket);
      socket.on("close", () => this.#sockets.delete(socket));
    });
    this.#server.on("upgrade", (request, socket, head) => this.#upgrade(request, socket, head));
    await new Promise((resolve, reject) => {
      this.#server.once("error", reject);
      this.#server.listen(this.#port, "127.0.0.1", resolve);
    });
    this.#port = this.#server.address().port;
  }

  async stop() {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #take(request, response) {
    const pieces = [];
    try {
      for await (const piece of request) pieces.push(piece);
    } catch {
      return;
    }
    const { method, url, headers, rawHeaders } = request;
    const kept = { method, url, headers, rawHeaders, body: Buffer.concat(pieces).toString("utf8") };
    const isQuestion = headers["user-agent"] === "anteroom-origin-health";
    (isQuestion ? this.questions : this.seen).push(kept);
    const { status = 200, headers: more = {}, body = `shop ${url}` } = (await this.answer?.(kept)) ?? {};
    response.writeHead(status, { "content-type": "text/html; charset=utf-8", ...MARK, ...more });
    response.end(body);
  }

  #upgrade(request, socket, head) {
    this.seen.push({ method: request.method, url: request.url, headers: request.headers, upgrade: true });
    this.#upgrades.handleUpgrade(request, socket, head, (connection) => {
      connection.on("message", (data) => connection.send(`echo ${data}`));
      connection.on("error", () => {});
    });
  }
}
