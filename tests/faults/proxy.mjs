// A wire between edge and shop that can be slow, break, and garble what the shop says.
import net from "node:net";

export async function startProxy(shop) {
  const proxy = new BadWire(shop);
  await proxy.start();
  return proxy;
}

/** A byte that no answer begins with and no JSON, HTML or header has. */
const GARBAGE = 0xa7;

class BadWire {
  /** What happens to what the shop says: `delay_ms`, `cutAfter` so many bytes, `garbleEvery` so many bytes. */
  wire = {};
  #server;
  #sockets = new Set();

  constructor(shop) {
    this.shop = shop;
  }

  get url() {
    return `http://127.0.0.1:${this.#server.address().port}`;
  }

  async start() {
    this.#server = net.createServer((visitor) => this.#join(visitor));
    await new Promise((resolve, reject) => {
      this.#server.once("error", reject);
      this.#server.listen(0, "127.0.0.1", resolve);
    });
  }

  async stop() {
    this.hangUp();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** Breaks all connections that there are. */
  hangUp() {
    for (const socket of this.#sockets) socket.destroy();
  }

  #join(edge) {
    const shop = net.connect(Number(new URL(this.shop.url).port), "127.0.0.1");
    for (const [one, other] of [
      [edge, shop],
      [shop, edge],
    ]) {
      this.#sockets.add(one);
      one.on("error", () => other.destroy());
      one.on("close", () => {
        this.#sockets.delete(one);
        other.destroy();
      });
    }
    edge.on("data", (bytes) => shop.write(bytes));
    let said = 0;
    shop.on("data", (bytes) => {
      const { delay_ms = 0, cutAfter = Number.POSITIVE_INFINITY, garbleEvery } = this.wire;
      if (garbleEvery)
        for (let at = garbleEvery - 1 - (said % garbleEvery); at < bytes.length; at += garbleEvery) bytes[at] = GARBAGE;
      const allowed = bytes.subarray(0, Math.max(0, cutAfter - said));
      said += bytes.length;
      setTimeout(() => {
        if (edge.destroyed) return;
        edge.write(allowed);
        if (allowed.length < bytes.length) edge.destroy();
      }, delay_ms);
    });
  }
}
