// The harness itself: an answer that breaks a rule of every answer is found, and one that keeps them is let through.
import assert from "node:assert/strict";
import http from "node:http";
import { after, before, test } from "node:test";
import { exchange } from "./harness/exchange.mjs";
import { Visitor } from "./harness/visitor.mjs";

const PASS = "wr-pass-demo-1=x; Path=/; Max-Age=60; HttpOnly; SameSite=Lax";
const KEPT = {
  "cache-control": "no-store",
  "waiting-room-state": "none",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "cross-origin-resource-policy": "same-origin",
  "permissions-policy": "camera=()",
  "referrer-policy": "same-origin",
  "x-content-type-options": "nosniff",
};

let server;
let url;
let next;
before(async () => {
  server = http.createServer((_, response) => {
    response.writeHead(next.status, next.headers);
    response.end("text");
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${server.address().port}`;
});
after(() => new Promise((resolve) => server.close(resolve)));

function answered(status, headers) {
  next = { status, headers };
  return exchange(url);
}

test("answers that keep the rules are let through", async () => {
  await answered(200, { ...KEPT, "set-cookie": [PASS, "sid=1"] });
  await answered(503, KEPT);
  const { "permissions-policy": _, "referrer-policy": __, ...OF_DATA } = KEPT;
  await answered(503, { ...OF_DATA, "content-type": "application/problem+json" });
  await answered(502, { "retry-after": "5" });
  await answered(500, { "x-shop": "1" });
  await answered(200, { "cache-control": "public, max-age=60", "set-cookie": "sid=1" });
});

test("answers that break a rule are found", async () => {
  const rows = [
    [500, {}],
    [503, {}],
    [503, { "waiting-room-state": "none" }],
    [502, {}],
    [200, { "waiting-room-state": "waiting", "cache-control": "private" }],
    [200, { ...KEPT, "content-security-policy": "default-src 'none'" }],
    [200, { ...KEPT, "content-security-policy": `${KEPT["content-security-policy"]}; style-src 'unsafe-inline'` }],
    [200, { ...KEPT, "referrer-policy": "unsafe-url" }],
    [200, { ...KEPT, "permissions-policy": "camera=*" }],
    [200, { ...KEPT, "content-type": "text/html", "referrer-policy": "" }],
    [200, { ...KEPT, "cross-origin-resource-policy": "same-site" }],
    [200, { ...KEPT, "x-content-type-options": "" }],
    [200, { ...KEPT, "strict-transport-security": "max-age=1" }],
    [200, { "set-cookie": PASS }],
    [200, { "set-cookie": PASS, "cache-control": "public, max-age=60" }],
    [200, { ...KEPT, "set-cookie": PASS.replace("; HttpOnly", "") }],
    [200, { ...KEPT, "set-cookie": PASS.replace("Path=/", "Path=/events") }],
    [200, { ...KEPT, "set-cookie": PASS.replace("60", "86401") }],
    [200, { ...KEPT, "set-cookie": PASS.replace("Lax", "None") }],
    [200, { ...KEPT, "set-cookie": `${PASS}; Domain=example.com` }],
    [200, { ...KEPT, "set-cookie": `${PASS}; Secure` }],
    [200, { ...KEPT, "set-cookie": `__Host-${PASS}` }],
  ];
  for (const [status, headers] of rows) {
    await assert.rejects(answered(status, headers), assert.AssertionError, JSON.stringify(headers));
  }
});

test("a browser keeps, replaces, drops and withholds cookies as they say", async () => {
  const visitor = new Visitor({ url, event: "demo", pathOf: () => "/" });
  const keep = async (...lines) => {
    next = { status: 200, headers: { ...KEPT, "set-cookie": lines } };
    await visitor.visit("/");
  };
  await keep(PASS, "sid=1; SameSite=None", "lax=1");
  assert.equal(visitor.cookie("pass"), "x");
  await keep(PASS.replace("=x", "=y"));
  assert.equal(visitor.cookie("pass"), "y");
  assert.deepEqual([...visitor.copied(["pass"]).jar.keys()], ["wr-pass-demo-1"]);
  const asked = new Promise((resolve) => server.once("request", (request) => resolve(request.headers.cookie)));
  await visitor.visit("/", { method: "POST", site: "cross-site", origin: "https://bank.example", form: {} });
  assert.equal(await asked, "sid=1", "only what may travel across sites");
  await keep(PASS.replace("Max-Age=60", "Max-Age=0"));
  assert.equal(visitor.cookie("pass"), undefined);
});
