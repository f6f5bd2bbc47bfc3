// Chromium at a real room: it hears over a socket, else over a stream, else it asks; the visitor is let in all the same.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { launchBrowser } from "../../scripts/testing/browser.mjs";
import { paused } from "../e2e/harness/crowd.mjs";
import { startRoom } from "../e2e/harness/room.mjs";
import { until } from "./browser.mjs";

const WITHIN_MS = 30_000;
/** Longer than the longest time between two questions of a page that does not listen. */
const LISTENS_MS = 15_000;

let room;
let browser;
before(async () => {
  room = await startRoom({ events: ["socket", "stream", "again", "asking"].map((id) => ({ id })) });
  browser = await launchBrowser();
});
after(async () => {
  await browser?.close();
  await room?.stop();
});

const addressOf = (event) => `${room.url}/events/${event}/shop`;

/** Opens the page of an event that is paused: `{ page, asked, words }`, what it asked for and what it heard. */
async function waits(event, change = async () => {}) {
  const context = await browser.newContext();
  const page = await context.newPage();
  const asked = { me: 0, stream: 0 };
  const words = [];
  page.on("request", (request) => {
    if (request.url().endsWith("/tickets/me")) asked.me += 1;
    if (request.url().endsWith("/tickets/me/events")) asked.stream += 1;
  });
  page.on("websocket", (socket) =>
    socket.on("framereceived", ({ payload }) => words.push(JSON.parse(String(payload)))),
  );
  await change(page);
  await page.goto(addressOf(event));
  await page.locator("html[data-scene=paused]").waitFor({ timeout: WITHIN_MS });
  return { page, asked, words, close: () => context.close() };
}

async function isLetIn(page, event, operator) {
  await operator.act("resume");
  await page.getByText(`shop /events/${event}/shop`).waitFor({ timeout: WITHIN_MS });
}

test("a page that hears over a socket asks for nothing meanwhile, and tells what words do not say", async () => {
  const operator = await paused(room, "socket");
  const { page, asked, words, close } = await waits("socket", (page) =>
    page.addInitScript(() => {
      window.WebSocket = class extends window.WebSocket {
        constructor(address) {
          super(address);
          window.lastSocket = this;
        }
      };
    }),
  );
  await until(() => words.length > 0, "the first word", WITHIN_MS);
  const before = asked.me;
  await page.waitForTimeout(LISTENS_MS);
  assert.equal(asked.me, before, "nothing is asked");
  assert.ok(words.length >= 2, "the silence is broken");
  const heard = words.length;
  await page.evaluate(() => window.lastSocket.close());
  await until(() => words.length > heard, "words over another socket", WITHIN_MS);
  assert.equal(asked.me, before, "nobody asks because a socket breaks off: it may be everybody's");
  assert.equal(await page.locator("#age:visible").count(), 0, "nothing looks old");
  await operator.act("pause", { reason: "The till is being mended." });
  const says = async () => (await page.locator("#notice").textContent()).includes("The till is being mended.");
  await until(says, "the reason", WITHIN_MS);
  await isLetIn(page, "socket", operator);
  await close();
});

test("where no socket can be had the page hears over the edge's stream", async () => {
  const operator = await paused(room, "stream");
  const { page, asked, close } = await waits("stream", (page) =>
    page.addInitScript(() => {
      window.WebSocket = class {
        constructor() {
          throw new Error("there are none here");
        }
      };
    }),
  );
  await until(() => asked.stream > 0, "the stream", WITHIN_MS);
  await page.waitForTimeout(1_000);
  const before = asked.me;
  await page.waitForTimeout(LISTENS_MS);
  assert.equal(asked.me, before, "nothing is asked");
  await isLetIn(page, "stream", operator);
  await close();
});

test("a page that hears the stream takes a socket as soon as it gets one, and nobody notices", async () => {
  const operator = await paused(room, "again");
  const { page, asked, words, close } = await waits("again", (page) =>
    page.addInitScript(() => {
      const { WebSocket, setTimeout } = window;
      window.WebSocket = class extends WebSocket {
        constructor(address) {
          if (!window.hasSockets) throw new Error("there are none here");
          super(address);
        }
      };
      // The rest of about a minute takes a tenth of it.
      window.setTimeout = (run, ms) => setTimeout(run, ms >= 30_000 && ms <= 90_000 ? ms / 10 : ms);
    }),
  );
  await until(() => asked.stream > 0, "the stream", WITHIN_MS);
  await page.waitForTimeout(1_000);
  const before = { ...asked };
  await page.evaluate(() => {
    window.hasSockets = true;
  });
  await until(() => words.length > 1, "words over a socket", WITHIN_MS);
  assert.deepEqual(asked, before, "nothing is asked meanwhile");
  assert.equal(await page.locator("#age:visible").count(), 0, "nothing looks old");
  await isLetIn(page, "again", operator);
  await close();
});

test("where neither can be had the page asks, and the visitor is let in like everybody else", async () => {
  const operator = await paused(room, "asking");
  const { page, asked, close } = await waits("asking", (page) =>
    page.addInitScript(() => {
      delete window.WebSocket;
      delete window.EventSource;
    }),
  );
  const before = asked.me;
  await until(() => asked.me >= before + 2, "the questions", 3 * WITHIN_MS);
  await isLetIn(page, "asking", operator);
  await close();
});
