// isolation: what happens to one event changes nothing for another, and no token of one means anything to the other.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { until } from "./harness/exchange.mjs";
import { startRoom } from "./harness/room.mjs";

let room;
before(async () => {
  room = await startRoom({ events: [{ id: "summer-tour" }, { id: "club-night" }] });
});
after(() => room?.stop());

const visitorOf = (event) => room.visitor({ event });

/** Gives `to` one event's cookies under the names of the other event. */
function renameCookies(from, to) {
  for (const [name, cookie] of from.jar) to.jar.set(name.replace(from.event, to.event), cookie);
}

test("each event counts its own entries from 0, and keeps its own cookies in one browser", async () => {
  const fan = visitorOf("summer-tour");
  await fan.visit();
  assert.equal((await fan.join()).entry, 0);
  const same = visitorOf("club-night");
  same.jar = fan.jar;
  const page = await same.visit();
  assert.equal(page.state, "none", "the place in one queue is none in the other");
  assert.equal((await same.join()).entry, 0);
  const names = [...fan.jar.keys()].sort();
  assert.ok(names.includes("wr-ticket-summer-tour-1") && names.includes("wr-ticket-club-night-1"), String(names));
  assert.equal((await fan.ask()).event, "summer-tour");
  assert.equal((await same.ask()).event, "club-night");
});

test("a pass opens the paths of its own event only", async () => {
  const fan = visitorOf("summer-tour");
  await fan.admitted();
  assert.equal((await fan.visit("/events/summer-tour/a")).status, 200);
  assert.equal((await fan.visit("/events/club-night/a")).status, 503);
});

test("T20 permit, ticket and pass of one event mean nothing to the other", async () => {
  const admitted = visitorOf("summer-tour");
  const { pass } = await admitted.admitted();
  const stranger = visitorOf("club-night");
  renameCookies(admitted, stranger);
  const page = await stranger.visit();
  assert.equal(page.status, 503);
  assert.equal(page.state, "none");
  assert.equal((await stranger.ask()).state, "none");
  assert.ok((await stranger.claim()).status >= 400);

  const bearing = await room.ask("/events/club-night/a", { headers: { "waiting-room-pass": pass } });
  assert.equal(bearing.status, 503);

  const fresh = visitorOf("summer-tour");
  await fresh.visit();
  const joined = await visitorOf("club-night").script("POST", "/_wr/queues/club-night/tickets", {
    permit: fresh.page.permit,
  });
  assert.ok(joined.status >= 400 && joined.status < 500, `a foreign permit: ${joined.status}`);
});

test("pausing, stopping and a message in one event leave the other alone", async () => {
  const operator = await room.operator({ event: "summer-tour" });
  const fan = visitorOf("club-night");
  await fan.visit();
  await fan.join();
  await operator.act("pause", { reason: "The shop is being repaired", next_update_at_ms: Date.now() + 600_000 });
  await operator.act("stop", { reason: "All stop" });
  await operator.act("message", { text: "Only for the tour" });
  await fan.enter();
  assert.equal((await fan.visit()).status, 200);
  const board = await room.board("club-night");
  assert.deepEqual([board.stop, board.message, board.lines[0].phase], [false, null, "open"]);
  const paused = await until(
    () => room.board("summer-tour"),
    (each) => each.stop === true,
    { within_ms: 2_000 },
  );
  assert.equal(paused.message, "Only for the tour");
  await operator.act("resume");
});

test("an event that nobody configured is 404, whatever is asked of it", async () => {
  for (const path of ["", "/permits", "/tickets", "/tickets/me", "/tickets/me/pass", "/nonsense"]) {
    for (const method of ["GET", "POST"]) {
      const answer = await room.ask(`/_wr/queues/no-such-event${path}`, { method });
      assert.ok([404, 405].includes(answer.status), `${method} ${path}: ${answer.status}`);
      assert.doesNotMatch(answer.text, /no-such-event-|summer-tour/);
    }
  }
  assert.equal((await room.ask("/_wr/queues/no-such-event")).status, 404);
});

test("a new run starts from nothing and refuses every token of the old one", async () => {
  const old = visitorOf("summer-tour");
  await old.visit();
  await old.join();
  const next = await startRoom({ events: [{ id: "summer-tour", run: 2 }], secrets: room.secrets });
  try {
    const fan = next.visitor();
    fan.jar = new Map(old.jar);
    const page = await fan.visit();
    assert.equal(page.state, "none");
    assert.equal(fan.page.run, 2);
    assert.equal((await fan.ask()).state, "none");
    const refused = await fan.script("POST", `${fan.queue}/tickets`, { permit: old.page.permit });
    assert.ok(refused.status >= 400 && refused.status < 500, `a permit of the old run: ${refused.status}`);
    assert.equal((await fan.join()).entry, 0);
  } finally {
    await next.stop();
  }
});

test("no object, no key and no row is shared between events", async () => {
  for (const event of ["summer-tour", "club-night"]) {
    const fan = visitorOf(event);
    await fan.admitted();
    await (await room.operator({ event })).act("message", { text: `Only for ${event}` });
  }
  const objects = room.objectsStored();
  const ownersOf = (rows) => {
    const text = Buffer.concat(rows.map(({ bytes }) => Buffer.from(bytes))).toString("latin1");
    return ["summer-tour", "club-night"].filter((event) => text.includes(event));
  };
  const owners = objects.map(ownersOf);
  assert.ok(objects.length >= 4, `${objects.length} objects: a coordinator and a shard of each`);
  for (const [at, own] of owners.entries()) {
    assert.equal(own.length, 1, `an object with ${objects[at].map(({ key }) => key)} is of ${own}`);
  }
  assert.equal(new Set(owners.flat()).size, 2);
});
