// Tests that are a story: a room in a scene, a fresh browser, and what a visitor does there.

import { after, before, test } from "node:test";
import { launchBrowser } from "../../scripts/testing/browser.mjs";
import { startRenderer } from "./renderer.mjs";
import { startRoom } from "./room.mjs";
import { viewOf } from "./scenes.mjs";

const WITHIN_MS = 60_000;
/** Chromium may never answer a close that meets a navigation under way; the browser's own end takes what is left. */
const CLOSED_WITHIN_SECONDS = 5;
const POLL_MS = 300;

/** For the tests of one file, from the first to the last: `at.renderer` (see renderer.mjs) and `at.browser`. */
export function atStage(example) {
  const at = {};
  before(async () => {
    at.renderer = startRenderer(example);
    at.browser = await launchBrowser();
  });
  after(async () => {
    await at.browser?.close();
    at.renderer?.stop();
  });
  return at;
}

/** `story(name, scene, more, run, options)`: `more` is laid over the view, `options` are the browser's. */
export function stories(at = atStage()) {
  return (name, scene, more, run, options = {}) =>
    test(name, { timeout: WITHIN_MS }, async () => {
      const room = await startRoom(at.renderer, scene, { now: Date.now(), poll: POLL_MS, ...more });
      room.joined = viewOf("waiting", { now: room.view.now, poll: POLL_MS, lines: room.view.lines });
      const context = await at.browser.newContext(options);
      const faults = [];
      context.on("weberror", (fault) => faults.push(fault.error().message));
      try {
        const page = await context.newPage();
        if (options.javaScriptEnabled !== false) readsOnceBegun(page);
        await run(room, page, context);
        if (faults.length > 0) throw new Error(`the page's script failed: ${faults.join("; ")}`);
      } finally {
        await Promise.race([context.close(), seconds(CLOSED_WITHIN_SECONDS)]);
        room.close();
      }
    });
}

/** The page's script has done each piece that it begins with. */
export const hasBegun = (page) =>
  page.evaluate(async () => {
    for (let piece = 0; piece < 4; piece += 1) await new Promise((done) => setTimeout(done));
  });

/** From now on a page has loaded once its script has begun, too. */
function readsOnceBegun(page) {
  for (const way of ["goto", "reload", "goBack"]) {
    const load = page[way].bind(page);
    page[way] = async (...args) => {
      const response = await load(...args);
      // It may have moved on meanwhile.
      await hasBegun(page).catch(() => {});
      return response;
    };
  }
}

/** The options of a browser without script. */
export const SCRIPTLESS = { javaScriptEnabled: false };
/** Within the longest interval between two questions, 10 s, asked 15 % late, and half of it for a busy machine. */
const SCENE_WITHIN_MS = 17_000;
export const inScene = (page, name) => page.locator(`html[data-scene=${name}]`).waitFor({ timeout: SCENE_WITHIN_MS });
export const seconds = (count) => new Promise((done) => setTimeout(done, count * 1_000));
/** The bodies of the joins that a room was sent. */
export const joins = (room) => {
  const sent = room.asked.filter(({ method, path }) => method === "POST" && path.endsWith("/tickets"));
  return sent.map(({ body }) =>
    body.startsWith("{") ? JSON.parse(body) : Object.fromEntries(new URLSearchParams(body)),
  );
};
