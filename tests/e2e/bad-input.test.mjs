// Bad input gets a precise 4xx, never a 5xx that is not the room's own, echoes nothing, and changes nothing.
import assert from "node:assert/strict";
import net from "node:net";
import { after, before, test } from "node:test";
import { opened, signed, tampered, withWrongSignature } from "./harness/forge.mjs";
import { startRoom } from "./harness/room.mjs";

const QUEUE = "/_wr/queues/demo";
const JSON_TYPE = { "content-type": "application/json" };
const MARKUP = "<script>alert(1)</script>";
const PATIENCE_MS = 5_000;

let room;
before(async () => {
  room = await startRoom({ events: [{ id: "demo" }, { id: "other" }] });
});
after(() => room?.stop());

const post = (path, body, headers = JSON_TYPE) => room.ask(`${QUEUE}${path}`, { method: "POST", headers, body });

/** A 4xx that says what is allowed and repeats nothing. */
function refused(answer, what, statuses = [400]) {
  assert.ok(statuses.includes(answer.status), `${what}: ${answer.status} ${answer.text.slice(0, 200)}`);
  assert.equal(answer.headers["content-type"], "application/problem+json", what);
  assert.ok(answer.json.title, what);
  assert.doesNotMatch(answer.text, /script>|panicked|unreachable|RuntimeError/, what);
}

test("malformed bodies: broken JSON, other shapes, wrong members, wrong types, wrong encodings", async () => {
  const permit = (await post("/permits", "{}")).json.permit;
  for (const body of [
    "{",
    "[]",
    "null",
    '"text"',
    "7",
    `{"permit":7}`,
    `{"permit":null}`,
    `{"permit":["${permit}"]}`,
    `{"permit":"${permit}","admin":"${MARKUP}"}`,
    `{"permit":"${MARKUP}"}`,
    `{"permit":""}`,
    `{"permit":"${"x".repeat(2_000)}"}`,
    `{"permit":"${permit}","line":"${MARKUP}"}`,
    `{"permit":"a.b.c"}`,
    `{"permit":"a.b.c","permit":"${permit}"}`,
    `{"permit":"${permit}","permit":"${permit}"}`,
    "{}",
    Buffer.from([0xff, 0xfe, 0x7b, 0x7d]),
    `${"[".repeat(5_000)}`,
    `{"a":`.repeat(2_000),
  ]) {
    refused(await post("/tickets", body), String(body).slice(0, 60));
  }
});

test("an action that is named twice steers nothing", async () => {
  const operator = await room.operator();
  refused(await operator.send('{"action":"message","text":"a","action":"close"}'), "the action");
  refused(await operator.send('{"action":"retune","batch":{"size":1,"size":2,"every_seconds":60}}'), "a limit");
  refused(await operator.send('{"action":"retune","batch":{"size":1,"every_seconds":3601}}'), "longer than an hour");
  assert.equal((await operator.observe()).noted.length, 0);
});

test("a wrong content type is 415, and a form is read as a form only", async () => {
  for (const type of ["text/plain", "application/xml", "multipart/form-data; boundary=x", "application/json-seq", ""]) {
    refused(await post("/tickets", `{"permit":"x"}`, { "content-type": type }), type, [415]);
  }
  for (const body of ["permit=%", "permit=%zz", "permit=%ff", "permit=a&permit=b", `admin=${MARKUP}`]) {
    const answer = await post("/tickets", body, { "content-type": "application/x-www-form-urlencoded" });
    refused(answer, body);
  }
});

test("D7 bodies of 10 MB are refused with 413, announced or not, and the room goes on", async () => {
  const long = "x".repeat(10_000_000);
  refused(await post("/tickets", long), "announced", [413]);
  refused(await post("/tickets/me/pass", `{"return":"${long}"}`), "in JSON", [413]);
  const chunked = await post("/tickets", long, { ...JSON_TYPE, "transfer-encoding": "chunked" });
  refused(chunked, "chunked", [413]);
  const queue = await room.ask("/events/demo/upload", {
    method: "POST",
    headers: { "content-type": "text/plain" },
    body: long,
  });
  assert.equal(queue.status, 503, "a visitor without a pass is told to wait, whatever was sent");
  assert.equal((await room.ask("/_wr/health")).status, 200);
});

test("T24 tampered tokens count as not brought: tickets, permits and passes", async () => {
  const fan = room.visitor();
  const { pass } = await fan.admitted();
  const ticket = fan.cookie("ticket");
  const permit = (await post("/permits", "{}")).json.permit;
  const changes = [
    withWrongSignature,
    (token) => tampered(token, { evt: "other" }),
    (token) => tampered(token, { exp: 4_102_444_800 }),
    (token) => token.slice(0, -1),
    (token) => `${token}=`,
    (token) => token.split(".").slice(0, 2).join("."),
    (token) => `${token.split(".").slice(0, 2).join(".")}.`,
    (token) => `${Buffer.from('{"alg":"none"}').toString("base64url")}.${token.split(".")[1]}.`,
    (token) => token.replace(".", ".."),
    (token) => ` ${token}\t${token}`,
    (token) => `${token}.${token}`,
  ];
  for (const change of changes) {
    const what = String(change);
    refused(await post("/tickets", JSON.stringify({ permit: change(permit) })), what);
    const bearer = { authorization: `Bearer ${change(ticket)}` };
    assert.equal((await room.ask(`${QUEUE}/tickets/me`, { headers: bearer })).json.state, "none", what);
    const gate = await room.ask("/events/demo/x", { headers: { "waiting-room-pass": change(pass) } });
    assert.equal(gate.status, 503, what);
    refused(await room.ask("/_wr/access", { headers: { authorization: `Bearer ${change(pass)}` } }), what, [401]);
  }
  assert.equal(opened(ticket).claims.evt, "demo");
});

test("T14 T21 tokens signed with the right root key for another purpose, event, run, or without a claim are refused", async () => {
  const fan = room.visitor();
  const { pass } = await fan.admitted();
  const claims = opened(pass).claims;
  const audience = { audience: "*loopback" };
  const gate = (token) => room.ask("/events/demo/x", { headers: { "waiting-room-pass": token } });
  const without = (name) => Object.fromEntries(Object.entries(claims).filter(([key]) => key !== name));
  const forged = [
    ["another event", signed(room, "wr-pass+jwt", { ...claims, evt: "other" }, audience)],
    ["another run", signed(room, "wr-pass+jwt", { ...claims, run: 2 }, audience)],
    ["another issuer", signed(room, "wr-pass+jwt", { ...claims, iss: "production" }, audience)],
    ["another audience's key", signed(room, "wr-pass+jwt", claims, { audience: "tickets.example.com" })],
    ["T16 an unknown claim", signed(room, "wr-pass+jwt", { ...claims, admin: true }, audience)],
    ["a ticket's key", signed(room, "wr-ticket+jwt", claims)],
    ["T17 of the future", signed(room, "wr-pass+jwt", { ...claims, iat: claims.iat + 120 }, audience)],
    ["T2 another algorithm", signed(room, "wr-pass+jwt", claims, { ...audience, alg: "HS384" })],
    ...Object.keys(claims).map((name) => [`T14 without ${name}`, signed(room, "wr-pass+jwt", without(name), audience)]),
  ];
  for (const [what, token] of forged) assert.equal((await gate(token)).status, 503, what);
  assert.equal((await gate(signed(room, "wr-pass+jwt", claims, audience))).status, 200, "with nothing wrong it opens");
});

test("C4 headers of 100 kB get the room's answer or a refusal, and cut nothing off", async () => {
  const statuses = [];
  for (const headers of [
    { cookie: `a=${"x".repeat(100_000)}` },
    { cookie: `wr-pass-demo-1=${"x".repeat(30_000)}` },
    { "x-long": "y".repeat(100_000) },
    { authorization: `Bearer ${"z".repeat(50_000)}` },
    { "accept-language": "en,".repeat(10_000) },
    { "waiting-room-pass": "p".repeat(20_000) },
  ]) {
    const answer = await room.ask("/events/demo/x", { headers }).catch((error) => error);
    statuses.push(answer.status ?? answer.code);
  }
  for (const status of statuses) assert.ok([400, 431, 503, "ECONNRESET", "EPIPE"].includes(status), String(statuses));
  assert.equal((await room.ask("/_wr/health")).status, 200);
});

test("addresses that exist for no method, with trailing slashes, in capitals or too long, are 404 or 405", async () => {
  for (const path of [
    "/_wr",
    "/_wr/",
    "/_wr/queues",
    "/_wr/queues/",
    "/_wr/queues//",
    `${QUEUE}/`,
    `${QUEUE}/tickets/you`,
    `${QUEUE}/tickets/me/pass/x`,
    `/_wr/queues/${"x".repeat(5_000)}`,
    "/_wr/queues/%00",
    "/_wr/queues/demo%2ftickets",
    `/_wr/queues/${encodeURIComponent(MARKUP)}`,
    "/_wr/../_wr/nothing",
  ]) {
    refused(await room.ask(path), path.slice(0, 60), [404]);
  }
  for (const method of ["PUT", "DELETE", "PROPFIND"]) {
    const answer = await room.ask(QUEUE, { method });
    refused(answer, method, [405]);
    assert.match(answer.headers.allow, /GET/);
  }
});

/** Writes raw bytes and answers the status line, or null when the connection just ends. */
function raw(bytes) {
  return new Promise((resolve, reject) => {
    const socket = net.connect(room.port, "127.0.0.1", () => socket.write(bytes));
    let text = "";
    const done = () => {
      socket.destroy();
      const [, status] = text.match(/^HTTP\/1\.1 (\d+)/) ?? [];
      resolve(status ? { status: Number(status), text } : null);
    };
    socket.setTimeout(PATIENCE_MS, () => reject(new Error(`no answer within ${PATIENCE_MS} ms`)));
    socket.on("data", (data) => {
      text += data.toString("latin1");
      if (text.includes("\r\n\r\n")) done();
    });
    socket.on("error", done);
    socket.on("close", done);
  });
}

test("paths that are no UTF-8, and requests that are no HTTP, do not reach the origin and break nothing", async () => {
  const host = `Host: 127.0.0.1:${room.port}\r\n`;
  const request = (line, more = "") =>
    Buffer.from(`${line} HTTP/1.1\r\n${host}${more}Connection: close\r\n\r\n`, "latin1");
  for (const line of [
    "GET /events/demo/\xff\xfe",
    "GET /events/demo/%ff%fe%80",
    "GET /events/demo/%c0%af..%c0%af",
    "GET /events/demo/%u002e%u002e/x",
    "GET /events/demo/%",
    "GET /events/demo/%zz",
    "GET /events/demo/%00",
    `GET /events/demo/${"a/".repeat(4_000)}`,
    "GET http://evil.example/events/demo/x",
    "TRACE /events/demo/x",
    "get /events/demo/x",
    "GET events/demo/x",
  ]) {
    const answer = await raw(request(line));
    const what = `${line.slice(0, 50)}: ${answer?.text.split("\r\n")[0]}`;
    assert.ok(answer === null || answer.status !== 500, what);
    if (answer?.status >= 500) assert.ok(/waiting-room-state/i.test(answer.text) || answer.status === 501, what);
  }
  for (const bytes of [
    Buffer.from([0x16, 0x03, 0x01, 0x00, 0x01]),
    Buffer.from("\r\n\r\n\r\n"),
    Buffer.from("GET / HTTP/9.9\r\n\r\n"),
  ]) {
    const answer = await Promise.race([
      raw(bytes).catch(() => null),
      new Promise((resolve) => setTimeout(resolve, 500)),
    ]);
    assert.ok(!answer || answer.status < 500 || answer.status > 500, "no fault inside");
  }
  assert.deepEqual(
    room.origin.seen.filter(({ headers }) => !headers["waiting-room-pass"]),
    [],
  );
  assert.equal((await room.ask("/_wr/health")).status, 200);
});

test("nothing of all this made a place", async () => {
  const operator = await room.operator();
  const { totals } = await operator.observe();
  assert.equal(totals.joined, totals.granted, "only those who went the whole way joined");
  assert.doesNotMatch(room.output, /panicked|RuntimeError|critical/i);
});
