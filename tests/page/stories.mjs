// Tests that are a story: a room in a scene, a fresh browser, and what a visitor does there.

import { after, before, test } from "node:test";
import { launchBrowser } from "../../scripts/testing/browser.mjs";
import { startRenderer } from "./renderer.mjs";
import { startRoom } from "./room.mjs";
import { viewOf } from "./scenes.mjs";

const WITHIN_MS = 60_000;

/** `story(name, scene, more, run, options)`: `more` is laid over the view, `options` are the browser's. */
export function stories() {
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
  return (name, scene, more, run, options = {}) =>
    test(name, { timeout: WITHIN_MS }, async () => {
      const room = await startRoom(renderer, scene, { now: Date.now(), poll: 300, ...more });
      room.joined = viewOf("waiting", { now: room.view.now, poll: 300, lines: room.view.lines });
      const context = await browser.newContext(options);
      try {
        await run(room, await context.newPage(), context);
      } finally {
        await context.close();
        room.close();
      }
    });
}

export const inScene = (page, name) => page.locator(`html[data-scene=${name}]`).waitFor({ timeout: 8_000 });
export const seconds = (count) => new Promise((done) => setTimeout(done, count * 1_000));
/** The bodies of the joins that a room was sent. */
export const joins = (room) => {
  const sent = room.asked.filter(({ method, path }) => method === "POST" && path.endsWith("/tickets"));
  return sent.map(({ body }) =>
    body.startsWith("{") ? JSON.parse(body) : Object.fromEntries(new URLSearchParams(body)),
  );
};
