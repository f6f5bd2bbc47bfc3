// A WebSocket upgrade is a request like any other: gated without a pass, passed through with one.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import WebSocket from "ws";
import { startRoom } from "./harness/room.mjs";

const PATH = "/events/demo/live?seat=4";
const PARTNER = "https://partner.example";
const EVIL = "https://evil.example";

let room;
before(async () => {
  const open = { id: "open", cors_origins: [PARTNER], mode: "off" };
  const twoHosts = {
    id: "two-hosts",
    hosts: ["api.shop.localhost", "www.shop.localhost"],
    cookie_domain: "shop.localhost",
  };
  room = await startRoom({ events: [{ id: "demo", cors_origins: [PARTNER] }, open, twoHosts] });
});
after(() => room?.stop());

/** Opens a WebSocket; answers it, or the status with which it was refused. */
function upgrade(headers, path = PATH) {
  const connection = new WebSocket(`${room.url.replace("http", "ws")}${path}`, { headers, handshakeTimeout: 5_000 });
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

test("C15 another site's page opens no socket with the visitor's pass, however it says where it is from", async () => {
  const fan = room.visitor();
  await fan.admitted();
  const cookie = [...fan.jar].map(([name, { value }]) => `${name}=${value}`).join("; ");
  const before = room.origin.seen.length;
  for (const headers of [
    { origin: EVIL },
    { origin: "null" },
    { origin: `${room.url}.evil.example` },
    { origin: room.url, "sec-fetch-site": "cross-site" },
    { origin: room.url, "sec-fetch-site": "same-site" },
    { "sec-fetch-site": "cross-site" },
    {},
  ]) {
    const { status } = await upgrade({ cookie, ...headers });
    assert.equal(status, 403, JSON.stringify(headers));
  }
  assert.equal(room.origin.seen.length, before);
  for (const headers of [
    { origin: room.url },
    { origin: room.url, "sec-fetch-site": "same-origin" },
    { origin: PARTNER, "sec-fetch-site": "cross-site" },
  ]) {
    const { connection, status } = await upgrade({ cookie, ...headers });
    assert.ok(connection, `${JSON.stringify(headers)} refused with ${status}`);
    connection.terminate();
  }
  assert.equal((await fan.visit()).status, 200, "a refused socket takes nothing away");
});

test("C15 a page on one of the event's hosts opens a socket on another of them, and no other host's page does", async () => {
  const { port } = new URL(room.url);
  const host = `api.shop.localhost:${port}`;
  const ours = `http://www.shop.localhost:${port}`;
  const fan = room.visitor({ event: "two-hosts", headers: { host } });
  await fan.admitted();
  const cookie = [...fan.jar].map(([name, { value }]) => `${name}=${value}`).join("; ");
  for (const site of ["same-site", "cross-site"]) {
    const opens = (origin) => upgrade({ host, cookie, origin, "sec-fetch-site": site }, "/events/two-hosts/live");
    const { connection, status } = await opens(ours);
    assert.ok(connection, `${site} refused with ${status}`);
    connection.terminate();
    for (const origin of [EVIL, "null", ours.replace("www", "evil"), ours.replace("http", "https"), `${ours}1`]) {
      assert.equal((await opens(origin)).status, 403, origin);
    }
  }
});

test("C15 a program that brings its pass as a header needs to say no site", async () => {
  const fan = room.visitor();
  const { pass } = await fan.admitted();
  const { connection, status } = await upgrade({ "waiting-room-pass": pass });
  assert.ok(connection, `refused with ${status}`);
  connection.terminate();
  assert.equal((await upgrade({ "waiting-room-pass": pass, origin: EVIL })).status, 403);
});

test("while everything passes, sockets are the shop's own matter", async () => {
  const { connection, status } = await upgrade({ origin: EVIL }, "/events/open/live");
  assert.ok(connection, `refused with ${status}`);
  connection.terminate();
});

test("C15 a socket on one of the room's own addresses is another site's to open no more than a form is to send", async () => {
  for (const path of ["/_wr/queues/demo/tickets/me/events", "/_wr/queues/demo"]) {
    assert.equal((await upgrade({ origin: EVIL }, path)).status, 403, path);
    const own = await upgrade({ origin: room.url }, path);
    assert.notEqual(own.status, 403, path);
  }
});
