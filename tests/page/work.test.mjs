// The work that a permit asks for, in a real browser against the real room: with WebAssembly, without it, without a
// worker; before joins are taken; under a slow processor, which is reported.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { launchBrowser } from "../../scripts/testing/browser.mjs";
import { opened } from "../e2e/harness/forge.mjs";
import { startRoom } from "../e2e/harness/room.mjs";
import { launchSlowable } from "./quarter.mjs";
import { opensPage as opens } from "./real.mjs";
import { seconds } from "./stories.mjs";

/** Joins are taken so long after the start: a page that is open by then has done its work. */
const OPENS_AFTER_MS = 30_000;
const JOINED = ".say h1";
const SLOW_JOINS = 10;
/** On a busy machine a quarter of the processor is very little. */
const SLOW_WITHIN_MS = 240_000;
const LOOKS = 200;
/** As Linux shows it, cut to its 15 bytes. */
const WORKER_THREAD = "DedicatedWorker";

let room;
let browser;
let opens_ms;
before(async () => {
  opens_ms = Date.now() + OPENS_AFTER_MS;
  const work = { challenge: "pow", admission: { per_minute: 1 } };
  room = await startRoom({
    events: [
      { id: "demo", ...work },
      { id: "slow", ...work, pow_bits: 8 },
      {
        id: "early",
        ...work,
        prequeue_at: new Date(opens_ms).toISOString(),
        opens_at: new Date(opens_ms + 600_000).toISOString(),
      },
    ],
  });
  browser = await launchBrowser();
});
after(async () => {
  await browser?.close();
  await room?.stop();
});

const opensPage = (event, change) => opens(browser, room, event, { change });

const isJoined = (page, timeout = 60_000) =>
  page.waitForFunction(
    () => /^(waiting|prequeue|called|provisional)$/.test(document.documentElement.dataset.scene),
    null,
    {
      timeout,
    },
  );

test("a page that waits for joins to be taken has done its work by then", async () => {
  const { page, joins, close } = await opensPage("early");
  assert.ok(Date.now() < opens_ms - 5_000, "the page is there before");
  const told = await page.evaluate(
    () => new Promise((done) => setTimeout(() => done(localStorage.getItem("wr-early-1")), 3_000)),
  );
  assert.match(told ?? "", /permit/, "a permit is worked for");
  await isJoined(page);
  const late_ms = Date.now() - opens_ms;
  assert.equal(joins.filter(({ solution }) => solution).length, joins.length);
  console.log(`joined ${late_ms} ms after joins were taken`);
  await close();
});

test("the page does the work beside itself, says how far it is, and joins with it", async () => {
  const { page, joins, wrong, close } = await opensPage("demo");
  await page
    .locator("#lead")
    .filter({ hasText: /shows that it is no machine: \d+ %/ })
    .waitFor({ timeout: 20_000 });
  await isJoined(page);
  assert.equal(joins.length, 1);
  assert.match(joins[0].solution, /^[0-9a-f]{256}$/);
  assert.equal(opened(joins[0].permit).claims.bits, 16);
  assert.deepEqual(wrong, [], "nothing is refused by a policy");
  assert.ok(await page.locator(JOINED).isVisible());
  await page.reload();
  await isJoined(page);
  assert.equal(joins.length, 1, "who has a place works no more");
  await close();
});

test("P18 without WebAssembly plain JavaScript does it; without a worker the wait does", async () => {
  const plain = await opensPage("slow", (page) =>
    page.route("**/solver.js*", async (route) => {
      const answer = await route.fetch();
      const body = (await answer.text()).replace(/const WASM="[^"]*"/, 'const WASM="AAAA"');
      await route.fulfill({ response: answer, body });
    }),
  );
  await isJoined(plain.page);
  assert.match(plain.joins[0].solution, /^[0-9a-f]{256}$/);
  await plain.close();

  for (const change of [
    (page) => page.addInitScript(() => delete window.Worker),
    (page) => page.route("**/solver.js*", (route) => route.abort()),
  ]) {
    const without = await opensPage("slow", change);
    await isJoined(without.page);
    assert.ok(without.joins.every(({ solution }) => solution === undefined));
    assert.ok(performance.now() - without.began > 13_000, "the server has measured the wait");
    await without.close();
  }
});

/** The share of the time in which a worker of the browser stands still: looked at as it works. */
async function standsStill(slowable) {
  const page = await slowable.browser.newPage();
  await page.evaluate(() => {
    const code = "for (;;);";
    window.worker = new Worker(URL.createObjectURL(new Blob([code])));
  });
  const states = [];
  for (let look = 0; look < LOOKS; look += 1) {
    await seconds(0.01);
    states.push(...slowable.threads(WORKER_THREAD));
  }
  await page.close();
  assert.ok(states.length >= LOOKS / 2, "the worker's thread is found");
  return states.filter((state) => state === "T").length / states.length;
}

/** How long a fresh browser needs until it has its place, and the longest task of its page meanwhile. */
async function joinsFresh(browser) {
  const context = await browser.newContext({ baseURL: room.url });
  const page = await context.newPage();
  await page.addInitScript(() => {
    window.longest_ms = 0;
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) window.longest_ms = Math.max(window.longest_ms, duration);
    }).observe({ type: "longtask" });
  });
  const began = performance.now();
  await page.goto(room.pathOf("demo"));
  await isJoined(page, SLOW_WITHIN_MS);
  const ms = Math.round(performance.now() - began);
  const longest_ms = await page.evaluate(() => window.longest_ms);
  await context.close();
  return { ms, longest_ms };
}

test("P21 with a quarter of the processor the work is done, and the page stays free (reported)", async (t) => {
  const slowable = await launchSlowable();
  try {
    assert.equal(await standsStill(slowable), 0);
    slowable.slow();
    const still = await standsStill(slowable);
    assert.ok(still > 0.1, `a worker stands still for ${still} of the time`);
    const took = [];
    for (let n = 0; n < SLOW_JOINS; n += 1) took.push(await joinsFresh(slowable.browser));
    const of = (key) => took.map((each) => each[key]).sort((one, other) => one - other);
    t.diagnostic(`a worker stands still for ${still.toFixed(2)} of the time`);
    t.diagnostic(`joins at base difficulty, ms: ${of("ms").join(" ")}`);
    t.diagnostic(`longest task of each page, ms (0: none over 50): ${of("longest_ms").join(" ")}`);
  } finally {
    await slowable.close();
  }
});
