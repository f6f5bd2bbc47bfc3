// A shared cache in front of the room: it stores whatever it may by RFC 9111, and no visitor ever gets another's answer.
import assert from "node:assert/strict";
import http from "node:http";
import { after, before, test } from "node:test";
import { exchange, ourCookie } from "./harness/exchange.mjs";
import { startRoom } from "./harness/room.mjs";
import { Visitor } from "./harness/visitor.mjs";

let room;
let cache;
before(async () => {
  room = await startRoom({ events: [{ id: "demo" }, { id: "plain", queue_status: 200 }] });
  cache = await startCache(room.url);
});
after(async () => {
  await cache?.stop();
  await room?.stop();
});

/** Whether a shared cache may store this answer and use it again: greedy, so that nothing but the headers saves us. */
function maySave(method, { status, headers }) {
  const control = (headers["cache-control"] ?? "").toLowerCase();
  if (method !== "GET" || ![200, 202, 203, 204, 300, 301, 404, 405, 410, 414, 501, 503].includes(status)) return false;
  return !/no-store|private|no-cache|s-maxage=0|max-age=0/.test(control);
}

/** A caching proxy; `saved` and `reused` tell what it did. */
async function startCache(target) {
  const store = new Map();
  const saved = [];
  const reused = [];
  const server = http.createServer(async (request, response) => {
    const pieces = [];
    for await (const piece of request) pieces.push(piece);
    const key = `${request.method} ${request.url}`;
    const send = ({ status, headers, bytes }) => {
      response.writeHead(status, headers);
      response.end(bytes);
    };
    const kept = store.get(key);
    if (kept) {
      reused.push(key);
      return send(kept);
    }
    const { "transfer-encoding": _1, connection: _2, ...headers } = request.headers;
    const body = Buffer.concat(pieces);
    const answer = await exchange(target, { method: request.method, path: request.url, headers, body }).catch(
      (error) => {
        response.destroy(error);
      },
    );
    if (!answer) return;
    const { "transfer-encoding": _3, connection: _4, ...own } = answer.headers;
    const plain = { status: answer.status, headers: own, bytes: answer.bytes, cookies: answer.cookies };
    if (maySave(request.method, answer)) {
      store.set(key, plain);
      saved.push({ key, ...plain });
    }
    send(plain);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const stop = () => new Promise((resolve) => server.close(resolve));
  return { url: `http://127.0.0.1:${server.address().port}`, saved, reused, stop };
}

/** A visitor who reaches the room through the cache. */
function behindTheCache(event = room.event) {
  return new Visitor({ url: cache.url, event, pathOf: (id) => room.pathOf(id) }, { event });
}

test("C7 two visitors behind one cache go the whole way, each with an own place, and no answer of the room is reused", async () => {
  // What the shop lets a cache keep is the shop's own affair: this one keeps its pages private.
  room.origin.answer = () => ({ headers: { "cache-control": "private" } });
  for (const event of ["demo", "plain"]) {
    const fans = [behindTheCache(event), behindTheCache(event)];
    const entries = [];
    for (const fan of fans) {
      await fan.visit();
      entries.push((await fan.join()).entry);
    }
    assert.notEqual(entries[0], entries[1]);
    for (const fan of fans) {
      await fan.visit();
      await fan.script("GET", fan.queue);
      await fan.enter();
      await fan.script("GET", "/_wr/jwks.json");
      assert.equal((await fan.visit()).headers["x-shop"], "1");
    }
    const late = behindTheCache(event);
    assert.equal((await late.visit()).headers["x-shop"], undefined, "an answer of the shop is not for who has no pass");
  }
  room.origin.answer = null;
  const kept = cache.saved.filter(({ headers }) => headers["waiting-room-state"] !== undefined);
  assert.deepEqual(
    kept.map(({ key }) => key),
    [],
  );
});

test("C7 errors are not stored either", async () => {
  const fan = behindTheCache();
  await fan.visit();
  for (const path of ["/_wr/queues/demo/tickets/me", "/_wr/queues/none/tickets/me", "/_wr/access", "/_wr/nothing"]) {
    await fan.script("GET", path);
    assert.equal(
      cache.saved.some(({ key }) => key === `GET ${path}`),
      false,
      path,
    );
  }
});

test("C7 an origin's cacheable answer carries none of our cookies, and loses its leave when it must carry one", async () => {
  const fan = behindTheCache();
  await fan.admitted();
  room.origin.answer = ({ url }) =>
    url.includes("/poster") && { headers: { "cache-control": "public, max-age=600", "content-type": "image/png" } };
  const poster = await fan.visit("/events/demo/poster.png");
  assert.equal(poster.status, 200);
  const mayBeKept = !/no-store|private/.test(poster.headers["cache-control"]);
  if (mayBeKept)
    assert.deepEqual(
      poster.cookies.filter(({ name }) => ourCookie(name)),
      [],
    );
  room.origin.answer = ({ url }) =>
    url.includes("/basket") && {
      headers: { "cache-control": "public, max-age=600", "waiting-room-command": "release" },
    };
  const basket = await fan.visit("/events/demo/basket");
  room.origin.answer = null;
  assert.ok(
    basket.cookies.some(({ name }) => ourCookie(name)?.kind === "pass"),
    "the release clears the pass",
  );
  assert.match(basket.headers["cache-control"], /private/);
  assert.match(basket.headers["cache-control"], /no-store/);
  for (const { key, cookies } of cache.saved)
    assert.deepEqual(
      cookies.filter(({ name }) => ourCookie(name)),
      [],
      key,
    );
});
