// `npm run preview`: every page that visitors of an event can meet, as page and as picture, in the event's own face.
import { mkdirSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { LANGUAGES } from "../tests/page/scenes.mjs";
import { command, configFileOf, readArguments, UsageError } from "./command-line.mjs";
import { counted } from "./counted.mjs";
import { root, wranglerFile } from "./paths.mjs";
import { faceOf, viewsOf } from "./previewing/views.mjs";
import { contactSheet } from "./previewing/contact-sheet.mjs";
import { runOrThrow } from "./processes.mjs";
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
/** The edge's examples that make the queue page and the small pages. */
const RENDERERS = ["render_page", "render_sheet"];
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
  await step("the programs that make the pages", "no time; 1 to 3 min the first time", buildRenderers);
  const pages = await step("the pages", "a moment", (onLine) => render(views, face, onLine));
  for (const { name, html } of pages) writeFileSync(path.join(folder, `${name}.html`), html);
  await step(`${counted(pages.length, "page")} as pictures`, "1 to 2 min", (onLine) =>
    takePictures(pages, folder, onLine),
  );
  const index = path.join(folder, "index.html");
  writeFileSync(index, contactSheet(views[0].view, pages, Object.keys(SIZES), COLOUR_SCHEMES));
  say(`${counted(pages.length, "page")}, ${counted(pages.length * 4, "picture")}`);
  process.stdout.write(`${index}\n`);
}

function folderOf(text) {
  const folder = path.resolve(text);
  const there = statSync(folder, { throwIfNoEntry: false });
  if (there && !there.isDirectory()) throw new UsageError(`--out is ${JSON.stringify(text)}, which is no folder`);
  mkdirSync(folder, { recursive: true });
  return folder;
}

/** Both at once, and beforehand, so that it can be said how far it is. */
async function buildRenderers(onLine) {
  const examples = RENDERERS.flatMap((name) => ["--example", name]);
  await runOrThrow("cargo", ["build", "--package", "anteroom", ...examples], { cwd: root, onLine });
}

/**
 * `[{ name, address, html, answers }]`: the pages as the edge would send them, and what they get at the addresses that
 * they ask. The logo is written into them, so that they stand alone.
 */
async function render(views, { logo }, onLine) {
  const { startRenderer } = await import("../tests/page/renderer.mjs");
  const { stateOf } = await import("../tests/page/room.mjs");
  const { smallPagesOf } = await import("./previewing/small-pages.mjs");
  const [{ view: own }] = views;
  const logoAddress = `"${own.prefix}/events/${own.event}/logo"`;
  const queue = `${own.prefix}/queues/${own.event}`;
  const standing = views.map(({ name, view }) => ({ name, asked: view, answers: { "tickets/me": stateOf(view) } }));
  const pages = [];
  for (const [example, address, wanted] of [
    [RENDERERS[0], own.return_to, standing],
    [RENDERERS[1], `${queue}/page`, await smallPagesOf(own, HOST)],
  ]) {
    const renderer = startRenderer(example);
    for (const { name, asked, answers } of wanted) {
      onLine(name);
      const html = await renderer.render(asked);
      pages.push({ name, address, answers, html: logo ? html.replaceAll(logoAddress, `"${logo}"`) : html });
    }
    renderer.stop();
  }
  return pages;
}

async function takePictures(pages, folder, onLine) {
  const browser = await launchBrowser();
  for (const [size, viewport] of Object.entries(SIZES)) {
    for (const colorScheme of COLOUR_SCHEMES) {
      for (const { name, address, html, answers } of pages) {
        onLine(`${name} ${size} ${colorScheme}`);
        const context = await browser.newContext({ viewport, colorScheme, reducedMotion: "reduce" });
        const page = await context.newPage();
        await page.route("**/*", (route) => answer(route, html, answers));
        await page.goto(`${HOST}${address}`);
        await page.waitForTimeout(SETTLED_MS);
        const file = path.join(folder, `${name}-${size}-${colorScheme}.png`);
        await page.screenshot({ path: file, fullPage: true });
        await context.close();
      }
    }
  }
  await browser.close();
}

/** The page itself, and what it already shows; what it would do by itself stays under way. */
function answer(route, html, answers) {
  const request = route.request();
  if (request.isNavigationRequest()) return route.fulfill({ contentType: "text/html; charset=utf-8", body: html });
  const asked = Object.keys(answers).find((end) => request.url().endsWith(`/${end}`));
  if (asked && request.method() === "GET") return route.fulfill({ json: answers[asked] });
}

command(import.meta.url, USAGE, main);
