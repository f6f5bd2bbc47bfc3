// The small pages as they stand: clean to axe in every language, by day and by night, on a small phone; and what the
// answers to forms say to who has no script.
import assert from "node:assert/strict";
import { test } from "node:test";
import { violations, wideBy } from "../page/axe.mjs";
import { LANGUAGES } from "../page/scenes.mjs";
import { askedFor, atDesk } from "./sheets.mjs";

const STANDING = [
  ["offer", {}],
  ["offer", { kind: "too-many-handovers" }],
  ["handover", {}],
  ["handover", { view: { refused: "handover-taken" } }],
  ["staff", {}],
  ["staff", { view: { refused: "unauthorized" } }],
];

const at = atDesk();

for (const colorScheme of ["light", "dark"]) {
  test(`every small page but the draw's is clean to axe and fits 320 pixels, ${colorScheme}`, async () => {
    const context = await at.browser.newContext({
      colorScheme,
      viewport: { width: 320, height: 640 },
      bypassCSP: true,
    });
    const page = await context.newPage();
    let html = "";
    await page.route("http://room.test/**", (route) => route.fulfill({ body: html, contentType: "text/html" }));
    for (const language of Object.values(LANGUAGES)) {
      for (const [position, [name, { view, ...more }]] of STANDING.entries()) {
        html = await at.renderer.render(askedFor(name, { ...more, view: { ...view, language } }));
        await page.goto(`http://room.test/${language}/${position}`);
        const where = `${name} ${JSON.stringify(more)}, ${language}`;
        assert.deepEqual(await violations(page), [], where);
        assert.ok((await wideBy(page)) <= 0, `${where}: ${await wideBy(page)} px too wide`);
      }
    }
    await context.close();
  });
}

test("the page with the code shows the picture under the real policy, and one link leads back", async () => {
  const context = await at.browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  const refused = [];
  page.on("console", (message) => /Content Security Policy/.test(message.text()) && refused.push(message.text()));
  await page.goto(at.desk.url("offer"));
  assert.equal(await page.locator("h1").textContent(), "Continue on another device");
  const picture = page.getByRole("img", { name: "QR code with the link" });
  const { width, height } = await picture.locator("svg").boundingBox();
  assert.ok(width >= 200 && width === height, `${width} by ${height}`);
  assert.equal(await page.locator(".code").textContent(), "7K3QM-9XW2T-4H8RB-6YCDE");
  assert.equal(await page.getByText("Valid until").textContent(), "Valid until 10:10 UTC+1.");
  assert.match(await page.locator(".link a").getAttribute("href"), /#7K3QM9XW2T4H8RB6YCDE$/);
  await page.getByRole("link", { name: "Back to my place" }).click();
  assert.equal(page.url(), `${at.desk.origin}/events/world-tour/`);
  assert.deepEqual(refused, []);
  await context.close();
});

test("a staff pass that was refused is said on the staff page, with what to do", async () => {
  at.desk.view = { refused: "unauthorized" };
  const context = await at.browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto(at.desk.url("staff"));
  assert.match(await page.getByRole("alert").textContent(), /not valid, or not any more\. Ask for a new one\./);
  at.desk.view = { refused: "away" };
  await page.reload();
  assert.match(await page.getByRole("alert").textContent(), /Please try again/);
  at.desk.view = {};
  await page.reload();
  assert.equal(await page.getByRole("alert").count(), 0);
  await context.close();
});
