// Chromium for the page tests.

import { existsSync } from "node:fs";
import { chromium } from "playwright-core";

const PLACES = [
  process.env.CHROMIUM_BIN,
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/usr/bin/google-chrome-stable",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];

/** Starts it, quiet and without anything that reaches out. */
export function startBrowser() {
  const executablePath = PLACES.find((path) => path && existsSync(path));
  if (!executablePath) throw new Error("no Chrome or Chromium found: install one, or set CHROMIUM_BIN");
  return chromium.launch({
    executablePath,
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      "--autoplay-policy=no-user-gesture-required",
    ],
  });
}

/** Makes the page believe that it is hidden or visible, and tells it. */
export const setVisible = (page, visible) =>
  page.evaluate(
    (state) => {
      Object.defineProperty(document, "visibilityState", { value: state, configurable: true });
      Object.defineProperty(document, "hidden", { value: state === "hidden", configurable: true });
      document.dispatchEvent(new Event("visibilitychange"));
    },
    visible ? "visible" : "hidden",
  );

/** Waits until `ready()` is true. */
export async function until(ready, what, within_ms = 8_000) {
  const end_ms = performance.now() + within_ms;
  while (!(await ready())) {
    if (performance.now() > end_ms) throw new Error(`not within ${within_ms} ms: ${what}`);
    await new Promise((done) => setTimeout(done, 25));
  }
}
