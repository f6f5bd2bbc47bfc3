// Before the sale: times that are right whatever the visitor's clock says and across a clock change,
// the draw and its entrants, an opening that is moved; and what follows when tickets run out.

import assert from "node:assert/strict";
import { until } from "./browser.mjs";
import { viewOf } from "./scenes.mjs";
import { inScene, SCRIPTLESS, seconds, stories } from "./stories.mjs";

const story = stories();
const HOUR_MS = 3_600_000;
/** Berlin, the evening before the clocks go from 02:00 to 03:00 on 2027-03-28. */
const EVENING_MS = Date.UTC(2027, 2, 27, 19, 0, 0);
const OPENS_MS = Date.UTC(2027, 2, 28, 8, 0, 0);
const acrossTheChange = {
  // Asked rarely: between two answers the page counts by itself.
  poll: 600_000,
  now: EVENING_MS,
  prequeue_at: EVENING_MS + HOUR_MS,
  opens_at: OPENS_MS,
  utc_offsets: [
    [EVENING_MS, 60],
    [OPENS_MS, 120],
  ],
};

const DAY_MS = 24 * HOUR_MS;
story(
  "how old the numbers are is told right when the visitor's clock is set back a day meanwhile",
  "waiting",
  { poll: 600_000, now: EVENING_MS },
  async (room, page, context) => {
    await page.clock.install({ time: EVENING_MS });
    await page.goto(room.url);
    await context.setOffline(true);
    await page.clock.setSystemTime(EVENING_MS - DAY_MS);
    await page.clock.runFor(180_000);
    assert.match(await page.locator("#offline-age").textContent(), /3 minutes old/);
  },
);

for (const [what, off_ms] of [
  ["right", 0],
  ["a day late", -DAY_MS],
  ["a day early", DAY_MS],
]) {
  story(
    `the countdown is the edge's with a clock that is ${what}, across a clock change`,
    "prequeue_draw",
    acrossTheChange,
    async (room, page) => {
      await page.clock.install({ time: EVENING_MS + off_ms });
      await page.goto(room.url);
      assert.match(await page.locator("#clock-time").textContent(), /^1(3:00:00|2:59:5\d)$/);
      const lead = await page.locator("#lead").textContent();
      assert.match(lead, /Sunday 28 March at 0?4:00/, "New York changed its clocks before");
      assert.match(lead, /Berlin.*Sunday 28 March at 10:00/);
      await page.clock.runFor(10_000);
      assert.match(await page.locator("#clock-time").textContent(), /^12:59:[45]\d$/);
      assert.equal(room.places.size, 0);
    },
    { timezoneId: "America/New_York", locale: "en-GB" },
  );
}

story(
  "a clock that is set anew while the page is open changes nothing",
  "prequeue_draw",
  acrossTheChange,
  async (room, page) => {
    await page.clock.install({ time: EVENING_MS });
    await page.goto(room.url);
    await page.clock.setSystemTime(EVENING_MS + DAY_MS);
    await page.clock.runFor(2_000);
    assert.match(await page.locator("#clock-time").textContent(), /^12:59:5\d$/);
  },
);

story(
  "without script each time has the distance from UTC that holds then",
  "prequeue_draw",
  acrossTheChange,
  async (room, page) => {
    await page.goto(room.url);
    assert.match(await page.locator("#lead").textContent(), /2027-03-28 10:00 UTC\+2/);
    assert.match(await page.locator("#calendar a").getAttribute("href"), /\/calendar\.ics$/);
    assert.match(await page.locator("#fair").textContent(), /drand/);
    assert.match(await page.locator("#fair a").getAttribute("href"), /\/queues\/world-tour\/draw$/);
  },
  SCRIPTLESS,
);

story("the entrants are counted live, and not read out at every change", "prequeue_draw", {}, async (room, page) => {
  room.view.opens_at = room.view.now + HOUR_MS;
  await page.goto(room.url);
  await page.evaluate(() => {
    window.said = [];
    for (const id of ["polite", "at-once"]) {
      const region = document.getElementById(id);
      new MutationObserver(() => window.said.push(region.textContent)).observe(region, { childList: true });
    }
  });
  for (const [version, entrants] of [
    [8, 48_300],
    [9, 48_400],
    [10, 50_000],
  ]) {
    room.view = { ...room.view, board_version: version, draw: { ...room.view.draw, entrants } };
    await page.getByText(`${entrants.toLocaleString("en")} people are in the draw`).waitFor();
  }
  assert.deepEqual(await page.evaluate(() => window.said), []);
  const live = page.locator("[aria-live]:has(#entrants), [role=status]:has(#entrants)");
  assert.equal(await live.count(), 0);
});

story("an opening that is moved says from when to when, and why", "prequeue_draw", {}, async (room, page) => {
  const opens_at = room.view.now + HOUR_MS;
  room.view.opens_at = opens_at;
  await page.goto(room.url);
  assert.equal(await page.locator("#notice").isVisible(), false);
  const moved = { from: opens_at, reason: "The stage needs an hour." };
  Object.assign(room.view, { opens_at: opens_at + HOUR_MS, moved, board_version: 9 });
  await page.getByText("The stage needs an hour.").waitFor();
  assert.match(await page.locator("#notice").textContent(), /was moved\. It is now: .*Before, it was: /);
  await until(
    async () => /^0(2:00:00|1:59:)/.test(await page.locator("#clock-time").textContent()),
    "the new countdown",
  );
});

story("from the draw to the number: drawing, then the rank with its proof", "prequeue_draw", {}, async (room, page) => {
  room.view.opens_at = room.view.now + HOUR_MS;
  await page.goto(room.url);
  Object.assign(room.view, viewOf("drawing", { now: Date.now(), poll: 300, board_version: 8 }));
  await inScene(page, "drawing");
  assert.match(await page.locator("#lead").textContent(), /12 minutes at most/);
  Object.assign(room.view, viewOf("drawn", { now: Date.now(), poll: 300, board_version: 9 }));
  await inScene(page, "waiting");
  assert.match(await page.locator("#fair").textContent(), /Your number was drawn by lot.*Check the draw yourself/s);
  assert.equal(await page.locator("#mine").textContent(), "12,431");
});

story("only those who will hardly get a ticket are told so", "waiting", {}, async (room, page) => {
  await page.goto(room.url);
  for (const [version, stock_left, told] of [
    [8, 1_231, false],
    [9, 1_230, true],
    [10, 5_000, false],
  ]) {
    Object.assign(room.view, { stock_left, board_version: version });
    await page.locator("#chances").waitFor({ state: told ? "visible" : "hidden" });
  }
});

story(
  "nothing free is no operator's pause, and sold out is told at once and asked about rarely",
  "waiting",
  {},
  async (room, page) => {
    await page.goto(room.url);
    Object.assign(room.view, { phase: "paused", stock_left: 0, board_version: 8 });
    await page.getByRole("heading", { name: "Nothing is free right now" }).waitFor();
    Object.assign(room.view, { phase: "soldout", board_version: 9 });
    await inScene(page, "soldout");
    assert.match(await page.locator("#lead").textContent(), /Thank you for waiting/);
    const asked = room.count("GET", "/tickets/me");
    await seconds(2);
    assert.ok(room.count("GET", "/tickets/me") - asked <= 1);
  },
);
