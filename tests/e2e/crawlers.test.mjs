// Crawlers and monitors: who counts as one, what they get, and that no minute sees more of them than the budget.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import WebSocket from "ws";
import { paused } from "./harness/crowd.mjs";
import { until } from "./harness/exchange.mjs";
import { opened } from "./harness/forge.mjs";
import { startRoom } from "./harness/room.mjs";

const GOOGLE = 15_169;
const MONITOR = 64_500;
const BOT = { "user-agent": "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)", accept: "*/*" };
const SHOP = "/events/demo/seats";

let room;
before(async () => {
  const crawlers = { asns: [GOOGLE], per_minute: 100 };
  const verified = { verified: true, categories: ["Search Engine Crawler"], per_minute: 100 };
  room = await startRoom({
    staged: true,
    events: [
      { id: "demo", crawlers },
      { id: "named", crawlers: { asns: [MONITOR], agents: ["Monitor/1"], per_minute: 100 } },
      { id: "verified", crawlers: verified },
      { id: "tight", crawlers: { asns: [GOOGLE], per_minute: 5 } },
      { id: "away", crawlers },
      { id: "auto", crawlers, mode: "auto" },
      { id: "brake", crawlers },
      { id: "nobody" },
    ],
  });
});
after(() => room?.stop());

const from = (asn, headers = {}) => ({ ...BOT, ...room.told({ asn, country: "US" }), ...headers });
const crawl = (event, headers, more = {}) => room.ask(`/events/${event}/seats`, { headers, ...more });
const isShop = ({ headers }) => headers["x-shop"] !== undefined;

/** How many of so many requests went on. */
async function wentOn(event, count) {
  const answers = await Promise.all(Array.from({ length: count }, () => crawl(event, from(GOOGLE))));
  for (const answer of answers) assert.equal(answer.status, isShop(answer) ? 200 : 503, answer.text);
  return answers.filter(isShop).length;
}

test("a crawler of a listed network sees the shop, with a pass of no session and nothing for itself", async () => {
  const answer = await crawl("demo", from(GOOGLE));
  assert.equal(answer.text, `shop ${SHOP}`);
  assert.deepEqual(answer.cookies, []);
  assert.equal(answer.headers["waiting-room-pass"], undefined);
  const { headers } = room.origin.arrived(SHOP).at(-1);
  assert.equal(opened(headers["waiting-room-pass"]).claims.jti, "65535.4294967295.1");
  const head = await crawl("demo", from(GOOGLE), { method: "HEAD" });
  assert.ok(isShop(head));
  const { totals } = await (await room.operator({ event: "demo" })).observe();
  assert.equal(totals.active, 0);
});

test("O10 no header, name or address that a visitor sends makes a crawler", async () => {
  const claims = JSON.stringify({ asn: GOOGLE, botManagement: { verifiedBot: true }, verifiedBotCategory: "Search" });
  const google = "66.249.66.1";
  for (const headers of [
    {},
    { "cf-blob": claims, "cf-told": claims, cf: claims },
    { "cf-asn": `${GOOGLE}`, "x-asn": `${GOOGLE}`, "cf-ipasnum": `AS${GOOGLE}` },
    { "cf-verified-bot": "true", "cf-verified-bot-category": "Search Engine Crawler", "cf-bot-score": "99" },
    { "cf-connecting-ip": google, "x-forwarded-for": google, "x-real-ip": google, "true-client-ip": google },
    { "x-original-url": "/robots.txt", "x-rewrite-url": "/health", forwarded: `for=${google}` },
    { "waiting-room-crawler": "yes", from: "googlebot(at)googlebot.com" },
  ]) {
    for (const event of ["demo", "named", "verified"]) {
      const answer = await crawl(event, { ...BOT, ...headers });
      assert.equal(answer.status, 503, `${event} ${JSON.stringify(headers)}`);
      assert.equal(answer.state, "none");
    }
  }
  const body = JSON.stringify({ cf: { asn: GOOGLE } });
  assert.equal((await crawl("demo", BOT, { method: "GET", body })).status, 503);
});

test("O10 a network that everybody can rent in is narrowed by a name, and the name alone opens nothing", async () => {
  const agent = { "user-agent": "Monitor/1 (checks)" };
  assert.ok(isShop(await crawl("named", from(MONITOR, agent))));
  assert.equal((await crawl("named", from(MONITOR))).status, 503);
  assert.equal((await crawl("named", from(GOOGLE, agent))).status, 503);
  assert.equal((await crawl("named", agent)).status, 503);
});

test("a verified program counts as the platform tells it, of the categories that are wanted", async () => {
  const told = (cf) => crawl("verified", { ...BOT, ...room.told({ asn: 1, ...cf }) });
  const searching = { verifiedBotCategory: "Search Engine Crawler" };
  assert.ok(isShop(await told({ botManagement: { verifiedBot: true }, ...searching })));
  assert.ok(isShop(await told(searching)), "without bot management the category says it");
  for (const cf of [
    { botManagement: { verifiedBot: false }, ...searching },
    { botManagement: { verifiedBot: true }, verifiedBotCategory: "AI Crawler" },
    { botManagement: { verifiedBot: true } },
    { botManagement: { verifiedBot: "true" }, ...searching },
    { verifiedBotCategory: "" },
    {},
  ])
    assert.equal((await told(cf)).status, 503, JSON.stringify(cf));
});

test("a crawler changes nothing and opens no socket", async () => {
  const before = room.origin.seen.length;
  for (const method of ["POST", "PUT", "PATCH", "DELETE", "OPTIONS"]) {
    const answer = await crawl("demo", from(GOOGLE), { method });
    assert.equal(answer.status, 503, method);
  }
  const socket = new WebSocket(`${room.url.replace("http", "ws")}${SHOP}`, { headers: from(GOOGLE) });
  const status = await new Promise((resolve) => {
    socket.once("unexpected-response", (_request, response) => resolve(response.statusCode));
    socket.once("open", () => resolve("open"));
    socket.once("error", () => {});
  });
  assert.equal(status, 503);
  assert.equal(room.origin.seen.length, before);
});

test("who has a place is a visitor from wherever, and waits like one", async () => {
  const fan = room.visitor({ event: "demo", headers: room.told({ asn: GOOGLE }) });
  const operator = await paused(room, "demo");
  const other = room.visitor({ event: "demo" });
  await other.visit();
  await other.join();
  for (const [name, cookie] of other.jar) fan.jar.set(name, cookie);
  const page = await fan.visit();
  assert.equal(page.status, 503);
  assert.equal(page.state, "waiting");
  assert.ok(isShop(await crawl("demo", from(GOOGLE))), "a pause of the calling is none of the crawlers'");
  await operator.act("resume");
});

test("no minute sees more than the budget, whatever comes at once, and after a power cut", async () => {
  assert.equal(await wentOn("tight", 30), 5);
  const refused = await crawl("tight", from(GOOGLE, { accept: "text/html" }));
  assert.equal(refused.status, 503);
  assert.match(refused.headers["content-type"], /text\/html/);
  assert.ok(refused.headers["retry-after"]);
  await room.kill9();
  await room.restart();
  await until(
    () => room.ask("/_wr/queues/tight"),
    ({ status }) => status === 200,
    { what: "the board" },
  );
  assert.equal(await wentOn("tight", 10), 0, "the count outlives the objects");
  await room.advance(62_000);
  assert.equal(await wentOn("tight", 10), 5);
  const { crawlers } = await (await room.operator({ event: "tight" })).observe();
  assert.deepEqual(
    { ...crawlers, turned_away: crawlers.turned_away > 0 },
    { per_minute: 5, in_last_minute: 5, let_through: 10, turned_away: true },
  );
});

test("O10 operators see crawlers in the counts, the metrics and the log, without an address", async () => {
  await crawl("demo", from(GOOGLE, { "cf-connecting-ip": "203.0.113.88" }));
  const operator = await room.operator({ event: "demo", holdsFor: "*", scope: "read" });
  const { text } = await room.ask("/_wr/metrics", { headers: operator.headers });
  assert.match(text, /^anteroom_crawlers_let_through_total\{event="demo"\} [1-9]/m);
  assert.match(text, /^anteroom_crawlers_turned_away_total\{event="tight"\} [1-9]/m);
  assert.doesNotMatch(text, /crawlers[a-z_]*\{event="nobody"\}/);
  assert.match(room.output, /crawler of demo: AS15169 goes on/);
  assert.match(room.output, /crawler of tight: AS15169 is turned away/);
  assert.doesNotMatch(room.output, /203\.0\.113\.88/);
  const nobody = await (await room.operator({ event: "nobody" })).observe();
  assert.equal(nobody.crawlers, null);
});

test("a crawler takes no session of an event that lets first visits in", async () => {
  await until(() => crawl("auto", from(GOOGLE)), isShop, { what: "the shop" });
  assert.deepEqual((await crawl("auto", from(GOOGLE))).cookies, []);
  const { totals } = await (await room.operator({ event: "auto" })).observe();
  assert.equal(totals.active, 0);
});

test("a crawler's pass opens the gate for nobody", async () => {
  await crawl("demo", from(GOOGLE));
  const token = room.origin.arrived(SHOP).at(-1).headers["waiting-room-pass"];
  for (const headers of [
    { cookie: `wr-pass-demo-1=${token}` },
    { "waiting-room-pass": token },
    { authorization: `Bearer ${token}` },
  ])
    assert.equal((await crawl("demo", headers)).status, 503);
  const asked = await room.ask("/_wr/access", { headers: { authorization: `Bearer ${token}` } });
  assert.equal(asked.status, 200, "the origin that got it may ask about it");
});

test("behind the brake, and after the sale, crawlers get the queue page too", async () => {
  const operator = await room.operator({ event: "brake" });
  const reaches = (isThere) =>
    until(
      () => crawl("brake", from(GOOGLE)),
      (answer) => isShop(answer) === isThere,
      { what: isThere ? "the shop" : "the queue page" },
    );
  await reaches(true);
  await operator.act("stop");
  const stopped = await reaches(false);
  assert.equal(stopped.state, "stopped");
  await operator.act("resume");
  await reaches(true);
  await operator.act("close");
  assert.equal((await reaches(false)).status, 503);
});

test("while nobody can count, nobody goes on", async () => {
  assert.ok(isShop(await crawl("away", from(GOOGLE))));
  await room.cut("away/");
  assert.equal((await crawl("away", from(GOOGLE))).status, 503);
  await room.cut();
  // For a second nobody asks again.
  await room.advance(1_000);
  // The shard was left alone for a second.
  await until(() => crawl("away", from(GOOGLE)), isShop, { what: "the shop" });
});
