// Everything of a run is deleted `keep_days` after its end: from then on its event is a sale that is over, whoever asks.
import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "./harness/exchange.mjs";
import { operatorTokenOf } from "./harness/forge.mjs";
import { startRoom } from "./harness/room.mjs";

const DAY_MS = 86_400_000;
const KEEP_DAYS = 2;

test("isolation: after keep_days a run takes nobody and knows nobody, its operator is told, and a new run starts", async (t) => {
  const events = [
    { id: "demo", keep_days: KEEP_DAYS, expected_visitors: 200_000, admission: { max_active: 1 } },
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
  await later(KEEP_DAYS + 1);

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
  await room.advance((KEEP_DAYS + 1) * DAY_MS);
  await isClosed();
  const other = room.visitor({ event: "other" });
  await other.admitted();

  await room.restartWith({ events: [{ ...events[0], run: 2 }, events[1]] });
  const again = room.visitor({ event: "demo" });
  await again.visit();
  assert.equal((await again.join()).entry, 0);
});
