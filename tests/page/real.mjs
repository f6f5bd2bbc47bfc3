// A real browser at the real room.

import { paused } from "../e2e/harness/crowd.mjs";

const PAUSED_WITHIN_MS = 20_000;

/**
 * A page of its own browser; `change(page)` is done before it loads, `options` are the browser's. `joins` are the joins that
 * it sends, `wrong` what its script or a policy complains of, `began` when it was asked for.
 */
export async function opensPage(browser, room, event, { change = async () => {}, ...options } = {}) {
  const context = await browser.newContext({ baseURL: room.url, ...options });
  const page = await context.newPage();
  const joins = [];
  const wrong = [];
  page.on("request", (request) => {
    if (request.method() === "POST" && request.url().endsWith("/tickets")) joins.push(request.postDataJSON());
  });
  page.on("pageerror", (error) => wrong.push(error.message));
  page.on("console", (message) => message.text().includes("Content Security Policy") && wrong.push(message.text()));
  await change(page);
  const began = performance.now();
  await page.goto(room.pathOf(event));
  return { page, joins, wrong, began, close: () => context.close() };
}

/** Pauses an event for the time of `run`, so that visitors wait; then it goes on. */
export async function whilePaused(room, event, run) {
  const operator = await paused(room, event, { within_ms: PAUSED_WITHIN_MS });
  await run();
  await operator.act("resume");
}
