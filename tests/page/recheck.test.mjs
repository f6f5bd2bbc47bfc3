// A check of a visitor who has a place, in a real browser against the real room: at the turn, for a pass in too many
// networks, and without a worker. Q12.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { launchBrowser } from "../../scripts/testing/browser.mjs";
import { startRoom } from "../e2e/harness/room.mjs";

const WITHIN_MS = 60_000;
const RENEWAL_MS = 100_000;
const WORK = { challenge: "pow", pow_bits: 8, recheck: "everyone" };

let room;
let browser;
before(async () => {
  room = await startRoom({
    staged: true,
    events: [
      { id: "turn", ...WORK },
      { id: "heavy", ...WORK, pow_bits: 17 },
      { id: "waits", ...WORK },
      { id: "shared", ...WORK, recheck: "suspected" },
    ],
  });
  room.origin.answer = () => ({
    status: 200,
    headers: { "content-type": "text/html" },
    body: "<!doctype html><title>The shop</title><h1>Seats",
  });
  browser = await launchBrowser();
});
after(async () => {
  await browser?.close();
  await room?.stop();
});

/** A page of its own browser in a network, with the claims that it makes. */
async function opens(event, { network = "192.0.2.1", change = async () => {}, ...options } = {}) {
  const context = await browser.newContext({
    ...options,
    baseURL: room.url,
    extraHTTPHeaders: { "cf-connecting-ip": network },
  });
  const page = await context.newPage();
  const claims = [];
  const wrong = [];
  page.on("request", (request) => {
    if (request.method() === "POST" && request.url().endsWith("/me/pass")) claims.push(request.postDataJSON());
  });
  page.on("pageerror", (error) => wrong.push(error.message));
  await change(page);
  await page.goto(room.pathOf(event));
  return { context, page, claims, wrong };
}

const inTheShop = (page) => page.waitForFunction(() => document.title === "The shop", null, { timeout: WITHIN_MS });
const inScene = (page, scene) => page.locator(`html[data-scene=${scene}]`).waitFor({ timeout: WITHIN_MS });

test("Q12 at the turn the page does the check by itself, says that the place is kept, and goes in", async () => {
  const { context, page, claims, wrong } = await opens("heavy");
  await inScene(page, "recheck");
  assert.match(await page.locator("#lead").textContent(), /^Your place is kept\./);
  await page.waitForFunction(() => /no machine: \d+ %/.test(document.querySelector("#lead").textContent), null, {
    timeout: WITHIN_MS,
  });
  await inTheShop(page);
  assert.equal(claims.filter(({ solution }) => solution).length > 0, true);
  assert.deepEqual(claims[0], {});
  assert.deepEqual(wrong, []);
  await context.close();
});

test("Q12 a check that was done is kept while the claim is pending, and no work is done again", async () => {
  let pending = 3;
  const change = (page) =>
    page.route("**/tickets/me/pass", async (route) => {
      if (!route.request().postDataJSON().solution || pending === 0) return route.continue();
      pending -= 1;
      const me = await page.context().request.get(
        route
          .request()
          .url()
          .replace(/\/pass$/, ""),
      );
      const json = { ...(await me.json()), state: "pending", poll_ms: 500 };
      return route.fulfill({ status: 202, json, headers: { "waiting-room-state": "pending" } });
    });
  const { context, page, claims, wrong } = await opens("turn", { change });
  await inTheShop(page);
  const brought = claims.filter(({ solution }) => solution);
  assert.equal(brought.length, 4, JSON.stringify(claims.map(Object.keys)));
  for (const claim of brought) assert.deepEqual(claim, brought[0]);
  assert.deepEqual(claims.indexOf(brought[0]), claims.length - brought.length, "none goes without it from then on");
  assert.deepEqual(wrong, []);
  await context.close();
});

test("where no worker works, the page waits for the check and goes in", async () => {
  const change = (page) => page.addInitScript(() => Reflect.deleteProperty(window, "Worker"));
  const { context, page, claims } = await opens("waits", { change });
  await page.waitForFunction(() => /joining|busy/.test(document.documentElement.dataset.scene), null, {
    timeout: WITHIN_MS,
  });
  await page.waitForTimeout(1_500);
  await room.advance(15_000);
  await inScene(page, "recheck");
  await page.waitForTimeout(1_500);
  await room.advance(15_000);
  await inTheShop(page);
  assert.equal(claims.filter(({ solution }) => solution).length, 0);
  await context.close();
});

test("a pass in too many networks: whoever comes back first does the check and goes on in the shop", async () => {
  const first = await opens("shared");
  await inTheShop(first.page);
  const jar = await first.context.cookies();
  const others = [];
  for (const network of ["198.51.100.1", "203.0.113.1", "10.0.0.1"]) {
    const context = await browser.newContext({
      baseURL: room.url,
      extraHTTPHeaders: { "cf-connecting-ip": network },
    });
    await context.addCookies(jar);
    others.push(await context.newPage());
  }
  await room.advance(RENEWAL_MS);
  for (const page of [first.page, ...others]) await page.goto(room.pathOf("shared"));
  await room.advance(2 * RENEWAL_MS);
  const last = others.at(-1);
  const answer = await last.goto(room.pathOf("shared"));
  assert.equal(answer.headers()["waiting-room-state"], "recheck");
  await inTheShop(last);
  await room.advance(2 * RENEWAL_MS);
  await others[0].goto(room.pathOf("shared"));
  await inScene(others[0], "elsewhere");
  for (const { context } of [first, ...others.map((page) => ({ context: page.context() }))]) await context.close();
});
