// Q2: a page whose network is asked for more work by the time it joins, in a real browser at the real room.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { launchBrowser } from "../../scripts/testing/browser.mjs";
import { opened } from "../e2e/harness/forge.mjs";
import { startRoom } from "../e2e/harness/room.mjs";
import { solverOf } from "../e2e/harness/work.mjs";
import { opensPage } from "./real.mjs";

/** The neighbours join in a third of it. */
const OPENS_AFTER_MS = 40_000;
/** So many neighbours join at the same time. */
const AT_ONCE = 32;
const BITS = 6;
const ADDRESS = { "cf-connecting-ip": "192.0.2.9" };
/** With so many places a network is asked for four times the work. */
const NEIGHBOURS = 256;

let room;
let browser;
let opens_ms;
before(async () => {
  opens_ms = Date.now() + OPENS_AFTER_MS;
  const work = { challenge: "pow", pow_bits: BITS };
  room = await startRoom({
    events: [
      { id: "neighbours", ...work, pow_bits: 4, admission: { per_minute: 1 } },
      {
        id: "early",
        ...work,
        prequeue_at: new Date(opens_ms).toISOString(),
        opens_at: "2999-01-01T10:00:00Z",
      },
    ],
  });
  browser = await launchBrowser();
});
after(async () => {
  await browser?.close();
  await room?.stop();
});

const isJoined = (page) => page.locator('html[data-scene="prequeue"]').waitFor({ state: "attached", timeout: 90_000 });

test("Q2 a page whose permit has become too cheap works once more for the same place, by itself and once", async () => {
  const { page, joins, close } = await opensPage(browser, room, "early", { extraHTTPHeaders: ADDRESS });
  const solve = await solverOf(room);
  for (let joined = 0; joined < NEIGHBOURS; joined += AT_ONCE) {
    const fans = Array.from({ length: AT_ONCE }, () => room.visitor({ event: "neighbours", headers: ADDRESS }));
    const solutions = [];
    for (const fan of fans) {
      await fan.visit();
      solutions.push(await solve(fan.page.permit, opened(fan.page.permit).claims.bits));
    }
    await Promise.all(fans.map((fan, n) => fan.join({ solution: solutions[n] })));
  }
  assert.ok(Date.now() < opens_ms - 2_000, "the page has not joined yet");
  await isJoined(page);
  const asked = joins.map(({ permit }) => opened(permit).claims);
  assert.deepEqual(
    asked.map(({ bits }) => bits),
    [BITS, BITS + 2],
  );
  assert.equal(asked[0].jti, asked[1].jti);
  assert.equal((await room.board("early")).lines[0].entries, 1);
  const kept = await page.evaluate(() => JSON.parse(localStorage.getItem("wr-early-1")).permit);
  assert.equal(kept, joins[1].permit, "its other tabs go on with that one");
  await page.reload();
  await isJoined(page);
  assert.equal(joins.length, 2);
  await close();
});
