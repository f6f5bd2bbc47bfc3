// The pages of hand-over and staff: what came behind # is out of the address before anything else, is in no request
// and no referrer; opening spends nothing; a button does; and typing works without script.
import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { atDesk } from "./sheets.mjs";

const CODE = "7Q2K9-0ZX4M-ABCDE-FGHJK";
const TOKEN = "eyJhbGciOiJIUzI1NiJ9.eyJ2IjoxfQ.c2lnbmF0dXJl";
const PAGES = [
  { name: "handover", field: "#code", secret: CODE, sent: "code", target: "handover", button: "Take over my place" },
  { name: "staff", field: "#token", secret: TOKEN, sent: "token", target: "staff/enter", button: "Enter the shop" },
];
const address = (target) => `POST /_wr/queues/world-tour/${target}`;

const at = atDesk();
beforeEach(() => {
  at.desk.asked.length = 0;
  at.desk.answers = {};
});

async function open({ name, secret }, options = {}) {
  const context = await at.browser.newContext(options);
  const page = await context.newPage();
  await page.goto(`${at.desk.url(name)}#${secret}`);
  return { page, close: () => context.close() };
}

for (const each of PAGES) {
  const { name, field, secret, sent, target, button } = each;

  test(`R5 ${name}: what came behind # is in the field, and not in the address, the history or any request`, async () => {
    const { page, close } = await open(each);
    assert.equal(await page.locator(field).inputValue(), secret);
    assert.equal(page.url(), at.desk.url(name));
    assert.equal(await page.evaluate(() => location.hash + document.documentURI.split("#").length), "1");
    await page.locator("a, button").first().waitFor();
    at.desk.answers[address(target)] = [200, { state: "waiting" }];
    await page.getByRole("button", { name: button }).click();
    await page.waitForURL(/\/events\/world-tour\/$/);
    for (const { url, headers, method } of at.desk.asked) {
      assert.ok(!url.includes(secret) && !JSON.stringify(headers).includes(secret), `${method} ${url}`);
    }
    await page.goBack();
    assert.ok(!page.url().includes(secret));
    await close();
  });

  test(`R5 ${name}: opening sends nothing but the question for the page; the button sends it once`, async () => {
    const { page, close } = await open(each);
    assert.deepEqual(
      at.desk.asked.filter(({ method }) => method !== "GET"),
      [],
    );
    at.desk.answers[address(target)] = [200, { state: "waiting" }];
    await page.getByRole("button", { name: button }).dblclick();
    await page.waitForURL(/\/events\/world-tour\/$/);
    const posts = at.desk.asked.filter(({ method }) => method === "POST");
    assert.equal(posts.length, 1);
    const body = JSON.parse(posts[0].body);
    assert.equal(body[sent], name === "handover" ? secret.replaceAll("-", "") : secret);
    if (name === "handover") assert.equal(body.id, "AAAAAAAAAAAAAAAAAAAAAA", "the browser's own claim id goes along");
    await close();
  });

  test(`${name}: a link that arrives while the page is open is taken too`, async () => {
    const { page, close } = await open({ name, secret: "" });
    await page.evaluate((value) => location.assign(`#${value}`), secret);
    await page.waitForFunction(([id, value]) => document.querySelector(id).value === value, [field, secret]);
    assert.equal(page.url(), at.desk.url(name));
    await close();
  });

  test(`${name}: without script the field is typed into and the form sends it`, async () => {
    const { page, close } = await open({ name, secret: "" }, { javaScriptEnabled: false });
    await page.locator(field).fill(secret);
    await page.getByRole("button", { name: button }).click();
    await page.waitForLoadState();
    const post = at.desk.asked.find(({ method }) => method === "POST");
    assert.equal(post.url, address(target).slice("POST ".length));
    const body = new URLSearchParams(post.body);
    assert.equal(body.get(sent), secret);
    assert.equal(body.get("return"), "/events/world-tour/");
    await close();
  });

  test(`${name}: what is refused is said beside the field, and can be tried again`, async () => {
    const refusals = {
      handover: [
        [409, "handover-taken", /already used in another browser/],
        [409, "left", /was left, or is over/],
        [404, "handover-unknown", /not known, or it has expired/],
        [429, "too-many", /Too many tries/],
        [503, "away", /Your place is kept/],
      ],
      staff: [
        [401, "staff-pass", /not valid, or not any more/],
        [503, "away", /did not work/],
      ],
    }[name];
    const { page, close } = await open(each);
    for (const [status, kind, words] of refusals) {
      at.desk.answers[address(target)] = [status, { type: `urn:anteroom:problem:${kind}`, status }];
      await page.getByRole("button", { name: button }).click();
      await page.locator("#problem").filter({ hasText: words }).waitFor({ timeout: 5_000 });
      assert.equal(await page.locator(":focus").getAttribute("id"), field.slice(1));
      assert.equal(await page.locator(field).inputValue(), secret);
    }
    at.desk.answers[address(target)] = [200, { state: "waiting" }];
    await page.getByRole("button", { name: button }).click();
    await page.waitForURL(/\/events\/world-tour\/$/);
    await close();
  });
}

test("a code of another length is not sent", async () => {
  const { page, close } = await open({ name: "handover", secret: "" });
  await page.locator("#code").fill("7Q2K9-0ZX4M");
  await page.getByRole("button", { name: "Take over my place" }).click();
  await page.locator("#problem").filter({ hasText: "20 letters and digits" }).waitFor();
  assert.equal(at.desk.asked.filter(({ method }) => method === "POST").length, 0);
  await close();
});
