// The work that a permit asks for, in a real browser against the real room: with WebAssembly, without it, without a
// worker; before joins are taken; under a slow processor, which is reported.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { launchBrowser } from "../../scripts/testing/browser.mjs";
import { opened } from "../e2e/harness/forge.mjs";
import { startRoom } from "../e2e/harness/room.mjs";

/** Joins are taken so long after the start: a page that is open by then has done its work. */
const OPENS_AFTER_MS = 30_000;
const JOINED = ".say h1";

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

/** A page of its own browser; `change(page)` is done before it loads. */
async function opensPage(event, change = async () => {}) {
  const context = await browser.newContext({ baseURL: room.url });
  const page = await context.newPage();
  const joins = [];
  page.on("request", (request) => {
    if (request.method() === "POST" && request.url().endsWith("/tickets")) joins.push(request.postDataJSON());
  });
  const wrong = [];
  page.on("pageerror", (error) => wrong.push(error.message));
  page.on("console", (message) => message.text().includes("Content Security Policy") && wrong.push(message.text()));
  await change(page);
  const began = performance.now();
  await page.goto(room.pathOf(event));
  return { page, joins, wrong, began, close: () => context.close() };
}

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

test("P21 under a slow processor the work is done, and the page stays free for the visitor (reported)", async (t) => {
  const took = [];
  for (let n = 0; n < 5; n += 1) {
    const { page, close } = await opensPage("demo", async (page) => {
      const session = await page.context().newCDPSession(page);
      await session.send("Emulation.setCPUThrottlingRate", { rate: 4 });
      await page.addInitScript(() => {
        window.longest_ms = 0;
        new PerformanceObserver((list) => {
          for (const { duration } of list.getEntries()) window.longest_ms = Math.max(window.longest_ms, duration);
        }).observe({ type: "longtask" });
      });
    });
    const began = performance.now();
    await isJoined(page);
    took.push({ ms: Math.round(performance.now() - began), longest_ms: await page.evaluate(() => window.longest_ms) });
    await close();
  }
  t.diagnostic(`joins at base difficulty: ${JSON.stringify(took)}`);
});
