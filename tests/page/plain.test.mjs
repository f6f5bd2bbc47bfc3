// The page without script: forms, a link and a refresh do the whole way.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { launchBrowser } from "../../scripts/testing/browser.mjs";
import { startRenderer } from "./renderer.mjs";
import { startRoom } from "./room.mjs";
import { viewOf } from "./scenes.mjs";

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

const scene = (page, name) => page.locator(`html[data-scene=${name}]`).waitFor({ timeout: 8_000 });
const refresh = (page) => page.locator("meta[http-equiv=refresh]");

test("a form joins, a link looks again, a form goes in", async () => {
  const room = await startRoom(renderer, "join");
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto(room.url);
  assert.match(await refresh(page).getAttribute("content"), /^30;url=\/events\/world-tour\/\?seat=A%201$/);
  await page.getByRole("button", { name: "Join the line" }).click();
  await scene(page, "waiting");
  assert.equal(page.url(), room.url);
  assert.equal(await page.title(), "1,230 ahead · World Tour 2027");
  assert.equal(await page.locator("#range").textContent(), "about 12 to 18 minutes");
  room.view = viewOf("called");
  await page.getByRole("link", { name: "Check now" }).click();
  await scene(page, "called");
  await page.getByRole("button", { name: "Enter now" }).click();
  await page.waitForURL(room.url);
  assert.equal(await page.title(), "The shop");
  await context.close();
  room.close();
});

test("the refresh is turned off by a link, stays off, and is turned on again", async () => {
  const room = await startRoom(renderer, "waiting");
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto(room.url);
  await page.getByRole("link", { name: "Stop refreshing by itself" }).click();
  await page.waitForURL(/wr-refresh=off/);
  assert.equal(await refresh(page).count(), 0);
  await page.getByRole("link", { name: "Check now" }).click();
  assert.match(page.url(), /seat=A%201&wr-refresh=off$/);
  await page.getByRole("link", { name: "Refresh by itself every 30 seconds" }).click();
  await page.waitForURL(room.url);
  assert.equal(await refresh(page).count(), 1);
  await context.close();
  room.close();
});

test("leaving is one disclosure and one form, and joining again is one button", async () => {
  const room = await startRoom(renderer, "waiting");
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto(room.url);
  await page.locator("#leave summary").click();
  assert.equal(await page.getByRole("button", { name: "No, stay in line" }).count(), 0);
  await page.getByRole("button", { name: "Yes, leave" }).click();
  await scene(page, "left");
  assert.equal(await refresh(page).count(), 0);
  await page.getByRole("button", { name: "Join the line again" }).click();
  await scene(page, "waiting");
  await context.close();
  room.close();
});

test("all is reached with the keyboard, and the focus is seen", async () => {
  const room = await startRoom(renderer, "called");
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto(room.url);
  await page.keyboard.press("Tab");
  const focused = page.locator(":focus-visible");
  assert.equal(await focused.textContent(), "Enter now");
  assert.equal(await focused.evaluate((element) => getComputedStyle(element).outlineStyle), "solid");
  await page.keyboard.press("Enter");
  await page.waitForURL(room.url);
  await context.close();
  room.close();
});

test("a place is taken to another device by a form, where the event offers it and the place has its number", async () => {
  const room = await startRoom(renderer, "waiting", { handover: true });
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  const carry = page.getByRole("button", { name: "Continue on another device" });
  await page.goto(`${room.url}&wr-refresh=off`);
  await carry.click();
  assert.equal(await page.title(), "The code");
  const sent = room.asked.find(({ method }) => method === "POST");
  assert.equal(sent.path, "/_wr/queues/world-tour/tickets/me/handover");
  assert.equal(sent.body, new URLSearchParams({ return: "/events/world-tour/?seat=A%201&wr-refresh=off" }).toString());
  for (const [scene, handover] of [
    ["waiting", false],
    ["provisional", true],
    ["left", true],
    ["join", true],
  ]) {
    room.view = viewOf(scene, { handover });
    await page.goto(room.url);
    assert.equal(await carry.count(), 0, scene);
  }
  await context.close();
  const scripted = await browser.newPage();
  room.view = viewOf("waiting", { handover: true });
  await scripted.goto(room.url);
  await scripted.locator("#handover summary").waitFor();
  assert.equal(await scripted.locator("#carry").count(), 0, "with script there is the disclosure alone");
  await scripted.close();
  room.close();
});
