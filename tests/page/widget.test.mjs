// A third party's widget in a real browser against the real room, with a stand-in for the third party: it passes, it is
// blocked, it is silent, it is not believed, it is down; and nothing of it on the page of an event without it. P16, P18.
import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { after, afterEach, before, test } from "node:test";
import { freshRootKey } from "../../scripts/setup/keys.mjs";
import { launchBrowser } from "../../scripts/testing/browser.mjs";
import { opened } from "../e2e/harness/forge.mjs";
import { startRoom } from "../e2e/harness/room.mjs";
import { SECRET, SITE_KEY, startTurnstile } from "../e2e/harness/turnstile.mjs";
import { violations, wideBy } from "./axe.mjs";
import { opensPage as opens } from "./real.mjs";

/** A page that cannot have the widget works by then. */
const WORKS_WITHIN_MS = 5_000;
/** The queue page's weight, compressed. */
const MOST_BYTES = 30_000;
/** A folder for pictures of the page, where somebody wants to look at them. */
const { WIDGET_PICTURES } = process.env;

let turnstile;
let room;
let browser;
before(async () => {
  turnstile = await startTurnstile();
  const widget = { challenge: "turnstile", turnstile_site_key: SITE_KEY, pow_bits: 4, admission: { per_minute: 1 } };
  room = await startRoom({
    vars: { TURNSTILE_SERVICE: turnstile.url },
    secrets: { ROOT_KEY: freshRootKey("e2e"), TURNSTILE_SECRET: SECRET },
    events: [
      { id: "demo", ...widget },
      { id: "both", ...widget, challenge: "pow+turnstile" },
      { id: "down", ...widget },
      { id: "slow", ...widget, pow_bits: 20 },
      { id: "plain", challenge: "pow", pow_bits: 4, admission: { per_minute: 1 } },
    ],
  });
  browser = await launchBrowser();
});
after(async () => {
  await browser?.close();
  await room?.stop();
  await turnstile?.stop();
});
afterEach(() => {
  Object.assign(turnstile, { failure: null, frame: "pass" });
  turnstile.fetched.length = 0;
});

const IS_PLACED = /^(waiting|prequeue|called|pending|admitted|provisional)$/;

const opensPage = (event, options) => opens(browser, room, event, { locale: "en-GB", ...options });

const isPlaced = (page, timeout = 30_000) =>
  page.waitForFunction((source) => new RegExp(source).test(document.documentElement.dataset.scene), IS_PLACED.source, {
    timeout,
  });

test("the widget is asked about the page's permit, its token joins, and who has a place is asked no more", async () => {
  const { page, joins, wrong, close } = await opensPage("demo");
  await page.locator("#widget iframe").waitFor();
  assert.match(await page.locator("#lead").textContent(), /A check by Cloudflare shows that you are no machine/);
  await isPlaced(page);
  assert.equal(joins.length, 1);
  assert.equal(joins[0].solution, undefined);
  assert.match(joins[0].turnstile, /^0\./);
  const frame = new URL(
    turnstile.fetched.find((address) => address.includes("/frame?")),
    turnstile.url,
  ).searchParams;
  const { evt, run, jti } = opened(joins[0].permit).claims;
  assert.deepEqual(
    ["sitekey", "action", "cdata"].map((name) => frame.get(name)),
    [SITE_KEY, "join", `${evt}_${run}_${jti}`],
  );
  assert.ok(await page.locator("#widget").isHidden());
  assert.deepEqual(wrong, [], "nothing is refused by a policy");
  turnstile.fetched.length = 0;
  await page.reload();
  await isPlaced(page);
  assert.deepEqual([joins.length, turnstile.fetched], [1, []]);
  await close();
});

test("both are done beside one another and sent together", async () => {
  const { page, joins, close } = await opensPage("both");
  await isPlaced(page);
  assert.equal(joins.length, 1);
  assert.match(joins[0].solution, /^[0-9a-f]{256}$/);
  assert.match(joins[0].turnstile, /^0\./);
  await close();
});

test("P16 blocked, broken or silent in the browser: within 5 s the page works instead", async () => {
  const blocked = (answer) => (page) => page.route(`${turnstile.url}/**`, answer);
  for (const [what, change, frame] of [
    ["blocked", blocked((route) => route.abort())],
    ["an empty script", blocked((route) => route.fulfill({ contentType: "text/javascript", body: "" }))],
    ["a script that never comes", blocked(() => {})],
    ["an error", async () => {}, "error"],
    ["a frame that says nothing", async () => {}, "silent"],
  ]) {
    turnstile.frame = frame ?? "pass";
    const { page, joins, began, close } = await opensPage("demo", { change });
    await isPlaced(page);
    const took_ms = performance.now() - began;
    assert.ok(took_ms < WORKS_WITHIN_MS + 3_000, `${what}: ${took_ms} ms`);
    assert.equal(joins.length, 1, what);
    assert.match(joins[0].solution, /^[0-9a-f]{256}$/, what);
    assert.equal(joins[0].turnstile, undefined, what);
    await close();
  }
});

test("P18 without the widget and without a worker the measured wait does", async () => {
  const { page, joins, close } = await opensPage("demo", {
    change: async (page) => {
      await page.route(`${turnstile.url}/**`, (route) => route.abort());
      await page.addInitScript(() => delete window.Worker);
    },
  });
  await isPlaced(page, 90_000);
  assert.ok(joins.every(({ solution, turnstile }) => solution === undefined && turnstile === undefined));
  await close();
});

test("P14 P15 a token that is not believed, or that nobody can be asked about, is replaced by work", async () => {
  turnstile.failure = "invalid-input-response";
  const doubted = await opensPage("demo");
  await isPlaced(doubted.page);
  assert.deepEqual(
    doubted.joins.map(({ solution, turnstile }) => [Boolean(solution), Boolean(turnstile)]),
    [
      [false, true],
      [true, false],
    ],
  );
  await doubted.close();
  turnstile.failure = "500";
  const down = await opensPage("down");
  await isPlaced(down.page);
  assert.deepEqual([down.joins.length, Boolean(down.joins[1].solution)], [2, true]);
  await down.close();
});

test("with the widget the page stays below its weight in every language", async () => {
  for (const language of ["en", "de", "fr", "es", "pl", "ar"]) {
    const { text } = await room.ask(room.pathOf("demo"), {
      headers: { accept: "text/html", "accept-language": language },
    });
    assert.match(text, /id="widget-box"/);
    const bytes = gzipSync(text).length;
    assert.ok(bytes < MOST_BYTES, `${language}: ${bytes} bytes of gzip`);
  }
});

test("the page of an event without the widget asks nothing of the third party and has no place for it", async () => {
  const { page, wrong, close } = await opensPage("plain");
  await isPlaced(page);
  assert.equal(await page.locator("#widget").count(), 0);
  assert.deepEqual([turnstile.fetched, wrong], [[], []]);
  await close();
});

test("with the widget the page is clean to axe and fits, by day and by night, on a phone and on a desk", async () => {
  turnstile.frame = "silent";
  if (WIDGET_PICTURES) mkdirSync(WIDGET_PICTURES, { recursive: true });
  for (const [width, height, colorScheme, locale] of [
    [320, 640, "light", "de-DE"],
    [390, 844, "dark", "en-GB"],
    [1280, 800, "light", "en-GB"],
    [1280, 800, "dark", "ar"],
  ]) {
    const viewport = { width, height };
    const { page, close } = await opensPage("slow", { viewport, colorScheme, locale, bypassCSP: true });
    const frame = page.locator("#widget iframe");
    await frame.waitFor();
    const where = `${width} ${colorScheme} ${locale}`;
    assert.deepEqual(await violations(page), [], where);
    assert.ok((await wideBy(page)) <= 0, where);
    const box = await frame.boundingBox();
    assert.ok(box.x >= 0 && box.x + box.width <= width, where);
    if (WIDGET_PICTURES) {
      await page.screenshot({ path: path.join(WIDGET_PICTURES, `${where.replaceAll(" ", "-")}.png`) });
    }
    await close();
  }
});
