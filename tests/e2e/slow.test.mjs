// C20. Connections that send their headers or bodies a byte at a time, to the room and to the shop behind it: each is ended
// in time, and nobody else notices.
import assert from "node:assert/strict";
import net from "node:net";
import { after, before, test } from "node:test";
import { startRoom } from "./harness/room.mjs";

/** A byte comes this often. */
const DRIBBLE_MS = 500;
/** A person waits so long at most while others are slow. */
const PATIENCE_MS = 10_000;
/** workerd waits 15 s for headers, the room 10 s for a body, the shop 10 s for headers. */
const ENDED_WITHIN_MS = 30_000;
const EACH = 40;

let room;
before(async () => {
  room = await startRoom({ events: [{ id: "demo", origin: "demo-shop" }] });
});
after(() => room?.stop());

/** Sends `start` and then a byte now and again; what came back until the end, or null when there is none in time. */
function dribbled(port, start) {
  return new Promise((resolve) => {
    let answer = "";
    const socket = net.connect(port, "127.0.0.1", () => socket.write(start));
    const sending = setInterval(() => socket.write("x"), DRIBBLE_MS);
    const end = (result) => {
      clearInterval(sending);
      clearTimeout(timer);
      socket.destroy();
      resolve(result);
    };
    const timer = setTimeout(() => end(null), ENDED_WITHIN_MS);
    socket.on("data", (bytes) => {
      answer += bytes;
    });
    // A connection that is reset has ended as well.
    socket.on("error", () => end(answer));
    socket.on("end", () => end(answer));
  });
}

test("C20 slow headers and bodies end in time at the room and at the shop, and hold nobody up", async () => {
  const shopPort = Number(new URL(room.shopUrl).port);
  const head = (method, path) => `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1:${room.port}\r\n`;
  const body = "Content-Type: application/json\r\nContent-Length: 9999\r\n\r\n{";
  const kinds = {
    "headers at the room": [room.port, `${head("GET", "/events/demo/")}X-Slow: `],
    "a body at the room": [room.port, head("POST", "/_wr/queues/demo/tickets") + body],
    "a body for the shop, without a pass": [room.port, head("POST", "/events/demo/reservations") + body],
    "headers at the shop": [shopPort, `${head("GET", "/events/demo/")}X-Slow: `],
  };
  const slow = Object.entries(kinds).flatMap(([name, [port, start]]) =>
    Array.from({ length: EACH }, async () => ({ name, answer: await dribbled(port, start) })),
  );
  await new Promise((resolve) => setTimeout(resolve, DRIBBLE_MS));
  const began_ms = Date.now();
  const fan = room.visitor();
  await fan.admitted();
  assert.equal((await fan.visit()).status, 200);
  assert.ok(Date.now() - began_ms < PATIENCE_MS, `${Date.now() - began_ms} ms`);
  for (const { name, answer } of await Promise.all(slow)) {
    assert.notEqual(answer, null, `${name}: still open after ${ENDED_WITHIN_MS} ms`);
    assert.doesNotMatch(answer, /^HTTP\/1\.1 (2|500|502)/, name);
  }
  assert.equal((await fan.visit()).status, 200);
});
