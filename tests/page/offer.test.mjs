// The turn as an offer: later, elsewhere, on another device; never two browsers fighting over it.

import assert from "node:assert/strict";
import { setVisible, until } from "./browser.mjs";
import { HANDOVER } from "./room.mjs";
import { viewOf } from "./scenes.mjs";
import { inScene, SCRIPTLESS, seconds, stories } from "./stories.mjs";

const story = stories();
const claims = (room) => room.count("POST", "/pass");
const NOT_YET = "Not yet, give me 5 more minutes";
const now = Date.UTC(2027, 2, 1, 9, 0, 0);
const called = { now };
const LONG_LINK =
  "https://tickets.grand-opera.example.com/_wr/queues/the-world-tour-of-2027/handover#7K3QM9XW2T4H8RB6YCDE";

story(
  "a visitor who is called may say not yet, and is then let in by a tap only",
  "deferrable",
  called,
  async (room, page) => {
    await page.goto(room.url);
    await inScene(page, "called");
    assert.match(await page.locator("#next").textContent(), /In a few seconds/);
    await page.getByRole("button", { name: NOT_YET }).click();
    await page.getByText("this page waits until you tap").waitFor();
    assert.equal(await page.locator("#defer").isVisible(), false);
    assert.match(await page.locator("#lead").textContent(), /kept until 9:33/);
    assert.match(await page.locator("#at-once").textContent(), /kept until 9:33/);
    await seconds(7);
    assert.equal(claims(room), 0, "claimed by itself");
    await page.reload();
    await setVisible(page, false);
    await setVisible(page, true);
    await seconds(1);
    assert.equal(claims(room), 0, "claimed after a reload");
    await page.getByRole("button", { name: "Enter now" }).click();
    await page.waitForFunction(() => document.title === "The shop");
  },
  { timezoneId: "UTC", locale: "en-GB" },
);

story("who does not say not yet is let in after a few seconds", "deferrable", called, async (room, page) => {
  await page.goto(room.url);
  await seconds(2);
  assert.equal(claims(room), 0);
  await page.waitForFunction(() => document.title === "The shop");
  assert.equal(claims(room), 1);
});

story(
  "without script not yet is a form, and the page says until when",
  "deferrable",
  called,
  async (room, page) => {
    await page.goto(room.url);
    await page.getByRole("button", { name: NOT_YET }).click();
    await inScene(page, "called");
    assert.match(await page.locator("#lead").textContent(), /kept until 10:33 UTC\+1/);
    assert.equal(await page.locator("#defer").isVisible(), false);
    assert.equal(page.url(), room.url);
  },
  SCRIPTLESS,
);

story(
  "a turn that was deferred elsewhere already shows no second time",
  "deferrable",
  { now, poll: 60_000 },
  async (room, page) => {
    await page.goto(room.url);
    room.view.place = { ...room.view.place, may_defer: false };
    await page.getByRole("button", { name: NOT_YET }).click();
    await page.locator("#defer").waitFor({ state: "hidden" });
    await inScene(page, "called");
  },
);

story(
  "the hand-over is asked for by a tap, shows code, link and picture, and runs nothing",
  "own_line",
  { now },
  async (room, page) => {
    const refused = [];
    page.on("console", (message) => /Content Security Policy/.test(message.text()) && refused.push(message.text()));
    await page.goto(room.url);
    await seconds(0.5);
    assert.equal(room.count("POST", "/handover"), 0);
    await page.getByText("Continue on another device").click();
    await page.locator("#handover-shown").waitFor();
    assert.equal(await page.locator("#handover-code").textContent(), "7K3QM-9XW2T-4H8RB-6YCDE");
    assert.match(await page.locator("#handover-link").getAttribute("href"), /handover#7K3QM9XW2T4H8RB6YCDE$/);
    assert.match(await page.locator("#handover-note").textContent(), /Valid until 9:10/);
    await until(() => page.locator("#picture").evaluate((image) => image.naturalWidth > 0), "the picture");
    assert.doesNotMatch(await page.title(), /broken/);
    assert.deepEqual(refused, []);
    for (let at = 0; at < 2; at += 1) await page.getByText("Continue on another device").click();
    await seconds(0.3);
    assert.equal(room.count("POST", "/handover"), 1, "one code as long as it holds");
  },
  { timezoneId: "UTC", locale: "en-GB" },
);

story(
  "on a phone the link breaks where its parts end and not within them",
  "own_line",
  { now },
  async (room, page) => {
    await page.route("**/tickets/me/handover", (route) =>
      route.fulfill({ json: { ...HANDOVER, link: LONG_LINK, expires_at: now + 600_000 } }),
    );
    await page.goto(room.url);
    await page.getByText("Continue on another device").click();
    await page.locator("#handover-shown").waitFor();
    assert.equal(await page.locator("#handover-link").textContent(), LONG_LINK);
    const pieces = await page.locator("#handover-link").evaluate((link) => {
      const range = document.createRange();
      return [...link.children].map((piece) => {
        range.selectNodeContents(piece);
        const lines = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)));
        return [piece.textContent, lines.size, piece.getBoundingClientRect().right <= innerWidth];
      });
    });
    for (const [text, lines, fits] of pieces) assert.deepEqual([lines, fits], [1, true], text);
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 360);
  },
  { viewport: { width: 360, height: 740 }, timezoneId: "UTC", locale: "en-GB" },
);

story("the code of a place that was left is not shown for the next one", "own_line", {}, async (room, page) => {
  await page.goto(room.url);
  await page.getByText("Continue on another device").click();
  await page.locator("#handover-shown").waitFor();
  await page.locator("#leave summary").click();
  await page.getByRole("button", { name: "Yes, leave" }).click();
  await inScene(page, "left");
  await page.getByRole("button", { name: "Join the line again" }).click();
  await inScene(page, "waiting");
  assert.equal(await page.locator("#handover-shown").isVisible(), false);
  await page.getByText("Continue on another device").click();
  await until(() => room.count("POST", "/handover") === 2, "a new code");
});

story("a browser that handed its place over does not take the turn by itself", "own_line", {}, async (room, page) => {
  await page.goto(room.url);
  await page.getByText("Continue on another device").click();
  await page.locator("#handover-shown").waitFor();
  Object.assign(room.view, viewOf("called", { now: Date.now(), poll: 300, board_version: 9, line: "fans" }));
  await inScene(page, "called");
  await seconds(1.5);
  assert.equal(claims(room), 0);
  Object.assign(room.view, viewOf("elsewhere", { now: Date.now(), poll: 300, board_version: 10, line: "fans" }));
  await page.reload();
  await inScene(page, "elsewhere");
  await seconds(1);
  assert.equal(claims(room), 0);
});

story(
  "where the event offers no hand-over, nothing of it is shown",
  "own_line",
  { handover: false },
  async (room, page) => {
    await page.goto(room.url);
    await inScene(page, "waiting");
    assert.equal(await page.locator("#handover").isVisible(), false);
  },
);
