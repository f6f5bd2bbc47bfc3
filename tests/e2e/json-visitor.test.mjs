// Visitors without a page: apps, scripts and other sites' scripts get JSON, a precise answer, and never a redirect.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { until } from "./harness/exchange.mjs";
import { startRoom } from "./harness/room.mjs";

const FANS_SITE = "https://fans.example";
const API = "/events/demo/api/seats";

let room;
before(async () => {
  room = await startRoom({
    events: [
      { id: "demo", cors_origins: [FANS_SITE] },
      { id: "teapot", queue_status: 202 },
    ],
  });
});
after(() => room?.stop());

const asJson = (headers = {}) => ({ headers: { accept: "application/json", ...headers } });

test("an app without a pass gets a problem that says how to join, and when to come back", async () => {
  const answer = await room.ask(API, asJson());
  assert.equal(answer.status, 503);
  assert.equal(answer.headers["content-type"], "application/problem+json");
  assert.equal(answer.state, "none");
  assert.ok(Number(answer.headers["retry-after"]) > 0);
  assert.match(answer.headers["cache-control"], /no-store/);
  assert.equal(answer.json.status, 503);
  assert.match(answer.text, /\/_wr\/queues\/demo\/permits/);
  assert.match(answer.text, /\/_wr\/queues\/demo\/tickets/);
  assert.equal(room.origin.seen.length, 0);
});

test("an app goes the whole way with bearers and no cookie", async () => {
  const post = (path, document, token) =>
    room.ask(`/_wr/queues/demo${path}`, {
      method: "POST",
      headers: { "content-type": "application/json", ...(token && { authorization: `Bearer ${token}` }) },
      body: JSON.stringify(document),
    });
  const { permit } = (await post("/permits", {})).json;
  const joined = await post("/tickets", { permit });
  assert.equal(joined.status, 201, joined.text);
  const { ticket } = joined.json;
  const bearer = { headers: { authorization: `Bearer ${ticket}` } };
  await until(
    async () => (await room.ask("/_wr/queues/demo/tickets/me", bearer)).json,
    ({ state }) => state === "called",
    { what: "the turn" },
  );
  const entered = await until(
    () => post("/tickets/me/pass", {}, ticket),
    ({ status }) => status !== 202,
  );
  assert.equal(entered.status, 200, entered.text);
  const { pass } = entered.json;
  for (const headers of [{ "waiting-room-pass": pass }, { authorization: `Bearer ${pass}` }]) {
    const shop = await room.ask(API, asJson(headers));
    assert.equal(shop.status, 200);
    assert.equal(shop.headers["x-shop"], "1");
  }
  const own = await room.ask(API, asJson({ "waiting-room-pass": pass, authorization: "Bearer the-shops-own" }));
  assert.equal(own.status, 200);
  assert.equal(room.origin.seen.at(-1).headers.authorization, "Bearer the-shops-own", "a foreign Authorization stays");
});

test("C11 every method is gated like GET, and HEAD has no body", async () => {
  for (const method of ["HEAD", "OPTIONS", "PUT", "PATCH", "DELETE", "POST"]) {
    const answer = await room.ask(API, { method, ...asJson() });
    assert.equal(answer.status, 503, method);
    assert.equal(answer.state, "none", method);
    if (method === "HEAD") assert.equal(answer.text, "");
  }
  assert.equal(
    room.origin.seen.some(({ headers }) => !headers["waiting-room-pass"]),
    false,
  );
});

test("C12 ranges, conditions and expectations get no byte of the origin", async () => {
  for (const headers of [
    { range: "bytes=0-10" },
    { "if-none-match": "*" },
    { "if-modified-since": new Date().toUTCString() },
    { accept: "image/avif,image/webp" },
    { "sec-fetch-mode": "no-cors", "sec-fetch-dest": "image", "sec-fetch-site": "same-origin" },
  ]) {
    const answer = await room.ask(API, { headers });
    assert.equal(answer.status, 503, JSON.stringify(headers));
    assert.equal(answer.headers["x-shop"], undefined);
    assert.equal(answer.headers["content-type"], "application/problem+json");
  }
});

test("C12 who expects a 100-continue is answered without having sent the body", async () => {
  const headers = { expect: "100-continue", "content-type": "text/plain", "content-length": 4 };
  const answer = await room.ask(API, { method: "POST", headers, body: "seat" });
  assert.equal(answer.status, 503);
  assert.equal(answer.headers["x-shop"], undefined);
});

test("C9 headers that claim another host or path have no influence", async () => {
  const plain = await room.visitor().visit("/events/demo/x");
  const scrubbed = (text) =>
    text.replace(/nonce="[^"]*"|value="[^"]*"|<script type="application\/json".*?<\/script>/gs, "");
  for (const headers of [
    { "x-forwarded-host": "evil.example" },
    { "x-forwarded-proto": "https", "x-forwarded-port": "444", "x-forwarded-scheme": "https" },
    { "x-original-url": "/evil.example", "x-rewrite-url": "/evil.example" },
    { forwarded: "host=evil.example;proto=https", "x-host": "evil.example" },
  ]) {
    const answer = await room.visitor({ headers }).visit("/events/demo/x");
    assert.equal(answer.status, 503);
    assert.doesNotMatch(answer.text, /evil\.example/);
    assert.equal(scrubbed(answer.text), scrubbed(plain.text), JSON.stringify(headers));
    const outside = await room.ask("/outside", { headers });
    assert.notEqual(outside.state, "none", "the address decides, not a header");
  }
});

test("C17 a named site's scripts may read the answers; another site gets no leave", async () => {
  const from = (origin) => asJson({ origin, "sec-fetch-mode": "cors", "sec-fetch-site": "cross-site" });
  for (const path of [API, "/_wr/queues/demo", "/_wr/queues/demo/tickets/me"]) {
    const named = await room.ask(path, from(FANS_SITE));
    assert.equal(named.headers["access-control-allow-origin"], FANS_SITE, path);
    assert.equal(named.headers["access-control-allow-credentials"], "true");
    for (const origin of ["https://evil.example", "null", "https://fans.example.evil.example"]) {
      const other = await room.ask(path, from(origin));
      assert.equal(other.headers["access-control-allow-origin"], undefined, `${path} from ${origin}`);
    }
  }
});

test("C11 a preflight goes to the origin, which alone knows what it allows", async () => {
  room.origin.answer = () => ({ status: 204, headers: { "access-control-allow-origin": FANS_SITE }, body: "" });
  const answer = await room.ask(API, {
    method: "OPTIONS",
    headers: { origin: FANS_SITE, "access-control-request-method": "PUT" },
  });
  room.origin.answer = null;
  assert.equal(answer.status, 204);
  assert.equal(answer.headers["x-shop"], "1");
  assert.equal(room.origin.seen.at(-1).headers["waiting-room-pass"], undefined);
});

test("C11 a preflight brings the origin no credentials, no body and no other method", async () => {
  await room.ask(`${API}/preflight`, {
    method: "OPTIONS",
    headers: {
      origin: FANS_SITE,
      "access-control-request-method": "PUT",
      "access-control-request-headers": "x-seat",
      cookie: "sid=1",
      authorization: "Basic YTpi",
      "x-http-method-override": "DELETE",
      "content-type": "application/json",
      "content-length": "2",
    },
    body: "{}",
  });
  const { method, headers, body } = room.origin.arrived("/preflight").at(-1);
  assert.deepEqual([method, body, headers.origin], ["OPTIONS", "", FANS_SITE]);
  assert.equal(headers["access-control-request-headers"], "x-seat");
  for (const name of ["cookie", "authorization", "x-http-method-override", "content-type", "waiting-room-pass"]) {
    assert.equal(headers[name], undefined, name);
  }
});

test("queue_status is the page's status", async () => {
  const page = await room.visitor({ event: "teapot" }).visit();
  assert.equal(page.status, 202);
  assert.match(page.headers["cache-control"], /no-store/);
});

test("C17 a named site's script may join across sites, after a preflight that our own addresses answer", async () => {
  const path = "/_wr/queues/demo/tickets";
  const asks = {
    origin: FANS_SITE,
    "access-control-request-method": "POST",
    "access-control-request-headers": "content-type",
  };
  const preflight = await room.ask(path, { method: "OPTIONS", headers: asks });
  assert.equal(preflight.status, 204);
  assert.equal(preflight.headers["access-control-allow-origin"], FANS_SITE);
  assert.match(preflight.headers["access-control-allow-methods"], /POST/);
  assert.match(preflight.headers["access-control-allow-headers"], /content-type/i);
  const foreign = await room.ask(path, { method: "OPTIONS", headers: { ...asks, origin: "https://evil.example" } });
  assert.equal(foreign.headers["access-control-allow-origin"], undefined);
  const headers = { origin: FANS_SITE, "sec-fetch-site": "cross-site", "content-type": "application/json" };
  const { permit } = (await room.ask("/_wr/queues/demo/permits", { method: "POST", headers })).json;
  const joined = await room.ask(path, { method: "POST", headers, body: JSON.stringify({ permit }) });
  assert.equal(joined.status, 201, joined.text);
  assert.equal(joined.headers["access-control-allow-origin"], FANS_SITE);
});
