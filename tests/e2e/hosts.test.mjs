// Which host an event answers at: its own for visitors, any of the deployment for its operators.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startRoom } from "./harness/room.mjs";

const FOREIGN = { host: "evil.example" };
const QUEUE = "/_wr/queues/demo";

let room;
let operator;
before(async () => {
  room = await startRoom({ events: [{ id: "demo", admission: { per_minute: 1 } }] });
  operator = await room.operator();
});
after(() => room?.stop());

/** A program with a place: its ticket as bearer. */
async function ticket() {
  const { permit } = (await room.ask(`${QUEUE}/permits`, { method: "POST" })).json;
  const headers = { "content-type": "application/json" };
  const body = JSON.stringify({ permit });
  return (await room.ask(`${QUEUE}/tickets`, { method: "POST", headers, body })).json.ticket;
}

test("at a host that is not the event's nothing of it answers visitors, and no link is made", async () => {
  const bearer = { authorization: `Bearer ${await ticket()}` };
  for (const [method, path] of [
    ["GET", QUEUE],
    ["GET", "/_wr/events/demo/logo"],
    ["GET", `${QUEUE}/calendar.ics`],
    ["GET", `${QUEUE}/draw`],
    ["GET", `${QUEUE}/handover`],
    ["GET", `${QUEUE}/staff`],
    ["GET", `${QUEUE}/tickets/me`],
    ["GET", `${QUEUE}/tickets/me/events`],
    ["DELETE", `${QUEUE}/tickets/me`],
    ...["permits", "tickets", "tickets/me/leave", "tickets/me/pass", "tickets/me/defer", "tickets/me/handover"].map(
      (rest) => ["POST", `${QUEUE}/${rest}`],
    ),
  ]) {
    const answer = await room.ask(path, { method, headers: { ...bearer, ...FOREIGN } });
    assert.equal(answer.status, 421, `${method} ${path}: ${answer.text}`);
    assert.equal(answer.json.type, "urn:anteroom:problem:host");
    assert.deepEqual(answer.cookies, []);
    assert.doesNotMatch(answer.text, /evil/);
  }
  assert.equal((await room.ask(`${QUEUE}/tickets/me`, { headers: bearer })).json.state, "waiting", "the place is kept");
});

test("an operator steers and looks from any host, but makes staff links only where they lead", async () => {
  const headers = { "content-type": "application/json", ...operator.headers, ...FOREIGN };
  assert.equal((await room.ask(`${QUEUE}/observability`, { headers })).status, 200);
  assert.equal((await room.ask(`${QUEUE}/log`, { headers })).status, 200);
  const message = JSON.stringify({ action: "message", text: "Hello" });
  assert.equal((await room.ask(QUEUE, { method: "PATCH", headers, body: message })).status, 200);
  const staff = { method: "POST", headers, body: JSON.stringify({ name: "Ann", minutes: 5 }) };
  assert.equal((await room.ask(`${QUEUE}/staff`, staff)).status, 421);
  assert.equal((await operator.observe()).totals.staff_passes, 0);
});

test("a host so long that no picture holds its link gets no code, and spends none", async () => {
  const host = `${`${"a".repeat(60)}.`.repeat(40)}localhost`;
  const bearer = { authorization: `Bearer ${await ticket()}` };
  const offer = (headers) => room.ask(`${QUEUE}/tickets/me/handover`, { method: "POST", headers });
  for (let n = 0; n < 6; n += 1) assert.equal((await offer({ ...bearer, host })).status, 400);
  assert.equal((await offer(bearer)).status, 201);
});
