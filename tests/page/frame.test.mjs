// The queue page in a frame of another site, in Chromium, against the built Worker over TLS: joined, waited and admitted
// inside where the event names the site and cookies stick; said so, with a way out, where they do not; not shown at all
// where the event does not name the site.

import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, before, test } from "node:test";
import { launchBrowser } from "../../scripts/testing/browser.mjs";
import { startRoom } from "../e2e/harness/room.mjs";
import { until } from "./browser.mjs";
import { whilePaused } from "./real.mjs";

const WITHIN_MS = 20_000;
const LOADED_WITHIN_MS = 2_000;
/** What the link is called in each language of the page. */
const LANGUAGES = ["ar", "de", "en", "es", "fr", "pl"];

let partner;
let room;
let browser;
before(async () => {
  partner = createServer((request, response) => {
    const asked = new URL(request.url, "http://partner.localhost").searchParams;
    const sandbox = asked.has("sandbox") ? ` sandbox="${asked.get("sandbox")}"` : "";
    response.writeHead(200, { "content-type": "text/html" });
    response.end(
      `<!doctype html><title>A partner</title><iframe width="400" height="800"${sandbox} src="${asked.get("of")}"></iframe>`,
    );
  });
  await new Promise((done) => partner.listen(0, "127.0.0.1", done));
  const frame_ancestors = [partnerAt("partner.localhost")];
  const stories = ["straight", "kept", "barred", "plain"].map((id) => ({ id, frame_ancestors }));
  room = await startRoom({ tls: true, events: [...stories, { id: "closed-in" }] });
  room.origin.answer = () => ({
    status: 200,
    headers: { "content-type": "text/html" },
    body: "<!doctype html><title>The shop</title><h1>Seats",
  });
  // As browsers that keep no third-party cookies do: partitioned ones are all there is.
  browser = await launchBrowser({ args: ["--test-third-party-cookie-phaseout"] });
});
after(async () => {
  await browser?.close();
  await room?.stop();
  partner?.closeAllConnections();
  partner?.close();
});

const partnerAt = (host) => `http://${host}:${partner.address().port}`;
const addressOf = (event) => `${room.url}/events/${event}/shop?row=4`;

function framing(event, { host = "partner.localhost", sandbox } = {}) {
  const asked = new URLSearchParams({ of: addressOf(event), ...(sandbox && { sandbox }) });
  return `${partnerAt(host)}/?${asked}`;
}

/** A fresh browser that looks at the partner's page; its frame. */
async function look(address, options = {}) {
  const context = await browser.newContext({ ignoreHTTPSErrors: true, ...options });
  const page = await context.newPage();
  await page.goto(address);
  return { context, page, frame: page.frameLocator("iframe") };
}

const scene = (frame, name) => frame.locator(`html[data-scene=${name}]`).waitFor({ timeout: WITHIN_MS });

/** Our cookies in a browser, as `name: partition`. */
async function kept(context) {
  const ours = (await context.cookies()).filter(({ name }) => name.includes("wr-") && !name.includes("probe"));
  return Object.fromEntries(ours.map(({ name, partitionKey }) => [name, partitionKey]));
}

test("a fan joins, waits and is in the shop inside the frame of a site that the event names", async () => {
  const { context, page, frame } = await look(`${partnerAt("partner.localhost")}/?of=about:blank`);
  await whilePaused(room, "straight", async () => {
    await page.goto(framing("straight"));
    await scene(frame, "paused");
    assert.match(await frame.locator("#mine").textContent(), /^\d+$/);
    for (const [name, partition] of Object.entries(await kept(context))) {
      assert.match(name, /^__Host-wr-(permit|ticket|browser)-straight-1-framed$/);
      assert.match(partition, /partner\.localhost/, name);
    }
  });
  await frame.getByRole("heading", { name: "Seats" }).waitFor({ timeout: WITHIN_MS });
  assert.ok("__Host-wr-pass-straight-1-framed" in (await kept(context)));
  const [request] = room.origin.arrived("/straight/shop?row=4");
  assert.equal(request.headers.cookie, undefined, "none of ours reaches the shop");
  await context.close();
});

test("the place is kept over a reload of the partner's page, and is another one outside of it", async () => {
  const { context, page, frame } = await look(`${partnerAt("partner.localhost")}/?of=about:blank`);
  await whilePaused(room, "kept", async () => {
    await page.goto(framing("kept"));
    await scene(frame, "paused");
    await page.reload();
    await scene(frame, "paused");
    assert.equal((await room.board("kept")).lines[0].entries, 1);
    const outside = await context.newPage();
    await outside.goto(addressOf("kept"));
    await outside.locator("html[data-scene=paused]").waitFor({ timeout: WITHIN_MS });
    assert.equal((await room.board("kept")).lines[0].entries, 2);
    assert.ok("__Host-wr-ticket-kept-1" in (await kept(context)));
  });
  await context.close();
});

test("C15 what the frame's cookies could do, no page of another site makes them do", async () => {
  const { context, page, frame } = await look(`${partnerAt("partner.localhost")}/?of=about:blank`);
  await whilePaused(room, "kept", async () => {
    await page.goto(framing("kept"));
    await scene(frame, "paused");
    const answers = [];
    page.on("response", (answer) => {
      if (answer.url().endsWith("/leave")) answers.push(answer.status());
    });
    await page.evaluate((address) => {
      const target = Object.assign(document.createElement("iframe"), { name: "hidden" });
      const form = Object.assign(document.createElement("form"), { method: "post", action: address, target: "hidden" });
      document.body.append(target, form);
      form.submit();
    }, `${room.url}/_wr/queues/kept/tickets/me/leave`);
    await until(() => answers.length > 0, "the answer to the form", WITHIN_MS);
    assert.deepEqual(answers, [403]);
    await page.reload();
    await scene(frame, "paused");
  });
  await context.close();
});

for (const language of LANGUAGES) {
  test(`without cookies in the frame the page says so in ${language}, and its link leads to a tab where it works`, async () => {
    const sandbox = "allow-scripts allow-popups allow-popups-to-escape-sandbox";
    const { context, frame } = await look(framing("barred", { sandbox }), { locale: language });
    const before = (await room.board("barred")).lines[0].entries;
    await scene(frame, "cookie");
    const { default: words } = await import(`../../static/locales/${language}.json`, { with: { type: "json" } });
    assert.equal(await frame.locator("#reasons li:visible").textContent(), words["cookie.frame"]);
    assert.equal((await room.board("barred")).lines[0].entries, before, "no place without a cookie");
    const [tab] = await Promise.all([
      context.waitForEvent("page"),
      frame.getByRole("link", { name: words["do.tab"] }).click(),
    ]);
    await until(async () => (await tab.title()) === "The shop", "the shop in a tab", WITHIN_MS);
    assert.equal(tab.url(), addressOf("barred"));
    await context.close();
  });
}

test("without script the same, by the form and a link", async () => {
  const { context, frame } = await look(framing("plain"), { javaScriptEnabled: false });
  await frame.getByRole("button", { name: "Join the line" }).click();
  const enter = frame.getByRole("button", { name: "Enter now" });
  const called = async () => {
    await frame.getByRole("link", { name: "Check now" }).click();
    return enter.waitFor({ timeout: LOADED_WITHIN_MS }).then(
      () => true,
      () => false,
    );
  };
  await until(called, "the turn", WITHIN_MS);
  await enter.click();
  await frame.getByRole("heading", { name: "Seats" }).waitFor({ timeout: WITHIN_MS });
  await context.close();
});

test("a site that the event does not name shows nothing of the page, and is kept nothing for", async () => {
  for (const [event, host] of [
    ["straight", "stranger.localhost"],
    ["closed-in", "partner.localhost"],
  ]) {
    const { context, page } = await look(framing(event, { host }));
    const frames = page.frames().filter((frame) => frame !== page.mainFrame());
    assert.equal(frames.length, 1);
    assert.equal(await frames[0].locator("html[data-scene]").count(), 0, `${event} at ${host}`);
    const names = Object.keys(await kept(context)).filter((name) => name.includes("framed"));
    assert.deepEqual(names, [], `${event} at ${host}`);
    await context.close();
  }
});
