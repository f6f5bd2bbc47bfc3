// cap: the limits on admissions hold exactly, and can be changed while the sale runs.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { joined } from "./harness/crowd.mjs";
import { pause, until } from "./harness/exchange.mjs";
import { startRoom } from "./harness/room.mjs";

let room;
before(async () => {
  room = await startRoom({
    events: [
      { id: "small", admission: { max_active: 3 } },
      { id: "steady", admission: { per_minute: 60, max_active: 500 } },
      { id: "freed", admission: { per_minute: 1, max_active: 500 } },
      { id: "drained", admission: { max_active: 4 } },
      { id: "batches", admission: { batch: { size: 2, every_seconds: 3 } } },
    ],
  });
});
after(() => room?.stop());

/** Everybody who is called claims, again and again, for so long; answers who got a pass, in order. */
async function claimFor(fans, ms) {
  const admitted = [];
  const end = Date.now() + ms;
  while (Date.now() < end) {
    await Promise.all(
      fans
        .filter((fan) => !admitted.some((each) => each.fan === fan))
        .map(async (fan) => {
          const { status } = await fan.claim();
          assert.ok([200, 202, 409].includes(status), `a claim: ${status}`);
          if (status === 200) admitted.push({ fan, at_ms: Date.now() });
        }),
    );
    await pause(50);
  }
  return admitted;
}

// Each has an event of its own, and mostly waits.
describe("while the sale runs", { concurrency: true }, () => {
  test("max_active: never more sessions than allowed, and a session given back lets exactly one more in", async () => {
    const operator = await room.operator({ event: "small" });
    const fans = await joined(room, "small", 8);
    const inside = await claimFor(fans, 2_500);
    assert.equal(inside.length, 3);
    assert.equal((await operator.observe()).totals.active, 3);
    assert.equal((await inside[0].fan.release()).status, 200);
    const waiting = fans.filter((fan) => !inside.some((each) => each.fan === fan));
    const next = await claimFor(waiting, 2_500);
    assert.equal(next.length, 1);
    assert.equal((await operator.observe()).totals.active, 3);
  });

  test("a raised limit lets more in at once; a lowered one lets nobody in until it has drained", async () => {
    const operator = await room.operator({ event: "drained" });
    const fans = await joined(room, "drained", 8);
    const inside = await claimFor(fans, 2_000);
    assert.equal(inside.length, 4);
    const before = await room.board("drained");
    const lowered = await operator.act("retune", { max_active: 2 });
    assert.equal(lowered.board.limits.max_active, 2);
    assert.equal(lowered.settings.limits.max_active, 4, "the configured value is shown beside the live one");
    assert.ok(lowered.board.slowdowns > before.slowdowns, "a wait that grows has a cause that the page can name");
    const waiting = fans.filter((fan) => !inside.some((each) => each.fan === fan));
    for (const { fan } of inside.slice(0, 2)) await fan.release();
    assert.equal((await claimFor(waiting, 1_500)).length, 0, "D16 two are still inside, and two are allowed");
    await operator.act("retune", { max_active: "reset" });
    assert.equal((await claimFor(waiting, 2_500)).length, 2, "back to the configured four");
    for (const { fan } of inside.slice(2)) assert.equal((await fan.visit()).status, 200, "who is in stays in");
  });

  test("per_minute: admissions in any window stay within the rate and one second's allowance", async () => {
    const fans = await joined(room, "steady", 12);
    const admitted = await claimFor(fans, 6_000);
    const times = admitted.map(({ at_ms }) => at_ms).sort((a, b) => a - b);
    assert.ok(times.length >= 4, `only ${times.length} in 6 s at one a second`);
    // Answers reach us later than grants are made, each by up to so much.
    const late_ms = 600;
    for (let first = 0; first < times.length; first += 1) {
      for (let last = first; last < times.length; last += 1) {
        const window_s = (times[last] - times[first] + late_ms) / 1_000;
        assert.ok(last - first + 1 <= window_s + 1, `${last - first + 1} admissions in ${window_s} s`);
      }
    }
  });

  test("per_minute can be taken away while the sale runs", async () => {
    const operator = await room.operator({ event: "freed" });
    const fans = await joined(room, "freed", 10);
    const answer = await operator.act("retune", { per_minute: null });
    assert.equal(answer.board.limits.per_minute ?? null, null);
    assert.equal(answer.board.limits.max_active, 500, "an absent field keeps its value");
    assert.equal((await claimFor(fans, 3_000)).length, 10);
  });

  test("batch: so many at the start of every period, and none carried over", async () => {
    const fans = await joined(room, "batches", 12);
    const admitted = await claimFor(fans, 7_000);
    assert.ok(admitted.length >= 4, `${admitted.length} in 7 s at two every 3 s`);
    const times = admitted.map(({ at_ms }) => at_ms).sort((a, b) => a - b);
    // Within less than a period there is at most one start of another.
    for (let n = 4; n < times.length; n += 1) {
      assert.ok(times[n] - times[n - 4] > 2_400, `five admissions in ${times[n] - times[n - 4]} ms`);
    }
  });
});

test("a limit that cannot be is refused with the field and its range, and changes nothing", async () => {
  const operator = await room.operator({ event: "small" });
  const before = (await operator.observe()).board;
  for (const [document, field] of [
    [{ action: "retune", max_active: 0 }, "max_active"],
    [{ action: "retune", max_active: -3 }, "max_active"],
    [{ action: "retune", max_active: 1.5 }, "max_active"],
    [{ action: "retune", per_minute: "many" }, "per_minute"],
    [{ action: "retune", per_minute: 1_000_001 }, "per_minute"],
    [{ action: "retune", batch: { size: 1 } }, "batch"],
    [{ action: "retune", max_actve: 5 }, ""],
    [{ action: "resume", reason: "x" }, ""],
    [{ action: "expect", visitors: -1 }, "visitors"],
    [{ action: "message", text: "x".repeat(501) }, "text"],
    [{ action: "pause", reason: 7 }, "reason"],
    [{ action: "dance" }, "action"],
    [{}, "action"],
  ]) {
    const answer = await operator.send(document);
    assert.equal(answer.status, 400, `${JSON.stringify(document).slice(0, 80)}: ${answer.status} ${answer.text}`);
    assert.ok(answer.text.includes(field), `${field} is not named: ${answer.text}`);
  }
  await until(
    () => room.board("small"),
    (board) => board.version >= before.version,
  );
  const after = (await operator.observe()).board;
  assert.deepEqual(after.limits, before.limits);
});
