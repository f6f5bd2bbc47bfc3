// The strip on any page of the host: what it says, when it asks, and that it harms no page.
import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { gzipSync } from "node:zlib";
import { launchBrowser } from "../../scripts/testing/browser.mjs";
import { violations } from "../page/axe.mjs";
import { setVisible, until } from "../page/browser.mjs";
import { MEMORY, NOW_MS, standing, startShop, stripScript } from "./strip.mjs";

/** Six languages, the pace and the colours in it: with gzip; brotli, which most hosts speak, needs a sixth less. */
const MAX_STRIP_BYTES = 6 * 1024;

const HOUR_MS = 3_600_000;

let browser;
let shop;
before(async () => {
  browser = await launchBrowser();
  shop = await startShop();
});
after(async () => {
  await browser?.close();
  shop?.stop();
});
beforeEach(() => {
  Object.assign(shop, { me: standing(), lang: "en", attributes: "", front: undefined, status: 200 });
  shop.asked.length = 0;
});

/** Opens a page of the shop in a browser that has been at the queue page; nothing may be complained about. */
async function open({ memory = MEMORY, path = "/merchandise", ...options } = {}) {
  const context = await browser.newContext({ viewport: { width: 390, height: 700 }, ...options });
  await context.addInitScript((kept) => {
    if (kept && localStorage.length === 0) localStorage.setItem("wr-world-tour-3", JSON.stringify(kept));
  }, memory);
  const page = await context.newPage();
  const complaints = [];
  page.on("console", (message) => ["error", "warning"].includes(message.type()) && complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(String(error)));
  await page.goto(`${shop.origin}${path}`);
  return {
    page,
    complaints,
    text: page.locator("wr-strip p"),
    link: page.locator("wr-strip a"),
    close: () => context.close(),
  };
}

const quiet = (page) => page.waitForTimeout(700);

test("the strip is a few kB", () => {
  const bytes = gzipSync(stripScript()).length;
  assert.ok(bytes <= MAX_STRIP_BYTES, `${bytes} bytes with gzip`);
});

test("the place stands on the page under its strict policy, follows the line, and leads back at the turn", async () => {
  const { page, complaints, text, link, close } = await open();
  await text.filter({ hasText: "1,230 ahead of you · about 4–8 minutes" }).waitFor({ timeout: 5_000 });
  assert.equal(await link.textContent(), "Show");
  assert.equal(await link.evaluate((a) => a.pathname + a.search), "/events/world-tour/seats?row=4");
  shop.me = standing({ ahead: 12, eta: { likely_seconds: 10, at_most_seconds: 50 } });
  await text.filter({ hasText: "12 ahead of you · less than a minute" }).waitFor({ timeout: 5_000 });
  shop.me = standing({ ahead: 0, state: "called" });
  await text.filter({ hasText: "It is your turn" }).waitFor({ timeout: 5_000 });
  assert.equal(await link.textContent(), "Enter");
  assert.equal(await page.locator("wr-strip").getAttribute("data-tone"), "turn");
  assert.equal(await page.locator("wr-strip [role=status]").textContent(), "It is your turn");
  await link.click();
  await page.waitForURL(/\/events\/world-tour\/seats\?row=4$/);
  assert.deepEqual(complaints, []);
  await close();
});

test("what is said in each phase and state", async () => {
  const soon = NOW_MS + HOUR_MS;
  const rows = [
    [{ state: "provisional", rank: null, ahead: null }, /^Your place is saved$/],
    [{ phase: "prequeue", rank: null, ahead: null, opens_at_ms: soon }, /^The sale starts: \d+:\d\d/],
    [{ phase: "drawing", rank: null, ahead: null }, /^You are in the draw$/],
    [{ phase: "paused" }, /^The line is paused · Your place is kept$/],
    [{ stop: true }, /^The line is paused/],
    [{ phase: "soldout" }, /^Sold out · Thank you for waiting$/],
    [{ phase: "closed" }, /^The sale is over$/],
    [{ state: "pending" }, /^Almost there$/],
    [{ state: "admitted" }, /^The shop is open for you$/],
    [{ ahead: 0, eta: null }, /^You are next$/],
  ];
  const { text, close } = await open();
  for (const [more, words] of rows) {
    shop.me = standing(more);
    await text.filter({ hasText: words }).waitFor({ timeout: 5_000 });
  }
  await close();
});

test("an opening is told by the room's clock, whatever the visitor's says", async () => {
  const rows = [
    [6, /^The sale starts: 6:00\sPM$/],
    [25, /^The sale starts: Mar 2, 2027, 1:00\sPM$/],
  ];
  for (const off_hours of [-24, 0, 24]) {
    const { page, text, close } = await open({ locale: "en-US", timezoneId: "UTC" });
    await page.clock.setFixedTime(NOW_MS + off_hours * HOUR_MS);
    for (const [in_hours, words] of rows) {
      shop.me = standing({ phase: "prequeue", rank: null, ahead: null, opens_at_ms: NOW_MS + in_hours * HOUR_MS });
      await page.reload();
      await text.waitFor({ timeout: 5_000 });
      assert.match(await text.textContent(), words, `${off_hours} hours off`);
    }
    await close();
  }
});

test("on a phone each part of the text is a line, and on a wide page a dot stands between them", async () => {
  for (const [width, dots, lines] of [
    [320, 0, 2],
    [1280, 1, 1],
  ]) {
    const { text, close } = await open({ viewport: { width, height: 700 } });
    await text.waitFor({ timeout: 5_000 });
    assert.equal(await text.locator("i:visible").count(), dots, `${width} px`);
    const tops = await text.locator("span").evaluateAll((parts) => parts.map((part) => part.offsetTop));
    assert.equal(new Set(tops).size, lines, `${width} px: ${tops}`);
    await close();
  }
});

test("without a living place there is no strip, and nobody is asked again", async () => {
  for (const state of ["none", "ended", "lapsed", "left", "elsewhere"]) {
    shop.me = standing({ state, rank: null, ahead: null, poll_ms: 100 });
    shop.asked.length = 0;
    const { page, complaints, close } = await open();
    await quiet(page);
    assert.equal(await page.locator("wr-strip").count(), 0, state);
    assert.equal(shop.asked.length, 1, state);
    assert.deepEqual(complaints, []);
    await close();
  }
});

test("a browser that was never at the queue page asks nothing at all", async () => {
  const { page, close } = await open({ memory: null });
  await quiet(page);
  assert.equal(shop.asked.length, 0);
  await close();
});

test("inside the shop an admitted visitor sees no strip", async () => {
  shop.me = standing({ state: "admitted" });
  const { page, close } = await open({ path: "/Events/world-tour/checkout" });
  await until(() => shop.asked.length > 0, "a question");
  await quiet(page);
  assert.equal(await page.locator("wr-strip").count(), 0);
  await close();
});

test("a shown number never rises, on no page of the browser", async () => {
  const { page, text, close } = await open();
  await text.filter({ hasText: "1,230 ahead" }).waitFor({ timeout: 5_000 });
  shop.me = standing({ ahead: 900 });
  await text.filter({ hasText: "900 ahead" }).waitFor({ timeout: 5_000 });
  shop.me = standing({ ahead: 1_100 });
  shop.asked.length = 0;
  await until(() => shop.asked.length >= 2, "two more answers");
  assert.match(await text.textContent(), /^900 ahead/);
  await page.reload();
  await text.filter({ hasText: "900 ahead" }).waitFor({ timeout: 5_000 });
  const kept = await page.evaluate(() => JSON.parse(localStorage.getItem("wr-world-tour-3")));
  assert.deepEqual(kept, { ...MEMORY, ahead: 900 }, "nothing else that the queue page remembers is touched");
  await close();
});

test("it asks at the server's pace, hardly while hidden, and at once on return", async () => {
  const { page, text, close } = await open();
  await text.waitFor({ timeout: 5_000 });
  await until(() => shop.asked.length >= 4, "a question every half second");
  const gaps = shop.asked.slice(1).map((at, index) => at - shop.asked[index]);
  for (const gap of gaps) assert.ok(gap >= 400, `${gap} ms`);
  await setVisible(page, false);
  await page.waitForTimeout(300);
  shop.asked.length = 0;
  await page.waitForTimeout(2_500);
  assert.equal(shop.asked.length, 0, "hidden: once a minute");
  await setVisible(page, true);
  await until(() => shop.asked.length > 0, "a question on return", 1_500);
  await close();
});

test("it can be hidden for this page, and then neither stands nor asks", async () => {
  const { page, text, close } = await open();
  await text.waitFor({ timeout: 5_000 });
  await page.getByRole("button", { name: "Hide" }).click();
  assert.equal(await page.locator("wr-strip").count(), 0);
  assert.equal(await page.evaluate(() => document.documentElement.style.paddingBlockEnd), "");
  shop.asked.length = 0;
  await setVisible(page, false);
  await setVisible(page, true);
  await page.waitForTimeout(1_500);
  assert.equal(shop.asked.length, 0);
  await close();
});

test("the end of the page stands above the strip, by day and by night, on phone and desktop", async () => {
  for (const colorScheme of ["light", "dark"]) {
    for (const width of [320, 390, 1280]) {
      const { page, text, close } = await open({ colorScheme, viewport: { width, height: 700 } });
      await text.waitFor({ timeout: 5_000 });
      await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight));
      const last = await page.locator("#last").boundingBox();
      const strip = await page.locator("wr-strip section").boundingBox();
      assert.ok(last.y + last.height <= strip.y + 1, `${width}: ${last.y + last.height} above ${strip.y}`);
      assert.ok(strip.height <= 120 && strip.width <= width, `${width}: ${strip.width} × ${strip.height}`);
      const scrolls = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
      assert.equal(scrolls, false, `${width}`);
      await close();
    }
  }
});

test("it is clean to axe while waiting and at the turn, by day and by night", async () => {
  for (const colorScheme of ["light", "dark"]) {
    for (const state of ["waiting", "called"]) {
      shop.me = standing({ state });
      const { page, text, close } = await open({ colorScheme, bypassCSP: true });
      await text.waitFor({ timeout: 5_000 });
      assert.deepEqual(await violations(page, [], "wr-strip"), [], `${state}, ${colorScheme}`);
      await close();
    }
  }
});

test("the page's own styles do not reach it", async () => {
  const { text, close } = await open();
  await text.waitFor({ timeout: 5_000 });
  const seen = await text.evaluate((p) => {
    const { letterSpacing, fontSize, marginTop, fontFamily } = getComputedStyle(p);
    return { letterSpacing, fontSize, marginTop, serif: fontFamily === "serif" };
  });
  assert.deepEqual(seen, { letterSpacing: "normal", fontSize: "15px", marginTop: "0px", serif: false });
  await close();
});

test("it speaks the page's language", async () => {
  const rows = [
    ["de-AT", /^Noch 1\.230 vor Ihnen · etwa 4–8 Minuten$/],
    ["fr", /^1\s230 devant vous · environ 4–8 minutes$/],
    ["es", /^1230 delante de ti · unos 4-8 minutos$/],
    ["pl", /^Przed Tobą: 1230 · około 4–8 minut/],
    ["ar", /^أمامك 1,230 · حوالي /],
    ["nl", /^1,230 ahead of you/],
  ];
  for (const [lang, words] of rows) {
    shop.lang = lang;
    const { page, text, close } = await open();
    await text.waitFor({ timeout: 5_000 });
    assert.match(await text.textContent(), words);
    assert.equal(await page.locator("wr-strip section").getAttribute("dir"), lang === "ar" ? "rtl" : "ltr");
    await close();
  }
});

test("the page may say where its visitors wait; another site or a script is no such place", async () => {
  const rows = [
    ['data-href="/tour?x=1"', "/tour?x=1"],
    ['data-href="https://evil.example/"', "/events/world-tour/seats?row=4"],
    ['data-href="javascript:alert(1)"', "/events/world-tour/seats?row=4"],
    ['data-href="http://["', "/events/world-tour/seats?row=4"],
  ];
  for (const [attributes, expected] of rows) {
    shop.attributes = attributes;
    const { link, close } = await open();
    await link.waitFor({ timeout: 5_000 });
    assert.equal(await link.getAttribute("href"), `${shop.origin}${expected}`, attributes);
    await close();
  }
  shop.attributes = "";
  const { link, close } = await open({ memory: { rank: 1_400 } });
  await link.waitFor({ timeout: 5_000 });
  assert.equal(await link.getAttribute("href"), `${shop.origin}/events/world-tour/`);
  await close();
});

test("a room that is away, or another run, takes nothing from the page", async () => {
  const { page, text, complaints, close } = await open();
  await text.waitFor({ timeout: 5_000 });
  shop.status = 503;
  shop.asked.length = 0;
  await until(() => shop.asked.length > 0, "a question that fails");
  await quiet(page);
  assert.match(await text.textContent(), /1,230 ahead/);
  shop.status = 200;
  shop.me = standing({ run: 4, state: "none", rank: null, ahead: null });
  await until(async () => (await page.locator("wr-strip").count()) === 0, "no strip", 10_000);
  assert.deepEqual(
    complaints.filter((line) => !line.includes("503")),
    [],
  );
  await close();
});
