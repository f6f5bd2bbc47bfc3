// Every page there is, as it stands: in every language, in both colour schemes, on a small phone,
// with and without script.

import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { gzipSync } from "node:zlib";
import { launchBrowser } from "../../scripts/testing/browser.mjs";
import { startRenderer } from "./renderer.mjs";
import { startRoom } from "./room.mjs";
import { NOW_MS, scenes, viewOf } from "./scenes.mjs";

const LANGUAGES = { English: "en", German: "de", French: "fr", Spanish: "es", Polish: "pl", Arabic: "ar" };
const MOST_BYTES = 30_000;
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

let renderer;
let browser;
before(async () => {
  renderer = startRenderer();
  browser = await launchBrowser();
});
after(async () => {
  await browser?.close();
  renderer?.stop();
});

/** What axe finds, in one line each. */
async function violations(page, allowed = []) {
  const found = await page.evaluate(
    async ([source, values]) => {
      if (!window.axe) new Function(source)();
      const options = { runOnly: { type: "tag", values }, resultTypes: ["violations"] };
      const { violations } = await window.axe.run(document, options);
      return violations.map((each) => `${each.id}: ${each.nodes.map((node) => node.html).join(" | ")}`);
    },
    [axe, RULES],
  );
  return found.filter((line) => !allowed.some((rule) => line.startsWith(rule)));
}

/** A page on which `show(html)` puts one page after the other; its questions are not answered. */
async function stage(context) {
  const page = await context.newPage();
  const faults = [];
  let html = "";
  page.on("pageerror", (error) => faults.push(error.message));
  await page.route("**/*", (route) => {
    if (!route.request().isNavigationRequest()) return route.abort();
    return route.fulfill({ body: html, contentType: "text/html; charset=utf-8" });
  });
  let shown = 0;
  const show = async (next) => {
    html = next;
    shown += 1;
    await page.goto(`http://room.test/${shown}`);
  };
  return { page, faults, show };
}

const wideBy = (page) => page.evaluate(() => document.documentElement.scrollWidth - innerWidth);

/** English in both colour schemes; the others by turns, since colours do not depend on words. */
const schemesOf = (language, at) => (language === "English" ? ["light", "dark"] : [["light", "dark"][at % 2]]);

for (const [language, tag] of Object.entries(LANGUAGES)) {
  test(`every page in ${language} is clean to axe, by day and by night, and fits 320 pixels`, async () => {
    const stages = {};
    for (const colorScheme of ["light", "dark"]) {
      const context = await browser.newContext({ colorScheme, viewport: { width: 320, height: 640 }, bypassCSP: true });
      stages[colorScheme] = await stage(context);
    }
    for (const [at, scene] of Object.keys(scenes).entries()) {
      for (const colorScheme of schemesOf(language, at)) {
        const { page, faults, show } = stages[colorScheme];
        const where = `${scene}, ${language}, ${colorScheme}`;
        await show(await renderer.render(viewOf(scene, { language })));
        assert.deepEqual(await violations(page), [], where);
        assert.ok((await wideBy(page)) <= 0, `${where}: ${await wideBy(page)} px too wide`);
        assert.equal(await page.evaluate(() => document.documentElement.lang), tag);
        assert.deepEqual(faults, [], where);
      }
    }
    for (const { page } of Object.values(stages)) await page.context().close();
  });
}

/** The page as it is where script is turned off; axe itself needs script, so the page's own is taken out. */
const unscripted = (html) => html.replace(/<script[^>]*>[\s\S]*?<\/script>/g, "").replace(/<\/?noscript>/g, "");

test("every page without script is clean to axe, but for the refresh that can be turned off", async () => {
  const context = await browser.newContext({ viewport: { width: 320, height: 640 }, bypassCSP: true });
  const { page, show } = await stage(context);
  for (const [at, scene] of Object.keys(scenes).entries()) {
    const refresh_off = at % 2 === 0;
    await show(unscripted(await renderer.render(viewOf(scene, { language: "German", refresh_off }))));
    assert.deepEqual(await violations(page, refresh_off ? [] : ["meta-refresh"]), [], scene);
    assert.ok((await wideBy(page)) <= 0, `${scene}: ${await wideBy(page)} px too wide`);
  }
  await context.close();
});

/** The words that stand on a page, without what only one side has. */
const shown = (page) =>
  page.evaluate(() => {
    const skip = "#next, #extras, .links, #live, #copy, #stay, #offline, #clock, time, .unseen, noscript";
    const root = document.body.cloneNode(true);
    for (const element of root.querySelectorAll(`${skip}, script, [hidden]`)) element.remove();
    const text = (id) => root.querySelector(id)?.textContent.replace(/\s+/g, " ").trim() ?? "";
    const places = ["h1", "#intro", "#line", "#entrants", "#count", "#way", "#wait", "#chances", "#go", "#choice"];
    const more = [
      "#defer",
      "#coded-lines bdi",
      "#code-refused",
      "#code-keeps",
      "#calendar",
      "#fair",
      "#organizer",
      "nav",
    ];
    return [...places, ...more, "#words", "#leave"].map(text);
  });

test("script shows the same words that the first paint showed", async () => {
  const plain = await browser.newContext({ javaScriptEnabled: false });
  const scripted = await browser.newContext();
  const first = await stage(plain);
  const second = await stage(scripted);
  // Where there is a place to join, the script joins instead of asking.
  for (const scene of Object.keys(scenes).filter((each) => each !== "join")) {
    for (const language of Object.keys(LANGUAGES)) {
      const html = await renderer.render(viewOf(scene, { language }));
      await Promise.all([first.show(html), second.show(html)]);
      const where = `${scene}, ${language}`;
      assert.deepEqual(await shown(second.page), await shown(first.page), where);
      assert.equal(await second.page.title(), await first.page.title(), where);
    }
  }
  await plain.close();
  await scripted.close();
});

test("a page is one response of less than 30 kB compressed, and names no other site", async () => {
  for (const language of Object.keys(LANGUAGES)) {
    for (const scene of Object.keys(scenes)) {
      const html = await renderer.render(viewOf(scene, { language }));
      assert.ok(gzipSync(html).length < MOST_BYTES, `${scene}, ${language}: ${gzipSync(html).length} bytes of gzip`);
      const ours = Object.values(viewOf(scene).face).filter((each) => String(each).startsWith("https://"));
      assert.doesNotMatch(
        // The organizer's own links are followed by a tap only.
        ours.reduce(
          (text, link) => text.replaceAll(`<a href="${link}"`, ""),
          html.replaceAll(`id="organizer" href="${ours[0]}"`, ""),
        ),
        /(src|href)="?(https?:)?\/\//,
        `${scene} names another site`,
      );
      assert.doesNotMatch(html, / style=| on[a-z]+="/, `${scene} has inline style or script`);
    }
  }
});

test("the strict policy lets everything on the page work, and nothing is refused by it", async () => {
  const room = await startRoom(renderer, "join");
  room.joined = viewOf("waiting", { now: Date.now() });
  const page = await browser.newPage();
  const refused = [];
  page.on("console", (message) => /Content Security Policy/.test(message.text()) && refused.push(message.text()));
  page.on("pageerror", (error) => refused.push(error.message));
  await page.goto(room.url);
  await page.locator("html[data-scene=waiting]").waitFor();
  assert.deepEqual(refused, []);
  assert.equal(await page.locator("#number").evaluate((element) => getComputedStyle(element).whiteSpace), "nowrap");
  await page.close();
  room.close();
});

test("what an organizer or a visitor wrote is text, never markup", async () => {
  const nasty = `</script><img src=x onerror="document.title='broken'"><!--<script>{{event}}`;
  const more = {
    title: nasty,
    message: nasty,
    pause: { reason: nasty, next_update_at: null },
    return_to: `/events/?q=${encodeURIComponent(nasty)}"><b>`,
    line: nasty,
    permit: nasty,
  };
  const context = await browser.newContext();
  const { page, faults, show } = await stage(context);
  for (const scene of ["join", "paused", "message", "lapsed"]) {
    await show(await renderer.render(viewOf(scene, more)));
    assert.equal(await page.locator("img:not(#picture), b").count(), 0, scene);
    assert.match(await page.locator(".event").textContent(), /<\/script><img/);
    assert.deepEqual(faults, []);
  }
  await context.close();
});

test("times are shown in the visitor's zone, with the event's beside them where the clocks differ", async () => {
  for (const [timezoneId, expected] of [
    ["Europe/Berlin", /12:14 PM$/],
    ["America/New_York", /6:14 AM \(.Berlin.: .12:14 PM.\)$/],
  ]) {
    const context = await browser.newContext({ timezoneId, locale: "en-US" });
    const { page, show } = await stage(context);
    await show(await renderer.render(viewOf("before", { now: NOW_MS })));
    assert.match(await page.locator("#lead").textContent(), expected);
    await context.close();
  }
});
