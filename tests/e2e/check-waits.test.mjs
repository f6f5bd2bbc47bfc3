// Q12: what it costs a network that visitors with a place wait for checks instead of working.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { until } from "./harness/exchange.mjs";
import { startRoom } from "./harness/room.mjs";
import { solverOf } from "./harness/work.mjs";

const BITS = 4;
/** So long a check and a permit are waited for without script. */
const WAIT_MS = 15_000;

let room;
let solve;
before(async () => {
  const events = [{ id: "careful", challenge: "pow", pow_bits: BITS, recheck: "everyone" }];
  room = await startRoom({ staged: true, events });
  solve = await solverOf(room);
});
after(() => room?.stop());

const arrives = (address) => room.visitor({ event: "careful", headers: { "cf-connecting-ip": address } });
const claims = (fan, document) => fan.script("POST", `${fan.queue}/tickets/me/pass`, document);

test("Q12 the checks of one place cost its neighbours one wait, and those that nobody asked for none", async () => {
  const [here, neighbour] = ["10.9.9.1", "10.9.9.2"];
  const fan = arrives(here);
  await fan.visit();
  const permit = await fan.permit();
  await fan.join({ solution: await solve(permit, BITS) });
  await fan.reaches("called");
  const checks = [];
  for (let n = 0; n < 12; n += 1) {
    fan.drop("check");
    checks.push((await claims(fan, {})).json.check);
  }
  assert.equal(new Set(checks).size, 12);
  await room.advance(WAIT_MS);
  for (const check of checks) {
    await until(
      () => claims(fan, { check }),
      ({ status }) => status === 200,
      { what: "the pass" },
    );
  }
  const scriptless = Array.from({ length: 10 }, () => arrives(neighbour));
  const permits = await Promise.all(
    scriptless.map((each) => each.script("POST", `${each.queue}/permits`).then(({ json }) => json.permit)),
  );
  await room.advance(WAIT_MS);
  const statuses = [];
  for (const [n, each] of scriptless.entries()) {
    statuses.push((await each.script("POST", `${each.queue}/tickets`, { permit: permits[n] })).status);
  }
  assert.deepEqual(statuses, [...Array(9).fill(201), 422]);
});
