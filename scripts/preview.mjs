// `npm run preview`: every page that visitors of an event can meet, as page and as picture, in the event's own face.
import { mkdirSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { LANGUAGES } from "../tests/page/scenes.mjs";
import { command, configFileOf, readArguments, UsageError } from "./command-line.mjs";
import { root, wranglerFile } from "./paths.mjs";
import { faceOf, viewsOf } from "./previewing/views.mjs";
import { contactSheet } from "./previewing/contact-sheet.mjs";
import { say, step } from "./progress.mjs";
import { setup } from "./setup.mjs";
import { findBrowser, launchBrowser } from "./testing/browser.mjs";

const USAGE = `npm run preview -- --event E [--language L] [--out DIR] [--config FILE]
  --event E      the event
  --language L   ${Object.keys(LANGUAGES).join(", ")}; en by default
  --out DIR      where the pages and pictures go; .state/preview/E by default
  --config FILE  another wrangler.toml
Writes every phase and state as page and as picture (phone and desktop, by day and by night), and index.html that shows them
all. Nothing has to run, and nobody is asked.`;

const SIZES = { phone: { width: 390, height: 844 }, desktop: { width: 1280, height: 900 } };
const COLOUR_SCHEMES = ["light", "dark"];
/** Until numbers stand still and fonts are there. */
const SETTLED_MS = 150;
const HOST = "http://preview.localhost";

async function main(words) {
  const { values } = readArguments(words, {
    config: { type: "string", default: wranglerFile },
    event: { type: "string" },
    language: { type: "string", default: "en" },
    out: { type: "string" },
  });
  if (!Object.hasOwn(LANGUAGES, values.language)) {
    const allowed = Object.keys(LANGUAGES).join(", ");
    throw new UsageError(`--language is ${JSON.stringify(values.language)}, allowed are ${allowed}`);
  }
  const configFile = configFileOf(values.config);
  await setup(["packages", "rust"]);
  const { eventNamed, readDeployment } = await import("./deployment.mjs");
  const deployment = readDeployment(configFile);
  const event = eventNamed(deployment, values.event);
  const folder = folderOf(values.out ?? path.join(root, ".state", "preview", event.id));
  if (!findBrowser()) await launchBrowser();
  const face = faceOf(event.id);
  const views = viewsOf(event, face, values.language, deployment.config.vars?.PREFIX);
  const pages = await step("the pages", "1 to 3 min the first time", () => render(views, face));
  for (const { name, html } of pages) writeFileSync(path.join(folder, `${name}.html`), html);
  await step(`${pages.length} pages as pictures`, "1 to 2 min", (onLine) => takePictures(pages, folder, onLine));
  const index = path.join(folder, "index.html");
  writeFileSync(index, contactSheet(views[0].view, pages, Object.keys(SIZES), COLOUR_SCHEMES));
  say(`${pages.length} pages, ${pages.length * 4} pictures`);
  process.stdout.write(`${index}\n`);
}

function folderOf(text) {
  const folder = path.resolve(text);
  const there = statSync(folder, { throwIfNoEntry: false });
  if (there && !there.isDirectory()) throw new UsageError(`--out is ${JSON.stringify(text)}, which is no folder`);
  mkdirSync(folder, { recursive: true });
  return folder;
}

/** The pages as the edge would send them; the logo is written into them, so that they stand alone. */
async function render(views, { logo }) {
  const { startRenderer } = await import("../tests/page/renderer.mjs");
  const renderer = startRenderer();
  const pages = [];
  for (const { name, view } of views) {
    const html = await renderer.render(view);
    const address = `${view.prefix}/events/${view.event}/logo`;
    pages.push({ name, view, html: logo ? html.replaceAll(`"${address}"`, `"${logo}"`) : html });
  }
  renderer.stop();
  return pages;
}

async function takePictures(pages, folder, onLine) {
  const { stateOf } = await import("../tests/page/room.mjs");
  const browser = await launchBrowser();
  for (const [size, viewport] of Object.entries(SIZES)) {
    for (const colorScheme of COLOUR_SCHEMES) {
      for (const { name, view, html } of pages) {
        onLine(`${name} ${size} ${colorScheme}`);
        const context = await browser.newContext({ viewport, colorScheme, reducedMotion: "reduce" });
        const page = await context.newPage();
        await page.route("**/*", (route) => answer(route, html, () => stateOf(view)));
        await page.goto(`${HOST}${view.return_to}`);
        await page.waitForTimeout(SETTLED_MS);
        const file = path.join(folder, `${name}-${size}-${colorScheme}.png`);
        await page.screenshot({ path: file, fullPage: true });
        await context.close();
      }
    }
  }
  await browser.close();
}

/** The page itself, and the state that it already shows; what it would do by itself stays under way. */
function answer(route, html, state) {
  const request = route.request();
  if (request.isNavigationRequest()) return route.fulfill({ contentType: "text/html; charset=utf-8", body: html });
  if (request.method() === "GET") return route.fulfill({ json: state() });
}

command(import.meta.url, USAGE, main);
