// What a run leaves behind is deleted when its days are over, by the objects themselves: of a run that ended, and of one
// that the configuration has left behind.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { until } from "./harness/exchange.mjs";
import { opened, operatorTokenOf, signed } from "./harness/forge.mjs";
import { startRoom } from "./harness/room.mjs";

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** Five shards, of which the first and the last are used here. */
const VISITORS = 40_000;
const UNUSED_SHARD = 4;

const over = { id: "over", keep_days: 1, expected_visitors: VISITORS };
const left = { id: "left", keep_days: 1 };

let room;
before(async () => {
  room = await startRoom({ staged: true, events: [over, left] });
});
after(() => room?.stop());

const phaseOf = async (event) => (await room.board(event))?.lines?.[0]?.phase;

/** A join with the permit of a page, whose home is made another. */
async function joinAt(home, visitor) {
  const { claims } = opened(await visitor.permit());
  return visitor.tryToJoin({ permit: signed(room, "wr-permit+jwt", { ...claims, home }) });
}

test("a run that ended is deleted when its days are over, and after that everything says closed, also what is new", async () => {
  const fan = room.visitor({ event: "over" });
  await fan.visit();
  assert.equal((await joinAt(0, fan)).status, 201);
  const operator = await room.operator({ event: "over" });
  await operator.act("close");
  await until(
    () => phaseOf("over"),
    (phase) => phase === "closed",
    { what: "the end" },
  );
  await room.advance(DAY_MS - 5 * MINUTE_MS);
  await phaseOf("over");
  assert.ok((await room.stored("over/1/shard/0")).includes("page/00000000"), "its days are not over");
  await room.advance(6 * MINUTE_MS);
  const held = () => phaseOf("over").then(() => room.stored("over/1/coordinator"));
  await until(held, (keys) => keys.join() === "meta", { what: "the coordinator's deletion" });

  // An edge that knows nothing asks objects of which most know nothing either.
  await room.restart();
  await room.advance(DAY_MS + MINUTE_MS);
  const late = room.visitor({ event: "over" });
  const page = await late.visit();
  assert.equal(page.state, "closed", page.text.slice(0, 200));
  for (const home of [0, UNUSED_SHARD]) {
    const joined = await joinAt(home, late);
    assert.equal(joined.status, 409, `at shard ${home}: ${joined.status} ${joined.text}`);
    assert.equal(joined.json.type, "urn:anteroom:problem:closed");
  }
  assert.equal(await phaseOf("over"), "closed");
  for (const object of ["coordinator", "shard/0", `shard/${UNUSED_SHARD}`]) {
    assert.deepEqual(await room.stored(`over/1/${object}`), ["meta"], object);
  }
});

test("a run that the configuration has left behind is deleted whole by alarms, when its days are over and not before", async () => {
  const fan = room.visitor({ event: "left" });
  await fan.visit();
  await fan.join();
  await room.restartWith({ events: [over, { ...left, run: 2 }] });
  const objects = ["left/1/shard/0", "left/1/coordinator"];
  for (const [ahead, isKept] of [
    [0, true],
    [DAY_MS - MINUTE_MS, true],
    [2 * MINUTE_MS, false],
    [DAY_MS, false],
  ]) {
    await room.advance(ahead);
    for (const object of objects) {
      await room.alarm(object);
      const keys = await room.stored(object);
      assert.equal(keys !== null, isKept, `${object} after ${ahead} ms more: ${keys}`);
    }
  }
  // The new run is not disturbed.
  const again = room.visitor({ event: "left" });
  await again.visit();
  assert.equal((await again.join()).entry, 0);
});

test("isolation: after keep_days a run takes nobody and knows nobody, its operator is told, and a new run starts", async (t) => {
  const events = [
    { id: "demo", keep_days: 2, expected_visitors: 200_000, admission: { max_active: 1 } },
    { id: "other" },
  ];
  const room = await startRoom({ staged: true, events });
  t.after(() => room.stop());
  const operator = await room.operator({ event: "demo" });
  const fan = room.visitor({ event: "demo" });
  await fan.visit();
  await fan.join();
  await operator.act("close");
  const later = async (days) => {
    await room.advance(days * DAY_MS);
    const now = Math.floor(Date.now() / 1_000) + days * 86_400;
    operator.token = operatorTokenOf(room, { evt: "demo", iat: now - 5, exp: now + 600 });
  };
  await later(2 + 1);

  const told = await until(
    () => operator.look(),
    ({ status }) => status === 410,
    { what: "the deletion" },
  );
  assert.equal(told.json.type, "urn:anteroom:problem:run-deleted");
  assert.match(told.json.title, /deleted 2 days after its end; a new run/);
  assert.equal((await operator.log(0)).status, 410);
  assert.equal((await operator.send({ action: "open" })).status, 410);

  const isClosed = async () => {
    const board = await until(
      () => room.board("demo"),
      ({ mode }) => mode === "closed",
      { what: "the closed board" },
    );
    assert.deepEqual(
      board.lines.map(({ phase }) => phase),
      ["closed"],
    );
    // Also at shards that there never were, and again: nothing comes to life by being asked.
    for (let n = 0; n < 20; n += 1) {
      const late = room.visitor({ event: "demo" });
      const page = await late.visit();
      assert.deepEqual([page.status, page.state], [503, "closed"]);
      const refused = await late.tryToJoin();
      assert.deepEqual([refused.status, refused.json.type], [409, "urn:anteroom:problem:closed"]);
    }
    const old = await fan.ask();
    assert.equal(old.state, "none");
  };
  await isClosed();
  await room.restartWith({});
  await room.advance((2 + 1) * DAY_MS);
  await isClosed();
  const other = room.visitor({ event: "other" });
  await other.admitted();

  await room.restartWith({ events: [{ ...events[0], run: 2 }, events[1]] });
  const again = room.visitor({ event: "demo" });
  await again.visit();
  assert.equal((await again.join()).entry, 0);
});
