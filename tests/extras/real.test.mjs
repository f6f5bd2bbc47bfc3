// The strip, the calendar, the draw, the logo and the small pages as the real Worker answers them.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { gzipSync } from "node:zlib";
import { launchBrowser } from "../../scripts/testing/browser.mjs";
import { pause, until } from "../e2e/harness/exchange.mjs";
import { startRoom } from "../e2e/harness/room.mjs";
import { shuffle } from "./draws.mjs";
import { stripScript } from "./strip.mjs";

/** When the raffle opens: late enough that a few have joined before. */
const OPENS_AFTER_MS = 20_000;
const FANS = 5;
const NAVIGATION = { "sec-fetch-mode": "navigate", accept: "text/html" };

let room;
let browser;
let opens_ms;
before(async () => {
  opens_ms = Date.now() + OPENS_AFTER_MS;
  const instant = (ms) => new Date(ms).toISOString();
  room = await startRoom({
    events: [
      { id: "demo", admission: { per_minute: 1 }, title: "Café; Süß, 2027 ".repeat(7).trim() },
      {
        id: "raffle",
        opens_at: instant(opens_ms),
        prequeue_at: instant(opens_ms - 60_000),
        beacon: "none",
        draw_grace_seconds: 5,
        admission: { per_minute: 1 },
      },
      { id: "later", opens_at: "2999-01-01T10:00:00Z", title: "Later; with, all \\ signs" },
      { id: "kept", handover: false },
      { id: "world-tour", lines: [{ id: "general" }, { id: "fan-club", access: "code" }] },
    ],
  });
  browser = await launchBrowser();
});
after(async () => {
  await browser?.close();
  await room?.stop();
});

test("the strip is one script that names the events of this host, and is the one that the other tests know", async () => {
  const answer = await room.ask("/_wr/embed.js");
  assert.equal(answer.status, 200);
  assert.match(answer.headers["content-type"], /^text\/javascript/);
  assert.equal(answer.headers["cache-control"], "public, max-age=300");
  assert.equal(answer.headers["x-content-type-options"], "nosniff");
  assert.ok(answer.cookies.length === 0);
  const called = (script) => script.lastIndexOf("\nstrip(");
  const fronts = JSON.parse(answer.text.slice(called(answer.text)).match(/^\nstrip\((\{.*\}),":host/)[1]);
  assert.equal(fronts.demo.front, "/events/demo/");
  assert.deepEqual(Object.keys(fronts).sort(), ["demo", "kept", "later", "raffle", "world-tour"]);
  const code = (script) => script.slice(0, called(script));
  assert.equal(code(answer.text), code(stripScript()));
  assert.ok(gzipSync(answer.text).length < 7 * 1024);
});

test("the opening is a calendar file that every line of its text fits into", async () => {
  const answer = await room.ask("/_wr/queues/later/calendar.ics");
  assert.equal(answer.status, 200, answer.text);
  assert.match(answer.headers["content-type"], /^text\/calendar/);
  const lines = answer.text.split("\r\n");
  for (const line of lines) assert.ok(Buffer.byteLength(line) <= 75, line);
  const text = answer.text.replaceAll("\r\n ", "");
  assert.match(text, /\r\nDTSTART:29990101T100000Z\r\n/);
  assert.match(text, /\r\nUID:anteroom-later-1-general@\S*\r\n/);
  assert.match(text, /\r\nSUMMARY:The sale opens: Later\\; with\\, all \\\\ signs\r\n/);
  assert.match(text, /\r\nSEQUENCE:0\r\n/);
  assert.match(text, /\r\nTRIGGER:-PT10M\r\n/);
  assert.equal((await room.ask("/_wr/queues/demo/calendar.ics")).status, 404, "open already");
  assert.equal((await room.ask("/_wr/queues/later/calendar.ics?line=nobody")).status, 400);
  assert.equal((await room.ask("/_wr/queues/nothing/calendar.ics")).status, 404);
});

test("a moved opening is the same appointment with a higher number, and says why", async () => {
  const operator = await room.operator({ event: "later" });
  await operator.act("reschedule", { opens_at: "2999-02-01T10:00:00Z", reason: "The hall is late" });
  const file = await until(
    () => room.ask("/_wr/queues/later/calendar.ics"),
    ({ text }) => text.includes("DTSTART:29990201T100000Z"),
    { what: "the new opening" },
  );
  assert.ok(Number(file.text.match(/SEQUENCE:(\d+)/)[1]) > 0);
  assert.match(file.text.replaceAll("\r\n ", ""), /DESCRIPTION:The opening was moved: The hall is late\\n/);
});

test("the logo is a picture in a sandbox; an event without one has none", async () => {
  const answer = await room.ask("/_wr/events/world-tour/logo");
  assert.equal(answer.status, 200);
  assert.equal(answer.headers["content-type"], "image/svg+xml");
  assert.match(answer.headers["content-security-policy"], /default-src 'none'.*sandbox/);
  assert.equal(answer.headers["x-content-type-options"], "nosniff");
  assert.match(answer.text, /<svg/);
  assert.equal((await room.ask("/_wr/events/demo/logo")).status, 404);
  assert.equal((await room.ask("/_wr/events/nothing/logo")).status, 404);
});

test("the small pages are sent under a strict policy and spend nothing; a hand-over that is off has none", async () => {
  for (const path of ["demo/handover", "demo/staff", "demo/draw"]) {
    const answer = await room.ask(`/_wr/queues/${path}`, { headers: NAVIGATION });
    assert.equal(answer.status, 200, path);
    assert.match(answer.headers["content-type"], /^text\/html/);
    assert.match(answer.headers["content-security-policy"], /default-src 'none'.*frame-ancestors 'none'/);
    assert.doesNotMatch(answer.headers["content-security-policy"], /unsafe/);
    assert.equal(answer.headers["referrer-policy"], "same-origin");
    assert.match(answer.headers["cache-control"], /no-store/);
  }
  const off = await room.ask("/_wr/queues/kept/handover", { headers: NAVIGATION });
  assert.equal(off.status, 404);
  const page = await room.ask("/_wr/queues/demo/handover", { headers: NAVIGATION });
  const cookie = page.cookies.find(({ name }) => name.includes("wr-browser-demo"));
  assert.match(page.text, new RegExp(`name="id" value="${cookie.value}"`), "the page's id is the browser's own");
  const again = await room.ask("/_wr/queues/demo/handover", {
    headers: { ...NAVIGATION, cookie: `${cookie.name}=${cookie.value}` },
  });
  assert.match(again.text, new RegExp(`name="id" value="${cookie.value}"`));
  assert.equal(again.cookies.length, 0);
  const refused = await room.ask("/_wr/queues/demo/handover?refused=handover-taken", { headers: NAVIGATION });
  assert.match(refused.text, /role="alert">This code was already used in another browser/);
});

test("a draw that has happened is recomputed by the page and equals the rank that the room uses", async () => {
  const fans = [];
  for (let n = 0; n < FANS; n += 1) {
    const fan = room.visitor({ event: "raffle" });
    await fan.visit();
    await fan.join();
    fans.push(fan);
  }
  assert.ok(Date.now() < opens_ms, "everybody came before the opening");
  const early = (await room.ask("/_wr/queues/raffle/draw")).json;
  assert.match(early.lines[0].draw.commitment, /^[0-9a-f]{64}$/);
  assert.equal(early.lines[0].draw.secret, null);
  await pause(Math.max(0, opens_ms - Date.now()));
  const answer = await until(
    () => room.ask("/_wr/queues/raffle/draw", { headers: { origin: "https://anyone.example" } }),
    ({ json }) => json.lines[0].draw.seed,
    { within_ms: 30_000, every_ms: 300, what: "the draw" },
  );
  assert.equal(answer.headers["access-control-allow-origin"], "*");
  const document = answer.json;
  const [line] = document.lines;
  assert.equal(line.draw.commitment, early.lines[0].draw.commitment);
  assert.equal(line.draw.entrants, FANS);
  const checks = await shuffle.checksOf(document, line);
  assert.deepEqual(checks, { secret: true, seed: true });
  for (const fan of fans) {
    const me = await until(
      () => fan.ask(),
      ({ rank }) => rank != null,
      { what: "a rank" },
    );
    assert.equal(await shuffle.rankOf(me.entry, line.draw.entrants, line.draw.seed), me.rank);
  }
  const context = await browser.newContext();
  const page = await context.newPage();
  await context.addCookies([{ ...ticketOf(fans[2]), url: room.url }]);
  await page.goto(`${room.url}/_wr/queues/raffle/draw`);
  await page.locator("#verdict[data-kind=good]").waitFor({ timeout: 8_000 });
  assert.equal(await page.locator("#recomputed").textContent(), await page.locator("#said").textContent());
  await context.close();
});

const ticketOf = (fan) => ({ name: "wr-ticket-raffle-1", value: fan.cookie("ticket") });

test("the strip stands on a page outside of the shop once the browser has a place", async () => {
  const ahead = room.visitor();
  await ahead.visit();
  await ahead.join();
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(`${room.url}/events/demo/seats?row=4`);
  await page
    .locator("html[data-scene=waiting], html[data-scene=called], html[data-scene=pending]")
    .first()
    .waitFor({ timeout: 10_000 });
  room.origin.answer = () => ({
    headers: { "content-security-policy": "default-src 'self'" },
    body: '<!doctype html><html lang="en"><title>Blog</title><script src="/_wr/embed.js" data-event="demo" async></script><h1>Blog',
  });
  await page.goto(`${room.url}/blog`);
  const link = page.locator("wr-strip a");
  await link.waitFor({ timeout: 8_000 });
  assert.equal(await link.evaluate((a) => a.pathname + a.search), "/events/demo/seats?row=4");
  room.origin.answer = null;
  await context.close();
});
