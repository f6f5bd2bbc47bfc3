// A Chrome or Chromium for the page tests: an installed one, else the system's package where that is allowed.
import { existsSync } from "node:fs";
import { findOnPath } from "../paths.mjs";
import { installPackages } from "./system-packages.mjs";

const NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"];
const PLACES = [
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
];
const HOW_TO_INSTALL =
  "no Chrome or Chromium: install one (Debian: apt-get install chromium), name it in CHROME_PATH, " +
  "or start the tests with --install-system";

/** Keeps the browser off the network, off the GPU and away from anybody's profile. */
const BROWSER_FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--disable-dev-shm-usage",
];

export function findBrowser() {
  const named = process.env.CHROME_PATH;
  if (named) return existsSync(named) ? named : null;
  return NAMES.map(findOnPath).find(Boolean) ?? PLACES.find(existsSync) ?? null;
}

/** The browser's path; installs the system's package if `mayInstall`. */
export async function provideBrowser(mayInstall) {
  const found = findBrowser();
  if (found) return found;
  const named = process.env.CHROME_PATH;
  if (named) throw new Error(`CHROME_PATH is "${named}", but there is no such file`);
  if (!mayInstall) throw new Error(HOW_TO_INSTALL);
  const title = "Chromium from the system's packages";
  await installPackages({ packages: ["chromium"], title, usually: "1 to 3 min", howTo: HOW_TO_INSTALL });
  const installed = findBrowser();
  if (!installed)
    throw new Error(`the package chromium brought no browser (on Ubuntu it is a snap); ${HOW_TO_INSTALL}`);
  return installed;
}

/** What playwright-core launches: a headless browser with a fresh profile. */
export function launchOptions({ args = [], ...options } = {}) {
  const executablePath = findBrowser();
  if (!executablePath) throw new Error(HOW_TO_INSTALL);
  return { executablePath, headless: true, args: [...BROWSER_FLAGS, ...args], ...options };
}

/** A browser under playwright-core; further options go to its `launch`. */
export async function launchBrowser(options) {
  const { chromium } = await import("playwright-core");
  return chromium.launch(launchOptions(options));
}
