// A Chrome or Chromium for the page tests: an installed one, else the system's package where that is allowed.
import { existsSync } from "node:fs";
import { findOnPath } from "../paths.mjs";
import { step } from "../progress.mjs";
import { run, runOrThrow } from "../processes.mjs";

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
  await step("Chromium from the system's packages", "1 to 3 min", installChromium);
  const installed = findBrowser();
  if (!installed)
    throw new Error(`the package chromium brought no browser (on Ubuntu it is a snap); ${HOW_TO_INSTALL}`);
  return installed;
}

/** With Debian's package manager, as root or by a sudo that asks nothing. */
async function installChromium(onLine) {
  if (!findOnPath("apt-get")) throw new Error(`there is no apt-get to install Chromium with; ${HOW_TO_INSTALL}`);
  const isRoot = process.getuid?.() === 0;
  if (!isRoot && !findOnPath("sudo")) {
    throw new Error(`installing Chromium needs root or sudo, and here is neither; ${HOW_TO_INSTALL}`);
  }
  const options = { env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" }, onLine };
  const aptGet = (...args) => {
    const [command, ...rest] = [...(isRoot ? [] : ["sudo", "-n"]), "apt-get", ...args];
    return [command, rest, options];
  };
  // One source of packages that cannot be reached is no reason to give up: the installation says what is missing.
  await run(...aptGet("update", "-qq"));
  await runOrThrow(...aptGet("install", "-y", "-qq", "--no-install-recommends", "chromium")).catch((error) => {
    throw new Error(`Chromium could not be installed: ${error.message}\n${HOW_TO_INSTALL}`);
  });
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
