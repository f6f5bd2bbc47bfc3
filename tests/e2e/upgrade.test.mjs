// A WebSocket upgrade is a request like any other: gated without a pass, passed through with one.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import WebSocket from "ws";
import { startRoom } from "./harness/room.mjs";

const PATH = "/events/demo/live?seat=4";

let room;
before(async () => {
  room = await startRoom();
});
after(() => room?.stop());

/** Opens a WebSocket; answers it, or the status with which it was refused. */
function upgrade(headers) {
  const connection = new WebSocket(`${room.url.replace("http", "ws")}${PATH}`, { headers, handshakeTimeout: 5_000 });
  return new Promise((resolve, reject) => {
    connection.once("open", () => resolve({ connection }));
    connection.once("unexpected-response", (request, response) => {
      response.resume();
      resolve({ status: response.statusCode, headers: response.headers });
      request.destroy();
    });
    connection.once("error", reject);
  });
}

const next = (connection) => new Promise((resolve) => connection.once("message", (data) => resolve(String(data))));

test("C11 an upgrade without a pass is refused by the room and never reaches the origin", async () => {
  const { status, headers } = await upgrade({});
  assert.equal(status, 503);
  assert.equal(headers["waiting-room-state"], "none");
  assert.equal(room.origin.seen.length, 0);
});

test("an upgrade with a pass is passed through, both ways, with the pass and without our cookies", async () => {
  const fan = room.visitor();
  const { pass } = await fan.admitted();
  const cookie = `seen=1; ${[...fan.jar].map(([name, { value }]) => `${name}=${value}`).join("; ")}`;
  const { connection, status } = await upgrade({ cookie, origin: room.url });
  assert.ok(connection, `refused with ${status}`);
  const [request] = room.origin.arrived(PATH);
  assert.equal(request.upgrade, true);
  assert.equal(request.headers["waiting-room-pass"], pass);
  assert.equal(request.headers.cookie, "seen=1");
  for (const word of ["hello", "x".repeat(100_000)]) {
    const answer = next(connection);
    connection.send(word);
    assert.equal(await answer, `echo ${word}`);
  }
  const closed = new Promise((resolve) => connection.once("close", resolve));
  connection.close(1000);
  await closed;
});

test("an upgrade with somebody's broken pass is refused", async () => {
  const fan = room.visitor();
  const { pass } = await fan.admitted();
  const { status } = await upgrade({ cookie: `wr-pass-demo-1=${pass.slice(0, -3)}AAA` });
  assert.equal(status, 503);
});
