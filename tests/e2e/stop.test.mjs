// The brake for everybody, and the brake where nobody waits: in force at the edge within 2 s, and off again.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { pause, until } from "./harness/exchange.mjs";
import { opened } from "./harness/forge.mjs";
import { startRoom } from "./harness/room.mjs";

/** From when on an operator's word holds at every edge. */
const IN_FORCE_MS = 2_000;

let room;
let operator;
before(async () => {
  room = await startRoom({ events: [{ id: "demo" }, { id: "walk-in", mode: "auto" }] });
  operator = await room.operator();
});
after(() => room?.stop());

test("a stop shows the room to admitted visitors too, and its end lets them back in with the same session", async () => {
  const fan = room.visitor();
  const { pass } = await fan.admitted();
  assert.equal((await fan.visit()).status, 200);
  await operator.act("stop", { reason: "Fire drill" });
  const stopped = await until(
    () => fan.visit(),
    ({ status }) => status === 503,
    { within_ms: IN_FORCE_MS },
  );
  assert.equal(stopped.state, "stopped");
  assert.match(stopped.text, /Fire drill/);
  const json = await fan.shop();
  assert.equal(json.status, 503);
  assert.equal(json.headers["content-type"], "application/problem+json");
  assert.ok(fan.cookie("pass"), "the pass is kept");
  const arrived = room.origin.seen.length;
  const asks = { origin: "https://fans.example", "access-control-request-method": "PUT" };
  const preflight = await room.ask("/events/demo/x", { method: "OPTIONS", headers: asks });
  assert.equal(preflight.state, "stopped");
  assert.equal(preflight.headers["access-control-allow-origin"], undefined);
  assert.equal(room.origin.seen.length, arrived, "nothing reaches the shop, not even a preflight");
  await operator.act("resume");
  const back = await until(
    () => fan.visit(),
    ({ status }) => status === 200,
    { within_ms: IN_FORCE_MS },
  );
  assert.equal(back.headers["x-shop"], "1");
  assert.equal(opened(fan.cookie("pass")).claims.jti, opened(pass).claims.jti);
});

test("a pause closes the door of an event that lets first visits in", async () => {
  const steering = await room.operator({ event: "walk-in" });
  const first = room.visitor({ event: "walk-in" });
  await until(
    () => first.visit(),
    ({ status }) => status === 200,
    { what: "a first visit" },
  );
  await steering.act("pause");
  await pause(IN_FORCE_MS);
  const second = room.visitor({ event: "walk-in" });
  assert.equal((await second.visit()).status, 503);
  assert.equal(second.cookie("pass"), undefined);
  assert.equal((await first.visit()).status, 200, "who is in stays in");
  await steering.act("resume");
});
