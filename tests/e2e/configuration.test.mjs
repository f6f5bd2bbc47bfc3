// A configuration that cannot be used is refused as a whole, with the field, what it was and what is allowed; what was
// there before comes back unharmed.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { freshRootKey } from "../../scripts/setup/keys.mjs";
import { until } from "./harness/exchange.mjs";
import { startRoom } from "./harness/room.mjs";

const GOOD = [{ id: "demo", admission: { per_minute: 1 } }];
const WEAK_KEY = "old-key:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

let room;
before(async () => {
  room = await startRoom({ events: GOOD });
});
after(() => room?.stop());

/** Everything is refused, and the health page says why. */
async function refusedBecause(...words) {
  const health = await room.ask("/_wr/health");
  assert.equal(health.status, 503);
  assert.equal(health.json.ok, false);
  for (const word of words) assert.match(health.text, word);
  for (const [path, method] of [
    ["/events/demo/x", "GET"],
    ["/events/demo/x", "POST"],
    ["/_wr/queues/demo", "GET"],
  ]) {
    const answer = await room.ask(path, { method });
    assert.equal(answer.status, 503, `${method} ${path}`);
    assert.ok(answer.state, "the room says that it is its own answer");
    assert.equal(answer.headers["x-shop"], undefined, "an unreadable configuration opens no gate");
    assert.doesNotMatch(answer.text, /panicked|RuntimeError|wasm/);
  }
  return health;
}

test("a key of a developer's machine works, and health names it where others are served", async () => {
  const elsewhere = { id: "tour", hosts: ["tickets.example.com"], paths: ["/tour/*"] };
  const good = room.secrets;
  const warnings = async (events, id) => {
    await room.restartWith({ events, secrets: { ...good, ROOT_KEY: freshRootKey(id) } });
    const health = await room.ask("/_wr/health");
    assert.deepEqual([health.status, health.json.ok], [200, true]);
    return health.json.warnings;
  };
  const [line, ...more] = await warnings([...GOOD, elsewhere], "dev1a2b");
  assert.match(line, /^ROOT_KEY: the key dev1a2b was made for a developer's machine/);
  assert.deepEqual(more, []);
  assert.equal(await warnings(GOOD, "dev1a2b"), undefined);
  assert.equal(await warnings([...GOOD, elsewhere], "live"), undefined);
  await room.restartWith({ events: GOOD, secrets: good });
});

test("the same place after every kind of refused configuration", async () => {
  const fan = room.visitor();
  await fan.visit();
  const { entry } = await fan.join();
  const good = room.secrets;

  await room.restartWith({ events: [...GOOD, { id: "broken", sesion_minutes: 5 }] });
  await refusedBecause(/EVENT_BROKEN\.sesion_minutes/, /session_minutes/);

  await room.restartWith({ events: [...GOOD, { id: "broken", session_minutes: -3, mode: "sometimes", hosts: [] }] });
  await refusedBecause(/EVENT_BROKEN\.session_minutes/, /-3/, /1 to 1440/, /EVENT_BROKEN\.mode/, /EVENT_BROKEN\.hosts/);

  await room.restartWith({ events: [...GOOD, { id: "broken", paths: ["/events/demo/vip/*"] }] });
  await refusedBecause(/EVENT_BROKEN|EVENT_DEMO/, /\/events\/demo/);

  await room.restartWith({ events: GOOD, vars: { EVENT_TEXT: "not a table" } });
  await refusedBecause(/EVENT_TEXT/);

  await room.restartWith({ events: GOOD, vars: { PREFIX: "no slash" } });
  await refusedBecause(/PREFIX/).catch(async () => assert.fail("a prefix that cannot be is refused"));

  await room.restartWith({ events: GOOD, vars: {}, secrets: { ROOT_KEY: WEAK_KEY } });
  const weak = await refusedBecause(/old-key/);
  assert.doesNotMatch(weak.text, /AAAA/, "T5 a key's id is named, never its bytes");

  await room.restartWith({ secrets: { SOMETHING_ELSE: "x" } });
  await refusedBecause(/ROOT_KEY/);

  await room.restartWith({ secrets: good });
  assert.equal((await room.ask("/_wr/health")).status, 200);
  const me = await fan.ask();
  assert.equal(me.entry, entry);
});

test("T27 a rotated key keeps every visitor: the old key opens, the new one seals, a retired one is refused", async () => {
  const old = room.secrets.ROOT_KEY;
  const fan = room.visitor();
  await fan.visit();
  const { entry } = await fan.join();
  const [, next] = [old, freshRootKey("next")];
  await room.restartWith({ secrets: { ROOT_KEY: next, ROOT_KEY_PREVIOUS: old } });
  assert.equal((await fan.ask()).entry, entry);
  const late = room.visitor();
  await late.visit();
  const { entry: lateEntry } = await late.join();
  await room.restartWith({ secrets: { ROOT_KEY: old, ROOT_KEY_PREVIOUS: next } });
  assert.equal((await late.ask()).entry, lateEntry, "rolled back");
  await room.restartWith({ secrets: { ROOT_KEY: next } });
  assert.equal((await late.ask()).entry, lateEntry);
  assert.equal((await fan.ask()).state, "none", "a retired key opens nothing");
});

test("lines that are not those of the run take no joins and tell nobody wrong; put right, the run goes on as before", async (t) => {
  const events = (...ids) => [{ id: "lined", lines: ids.map((id) => ({ id })), opens_at: "2999-01-01T10:00:00Z" }];
  const lined = await startRoom({ events: events("general", "balcony") });
  t.after(() => lined.stop());
  const fan = lined.visitor();
  await fan.visit();
  const { entry, line } = await fan.join({ line: "balcony" });
  for (const other of [events("balcony", "general"), events("general"), events("early", "general", "balcony")]) {
    await lined.restartWith({ events: other });
    const refused = await until(
      async () => {
        const late = lined.visitor();
        await late.visit();
        return late.tryToJoin();
      },
      ({ json }) => json.type === "urn:anteroom:problem:other-lines",
      { what: "the refusal of a join" },
    );
    assert.deepEqual([refused.status, refused.state ?? "none"], [503, "none"]);
    const { configuration_ignored: why } = await (await lined.operator()).observe();
    assert.match(why, /lines/);
    assert.equal((await fan.ask()).entry, entry, "a place stays what it was");
  }
  await lined.restartWith({ events: events("general", "balcony") });
  const late = lined.visitor();
  await late.visit();
  const joined = await until(
    () => late.tryToJoin({ line: "balcony" }),
    ({ status }) => status === 201,
    { what: "a place" },
  );
  assert.deepEqual([joined.json.line, joined.json.entry], [line, entry + 1]);
  assert.equal((await (await lined.operator()).observe()).configuration_ignored, null);
});
