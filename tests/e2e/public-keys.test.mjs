// Origins that hold no signing key: passes by Ed25519, verified with what the room publishes; and the board as it is
// pushed to whoever listens.
import assert from "node:assert/strict";
import http from "node:http";
import { after, before, test } from "node:test";
import { createLocalJWKSet, jwtVerify } from "jose";
import { until } from "./harness/exchange.mjs";
import { opened, signed } from "./harness/forge.mjs";
import { startRoom } from "./harness/room.mjs";

/** A change is seen by who is pushed to within this time. */
const PUSHED_WITHIN_MS = 2_000;

let room;
before(async () => {
  room = await startRoom({ events: [{ id: "public", pass_algorithm: "EdDSA" }, { id: "secret" }] });
});
after(() => room?.stop());

test("a pass signed with Ed25519 verifies with the published keys, and only such keys are published", async () => {
  const fan = room.visitor({ event: "public" });
  const { pass } = await fan.admitted();
  assert.equal((await fan.visit()).status, 200);
  const published = await room.ask("/_wr/jwks.json");
  assert.equal(published.status, 200);
  const { keys } = published.json;
  assert.ok(keys.length >= 1);
  for (const key of keys) {
    assert.equal(key.kty, "OKP");
    assert.deepEqual([key.d, key.k], [undefined, undefined], "nothing secret");
  }
  const expected = { algorithms: ["EdDSA"], typ: "wr-pass+jwt", issuer: room.issuer, audience: "*loopback" };
  const { payload } = await jwtVerify(pass, createLocalJWKSet(published.json), expected);
  assert.equal(payload.evt, "public");
});

test("T3 a token that is MACed with the public key's bytes opens nothing", async () => {
  const fan = room.visitor({ event: "public" });
  const { pass } = await fan.admitted();
  const { claims, header } = opened(pass);
  const { keys } = (await room.ask("/_wr/jwks.json")).json;
  const key = Buffer.from(keys.find(({ kid }) => kid === header.kid).x, "base64url");
  const audience = "*loopback";
  for (const forged of [
    signed(room, "wr-pass+jwt", claims, { audience, key, kid: header.kid }),
    signed(room, "wr-pass+jwt", claims, { audience, key, kid: header.kid, alg: "EdDSA" }),
    signed(room, "wr-pass+jwt", claims, { audience }),
  ]) {
    const gate = await room.ask("/events/public/x", { headers: { "waiting-room-pass": forged } });
    assert.equal(gate.status, 503);
  }
});

/** Listens to the board; `boards` fills with what arrives. */
function listen(event) {
  const boards = [];
  const request = http.get(`${room.url}/_wr/queues/${event}/tickets/me/events`, { agent: false });
  const opening = new Promise((resolve, reject) => {
    request.on("error", reject);
    request.on("response", (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("error", () => {});
      response.on("data", (piece) => {
        text += piece;
        const whole = text.split("\n\n");
        text = whole.pop();
        for (const message of whole) {
          const data = message.match(/^data: (.*)$/m);
          if (data) boards.push(JSON.parse(data[1]));
        }
      });
      resolve(response);
    });
  });
  return { boards, opening, stop: () => request.destroy() };
}

test("who listens is told the board at once, and each change within 2 s, with versions that only grow", async () => {
  const operator = await room.operator({ event: "secret" });
  const listener = listen("secret");
  try {
    const response = await listener.opening;
    assert.equal(response.statusCode, 200);
    assert.match(response.headers["content-type"], /^text\/event-stream/);
    assert.match(response.headers["cache-control"], /no-store/);
    const { boards } = listener;
    await until(
      () => boards,
      () => boards.length > 0,
      { what: "the first board" },
    );
    for (const text of ["one", "two", "three"]) {
      await operator.act("message", { text });
      const hears = { within_ms: PUSHED_WITHIN_MS, every_ms: 20, what: `the message ${text}` };
      await until(
        () => boards,
        () => boards.at(-1).message === text,
        hears,
      );
    }
    const versions = boards.map(({ version }) => version);
    assert.deepEqual(
      versions,
      [...new Set(versions)].sort((a, b) => a - b),
    );
  } finally {
    listener.stop();
  }
});
