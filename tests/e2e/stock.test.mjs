// What the origin has left to sell: zero pauses with the reason "stock", more lets the line go on, and nobody but the
// operator declares sold out.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { pause, until } from "./harness/exchange.mjs";
import { startRoom } from "./harness/room.mjs";

const IN_FORCE_MS = 3_000;

let room;
before(async () => {
  room = await startRoom({ events: ["tells", "badly", "steered"].map((id) => ({ id })) });
});
after(() => room?.stop());

const stockOf = (event) => room.board(event);

/** The shop answers with this header from now on. */
function answersWith(value) {
  room.origin.answer = () => ({ headers: { "waiting-room-stock": value } });
}

async function reachesPhase(event, phase) {
  return until(
    () => stockOf(event),
    ({ lines }) => lines[0].phase === phase,
    { within_ms: IN_FORCE_MS, what: `the phase ${phase}` },
  );
}

test("the shop's zero pauses the line, more lets it go on, and the header never reaches a visitor", async () => {
  const inside = room.visitor({ event: "tells" });
  await inside.admitted();
  answersWith("120");
  const shop = await inside.visit();
  assert.equal(shop.headers["waiting-room-stock"], undefined);
  const waiting = room.visitor({ event: "tells" });
  await waiting.visit();
  await waiting.join();
  await until(
    async () => {
      await inside.visit();
      return waiting.ask();
    },
    ({ stock_left }) => stock_left === 120,
    { what: "the stock" },
  );

  answersWith("0");
  assert.equal((await inside.visit()).status, 200);
  const board = await reachesPhase("tells", "paused");
  assert.deepEqual([board.pause, board.stop], [null, false], "no operator has paused");
  const me = await waiting.ask();
  assert.deepEqual([me.phase, me.stock_left], ["paused", 0]);
  await pause(2_000);
  assert.equal((await waiting.claim()).status, 409, "nobody is let in");
  const joins = room.visitor({ event: "tells" });
  await joins.visit();
  assert.equal((await joins.join()).state, "waiting", "joins are taken, tickets may come back");
  assert.equal((await inside.visit()).status, 200, "who is inside stays");

  answersWith("2");
  await inside.visit();
  await reachesPhase("tells", "open");
  await waiting.enter();
});

test("the latest word counts, by the shop's own time", async () => {
  const inside = room.visitor({ event: "tells" });
  room.origin.answer = null;
  await inside.admitted();
  answersWith("7");
  await inside.visit();
  const is = (left) =>
    until(
      async () => {
        await inside.visit();
        return inside.ask();
      },
      ({ stock_left }) => stock_left === left,
      { what: `a stock of ${left}` },
    );
  await is(7);
  answersWith(`0; at=${Date.now() - 60_000}`);
  for (let n = 0; n < 3; n += 1) {
    await inside.visit();
    await pause(1_100);
  }
  assert.equal((await stockOf("tells")).lines[0].phase, "open", "an old word changes nothing");
  answersWith(`5; at=${Date.now() + 24 * 60 * 60_000}`);
  await is(5);
  answersWith("4");
  await is(4);
});

test("a header that cannot be read is ignored, and said in the log once", async () => {
  const inside = room.visitor({ event: "badly" });
  await inside.admitted();
  for (const value of ["-1", "many", "1.5", "0; at=soon", "0; by=me", ""]) {
    answersWith(value);
    const shop = await inside.visit();
    assert.equal(shop.status, 200);
    assert.equal(shop.headers["waiting-room-stock"], undefined, value);
  }
  room.origin.answer = null;
  await pause(2_000);
  assert.equal((await inside.ask()).stock_left, null);
  assert.equal((await stockOf("badly")).lines[0].phase, "open");
  const said = room.output.split("waiting-room-stock is ignored").length - 1;
  assert.equal(said, 1, "once a minute is enough");
});

test("the operator says what is left; zero is a pause and no end, and a pause of the operator's stays one", async () => {
  const operator = await room.operator({ event: "steered" });
  const fan = room.visitor({ event: "steered" });
  await fan.visit();
  await fan.join();
  const { stock, board } = await operator.act("stock", { left: 0 });
  assert.equal(stock.left, 0);
  assert.equal(board.lines[0].phase, "paused");
  const taken = await operator.act("stock", { left: null });
  assert.deepEqual([taken.stock, taken.board.lines[0].phase], [null, "open"], "nobody says any more what is left");
  assert.deepEqual(taken.noted.at(-1).did, { action: "stock", left: null });
  await operator.act("pause", { reason: "Payment is slow" });
  await operator.act("stock", { left: 9 });
  const still = await operator.observe();
  assert.equal(still.board.lines[0].phase, "paused");
  assert.equal(still.board.pause.reason, "Payment is slow");
  await operator.act("resume");
  await fan.enter();
  const { board: over } = await operator.act("soldout");
  assert.equal(over.lines[0].phase, "soldout");
  for (const left of [-1, 1.5, "many", undefined]) {
    assert.equal((await operator.send({ action: "stock", left })).status, 400, String(left));
  }
});
