// The page of the draw: it recomputes, and says in plain words what fits and what does not.
import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { drawnDocument, earlyDocument, shuffle, stateOf } from "./draws.mjs";
import { atDesk } from "./sheets.mjs";

const ENTRY = 430;

const at = atDesk();
beforeEach(() => {
  at.desk.document = drawnDocument();
  at.desk.me = null;
  at.desk.view = {};
});

/** Opens the page; whatever the policy or the script complains about fails the test. */
async function open(options = {}) {
  const context = await at.browser.newContext(options);
  const page = await context.newPage();
  const complaints = [];
  page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(String(error)));
  await page.goto(at.desk.url("draw"));
  return { page, complaints, close: () => context.close() };
}

const verdict = (page, kind) => page.locator(`#verdict[data-kind=${kind}]`).waitFor({ timeout: 8_000 });

test("a visitor's rank is recomputed from the published numbers and is equal", async () => {
  const { seed, entrants } = at.desk.document.lines[0].draw;
  at.desk.me = stateOf(ENTRY, await shuffle.rankOf(ENTRY, entrants, seed));
  const { page, complaints, close } = await open();
  await verdict(page, "good");
  assert.equal(await page.locator("#verdict-title").textContent(), "Equal");
  assert.equal(await page.locator("#entry").textContent(), "430");
  assert.equal(await page.locator("#recomputed").textContent(), await page.locator("#said").textContent());
  assert.equal(await page.locator("#checked li[data-holds=true]").count(), 4);
  assert.equal(await page.locator("#without").isVisible(), false);
  assert.match(
    await page.locator("code").textContent(),
    /verify-draw -- --url https:\/\/tickets\.example\.com\/_wr\/queues\/world-tour$/,
  );
  assert.deepEqual(complaints, []);
  await close();
});

test("a rank that does not follow from the numbers is NOT EQUAL", async () => {
  const { seed, entrants } = at.desk.document.lines[0].draw;
  const right = await shuffle.rankOf(ENTRY, entrants, seed);
  at.desk.me = stateOf(ENTRY, (right + 1) % entrants);
  const { page, close } = await open();
  await verdict(page, "bad");
  assert.equal(await page.locator("#verdict-title").textContent(), "NOT EQUAL");
  await close();
});

test("numbers that contradict one another are said, also where the rank fits and where there is no place", async () => {
  const [line] = at.desk.document.lines;
  at.desk.me = stateOf(ENTRY, await shuffle.rankOf(ENTRY, line.draw.entrants, line.draw.seed));
  line.draw.secret = "00".repeat(32);
  for (const me of [at.desk.me, null]) {
    at.desk.me = me;
    const { page, close } = await open();
    await verdict(page, "bad");
    assert.equal(await page.locator("#verdict-title").textContent(), "The numbers do not fit");
    assert.deepEqual(
      await page
        .locator("#checked li[data-holds=false]")
        .evaluateAll((items) => items.map((item) => item.dataset.check)),
      ["secret", "seed"],
    );
    await close();
  }
});

test("without a beacon, and when it did not come, the page says what follows from that", async () => {
  for (const [beacon, words] of [
    ["none", /No public random number took part/],
    ["absent", /did not come in time/],
  ]) {
    at.desk.document = drawnDocument({ beacon });
    const { page, close } = await open();
    await verdict(page, "plain");
    assert.match(await page.locator("#without").textContent(), words);
    assert.equal(await page.locator("#checked li[data-holds=false]").count(), 0);
    await close();
  }
});

test("any entry number can be tried, also one from after the draw, and what is none is refused", async () => {
  const { seed, entrants } = at.desk.document.lines[0].draw;
  const { page, complaints, close } = await open();
  await verdict(page, "plain");
  const attempt = async (typed) => {
    await page.getByLabel("Entry number").fill(typed);
    await page.getByRole("button", { name: "Compute" }).click();
    await page.locator("#result:not(:empty)").waitFor();
    return page.locator("#result");
  };
  const rank = await shuffle.rankOf(17, entrants, seed);
  await (await attempt("17")).filter({ hasText: `Entry number 17 has rank ${rank}.` }).waitFor();
  await (await attempt("1019")).filter({ hasText: "Entry number 1,019 has rank 1,019." }).waitFor();
  for (const typed of ["-1", "1e3", "4.5", "seventeen"]) {
    await (await attempt(typed)).filter({ hasText: "Allowed are 0 to 999,999,999,999,999." }).waitFor();
  }
  assert.deepEqual(complaints, []);
  await close();
});

test("before the draw only the commitment is shown, and the page finds the rest by itself", async () => {
  at.desk.document = earlyDocument();
  const { page, close } = await open();
  await verdict(page, "plain");
  assert.equal(await page.locator("#verdict-title").textContent(), "Not drawn yet");
  await page.locator("summary").click();
  assert.equal(await page.locator("[id='general.seed']").textContent(), "not known yet");
  at.desk.document = drawnDocument();
  await page.locator("#checks").waitFor({ timeout: 20_000 });
  const { seed, beacon } = at.desk.document.lines[0].draw;
  assert.equal(await page.locator("[id='general.seed']").textContent(), seed);
  assert.equal(await page.locator("[id='general.round']").textContent(), String(beacon.round));
  await close();
});

test("whether a beacon takes part is known with the round: before it is not known yet, without one it is gone", async () => {
  at.desk.document = earlyDocument();
  const { page, close } = await open();
  await verdict(page, "plain");
  await page.locator("summary").click();
  const round = page.locator("[id='general.round']");
  assert.equal(await round.textContent(), "not known yet");
  assert.equal(await round.isVisible(), true);
  at.desk.document = drawnDocument({ beacon: "none" });
  await page.locator("#without").waitFor({ timeout: 20_000 });
  assert.equal(await round.isVisible(), false);
  await close();
});

test("a line without a draw says so, and nothing is computed", async () => {
  at.desk.document.lines[0].draw = null;
  const { page, close } = await open();
  await verdict(page, "plain");
  assert.match(await page.locator("#verdict-title").textContent(), /There is no draw here/);
  assert.equal(await page.locator("#try").isVisible(), false);
  await close();
});

test("without script the numbers are there, and the program that checks them is named", async () => {
  const { page, close } = await open({ javaScriptEnabled: false });
  assert.match(await page.locator("noscript").textContent(), /Without script nothing is recomputed here/);
  assert.equal(await page.locator("#verdict").isVisible(), false);
  await page.locator("summary").click();
  const { draw } = at.desk.document.lines[0];
  for (const name of ["commitment", "secret", "seed", "log_root", "fixed_at"]) {
    assert.equal(await page.locator(`[id='general.${name}']`).textContent(), draw[name], name);
  }
  assert.equal(await page.locator("[id='general.round']").textContent(), String(draw.beacon.round));
  await close();
});
