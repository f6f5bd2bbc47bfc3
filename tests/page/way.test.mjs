// A fan's whole way in Chromium, against the built Worker: with and without script, with the tab
// closed, with the back button, with two tabs, with the phone in the pocket at the turn.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { launchBrowser } from "../../scripts/testing/browser.mjs";
import { startRoom } from "../e2e/harness/room.mjs";
import { setVisible, until } from "./browser.mjs";
import { whilePaused } from "./real.mjs";

const WITHIN_MS = 20_000;
const STATUSES = { refused: 503, fine: 200 };

let room;
let browser;
before(async () => {
  const stories = ["straight", "reopened", "tabs", "hidden", "plain", "leaving", "unsafe"];
  const backs = Object.entries(STATUSES).map(([id, queue_status]) => ({ id, queue_status }));
  room = await startRoom({ events: [...stories.map((id) => ({ id })), ...backs] });
  room.origin.answer = ({ url }) => ({
    status: 200,
    headers: { "content-type": "text/html" },
    body: `<!doctype html><title>The shop</title><a href="/events/${url.split("/")[2]}/seats">Seats</a>`,
  });
  browser = await launchBrowser();
});
after(async () => {
  await browser?.close();
  await room?.stop();
});

const addressOf = (event) => `${room.url}/events/${event}/shop?row=4&of=%2Fa`;
const scene = (page, name) => page.locator(`html[data-scene=${name}]`).waitFor({ timeout: WITHIN_MS });
const inTheShop = async (page, event) => {
  await until(async () => (await page.title()) === "The shop", "the shop", WITHIN_MS);
  assert.equal(page.url(), addressOf(event));
};
const numberOf = (page) => page.locator("#mine").textContent();

/** A fresh browser for one story. */
async function fan(options = {}) {
  const context = await browser.newContext(options);
  return { context, page: await context.newPage() };
}

test("a fan opens the address, waits, and is in the shop at the same address", async () => {
  const { context, page } = await fan();
  await whilePaused(room, "straight", async () => {
    const answer = await page.goto(addressOf("straight"));
    assert.equal(answer.status(), 503);
    await scene(page, "paused");
    assert.equal(await page.locator("#notice p").first().textContent(), "A short break.");
    assert.match(await numberOf(page), /^\d+$/);
    assert.equal(room.origin.arrived("/straight/shop?row=4&of=%2Fa").length, 0);
  });
  await inTheShop(page, "straight");
  await context.close();
});

test("the tab is closed and opened again: the place is the same", async () => {
  const { context, page } = await fan();
  await whilePaused(room, "reopened", async () => {
    await page.goto(addressOf("reopened"));
    await scene(page, "paused");
    const number = await numberOf(page);
    await page.close();
    const again = await context.newPage();
    await again.goto(addressOf("reopened"));
    await scene(again, "paused");
    assert.equal(await numberOf(again), number);
  });
  await inTheShop(context.pages()[0], "reopened");
  await context.close();
});

test("two tabs opened together are one place and one number", async () => {
  const { context, page } = await fan();
  const second = await context.newPage();
  await whilePaused(room, "tabs", async () => {
    await Promise.all([page.goto(addressOf("tabs")), second.goto(addressOf("tabs"))]);
    await Promise.all([scene(page, "paused"), scene(second, "paused")]);
    assert.equal(await numberOf(page), await numberOf(second));
    assert.equal((await room.board("tabs")).lines[0].entries, 1);
  });
  await inTheShop(page, "tabs");
  await inTheShop(second, "tabs");
  await context.close();
});

test("hidden at the turn: the offer stands, and the fan goes in on return", async () => {
  const { context, page } = await fan();
  await whilePaused(room, "hidden", async () => {
    await page.goto(addressOf("hidden"));
    await scene(page, "paused");
    await setVisible(page, false);
  });
  const called = async () => (await room.board("hidden")).lines[0].called === 1;
  await until(called, "the call", WITHIN_MS);
  // Sound and notification are for a page that nobody looks at: it knows of its turn as soon as any other.
  await scene(page, "called");
  assert.notEqual(await page.title(), "The shop");
  await setVisible(page, true);
  await inTheShop(page, "hidden");
  await context.close();
});

for (const [event, status] of Object.entries(STATUSES)) {
  test(`the back button never leads into the queue again, with queue_status ${status}`, async () => {
    const { context, page } = await fan();
    await page.goto(`${room.url}/_wr/health`);
    await whilePaused(room, event, async () => {
      const answer = await page.goto(addressOf(event));
      assert.equal(answer.status(), status);
      await scene(page, "paused");
    });
    await inTheShop(page, event);
    await page.getByRole("link", { name: "Seats" }).click();
    await page.waitForURL(/\/seats$/);
    await page.goBack();
    await inTheShop(page, event);
    await page.goBack();
    assert.match(page.url(), /health$/);
    await page.goForward();
    await inTheShop(page, event);
    await context.close();
  });
}

test("back to a queue page that was left: it is current at once", async () => {
  const { context, page } = await fan();
  await whilePaused(room, "fine", async () => {
    await page.goto(addressOf("fine"));
    await scene(page, "paused");
    await page.goto(`${room.url}/_wr/health`);
  });
  await page.goBack();
  await inTheShop(page, "fine");
  await context.close();
});

test("without script: a form joins, a link looks again, a form goes in", async () => {
  const { context, page } = await fan({ javaScriptEnabled: false });
  await whilePaused(room, "plain", async () => {
    await page.goto(addressOf("plain"));
    await page.getByRole("button", { name: "Join the line" }).click();
    await scene(page, "paused");
    assert.equal(page.url(), addressOf("plain"));
    assert.equal(await numberOf(page), "1");
  });
  const called = async () => {
    await page.getByRole("link", { name: "Check now" }).click();
    return (await page.locator("html[data-scene=called]").count()) === 1;
  };
  await until(called, "the turn", WITHIN_MS);
  await page.getByRole("button", { name: "Enter now" }).click();
  await inTheShop(page, "plain");
  await context.close();
});

test("without script: no cookies is said, and makes no place", async () => {
  const { context, page } = await fan({ javaScriptEnabled: false });
  await page.route("**/*", async (route) => {
    const headers = { ...route.request().headers(), cookie: "" };
    await route.continue({ headers });
  });
  await page.goto(addressOf("plain"));
  const before = (await room.board("plain")).lines[0].entries;
  await context.clearCookies();
  await page.getByRole("button", { name: "Join the line" }).click();
  await scene(page, "cookie");
  assert.equal((await room.board("plain")).lines[0].entries, before);
  await context.close();
});

test("a fan leaves, and joins again behind the others", async () => {
  const { context, page } = await fan();
  await whilePaused(room, "leaving", async () => {
    await page.goto(addressOf("leaving"));
    await scene(page, "paused");
    assert.equal(await numberOf(page), "1");
    await page.locator("#leave summary").click();
    await page.getByRole("button", { name: "Yes, leave" }).click();
    await scene(page, "left");
    await page.getByRole("button", { name: "Join the line again" }).click();
    await scene(page, "paused");
    assert.equal(await numberOf(page), "2");
  });
  await inTheShop(page, "leaving");
  await context.close();
});

test("a form that met the queue is not delivered, is said so, and is not sent again", async () => {
  const { context, page } = await fan();
  await whilePaused(room, "unsafe", async () => {
    const form = `<!doctype html><form method="post" action="${addressOf("unsafe")}"><button name="seat">Buy</button>`;
    await page.route("**/form", (route) => route.fulfill({ contentType: "text/html", body: form }));
    await page.goto(`${room.url}/form`);
    await page.getByRole("button", { name: "Buy" }).click();
    await scene(page, "paused");
    assert.match(await page.locator("#undelivered").textContent(), /has not arrived/);
  });
  await inTheShop(page, "unsafe");
  assert.deepEqual(
    room.origin.seen.filter(({ method }) => method === "POST"),
    [],
  );
  await context.close();
});
