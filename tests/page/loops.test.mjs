// Whatever answers instead of the shop, the page does not load itself again and again: it moves by
// itself once, then a button does.

import assert from "node:assert/strict";
import { until } from "./browser.mjs";
import { viewOf } from "./scenes.mjs";
import { inScene, seconds, stories } from "./stories.mjs";

const POLL_MS = 200;
/** Time for some ten questions, each of which could move the page. */
const LONG_SECONDS = 2.5;
const PATH = "/events/world-tour/";

const story = stories();
const placed = viewOf("admitted").place;
const loads = (room) => room.count("GET", PATH);

/** A test in which the gate shows `view` for ever, and the API answers the same with `says` over it. */
const stays = (name, view, says, run) =>
  story(name, "waiting", { poll: POLL_MS, ...view }, (room, page) => {
    room.says = says;
    room.keepsCookies = false;
    return run(room, page);
  });

const rows = [
  ["off and stopped", { mode: "off", stop: true, place: null }, {}, 1, "stopped"],
  ["off and stopped, with a place", { mode: "off", stop: true }, {}, 1, "stopped"],
  ["off, and the gate does not know it", {}, { mode: "off" }, 2, "again"],
  ["another run, and the gate does not know it", {}, { run: 2 }, 2, "again"],
  ["admitted, and the pass does not stick", { place: placed }, {}, 2, "again"],
  ["admitted and stopped", { stop: true, place: placed }, {}, 1, "stopped"],
  ["admitted and closed", { mode: "closed", place: placed }, {}, 1, "closed"],
  ["admitted and closed, and the gate does not know it", { place: placed }, { mode: "closed" }, 2, "closed"],
  ["rate and stopped", { mode: "rate", stop: true, place: null }, {}, 1, "stopped"],
  ["rate and sold out", { mode: "rate", phase: "soldout", place: null }, {}, 1, "soldout"],
  ["closed, without a place", { mode: "closed", place: null }, {}, 1, "closed"],
];

for (const [what, view, says, most, shown] of rows) {
  stays(`no loop: ${what}`, view, says, async (room, page) => {
    await page.goto(room.url);
    await inScene(page, shown);
    await seconds(LONG_SECONDS);
    assert.ok(loads(room) <= most, `${loads(room)} loads`);
    assert.equal(await page.evaluate(() => document.documentElement.dataset.scene), shown);
    assert.equal(room.places.size, 0, "joined meanwhile");
    const again = page.getByRole("button", { name: "Try again" });
    assert.equal(await again.isVisible(), shown === "again");
  });
}

stays("no loop where nothing can be remembered", {}, { mode: "off" }, async (room, page) => {
  await page.addInitScript(() => {
    for (const name of ["sessionStorage", "localStorage"]) {
      Object.defineProperty(window, name, {
        get() {
          throw new DOMException("denied", "SecurityError");
        },
      });
    }
  });
  await page.goto(room.url);
  await inScene(page, "again");
  await seconds(LONG_SECONDS);
  assert.ok(loads(room) <= 2, `${loads(room)} loads`);
});

stays(
  "the button tries again, and a pass that never sticks is said to be a matter of cookies",
  { place: placed },
  {},
  async (room, page) => {
    await page.goto(room.url);
    await inScene(page, "again");
    for (const next of ["again", "cookie"]) {
      const before = loads(room);
      await page.getByRole("button", { name: "Try again" }).click();
      await until(() => loads(room) > before, "the page anew");
      await inScene(page, next);
    }
    const claims = room.count("POST", "/pass");
    await seconds(1.5);
    assert.equal(room.count("POST", "/pass"), claims);
    assert.equal(claims, 3);
  },
);

stays("when the cause is gone the page goes on as if nothing had been", {}, { mode: "off" }, async (room, page) => {
  await page.goto(room.url);
  await inScene(page, "again");
  room.says = {};
  room.view = viewOf("waiting", { now: Date.now(), poll: POLL_MS, board_version: 9 });
  await inScene(page, "waiting");
  assert.equal(loads(room), 2);
});

story("who comes during a stop has a place, and is told so", "stopped", { place: null }, async (room, page) => {
  room.joined.stop = true;
  await page.goto(room.url);
  await until(async () => (await page.locator("#lead").textContent()).includes("Your place is kept."), "the place");
  assert.equal(await page.evaluate(() => document.documentElement.dataset.scene), "stopped");
  assert.equal(room.places.size, 1);
});

stays(
  "after off and stop, the end of the stop lets the page through at once",
  { mode: "off", stop: true, place: null },
  {},
  async (room, page) => {
    await page.goto(room.url);
    await inScene(page, "stopped");
    Object.assign(room.view, { stop: false, board_version: 8 });
    await until(() => loads(room) === 2, "the page moves on");
  },
);
