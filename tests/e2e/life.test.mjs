// The life of an event: an opening that is moved, a new run, many events at the same second, and the log of it all.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { after, before, test } from "node:test";
import { pause, until } from "./harness/exchange.mjs";
import { startRoom } from "./harness/room.mjs";

const MINUTE_MS = 60_000;
/** An opening is moved to this far ahead at least, and a little more for the way there. */
const SHORTEST_NOTICE_MS = 12_000;
const DRAWN_WITHIN_MS = 25_000;
const SALES = 14;
/** Fourteen events start, and their entrants join, well within this time, on a busy machine too. */
const UNTIL_OPENING_MS = 45_000;

const fromNow = (ms) => new Date(Date.now() + ms).toISOString();
const phase = async (room, event) => (await room.board(event)).lines[0].phase;

test("postponed and advanced: places, commitment and countdown stay right, the page says what changed and why", async (t) => {
  const planned = fromNow(60 * MINUTE_MS);
  const room = await startRoom({ events: [{ id: "moved", opens_at: planned }] });
  t.after(() => room.stop());
  const operator = await room.operator();
  const fan = room.visitor();
  await fan.visit();
  const { entry } = await fan.join();
  const commitment = async () => (await room.ask("/_wr/queues/moved/draw")).json.lines[0].draw.commitment;
  const committed = await commitment();

  for (const [opens_at, reason] of [
    [fromNow(90 * MINUTE_MS), "A storm delays the crew <b>"],
    [fromNow(30 * MINUTE_MS), "The crew is here"],
  ]) {
    await operator.act("reschedule", { opens_at, reason });
    const me = await until(
      () => fan.ask(),
      ({ opens_at_ms }) => opens_at_ms === Date.parse(opens_at),
      { within_ms: 2_500, what: "the new opening" },
    );
    assert.deepEqual([me.entry, me.state, me.phase], [entry, "waiting", "prequeue"]);
    assert.deepEqual(me.moved, { from_ms: Date.parse(planned), reason });
    const page = await fan.visit();
    assert.ok(page.text.includes(reason.replace("<b>", "").trim()), "the page says why");
    assert.doesNotMatch(page.text.replace(/<script[\s\S]*?<\/script>/g, ""), /crew <b>/, "as text");
  }
  assert.equal(await commitment(), committed);

  for (const [bad, status] of [
    [{ opens_at: fromNow(20 * MINUTE_MS) }, 400],
    [{ opens_at: fromNow(1_000), reason: "too soon" }, 400],
    [{ opens_at: fromNow(-MINUTE_MS), reason: "past" }, 400],
    [{ opens_at: "2027-03-01T10:00:00", reason: "no offset" }, 400],
    [{ opens_at: fromNow(20 * MINUTE_MS), reason: "x", line: "nowhere" }, 400],
  ]) {
    const answer = await operator.send({ action: "reschedule", ...bad });
    assert.equal(answer.status, status, answer.text);
  }

  await operator.act("reschedule", { opens_at: fromNow(SHORTEST_NOTICE_MS), reason: "Now" });
  await until(
    () => phase(room, "moved"),
    (now) => now === "open",
    { within_ms: DRAWN_WITHIN_MS, what: "the opening" },
  );
  await fan.enter();
  const late = await operator.send({ action: "reschedule", opens_at: fromNow(30 * MINUTE_MS), reason: "too late" });
  assert.equal(late.status, 409);
  assert.match(late.json.title, /cannot be moved any more/);
});

test("a pause without a reason or the time of the next update is refused, and both are named", async (t) => {
  const room = await startRoom({ events: [{ id: "demo" }] });
  t.after(() => room.stop());
  const operator = await room.operator();
  for (const action of ["pause", "stop"]) {
    const nothing = await operator.send({ action });
    assert.equal(nothing.status, 400);
    assert.deepEqual(nothing.json.missing, ["reason", "next_update_at_ms"]);
    assert.match(nothing.json.title, /a reason and next_update_at_ms/);
    const past = await operator.send({ action, reason: "x", next_update_at_ms: Date.now() - 1 });
    assert.deepEqual([past.status, past.json.field], [400, "next_update_at_ms"]);
  }
  assert.equal(await phase(room, "demo"), "open");
});

test("a new run starts from nothing: permit, ticket and pass of the old one are refused with an explanation", async (t) => {
  const room = await startRoom({ events: [{ id: "another" }, { id: "demo" }, { id: "third" }] });
  t.after(() => room.stop());
  const fan = room.visitor({ event: "demo" });
  await fan.visit();
  const { permit } = fan.page;
  await fan.join();
  const { pass } = await fan.enter();
  const ticket = fan.cookie("ticket");
  await room.restartWith({ events: [{ id: "another" }, { id: "demo", run: 2 }, { id: "third" }] });
  await until(
    () => room.ask("/_wr/queues/demo"),
    ({ status }) => status === 200,
    { what: "the new run" },
  );

  const page = await fan.visit();
  assert.equal(page.status, 503, "the pass opens nothing");
  assert.match(page.text, /This sale has started anew/);
  assert.deepEqual([(await fan.ask()).state, (await fan.ask()).new_run], ["none", true]);
  const bearing = (token) => ({ authorization: `Bearer ${token}`, "content-type": "application/json" });
  const joined = await room.ask("/_wr/queues/demo/tickets", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ permit }),
  });
  assert.deepEqual([joined.status, joined.json.field, joined.json.reason], [400, "permit", "wrong-run"]);
  const claimed = await room.ask("/_wr/queues/demo/tickets/me/pass", {
    method: "POST",
    headers: bearing(ticket),
    body: "{}",
  });
  assert.deepEqual([claimed.status, claimed.json.reason], [401, "wrong-run"]);
  const shop = await room.ask("/events/demo/", { headers: bearing(pass) });
  assert.deepEqual([shop.status, shop.json.reason], [503, "wrong-run"]);
  const access = await room.ask("/_wr/access", { headers: bearing(pass) });
  assert.deepEqual([access.status, access.json.reason], [401, "wrong-run"]);
  const released = await room.ask("/_wr/queues/demo/tickets/me/pass", { method: "DELETE", headers: bearing(pass) });
  assert.deepEqual([released.status, released.json.reason], [401, "wrong-run"]);

  await fan.visit();
  assert.deepEqual([fan.page.run, (await fan.join()).entry], [2, 0]);
  fan.drop("pass");
  assert.doesNotMatch((await fan.visit()).text, /This sale has started anew/, "said until it is over");
});

test("isolation: fourteen on-sales at the same second do not disturb one another, each with its own origin and draw", async (t) => {
  const opens_at = fromNow(UNTIL_OPENING_MS);
  const ids = Array.from({ length: SALES }, (_, n) => `sale-${n}`);
  const room = await startRoom({ events: ids.map((id) => ({ id, opens_at, expected_visitors: 8_000 })) });
  t.after(() => room.stop());
  const fans = ids.flatMap((event) => Array.from({ length: 3 }, () => room.visitor({ event })));
  await Promise.all(
    fans.map(async (fan) => {
      await fan.visit();
      await fan.join();
    }),
  );
  const stopped = await room.operator({ event: ids[0] });
  await stopped.act("stop", { reason: "Fire drill" });
  assert.equal(await phase(room, ids[1]), "prequeue", "all is ready before the opening");
  await pause(Math.max(0, Date.parse(opens_at) - Date.now()));
  await Promise.all(
    ids.slice(1).map((id) =>
      until(
        () => phase(room, id),
        (now) => now === "open",
        { within_ms: DRAWN_WITHIN_MS, what: `the opening of ${id}` },
      ),
    ),
  );
  const seeds = new Set();
  for (const id of ids.slice(1)) {
    const own = fans.filter(({ event }) => event === id);
    const ranks = await Promise.all(own.map(async (fan) => (await fan.ask()).rank));
    assert.deepEqual(ranks.toSorted(), [0, 1, 2], id);
    const { seed, entrants } = (await room.ask(`/_wr/queues/${id}/draw`)).json.lines[0].draw;
    assert.equal(entrants, 3);
    seeds.add(seed);
  }
  assert.equal(seeds.size, SALES - 1, "a draw of its own each");
  await Promise.all(fans.filter(({ event }) => event !== ids[0]).map((fan) => fan.enter()));
  assert.equal((await fans[0].visit()).state, "waiting");
  assert.equal((await room.board(ids[0])).stop, true);
});

let logged;
before(async () => {
  logged = await startRoom({ events: [{ id: "logged", lines: [{ id: "general" }, { id: "fans", access: "code" }] }] });
});
after(() => logged?.stop());

test("the event log is read page by page, chained, tells who did what, and holds no addresses and no keys", async () => {
  const operator = await logged.operator({ name: "anna" });
  const fan = logged.visitor({ headers: { "cf-connecting-ip": "203.0.113.77" } });
  await fan.admitted();
  await operator.act("pause", { reason: "Payment is slow" });
  await operator.act("resume");
  await operator.act("close", { line: "fans" });
  for (let n = 0; n < 70; n += 1) await operator.act("stock", { left: 100 + n });

  const lines = await operator.wholeLog();
  assert.deepEqual(
    lines.map(({ n }) => n),
    lines.map((_, at) => at + 1),
    "without a gap",
  );
  const kinds = new Set(lines.map(({ kind }) => kind));
  for (const kind of ["begin", "cut", "call", "grant", "operator"])
    assert.ok(kinds.has(kind), `${kind}: ${[...kinds]}`);
  const done = lines.filter(({ kind }) => kind === "operator");
  assert.ok(done.every(({ by }) => by === "anna") && done.length >= 73);
  const whole = JSON.stringify(lines);
  for (const secret of ["203.0.113", fan.cookie("ticket").split(".")[2], logged.secrets.ROOT_KEY.split(":")[1]]) {
    assert.ok(!whole.includes(secret), "neither address nor key");
  }

  const first = await operator.log(0);
  assert.match(first.headers["content-type"], /application\/x-ndjson/);
  assert.ok(Number(first.headers["waiting-room-log-next"]) > 0, "more than one page");
  const texts = [];
  for (let next = "0"; next !== undefined; ) {
    const page = await operator.log(next);
    texts.push(...page.text.split("\n").filter(Boolean));
    next = page.headers["waiting-room-log-next"];
  }
  let hash = chainStart("logged", 1);
  for (const text of texts) {
    const [, said, own] = text.match(/^(.*),"hash":"([0-9a-f]{64})"\}$/);
    hash = createHash("sha256").update(hash).update(said).digest();
    assert.equal(hash.toString("hex"), own, text);
  }
});

test("the log is for operators, also for those who may only see, and says what it does not understand", async () => {
  assert.equal((await logged.ask("/_wr/queues/logged/log")).status, 401);
  const reader = await logged.operator({ role: "view" });
  assert.equal((await reader.log(0)).status, 200);
  for (const after of ["-1", "x", "1.5", ""]) assert.equal((await reader.log(after)).status, 400, after);
});

function chainStart(event, run) {
  const field = (bytes) => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(bytes.length);
    return Buffer.concat([length, bytes]);
  };
  const number = Buffer.alloc(4);
  number.writeUInt32BE(run);
  const fields = [Buffer.from("anteroom/log/v1"), Buffer.from(event), number].map(field);
  return createHash("sha256").update(Buffer.concat(fields)).digest();
}
