// Whatever answers instead of the shop, the page does not load itself again and again: it moves by
// itself once, then a button does.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { launchBrowser } from "../../scripts/testing/browser.mjs";
import { until } from "./browser.mjs";
import { startRenderer } from "./renderer.mjs";
import { startRoom } from "./room.mjs";
import { viewOf } from "./scenes.mjs";

const POLL_MS = 200;
/** Time for some ten questions, each of which could move the page. */
const LONG_MS = 2_500;
const PATH = "/events/world-tour/";

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

const placed = viewOf("admitted").place;
const ever = (ms) => new Promise((done) => setTimeout(done, ms));
const scene = (page, name) => page.locator(`html[data-scene=${name}]`).waitFor({ timeout: 8_000 });
const loads = (room) => room.count("GET", PATH);

/** The gate shows `view` for ever, and the API answers the same with `says` over it. */
async function stays(view, says, run) {
  const room = await startRoom(renderer, "waiting", { now: Date.now(), poll: POLL_MS, ...view });
  room.says = says;
  room.keepsCookies = false;
  const context = await browser.newContext();
  try {
    await run(room, await context.newPage());
  } finally {
    await context.close();
    room.close();
  }
}

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
  test(`no loop: ${what}`, () =>
    stays(view, says, async (room, page) => {
      await page.goto(room.url);
      await scene(page, shown);
      await ever(LONG_MS);
      assert.ok(loads(room) <= most, `${loads(room)} loads`);
      assert.equal(await page.evaluate(() => document.documentElement.dataset.scene), shown);
      assert.equal(room.places.size, 0, "joined meanwhile");
      const again = page.getByRole("button", { name: "Try again" });
      assert.equal(await again.isVisible(), shown === "again");
    }));
}

test("no loop where nothing can be remembered", () =>
  stays({}, { mode: "off" }, async (room, page) => {
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
    await scene(page, "again");
    await ever(LONG_MS);
    assert.ok(loads(room) <= 2, `${loads(room)} loads`);
  }));

test("the button tries again, and a pass that never sticks is said to be a matter of cookies", () =>
  stays({ place: placed }, {}, async (room, page) => {
    await page.goto(room.url);
    await scene(page, "again");
    for (const next of ["again", "cookie"]) {
      const before = loads(room);
      await page.getByRole("button", { name: "Try again" }).click();
      await until(() => loads(room) > before, "the page anew");
      await scene(page, next);
    }
    const claims = room.count("POST", "/pass");
    await ever(1_500);
    assert.equal(room.count("POST", "/pass"), claims);
    assert.equal(claims, 3);
  }));

test("when the cause is gone the page goes on as if nothing had been", () =>
  stays({}, { mode: "off" }, async (room, page) => {
    await page.goto(room.url);
    await scene(page, "again");
    room.says = {};
    room.view = viewOf("waiting", { now: Date.now(), poll: POLL_MS, board_version: 9 });
    await scene(page, "waiting");
    assert.equal(loads(room), 2);
  }));

test("after off and stop, the end of the stop lets the page through at once", () =>
  stays({ mode: "off", stop: true, place: null }, {}, async (room, page) => {
    await page.goto(room.url);
    await scene(page, "stopped");
    Object.assign(room.view, { stop: false, board_version: 8 });
    await until(() => loads(room) === 2, "the page moves on");
  }));
