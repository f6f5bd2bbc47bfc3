// The demo shop behind the room, over TLS: seats, a bank on another host that posts back, tickets, and the session given
// back; and no way into the shop beside the room.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { exchange, until } from "./harness/exchange.mjs";
import { startRoom } from "./harness/room.mjs";

let room;
before(async () => {
  room = await startRoom({ tls: true, events: [{ id: "demo", origin: "demo-shop", admission: { max_active: 10 } }] });
});
after(() => room?.stop());

const fieldOf = (html, name) => html.match(new RegExp(`name="${name}" value="([^"]*)"`))?.[1];

/** Reserves one free seat and goes to the bank; answers the bank's page. */
async function toTheBank(fan) {
  const hall = await fan.visit("/events/demo/");
  assert.equal(hall.status, 200);
  const seat = fieldOf(hall.text, "seat");
  const reserved = await fan.visit("/events/demo/reservations", {
    method: "POST",
    site: "same-origin",
    form: { seat },
  });
  assert.equal(reserved.headers.location, "/events/demo/cart");
  assert.match((await fan.visit("/events/demo/cart")).text, new RegExp(seat));
  const checkout = await fan.visit("/events/demo/checkout", { method: "POST", site: "same-origin", form: {} });
  assert.equal(checkout.status, 303);
  assert.equal(checkout.headers["waiting-room-command"], undefined);
  return { seat, bank: new URL(checkout.headers.location) };
}

/** Decides at the bank; answers where its page posts back to, and what. */
async function decide(bank, decision) {
  const body = `decision=${decision}`;
  const headers = { "content-type": "application/x-www-form-urlencoded", "content-length": body.length };
  const answer = await exchange(bank.origin, { method: "POST", path: bank.pathname, headers, body });
  const back = new URL(answer.text.match(/<form[^>]*action="([^"]*)"/)[1]);
  return { back, form: { payment: fieldOf(answer.text, "payment") }, origin: bank.origin };
}

/** The bank's page posts back across sites; answers the page that the shop leads to. */
async function backFrom(fan, { back, form, origin }) {
  const answer = await fan.visit(back.pathname, { method: "POST", site: "cross-site", origin, form });
  assert.equal(answer.status, 303, answer.text);
  return fan.visit(answer.headers.location, { site: "cross-site" });
}

test("a fan buys a ticket: seat, bank, the cross-site POST back, and the session is free for the next one", async () => {
  const fan = room.visitor();
  await fan.admitted();
  const { seat, bank } = await toTheBank(fan);
  const approved = await decide(bank, "approve");
  assert.equal(approved.back.origin, room.url, "the bank leads back to the address that the fan knows");
  const tickets = await backFrom(fan, approved);
  assert.equal(tickets.status, 200, tickets.text);
  assert.match(tickets.text, new RegExp(`Seat ${seat}`));
  assert.equal(fan.cookie("pass"), undefined, "released after the sale");
  const operator = await room.operator();
  await until(
    () => operator.observe(),
    ({ totals }) => totals.active === 0,
    { what: "a free slot" },
  );
});

test("a declined payment keeps session and seat; a second try succeeds and the seat is sold once", async () => {
  const fan = room.visitor();
  await fan.admitted();
  const first = await toTheBank(fan);
  const declined = await decide(first.bank, "decline");
  const page = await backFrom(fan, declined);
  assert.match(page.text, /declined/);
  assert.ok(fan.cookie("pass"), "still inside");
  const rival = room.visitor();
  await rival.admitted();
  const taken = await rival.visit("/events/demo/reservations", {
    method: "POST",
    site: "same-origin",
    form: { seat: first.seat },
  });
  assert.equal(taken.status, 409);
  const again = await fan.visit("/events/demo/checkout", { method: "POST", site: "same-origin", form: {} });
  const second = await decide(new URL(again.headers.location), "approve");
  const tickets = await backFrom(fan, second);
  assert.match(tickets.text, new RegExp(`Seat ${first.seat}`));
  const hall = await rival.visit("/events/demo/");
  assert.doesNotMatch(hall.text, new RegExp(`value="${first.seat}"`), "sold once");
});

test("O2 the shop itself admits nobody without a pass, and leads to the room", async () => {
  const direct = await exchange(room.shopUrl, { path: "/events/demo/" });
  assert.equal(direct.status, 403);
  assert.match(direct.text, new RegExp(`href="${room.url}/events/demo/"`));
  const forged = await exchange(room.shopUrl, { path: "/events/demo/", headers: { "waiting-room-pass": "a.b.c" } });
  assert.equal(forged.status, 403);
});
