// The way to the origin and back: down, slow, redirecting; what a visitor cannot tell it, and what it cannot tell a visitor.
import assert from "node:assert/strict";
import http from "node:http";
import { after, before, beforeEach, test } from "node:test";
import { gzipSync, gunzipSync } from "node:zlib";
import { until } from "./harness/exchange.mjs";
import { startRoom } from "./harness/room.mjs";

let room;
let fan;
before(async () => {
  room = await startRoom({ events: [{ id: "demo", bypass: ["/events/demo/hooks/*", "/events/demo/health"] }] });
  fan = room.visitor();
  await fan.admitted();
});
beforeEach(() => {
  room.origin.answer = null;
});
after(() => room?.stop());

test("O9 while the origin is down joins and turns go on, who is inside is told, and nothing is lost", async () => {
  await room.origin.stop();
  try {
    const page = await fan.visit();
    assert.equal(page.status, 502);
    assert.ok(Number(page.headers["retry-after"]) > 0);
    assert.match(page.headers["content-type"], /text\/html/);
    assert.match(page.headers["cache-control"], /no-store/);
    const json = await fan.shop();
    assert.equal(json.headers["content-type"], "application/problem+json");
    assert.doesNotMatch(page.text + json.text, /127\.0\.0\.1|ECONNREFUSED/, "no origin's name, no inside of ours");
    assert.ok(fan.cookie("pass"), "the pass is kept");
    const late = room.visitor();
    await late.visit();
    const { entry } = await late.join();
    assert.equal((await late.ask()).entry, entry);
  } finally {
    await room.origin.start();
  }
  const back = await until(
    () => fan.visit(),
    ({ status }) => status === 200,
    { what: "the origin again" },
  );
  assert.equal(back.headers["x-shop"], "1");
});

test("an origin's own errors are its own, and reach the visitor as they are", async () => {
  for (const status of [404, 418, 429, 500, 503]) {
    room.origin.answer = () => ({ status, headers: { "retry-after": "7" }, body: "the shop says" });
    const answer = await fan.visit();
    assert.equal(answer.status, status);
    assert.equal(answer.text, "the shop says");
    assert.equal(answer.state, undefined);
  }
});

test("a status that is none is no answer of the shop: the pass is kept, also on the paths that need none", async () => {
  for (const headers of [{}, { "set-cookie": "cart=1" }]) {
    room.origin.answer = () => ({ status: 999, headers });
    const inside = await fan.shop();
    assert.equal(inside.status, 502);
    assert.equal(inside.json.type, "urn:anteroom:problem:origin-away");
    assert.ok(fan.cookie("pass"));
    assert.equal((await room.ask("/events/demo/hooks/paid")).status, 502);
  }
});

/** The answer's header of this name at an address that was asked under `host`, when the shop says `value` there. */
async function seen(name, value, host) {
  room.origin.answer = () => ({ status: 302, headers: { [name]: value } });
  const answer = await room.ask("/events/demo/go", { headers: { host, "waiting-room-pass": fan.cookie("pass") } });
  assert.equal(answer.status, 302, "redirects are not followed");
  return answer.headers[name];
}

test("no origin host name reaches a visitor in a header that leads somewhere, however sloppy it is", async () => {
  const { host, port } = new URL(room.origin.url);
  const here = new URL(room.url).host;
  const there = `http://${here}/x?a=1#b`;
  const ways = [
    `http://${host}/x?a=1#b`,
    `HTTP://${host}/x?a=1#b`,
    `http:/\\${host}/x?a=1#b`,
    `http:\\\\${host}\\x?a=1#b`,
    `http:/${host}/x?a=1#b`,
    `http:${host}/x?a=1#b`,
    `//${host}/x?a=1#b`,
    `\\/${host}/x?a=1#b`,
    `/\t/${host}/x?a=1#b`,
    `ht\ttp://127.0.\t0.1:${port}/x?a=1#b`,
    `http://name:word@${host}/x?a=1#b`,
    `http://2130706433:${port}/x?a=1#b`,
    `http://0x7f.1:${port}/y/../x?a=1#b`,
  ];
  for (const way of ways) {
    assert.equal(await seen("location", ` \t${way}`, here), there, way);
    assert.equal(await seen("content-location", way, here), there, way);
    assert.equal(await seen("refresh", `5; url="${way}"`, here), `5; url="${there}"`, way);
    const links = [`<${way}>; rel=preload, </b>; rel=next`, `<${there}>; rel=preload, </b>; rel=next`];
    assert.equal(await seen("link", links[0], here), links[1], way);
  }
  for (const way of ["http://127.0.0.1/x?a=1#b", "https://127.0.0.1:1/x?a=1#b", "//127.0.0.1/x?a=1#b"]) {
    const elsewhere = `localhost:${new URL(room.url).port}`;
    assert.equal(await seen("location", way, elsewhere), `http://${elsewhere}/x?a=1#b`, "with whatever port");
  }
});

test("what leads anywhere but to the origin goes back as it came", async () => {
  const { host } = new URL(room.origin.url);
  const here = new URL(room.url).host;
  for (const value of [
    "/events/demo/ok",
    "ok?a=1",
    `HTTP:\\\\${here}/a b`,
    `https://bank.example/pay?back=http://${host}/`,
    `HTTPS://Bank.example:443//a/../b|`,
    `//${host}.example/`,
    "http://127.0.0.1:1/another-port",
    `blob:http://${host}/1`,
    "http://[/",
  ]) {
    assert.equal(await seen("location", value, here), value);
    assert.equal(await seen("refresh", `0;url=${value}`, here), `0;url=${value}`);
    const link = `<${value}>;rel=preload ,</b> ; rel="next"`;
    assert.equal(await seen("link", link, here), link);
  }
});

test("the origin's cookies come through, each by itself, except those that bear our names", async () => {
  const cookies = [
    "sid=1; Path=/; HttpOnly",
    "theme=dark; Expires=Wed, 09 Jun 2032 10:18:14 GMT",
    "wr-pass-demo-1=x",
    "__Host-wr-ticket-demo-1=y; Path=/; Secure",
    "=wr-pass-demo-1=without-a-name; Path=/",
    " wr-pass-demo-1 =with-spaces",
  ];
  room.origin.answer = () => ({ headers: { "set-cookie": cookies } });
  const answer = await room.ask("/events/demo/cookies", { headers: { "waiting-room-pass": fan.cookie("pass") } });
  assert.deepEqual(
    answer.cookies.map(({ line }) => line),
    cookies.slice(0, 2),
  );
});

test("what nothing has to be changed in goes back as it came, to the byte", async () => {
  const said = { "set-cookie": "name=Zoë; Path=/", location: "/events/demo/café" };
  room.origin.answer = () => ({ status: 302, headers: said });
  const headers = { "waiting-room-pass": fan.cookie("pass") };
  const answer = await new Promise((resolve, reject) => {
    http.get(`${room.url}/events/demo/bytes`, { headers }, resolve).on("error", reject);
  });
  answer.resume();
  const arrived = (wanted) => answer.rawHeaders.filter((_, at, all) => all[at - 1]?.toLowerCase() === wanted);
  for (const [name, value] of Object.entries(said)) assert.deepEqual(arrived(name), [value]);
});

/** What arrived at the shop in headers of this name, each byte one letter. */
async function arrivesAs(name, headers) {
  const answer = await room.ask("/events/demo/onward", { headers });
  assert.equal(answer.status, 200);
  const { rawHeaders } = room.origin.arrived("/onward").at(-1);
  return rawHeaders.filter((_, at, all) => all[at - 1]?.toLowerCase() === name);
}

test("a visitor's cookies reach the origin as they came, to the byte, without ours", async () => {
  const bytes = (text) => Buffer.from(text, "utf8").toString("latin1");
  const [ours] = [...fan.jar]
    .map(([name, { value }]) => `${name}=${value}`)
    .filter((pair) => pair.includes("wr-pass-"));
  const inHeader = { "waiting-room-pass": fan.cookie("pass") };
  for (const theirs of ["sid=1;theme=dark;", `name=${bytes("Zoë")};  a=b`, "name=Zo\xeb; a=\xff\xfe;b", 'a="x, y"']) {
    assert.deepEqual(await arrivesAs("cookie", { ...inHeader, cookie: theirs }), [theirs], "with none of ours");
  }
  for (const [came, expected] of [
    [`sid=1;theme=dark; ${ours}`, "sid=1;theme=dark"],
    [`${ours}; name=${bytes("Zoë")};  a="x, y"`, `name=${bytes("Zoë")};  a="x, y"`],
    // Bytes that are no UTF-8 cannot be said again: that cookie is left out, the others are not.
    [`a=1; name=Zo\xeb; ${ours}; b=${bytes("ü")}`, `a=1; b=${bytes("ü")}`],
  ]) {
    assert.deepEqual(await arrivesAs("cookie", { cookie: came }), [expected]);
  }
  assert.deepEqual(await arrivesAs("cookie", { cookie: ours }), []);
});

test("no token of ours reaches the origin as an Authorization, and every other Authorization does", async () => {
  const [pass, ticket] = ["pass", "ticket"].map((kind) => fan.cookie(kind));
  const inHeader = { "waiting-room-pass": pass };
  for (const [authorization, expected] of [
    [`Bearer ${ticket}`, []],
    [`Basic eDp5, Bearer ${pass}`, ["Basic eDp5"]],
    [["Basic eDp5", `Bearer ${ticket}`], ["Basic eDp5"]],
    [[`Bearer ${ticket}`, "Bearer the-shops-own"], ["Bearer the-shops-own"]],
    [`Token token="${ticket}"`, []],
    ["Basic eDp5,  Bearer the-shops-own", ["Basic eDp5,  Bearer the-shops-own"]],
    ["Basic \xeb\xff", ["Basic \xeb\xff"]],
  ]) {
    assert.deepEqual(await arrivesAs("authorization", { ...inHeader, authorization }), expected);
  }
});

test("O1 O4 what a visitor says about host, protocol and address never reaches the origin; what the edge knows does", async () => {
  const spoofed = {
    "x-forwarded-for": "198.51.100.7",
    "x-real-ip": "198.51.100.7",
    "true-client-ip": "198.51.100.7",
    forwarded: "for=198.51.100.7",
    "x-forwarded-host": "evil.example",
    "x-forwarded-proto": "gopher",
    "x-original-url": "/admin",
    "x-rewrite-url": "/admin",
    "x-original-uri": "/admin",
    "x-original-host": "evil.example",
    "x-forwarded-server": "evil.example",
    "x-forwarded-ssl": "gopher",
    "x-forwarded-uri": "/admin",
    "x-client-ip": "198.51.100.7",
    x_forwarded_for: "198.51.100.7",
    x_client_ip: "198.51.100.7",
    "x-forward-for": "198.51.100.7",
    proxy: "evil.example",
    "proxy-authorization": "evil.example",
    "x-scheme": "gopher",
    "front-end-https": "gopher",
    waiting_room_pass: "released",
    "waiting-room-state": "admitted",
    "waiting-room-command": "release",
  };
  await fan.visit("/events/demo/o4", { headers: spoofed });
  const { headers } = room.origin.arrived("/o4").at(-1);
  assert.doesNotMatch(JSON.stringify(headers), /198\.51\.100\.7|evil\.example|gopher|\/admin|release/);
  assert.equal(headers["x-forwarded-host"], new URL(room.url).host);
  assert.equal(headers["x-forwarded-proto"], "http");
  assert.equal(headers.host, new URL(room.origin.url).host);
});

test("commands and states of the origin stay between the origin and the edge", async () => {
  const headers = { "waiting-room-command": "dance", "waiting-room-state": "closed", "Waiting-Room-Secret": "x" };
  room.origin.answer = () => ({ headers });
  const answer = await fan.visit();
  assert.equal(answer.status, 200);
  for (const name of Object.keys(headers)) assert.equal(answer.headers[name.toLowerCase()], undefined, name);
});

test("an answer is streamed: its first piece is there before its last is written", async () => {
  const slow = http.createServer((_, response) => {
    response.writeHead(200, { "content-type": "text/plain", "x-shop": "1" });
    response.write("first");
    setTimeout(() => response.end("last"), 1_500);
  });
  await new Promise((resolve) => slow.listen(0, "127.0.0.1", resolve));
  const streaming = await startRoom({
    events: [{ id: "demo", origin: `http://127.0.0.1:${slow.address().port}`, mode: "off" }],
  });
  try {
    const began_ms = Date.now();
    const response = await fetch(`${streaming.url}/events/demo/stream`);
    const reader = response.body.getReader();
    const { value } = await reader.read();
    assert.equal(new TextDecoder().decode(value), "first");
    assert.ok(Date.now() - began_ms < 1_400, `${Date.now() - began_ms} ms`);
    await reader.cancel();
  } finally {
    await streaming.stop();
    slow.closeAllConnections();
    await new Promise((resolve) => slow.close(resolve));
  }
});

test("a compressed answer, an empty one and an unchanged one stay what they are", async () => {
  const page = "seat ".repeat(5_000);
  room.origin.answer = () => ({ headers: { "content-encoding": "gzip" }, body: gzipSync(page) });
  const answer = await fan.visit("/events/demo/zipped", { headers: { "accept-encoding": "gzip" } });
  const zipped = answer.headers["content-encoding"] === "gzip";
  assert.equal(zipped ? gunzipSync(answer.bytes).toString() : answer.text, page);
  room.origin.answer = () => ({ status: 304, headers: { etag: '"1"' }, body: "" });
  assert.equal((await fan.visit("/events/demo/zipped", { headers: { "if-none-match": '"1"' } })).status, 304);
  assert.equal(room.origin.seen.at(-1).headers["if-none-match"], '"1"');
  room.origin.answer = () => ({ status: 204, body: "" });
  assert.equal((await fan.shop("/events/demo/x", { method: "DELETE" })).status, 204);
});

test("O10 bypass rules are exact: hooks pass without a pass, and nothing else does by looking like one", async () => {
  const hook = await room.ask("/events/demo/hooks/payment?id=1", { method: "POST", body: "paid" });
  assert.equal(hook.status, 200);
  const arrived = room.origin.arrived("/events/demo/hooks/payment?id=1")[0];
  assert.equal(arrived.body, "paid");
  assert.equal(arrived.headers["waiting-room-pass"], undefined);
  assert.equal((await room.ask("/events/demo/health")).status, 200);
  for (const path of [
    "/events/demo/healthy",
    "/events/demo/health/x",
    "/events/demo/hooks/../seats",
    "/events/demo/hooks/%2e%2e/seats",
    "/events/demo/hooks/..%2fseats",
    "/events/demo/hooks%2f..%2fseats",
    "/events/demo/hooks/%252e%252e/seats",
    "/events/demo/hooks/..;/seats",
    "/events/demo/hooks\\..\\seats",
    "/events/demo/seats?/events/demo/hooks/x",
    "/events/demo/seats#/events/demo/hooks/x",
  ]) {
    const answer = await room.ask(path);
    assert.equal(answer.headers["x-shop"], undefined, path);
    assert.ok([400, 503].includes(answer.status), `${path}: ${answer.status}`);
  }
  for (const headers of [
    { "user-agent": "Googlebot/2.1" },
    { "x-original-url": "/events/demo/hooks/x" },
    { referer: `${room.url}/events/demo/hooks/x` },
  ]) {
    assert.equal((await room.ask("/events/demo/seats", { headers })).status, 503);
  }
});

test("O2 a pass of another room's keys opens nothing", async () => {
  const other = await startRoom();
  try {
    const stranger = other.visitor();
    const { pass } = await stranger.admitted();
    assert.equal((await room.ask("/events/demo/x", { headers: { "waiting-room-pass": pass } })).status, 503);
  } finally {
    await other.stop();
  }
});

test("an event without an origin sends the request on unchanged, as behind a Worker route", async () => {
  const routed = await startRoom({ events: [{ id: "demo", origin: null, mode: "off" }] });
  try {
    const host = new URL(routed.origin.url).host;
    const answer = await routed.ask("/events/demo/as-it-is?a=1", { headers: { host } });
    assert.equal(answer.status, 200);
    const [{ url, headers }] = routed.origin.seen;
    assert.equal(url, "/events/demo/as-it-is?a=1");
    assert.equal(headers.host, host);
    assert.ok(headers["waiting-room-pass"]);
  } finally {
    await routed.stop();
  }
});
