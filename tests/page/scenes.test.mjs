// Every page there is, as it stands: in every language, in both colour schemes, on a small phone,
// with and without script.

import assert from "node:assert/strict";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { violations, wideBy } from "./axe.mjs";
import { startRoom } from "./room.mjs";
import { LANGUAGES, NOW_MS, scenes, viewOf } from "./scenes.mjs";
import { atStage, hasBegun, SCRIPTLESS } from "./stories.mjs";

const MOST_BYTES = 30_000;

const at = atStage();

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

/** English in both colour schemes; the others by turns, since colours do not depend on words. */
const schemesOf = (language, position) =>
  language === "English" ? ["light", "dark"] : [["light", "dark"][position % 2]];

for (const [tag, language] of Object.entries(LANGUAGES)) {
  test(`every page in ${language} is clean to axe, by day and by night, and fits 320 pixels`, async () => {
    const stages = {};
    for (const colorScheme of ["light", "dark"]) {
      const context = await at.browser.newContext({
        colorScheme,
        viewport: { width: 320, height: 640 },
        bypassCSP: true,
      });
      stages[colorScheme] = await stage(context);
    }
    for (const [position, scene] of Object.keys(scenes).entries()) {
      for (const colorScheme of schemesOf(language, position)) {
        const { page, faults, show } = stages[colorScheme];
        const where = `${scene}, ${language}, ${colorScheme}`;
        await show(await at.renderer.render(viewOf(scene, { language })));
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
  const context = await at.browser.newContext({ viewport: { width: 320, height: 640 }, bypassCSP: true });
  const { page, show } = await stage(context);
  for (const [position, scene] of Object.keys(scenes).entries()) {
    const refresh_off = position % 2 === 0;
    await show(unscripted(await at.renderer.render(viewOf(scene, { language: "German", refresh_off }))));
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
  const plain = await at.browser.newContext(SCRIPTLESS);
  const scripted = await at.browser.newContext();
  const first = await stage(plain);
  const second = await stage(scripted);
  // Where there is a place to join, the script joins instead of asking.
  for (const scene of Object.keys(scenes).filter((each) => each !== "join")) {
    for (const language of Object.values(LANGUAGES)) {
      const html = await at.renderer.render(viewOf(scene, { language }));
      await Promise.all([first.show(html), second.show(html)]);
      await hasBegun(second.page);
      const where = `${scene}, ${language}`;
      assert.deepEqual(await shown(second.page), await shown(first.page), where);
      assert.equal(await second.page.title(), await first.page.title(), where);
    }
  }
  await plain.close();
  await scripted.close();
});

test("a page is one response of less than 30 kB compressed, and names no other site", async () => {
  for (const language of Object.values(LANGUAGES)) {
    for (const scene of Object.keys(scenes)) {
      const html = await at.renderer.render(viewOf(scene, { language }));
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
  const room = await startRoom(at.renderer, "join");
  room.joined = viewOf("waiting", { now: Date.now() });
  const page = await at.browser.newPage();
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
  const context = await at.browser.newContext();
  const { page, faults, show } = await stage(context);
  for (const scene of ["join", "paused", "message", "lapsed"]) {
    await show(await at.renderer.render(viewOf(scene, more)));
    assert.equal(await page.locator("img:not(#picture), b").count(), 0, scene);
    assert.match(await page.locator(".event").textContent(), /<\/script><img/);
    assert.deepEqual(faults, []);
  }
  await context.close();
});

test("times are shown in the visitor's zone, with the event's beside them where the clocks differ", async () => {
  for (const [timezoneId, expected] of [
    ["Europe/Berlin", /12:14\sPM$/],
    ["America/New_York", /6:14\sAM \(.Berlin.:\s.12:14\sPM.\)$/],
  ]) {
    const context = await at.browser.newContext({ timezoneId, locale: "en-US" });
    const { page, show } = await stage(context);
    await show(await at.renderer.render(viewOf("before", { now: NOW_MS })));
    assert.match(await page.locator("#lead").textContent(), expected);
    await context.close();
  }
});
