// What can go wrong with a call between edge and object, as the platform knows it: the answer is lost after the commit, the
// object is overloaded, the error may be tried again, or may not.
import assert from "node:assert/strict";
import { afterEach, before, after, test } from "node:test";
import { opened } from "./harness/forge.mjs";
import { startRoom } from "./harness/room.mjs";

let room;
before(async () => {
  room = await startRoom({ staged: true, events: [{ id: "demo" }, { id: "auto", mode: "auto" }] });
});
afterEach(() => room.fails());
after(() => room?.stop());

const lost = (times) => ({ part: "demo/1/shard/", kind: "lost", times });

test("D2 a join whose answer is lost after the commit is the same place when it is sent again", async () => {
  const fan = room.visitor();
  await fan.visit();
  const before = (await room.board()).lines[0].entries;
  await room.fails(lost(50));
  const first = await fan.tryToJoin();
  assert.deepEqual(
    [first.status, typeof first.state],
    [503, "string"],
    "nobody knows, and it is the room's own answer",
  );
  assert.ok((await room.met())[0] >= 1);
  await room.fails();
  const again = await fan.tryToJoin();
  assert.equal(again.status, 200, `made already: ${again.text}`);
  const { entry } = await fan.reachesNumber();
  assert.equal(entry, before);
  assert.equal((await fan.join()).entry, entry, "and once more");
});

test("D2 a claim, a release and a leave whose answers are lost are done, once, and said when they are asked again", async () => {
  const fan = room.visitor();
  await fan.visit();
  await fan.join();
  await fan.reaches("called");
  const operator = await room.operator();
  const granted = (await operator.observe()).totals.granted;
  await room.fails(lost(50));
  assert.notEqual((await fan.claim()).status, 200);
  await room.fails();
  const { pass } = await fan.enter();
  assert.equal((await fan.claim()).status, 200);
  assert.equal((await operator.observe()).totals.granted, granted + 1, "one grant");
  await room.fails(lost(50));
  assert.equal((await fan.release()).status, 503);
  await room.fails();
  assert.equal((await fan.release()).status, 200);
  const bearing = { headers: { authorization: `Bearer ${pass}` } };
  assert.equal((await room.ask("/_wr/access", bearing)).status, 410, opened(pass).claims.jti);
  const leaver = room.visitor();
  await leaver.visit();
  await leaver.join();
  await room.fails(lost(50));
  assert.equal((await leaver.leave()).status, 503);
  await room.fails();
  assert.equal((await leaver.leave()).status, 200);
});

test("D12 overloaded is not called again, retryable at most twice more, any other error not at all", async () => {
  for (const [kind, calls] of [
    ["overloaded", 1],
    ["retryable", 3],
    ["plain", 1],
  ]) {
    const fan = room.visitor();
    await fan.visit();
    await fan.ask();
    await room.fails({ part: "demo/1/shard/", kind, times: 50 });
    const answer = await fan.tryToJoin();
    assert.deepEqual([answer.status, typeof answer.state], [503, "string"], answer.text);
    assert.ok(Number(answer.headers["retry-after"]) > 0);
    assert.ok(answer.json.permit, "with the permit to come again with");
    // A read of the board may have been one more call: it is made once.
    const [met] = await room.met();
    assert.ok(met >= calls && met <= calls + 1, `${kind}: ${met} calls`);
    const page = await fan.visit();
    assert.deepEqual([page.status, typeof page.state], [503, "string"], "the page is there");
    await room.fails();
    assert.equal((await fan.tryToJoin()).status, 201);
  }
});

test("D12 an error that may be tried again is, and the visitor notices nothing", async () => {
  const fan = room.visitor();
  await fan.visit();
  await room.fails({ part: "demo/1/shard/", kind: "retryable", times: 2 });
  assert.equal((await fan.tryToJoin()).status, 201);
  const inside = room.visitor({ event: "auto" });
  await room.fails({ part: "auto/1/shard/", kind: "overloaded", times: 50 });
  const page = await inside.visit();
  assert.equal(page.status, 503);
  assert.equal(typeof page.state, "string", "shed to the page");
});
