// The modes: auto lets a first visit in while there is room, rate refuses instead of queueing, off and closed.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { until } from "./harness/exchange.mjs";
import { opened } from "./harness/forge.mjs";
import { startRoom } from "./harness/room.mjs";
import { FROM_ANOTHER_SITE } from "./harness/visitor.mjs";

let room;
before(async () => {
  room = await startRoom({
    staged: true,
    events: [
      { id: "roomy", mode: "auto", admission: { max_active: 500 } },
      { id: "tight", mode: "auto", admission: { max_active: 4 } },
      { id: "kept", mode: "auto", admission: { max_active: 10 } },
      { id: "rated", mode: "rate", admission: { max_active: 4 } },
      { id: "open-house", mode: "off" },
      { id: "shut", mode: "closed" },
    ],
  });
});
after(() => room?.stop());

const activeIn = async (event) => (await (await room.operator({ event })).observe()).totals.active;

const walksIn = (event) => room.visitor({ event }).walksIn();

test("auto: with room a first visit is in the shop in one step, with a short pass that its next request confirms", async () => {
  const fan = room.visitor({ event: "roomy" });
  const shop = await until(
    () => fan.visit(),
    ({ status }) => status === 200,
    { what: "a first visit" },
  );
  assert.equal(shop.headers["x-shop"], "1");
  const first = opened(fan.cookie("pass")).claims;
  assert.ok(first.exp - first.iat <= 30, "an unconfirmed pass lives 30 s");
  await until(
    () => fan.visit(),
    () => fan.cookie("pass") && opened(fan.cookie("pass")).claims.exp > first.exp,
    {
      what: "the confirmed pass",
    },
  );
  const confirmed = opened(fan.cookie("pass")).claims;
  assert.equal(confirmed.sx, first.sx);
  assert.ok(confirmed.exp - confirmed.iat > 30);
});

test("auto: who was released, or whose session is over, is simply let in again while there is room", async () => {
  const fan = await walksIn("roomy");
  const first = opened(fan.cookie("pass")).claims.jti;
  room.origin.answer = ({ url }) => url.endsWith("/thanks") && { headers: { "waiting-room-command": "release" } };
  await fan.visit("/events/roomy/thanks");
  room.origin.answer = null;
  assert.equal(fan.cookie("pass"), undefined);
  await until(
    () => fan.visit(),
    ({ status }) => status === 200,
    { what: "another visit" },
  );
  const second = opened(fan.cookie("pass")).claims;
  assert.notEqual(second.jti, first);
  await fan.visit();
  await room.advance(second.sx * 1_000 - Date.now() + 61_000);
  await until(
    () => fan.visit(),
    ({ status }) => status === 200,
    { what: "a visit after the end" },
  );
  assert.notEqual(opened(fan.cookie("pass")).claims.jti, second.jti);
});

test("auto: HEAD, prefetch and another site's picture take nothing", async () => {
  await walksIn("kept");
  const before = await activeIn("kept");
  const asks = [
    { method: "HEAD" },
    { headers: { "sec-purpose": "prefetch;prerender" } },
    { headers: { "sec-fetch-mode": "no-cors", "sec-fetch-dest": "image" }, ...FROM_ANOTHER_SITE },
  ];
  for (const options of asks) {
    const fan = room.visitor({ event: "kept" });
    const answer = await fan.visit("/events/kept/x", options);
    assert.equal(answer.headers["x-shop"], undefined, JSON.stringify(options));
    assert.equal(fan.cookie("pass"), undefined);
  }
  assert.equal(await activeIn("kept"), before);
});

test("auto: unconfirmed visits hold a tenth of the limit, or one, and free it within a minute; without room there is a queue", async () => {
  const callers = Array.from({ length: 6 }, () => room.visitor({ event: "tight", cookies: false }));
  await room.board("tight");
  const answers = [];
  for (const caller of callers) answers.push(await caller.visit());
  const inside = answers.filter(({ status }) => status === 200).length;
  assert.equal(inside, 1, "at least one, and a tenth of the limit at most");
  assert.equal(await activeIn("tight"), 1);
  for (let n = 0; n < 4; n += 1) {
    await room.advance(20_000);
    await room.board("tight");
  }
  await until(
    () => activeIn("tight"),
    (active) => active === 0,
    { what: "the slots back" },
  );

  for (let n = 0; n < 4; n += 1) await walksIn("tight");
  assert.equal(await activeIn("tight"), 4);
  const late = room.visitor({ event: "tight" });
  const page = await late.visit();
  assert.equal(page.status, 503);
  assert.ok(late.page.permit, "a queue, with a permit");
  assert.equal(await activeIn("tight"), 4, "a try that was not granted leaves nothing behind");
});

test("rate: without room there is a short 429 with Retry-After and no queue", async () => {
  for (let n = 0; n < 4; n += 1) await walksIn("rated");
  const late = room.visitor({ event: "rated" });
  const page = await until(
    () => late.visit(),
    ({ status }) => status !== 200,
    { what: "no room" },
  );
  assert.equal(page.status, 429);
  assert.ok(Number(page.headers["retry-after"]) > 0);
  assert.ok(page.state);
  const json = await room.ask("/events/rated/api", { headers: { accept: "application/json" } });
  assert.equal(json.status, 429);
  assert.equal(json.headers["content-type"], "application/problem+json");
  assert.equal(await activeIn("rated"), 4);
});

test("off: everything passes, with a pass for the origin", async () => {
  const answer = await room.visitor({ event: "open-house" }).visit("/events/open-house/a?b=c");
  assert.equal(answer.status, 200);
  const [{ headers }] = room.origin.arrived("/events/open-house/a?b=c");
  assert.equal(opened(headers["waiting-room-pass"]).claims.evt, "open-house");
});

test("closed: nothing passes, and nobody joins", async () => {
  const fan = room.visitor({ event: "shut" });
  const page = await fan.visit();
  assert.equal(page.status, 503);
  assert.equal(page.state, "closed");
  const { status } = await fan
    .script("POST", `${fan.queue}/permits`)
    .then((answer) =>
      answer.status === 201 ? fan.script("POST", `${fan.queue}/tickets`, { permit: answer.json.permit }) : answer,
    );
  assert.equal(status, 409);
  assert.equal((await room.ask("/events/shut/api")).status, 503);
  assert.equal(room.origin.arrived("/events/shut/").length, 0);
});
