// Over TLS with the cookies of production: their prefix and attributes, and the bank's cross-site POST back.
// What every `Set-Cookie` has to look like is checked for each answer by the harness.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { until } from "./harness/exchange.mjs";
import { startRoom } from "./harness/room.mjs";
import { FROM_ANOTHER_SITE } from "./harness/visitor.mjs";

let room;
before(async () => {
  room = await startRoom({ tls: true, events: [{ id: "demo" }, { id: "auto", mode: "auto" }] });
});
after(() => room?.stop());

test("C1 a fan goes the whole way with __Host- cookies only", async () => {
  const fan = room.visitor();
  await fan.admitted();
  const names = [...fan.jar.keys()].sort();
  assert.deepEqual(
    names,
    ["browser", "pass", "permit", "ticket"].map((kind) => `__Host-wr-${kind}-demo-1`),
  );
  const shop = await fan.visit();
  assert.equal(shop.status, 200);
  assert.equal(room.origin.seen.at(-1).headers["x-forwarded-proto"], "https");
  assert.equal(room.origin.seen.at(-1).headers.cookie, undefined);
  const cleared = await fan.release();
  assert.ok(
    cleared.cookies.some(({ name }) => name === "__Host-wr-pass-demo-1"),
    "a cookie is taken away by its own name",
  );
  assert.equal(fan.cookie("pass"), undefined);
});

test("C1 a first visit in auto mode gets the same cookies", async () => {
  const fan = room.visitor({ event: "auto" });
  await until(
    () => fan.visit(),
    ({ status }) => status === 200,
    { what: "a first visit" },
  );
  assert.ok(fan.jar.has("__Host-wr-pass-auto-1"));
});

test("cookies with the names of unencrypted loopback mean nothing over TLS", async () => {
  const fan = room.visitor();
  const { pass } = await fan.admitted();
  const answer = await room.ask("/events/demo/x", { headers: { cookie: `wr-pass-demo-1=${pass}` } });
  assert.equal(answer.status, 503);
});

test("the bank's cross-site POST back finds the pass, arrives whole, and nothing else of ours goes with it", async () => {
  const fan = room.visitor();
  const { pass } = await fan.admitted();
  const form = { payment: "p-4711", status: "approved" };
  const back = await fan.visit("/events/demo/paid", { method: "POST", ...FROM_ANOTHER_SITE, form });
  assert.equal(back.status, 200);
  const [request] = room.origin.arrived("/events/demo/paid");
  assert.equal(request.method, "POST");
  assert.equal(request.body, "payment=p-4711&status=approved");
  assert.equal(request.headers["waiting-room-pass"], pass);
  assert.equal(request.headers.origin, FROM_ANOTHER_SITE.origin);
});

test("the bank's POST back after the session is not delivered, and the page says so instead of sending it again", async () => {
  const fan = room.visitor();
  await fan.admitted();
  await fan.release();
  const form = { payment: "p-4712" };
  const page = await fan.visit("/events/demo/late", { method: "POST", ...FROM_ANOTHER_SITE, form });
  assert.equal(page.status, 503);
  assert.match(page.text, /<div id="undelivered" class="notice">/);
  assert.equal(room.origin.arrived("/events/demo/late").length, 0);
});

test("C15 the pass that travels across sites authorises nothing of ours", async () => {
  const fan = room.visitor();
  await fan.admitted();
  for (const path of ["/tickets/me/leave", "/tickets/me/pass"]) {
    const answer = await fan.visit(`${fan.queue}${path}`, { method: "POST", ...FROM_ANOTHER_SITE, form: {} });
    assert.equal(answer.status, 403, path);
  }
  assert.equal((await fan.visit()).status, 200);
});
