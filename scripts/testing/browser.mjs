// A Chrome or Chromium for the page tests: an installed one, else the system's package where that is allowed.
import { existsSync } from "node:fs";
import { findOnPath } from "../paths.mjs";
import { say } from "../progress.mjs";
import { runOrThrow } from "../processes.mjs";

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
  if (!mayInstall || !findOnPath("apt-get")) throw new Error(HOW_TO_INSTALL);
  say("- Chromium from the system's packages (usually 1 min)");
  const sudo = process.getuid?.() === 0 ? [] : ["sudo", "-n"];
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  for (const args of [
    ["update", "-qq"],
    ["install", "-y", "-qq", "--no-install-recommends", "chromium"],
  ]) {
    const [command, ...rest] = [...sudo, "apt-get", ...args];
    await runOrThrow(command, rest, { env });
  }
  const installed = findBrowser();
  if (!installed) throw new Error(HOW_TO_INSTALL);
  return installed;
}

/** A headless browser under playwright-core, with a fresh profile; further options go to its `launch`. */
export async function launchBrowser({ args = [], ...options } = {}) {
  const executablePath = findBrowser();
  if (!executablePath) throw new Error(HOW_TO_INSTALL);
  const { chromium } = await import("playwright-core");
  return chromium.launch({ executablePath, headless: true, args: [...BROWSER_FLAGS, ...args], ...options });
}
