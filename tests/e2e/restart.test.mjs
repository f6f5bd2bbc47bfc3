// durable-ack and no-lost-place: the power goes while a thousand visitors join.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { exchange, until } from "./harness/exchange.mjs";
import { opened } from "./harness/forge.mjs";
import { startRoom } from "./harness/room.mjs";

const VISITORS = 1_000;
const AT_ONCE = 64;
/** The power goes when so many joins are acknowledged: in the middle of the others. */
const ACKNOWLEDGED_BEFORE_THE_CUT = 400;
const QUEUE = "/_wr/queues/demo";

let room;
before(async () => {
  room = await startRoom({
    events: [
      { id: "demo", expected_visitors: 20_000, admission: { per_minute: 60, max_active: 5 } },
      { id: "small", expected_visitors: 20_000, admission: { max_active: 4 } },
    ],
  });
});
after(() => room?.stop());

/** Works on all items, so many at once. */
async function each(items, work) {
  const waiting = [...items];
  const worker = async () => {
    while (waiting.length > 0) await work(waiting.shift());
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

function post(path, document, token) {
  return exchange(room.url, {
    method: "POST",
    path: `${QUEUE}${path}`,
    headers: { "content-type": "application/json", ...(token && { authorization: `Bearer ${token}` }) },
    body: JSON.stringify(document),
  });
}

const standing = (ticket) =>
  exchange(room.url, { path: `${QUEUE}/tickets/me`, headers: { authorization: `Bearer ${ticket}` } });

test("kill -9 during 1,000 joins: every acknowledged visitor keeps the number, none is missing, none is given twice", async () => {
  const visitors = [];
  await each(Array(VISITORS).fill(), async () => {
    const answer = await post("/permits", {});
    assert.equal(answer.status, 201, answer.text);
    visitors.push({ permit: answer.json.permit });
  });

  let acknowledged = 0;
  let kill = null;
  await each(visitors, async (visitor) => {
    if (kill) return;
    const answer = await post("/tickets", { permit: visitor.permit }).catch((error) => error);
    if (answer instanceof assert.AssertionError) throw answer;
    if (answer.status !== 201) return;
    visitor.ticket = answer.json.ticket;
    visitor.entry = answer.json.entry;
    acknowledged += 1;
    if (acknowledged === ACKNOWLEDGED_BEFORE_THE_CUT) kill = room.kill9();
  });
  await kill;
  assert.ok(acknowledged >= ACKNOWLEDGED_BEFORE_THE_CUT && acknowledged < VISITORS, `${acknowledged} acknowledged`);
  await room.restart();

  await each(
    visitors.filter((visitor) => visitor.ticket),
    async (visitor) => {
      const { json: me } = await standing(visitor.ticket);
      assert.ok(!["none", "left", "lapsed", "ended"].includes(me.state), `a place is ${me.state}`);
      if (Number.isInteger(visitor.entry)) assert.equal(me.entry, visitor.entry);
      const again = await post("/tickets", { permit: visitor.permit });
      assert.equal(again.status, 200, `a permit that made a place: ${again.status} ${again.text}`);
      if (Number.isInteger(visitor.entry)) assert.equal(again.json.entry, visitor.entry);
    },
  );

  await each(visitors, async (visitor) => {
    const joined = await until(
      () => post("/tickets", { permit: visitor.permit }),
      ({ json }) => Number.isInteger(json.entry),
      {
        what: "a number",
      },
    );
    if (Number.isInteger(visitor.entry)) assert.equal(joined.json.entry, visitor.entry);
    visitor.entry = joined.json.entry;
  });
  const entries = visitors.map(({ entry }) => entry).sort((a, b) => a - b);
  assert.deepEqual(
    entries,
    Array.from({ length: VISITORS }, (_, n) => n),
  );
});

test("an admitted visitor, a pause and a message outlive the power cut; a session given back frees its slot", async () => {
  const operator = await room.operator();
  const fan = room.visitor();
  const { totals } = await operator.observe();
  assert.equal(totals.entries, VISITORS);
  await operator.act("retune", { per_minute: null, max_active: 3_000 });
  const { pass } = await fan.admitted({ within_ms: 15_000 });
  await operator.act("pause", { reason: "Payment is slow" });
  await operator.act("message", { text: "Thank you for waiting" });
  await room.kill9();
  await room.restart();
  assert.equal((await fan.visit()).status, 200);
  const seen = await operator.observe();
  assert.equal(seen.totals.active, 1, "one session, still counted");
  assert.equal(seen.board.lines[0].phase, "paused");
  assert.equal(seen.board.message, "Thank you for waiting");
  assert.equal(seen.board.pause.reason, "Payment is slow");
  assert.equal((await fan.release()).status, 200);
  await until(
    () => operator.observe(),
    (state) => state.totals.active === 0,
    { what: "a free slot" },
  );
  const access = await exchange(room.url, { path: "/_wr/access", headers: { authorization: `Bearer ${pass}` } });
  assert.equal(access.status, 410);
});

test("cap and no-lost-place: the power goes three times while visitors enter, and each enters once, four at a time", async () => {
  const operator = await room.operator({ event: "small" });
  const waiting = Array.from({ length: 16 }, () => room.visitor({ event: "small" }));
  for (const fan of waiting) {
    await fan.visit();
    await fan.join();
  }
  const sessions = new Set();
  for (let round = 0; sessions.size < 16; round += 1) {
    assert.ok(round < 60, `only ${sessions.size} of 16 came in`);
    const claims = waiting.map((fan) => fan.claim().catch((error) => ({ error })));
    if ([1, 3, 5].includes(round)) {
      await room.kill9();
      await room.restart();
    }
    const answers = await Promise.all(claims);
    const inside = answers.flatMap(({ status, json }, at) =>
      status === 200 ? [{ fan: waiting[at], pass: json.pass }] : [],
    );
    assert.ok((await operator.observe()).totals.active <= 4, "never more than four");
    for (const { fan, pass } of inside) {
      const { jti } = opened(pass).claims;
      assert.ok(!sessions.has(jti), "a session is one visitor's");
      sessions.add(jti);
      assert.equal((await fan.release()).status, 200);
      waiting.splice(waiting.indexOf(fan), 1);
    }
  }
  const { totals } = await operator.observe();
  assert.equal(totals.joined, 16);
});
