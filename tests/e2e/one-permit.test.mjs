// P4: one permit is one place in all lines, whatever ticket is brought beside it.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { until } from "./harness/exchange.mjs";
import { codesOf } from "./harness/inviting.mjs";
import { startRoom } from "./harness/room.mjs";

let room;
before(async () => {
  room = await startRoom({
    events: [
      { id: "wide", lines: ["a", "b", "c", "d"].map((id) => ({ id })) },
      { id: "open", lines: [{ id: "general" }, { id: "balcony" }, { id: "fans", access: "code" }] },
    ],
  });
});
after(() => room?.stop());

/** A program: it keeps no cookies. */
const program = (event) => room.visitor({ event, cookies: false });

/** What a claim with each of these tickets comes to: the state of its place. */
const claimed = (fan, tickets) =>
  Promise.all(
    tickets.map(async (ticket) => {
      const headers = { authorization: `Bearer ${ticket}` };
      const { json } = await until(
        () => fan.script("POST", `${fan.queue}/tickets/me/pass`, {}, headers),
        ({ json }) => ["admitted", "left"].includes(json.state),
        { what: "the place's end" },
      );
      return json.state;
    }),
  );

test("P4 one permit has one live place whatever lines it is brought for, with its first ticket or without any", async () => {
  for (const withTicket of [true, false]) {
    const fan = program("wide");
    const permit = await fan.permit();
    const places = [];
    const joins = async (line) => {
      const headers = withTicket && places[0] ? { authorization: `Bearer ${places[0].ticket}` } : {};
      const joined = await fan.script("POST", `${fan.queue}/tickets`, { permit, line }, headers);
      if (joined.status === 201) places.push(joined.json);
      return joined;
    };
    assert.equal((await joins("a")).status, 201);
    for (const { status, text } of await Promise.all(["b", "c", "d"].map(joins))) assert.equal(status, 201, text);
    const refused = await Promise.all(["a", "b", "c", "d"].map(joins));
    assert.deepEqual(refused.map(({ status }) => status).sort(), [200, 422, 422, 422], "the newest is kept");
    const kept = refused.find(({ status }) => status === 200).json;
    for (const { status, json } of refused) if (status !== 200) assert.equal(json.field, "permit");
    const states = await claimed(
      fan,
      places.map(({ ticket }) => ticket),
    );
    const expected = places.map(({ line }) => (line === kept.line ? "admitted" : "left"));
    assert.deepEqual(states, expected, JSON.stringify(places.map(({ line }) => line)));
  }
});

test("P4 a code's place takes the turn of whatever its permit had made, whichever ticket is brought", async () => {
  const fan = program("open");
  const permit = await fan.permit();
  const [code] = await codesOf(room, { event: "open", line: "fans" });
  const first = await fan.tryToJoin({ permit });
  const headers = { authorization: `Bearer ${first.json.ticket}` };
  const again = (more) => fan.script("POST", `${fan.queue}/tickets`, { permit, ...more }, headers);
  const places = [first, await again({ line: "balcony" }), await again({ code })];
  assert.deepEqual(
    places.map(({ status, json }) => [status, json.line]),
    [
      [201, "general"],
      [201, "balcony"],
      [201, "fans"],
    ],
  );
  const tickets = places.map(({ json }) => json.ticket);
  assert.deepEqual(await claimed(fan, tickets), ["left", "left", "admitted"]);
});
