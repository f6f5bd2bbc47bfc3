// The page without script: forms, a link and a refresh do the whole way.

import assert from "node:assert/strict";
import { viewOf } from "./scenes.mjs";
import { inScene, SCRIPTLESS, stories } from "./stories.mjs";

const story = stories();
const refresh = (page) => page.locator("meta[http-equiv=refresh]");

story(
  "a form joins, a link looks again, a form goes in",
  "join",
  {},
  async (room, page) => {
    await page.goto(room.url);
    assert.match(await refresh(page).getAttribute("content"), /^30;url=\/events\/world-tour\/\?seat=A%201$/);
    await page.getByRole("button", { name: "Join the line" }).click();
    await inScene(page, "waiting");
    assert.equal(page.url(), room.url);
    assert.equal(await page.title(), "1,230 ahead · World Tour 2027");
    assert.equal(await page.locator("#range").textContent(), "about 12 to 18 minutes");
    room.view = viewOf("called");
    await page.getByRole("link", { name: "Check now" }).click();
    await inScene(page, "called");
    await page.getByRole("button", { name: "Enter now" }).click();
    await page.waitForURL(room.url);
    assert.equal(await page.title(), "The shop");
  },
  SCRIPTLESS,
);

story(
  "the refresh is turned off by a link, stays off, and is turned on again",
  "waiting",
  {},
  async (room, page) => {
    await page.goto(room.url);
    await page.getByRole("link", { name: "Stop refreshing by itself" }).click();
    await page.waitForURL(/wr-refresh=off/);
    assert.equal(await refresh(page).count(), 0);
    await page.getByRole("link", { name: "Check now" }).click();
    assert.match(page.url(), /seat=A%201&wr-refresh=off$/);
    await page.getByRole("link", { name: "Refresh by itself every 30 seconds" }).click();
    await page.waitForURL(room.url);
    assert.equal(await refresh(page).count(), 1);
  },
  SCRIPTLESS,
);

story(
  "leaving is one disclosure and one form, and joining again is one button",
  "waiting",
  {},
  async (room, page) => {
    await page.goto(room.url);
    await page.locator("#leave summary").click();
    assert.equal(await page.getByRole("button", { name: "No, stay in line" }).count(), 0);
    await page.getByRole("button", { name: "Yes, leave" }).click();
    await inScene(page, "left");
    assert.equal(await refresh(page).count(), 0);
    await page.getByRole("button", { name: "Join the line again" }).click();
    await inScene(page, "waiting");
  },
  SCRIPTLESS,
);

story(
  "all is reached with the keyboard, and the focus is seen",
  "called",
  {},
  async (room, page) => {
    await page.goto(room.url);
    await page.keyboard.press("Tab");
    const focused = page.locator(":focus-visible");
    assert.equal(await focused.textContent(), "Enter now");
    assert.equal(await focused.evaluate((element) => getComputedStyle(element).outlineStyle), "solid");
    await page.keyboard.press("Enter");
    await page.waitForURL(room.url);
  },
  SCRIPTLESS,
);

story(
  "a place is taken to another device by a form, where the event offers it and the place has its number",
  "waiting",
  { handover: true },
  async (room, page) => {
    const carry = page.getByRole("button", { name: "Continue on another device" });
    await page.goto(`${room.url}&wr-refresh=off`);
    await carry.click();
    assert.equal(await page.title(), "The code");
    const sent = room.asked.find(({ method }) => method === "POST");
    assert.equal(sent.path, "/_wr/queues/world-tour/tickets/me/handover");
    assert.equal(
      sent.body,
      new URLSearchParams({ return: "/events/world-tour/?seat=A%201&wr-refresh=off" }).toString(),
    );
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
  },
  SCRIPTLESS,
);

story(
  "with script the disclosure alone takes a place to another device",
  "waiting",
  { handover: true },
  async (room, page) => {
    await page.goto(room.url);
    await page.locator("#handover summary").waitFor();
    assert.equal(await page.locator("#carry").count(), 0);
  },
);
