// The recipes as running origins, and nginx, which asks the room: who comes without a pass of a running session is refused
// by all of them alike, whatever else the request says.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { freePort } from "../../scripts/ports.mjs";
import { originKeys } from "../../scripts/setup/keys-tool.mjs";
import { exchange } from "../e2e/harness/exchange.mjs";
import { signed } from "../e2e/harness/forge.mjs";
import { startRoom } from "../e2e/harness/room.mjs";
import { corpusOf } from "./corpus.mjs";
import { startNginx, startOrigins, startPublicOrigins } from "./origins.mjs";
import { settingsFor } from "./recipes.mjs";

const AUDIENCE = "*loopback";
/** nginx counts whole seconds, so it asks again after one or two. */
const ASKED_AGAIN_MS = 2_100;

let room;
let fan;
let keys;
let origins = [];
let nginx;
before(async () => {
  room = await startRoom({ tls: true });
  fan = room.visitor();
  await fan.admitted();
  ({ keys } = await originKeys({ issuer: room.issuer, audience: AUDIENCE, secrets: room.secrets }));
  nginx = await startNginx(room, room.origin.url);
  origins = [...(await startOrigins(settingsFor({ keys, event: room.event }))), nginx];
});
after(async () => {
  await Promise.all([...origins, nginx].map((origin) => origin?.stop()));
  await room?.stop();
});

const asked = (origin, headers = {}) => exchange(origin.url, { path: "/seats", headers });
const bringing = (pass) => ({ "waiting-room-pass": pass });

test("T31 one corpus over HTTP: every origin says the same", { timeout: 90_000 }, async () => {
  const others = [fan.cookie("ticket"), await fan.permit()];
  const corpus = corpusOf(room, { pass: fan.cookie("pass"), key: keys[0], others });
  assert.ok(corpus.length > 150, `${corpus.length} passes`);
  for (const origin of origins) {
    const wrong = [];
    for (const { name, token, taken } of corpus) {
      const { status } = await asked(origin, bringing(token));
      const expected = taken ? status === 200 : [400, 403].includes(status);
      if (!expected) wrong.push(`${name}: ${status}`);
    }
    assert.deepEqual(wrong, [], origin.name);
  }
});

test("O2 who comes to the origin directly, without a pass, is refused", async () => {
  for (const origin of origins) {
    const answer = await asked(origin);
    assert.equal(answer.status, 403, origin.name);
    assert.match(answer.headers["cache-control"], /no-store/, origin.name);
    assert.match(answer.text, /only through the waiting room/, origin.name);
  }
});

test("O1 nothing but the token is believed: no other header, no cookie, no bearer, no address", async () => {
  const pass = fan.cookie("pass");
  for (const origin of origins) {
    for (const headers of [
      { "waiting-room-state": "admitted" },
      { "waiting-room-session": "0.0.1", "waiting-room-event": room.event },
      { "waiting-room-command": "extend=600" },
      { authorization: `Bearer ${pass}` },
      { cookie: `wr-pass-${room.event}-1=${pass}; __Host-wr-pass-${room.event}-1=${pass}` },
      { "x-waiting-room-pass": pass, "x-forwarded-for": "127.0.0.1", "x-original-url": "/_wr/access" },
      { "x-forwarded-host": "tickets.example.com", "cf-connecting-ip": "127.0.0.1", "x-real-ip": "::1" },
    ]) {
      assert.equal((await asked(origin, headers)).status, 403, `${origin.name} ${JSON.stringify(headers)}`);
    }
    assert.equal((await asked(origin, bringing(pass))).status, 200, origin.name);
  }
});

test("nginx knows within two seconds that a session has ended, and what it asks is not the shop's", async () => {
  const other = room.visitor();
  const { pass } = await other.admitted();
  assert.equal((await asked(nginx, bringing(pass))).headers["x-shop"], "1");
  assert.equal((await exchange(nginx.url, { path: "/_wr-pass", headers: bringing(pass) })).status, 404);
  assert.equal((await other.release()).status, 200);
  await new Promise((resolve) => setTimeout(resolve, ASKED_AGAIN_MS));
  assert.equal((await asked(nginx, bringing(pass))).status, 403);
});

test("the shop's own refusals pass through nginx as they are, and what is posted reaches the shop", async () => {
  const pass = fan.cookie("pass");
  for (const status of [401, 403, 404, 500]) {
    room.origin.answer = () => ({ status, body: "the shop says" });
    assert.equal((await exchange(nginx.url, { path: "/x", headers: bringing(pass) })).text, "the shop says");
  }
  room.origin.answer = null;
  const body = "seat=7";
  await exchange(nginx.url, {
    method: "POST",
    path: "/order",
    headers: { ...bringing(pass), "content-length": 6 },
    body,
  });
  const [order] = room.origin.arrived("/order");
  assert.deepEqual([order.method, order.body], ["POST", body]);
});

test("while nobody answers for the room nginx lets nobody in", async () => {
  const roomUrl = `https://127.0.0.1:${await freePort()}`;
  const alone = await startNginx(room, room.origin.url, { roomUrl });
  try {
    const answer = await asked(alone, bringing(fan.cookie("pass")));
    assert.equal(answer.status, 403);
    assert.equal(answer.headers["x-shop"], undefined);
  } finally {
    await alone.stop();
  }
});

test("T3 T2 origins with the published key take its passes, and none that is MACed", { timeout: 60_000 }, async () => {
  const open = await startRoom({ events: [{ id: "open", pass_algorithm: "EdDSA" }] });
  let servers = [];
  try {
    const visitor = open.visitor();
    const { pass } = await visitor.admitted();
    const set = await originKeys({
      issuer: open.issuer,
      audience: AUDIENCE,
      algorithm: "EdDSA",
      secrets: open.secrets,
    });
    const jwks = `${open.url}/_wr/jwks.json`;
    servers = await startPublicOrigins(settingsFor({ keys: set.keys, event: "open", jwks }));
    const claims = JSON.parse(Buffer.from(pass.split(".")[1], "base64url"));
    const [{ x, kid }] = set.keys;
    const macedWith = (alg) =>
      signed(open, "wr-pass+jwt", claims, { audience: AUDIENCE, key: Buffer.from(x, "base64url"), kid, alg });
    for (const server of servers) {
      assert.equal((await asked(server, bringing(pass))).status, 200, server.name);
      for (const forged of [
        macedWith("HS256"),
        macedWith("EdDSA"),
        signed(open, "wr-pass+jwt", claims, { audience: AUDIENCE }),
      ])
        assert.equal((await asked(server, bringing(forged))).status, 403, server.name);
      assert.equal((await asked(server)).status, 403, server.name);
    }
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
    await open.stop();
  }
});
