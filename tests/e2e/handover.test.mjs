// spent-once for hand-overs: a place moves to one other browser, which may ask again; opening a link spends nothing.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, before, test } from "node:test";
import { startRoom } from "./harness/room.mjs";

const MINUTE_MS = 60_000;

const browserId = () => randomBytes(16).toString("base64url");

let room;
before(async () => {
  room = await startRoom({
    staged: true,
    events: [{ id: "demo" }, { id: "waits", opens_at: "2999-01-01T10:00:00Z" }, { id: "fixed", handover: false }],
  });
});
after(() => room?.stop());

async function joined(event = "waits") {
  const fan = room.visitor({ event });
  await fan.visit();
  return { fan, entry: (await fan.join()).entry };
}

async function offered(event) {
  const { fan, entry } = await joined(event);
  const answer = await fan.offer();
  assert.equal(answer.status, 201, answer.text);
  return { fan, entry, ...answer.json };
}

test("a code, its link and its picture; opening the link spends nothing, the button moves the place", async () => {
  const { fan, entry, code, link, qr, expires_at } = await offered();
  assert.match(code, /^([0-9A-HJKMNP-TV-Z]{5}-){3}[0-9A-HJKMNP-TV-Z]{5}$/);
  assert.equal(link, `${room.url}/_wr/queues/waits/handover#${code.replaceAll("-", "")}`);
  assert.match(qr, /^<svg [^>]*viewBox/);
  assert.ok(Math.abs(Date.parse(expires_at) - Date.now() - 10 * MINUTE_MS) < MINUTE_MS);
  const phone = room.visitor({ event: "waits" });
  for (let n = 0; n < 3; n += 1) assert.equal((await phone.visit(new URL(link).pathname)).status, 200);
  assert.equal((await phone.ask()).state, "none");
  const taken = await phone.takeOver(code.toLowerCase(), browserId());
  assert.equal(taken.status, 200, taken.text);
  assert.equal(taken.json.entry, entry);
  assert.equal((await phone.ask()).entry, entry);
  assert.equal((await fan.ask()).entry, entry, "the place is one, wherever it is looked at");
});

test("a lost answer is repeated and not refused; another browser with the same code is", async () => {
  const { entry, code } = await offered();
  const [phone, stranger] = [room.visitor({ event: "waits" }), room.visitor({ event: "waits" })];
  const id = browserId();
  for (let n = 0; n < 3; n += 1) {
    phone.jar.clear();
    const taken = await phone.takeOver(code, id);
    assert.deepEqual([taken.status, taken.json.entry], [200, entry], "the answer was lost, the same again");
  }
  const refused = await stranger.takeOver(code, browserId());
  assert.equal(refused.status, 409);
  assert.equal(refused.json.type, "urn:anteroom:problem:handover-taken");
  assert.equal((await stranger.ask()).state, "none");
});

test("R5 used twice in parallel: exactly one browser gets the place", async () => {
  const { entry, code } = await offered();
  const browsers = Array.from({ length: 10 }, () => room.visitor({ event: "waits" }));
  const answers = await Promise.all(browsers.map((browser) => browser.takeOver(code, browserId())));
  const statuses = answers.map(({ status }) => status);
  assert.deepEqual(statuses.toSorted(), [200, ...Array(9).fill(409)]);
  const taker = browsers[statuses.indexOf(200)];
  assert.equal((await taker.ask()).entry, entry);
});

test("the phone that took the place over is let in, and the old browser is told that it continued elsewhere", async () => {
  const { fan, code } = await offered("demo");
  const phone = room.visitor({ event: "demo" });
  await phone.takeOver(code, browserId());
  await phone.enter();
  assert.equal((await phone.visit()).status, 200);
  assert.equal((await fan.visit()).state, "elsewhere");
});

test("a place that was left is handed over to nobody, and the receiving browser keeps its own", async () => {
  const { fan, code } = await offered();
  assert.equal((await fan.leave()).status, 200);
  const phone = room.visitor({ event: "waits", headers: { "cf-connecting-ip": "192.0.2.51" } });
  await phone.visit();
  const { entry } = await phone.join();
  const kept = phone.cookie("ticket");
  const refused = await phone.takeOver(code, browserId());
  assert.deepEqual([refused.status, refused.json.type], [409, "urn:anteroom:problem:left"]);
  assert.equal(phone.cookie("ticket"), kept);
  assert.equal((await phone.ask()).entry, entry);
});

test("a place whose session runs is taken over as continued elsewhere: the new browser continues it with one request", async () => {
  const { fan, code } = await offered("demo");
  await fan.enter();
  const phone = room.visitor({ event: "demo", headers: { "cf-connecting-ip": "192.0.2.52" } });
  const taken = await phone.takeOver(code, browserId());
  assert.deepEqual([taken.status, taken.json.state, (await phone.ask()).state], [200, "elsewhere", "elsewhere"]);
  assert.equal((await phone.claim()).status, 200);
  assert.equal((await phone.visit()).status, 200);
});

test("a newer code ends the older one; at most five in ten minutes; after ten minutes a code is unknown", async () => {
  const { fan, code } = await offered();
  const phone = room.visitor({ event: "waits", headers: { "cf-connecting-ip": "192.0.2.50" } });
  const newer = (await fan.offer()).json.code;
  const stale = await phone.takeOver(code, browserId());
  assert.equal(stale.status, 404);
  assert.equal(stale.json.type, "urn:anteroom:problem:handover-unknown");
  for (let n = 0; n < 3; n += 1) assert.equal((await fan.offer()).status, 201);
  const sixth = await fan.offer();
  assert.equal(sixth.status, 429);
  assert.ok(Number(sixth.headers["retry-after"]) > 0);
  assert.equal((await phone.takeOver(newer, browserId())).status, 404);
  await room.advance(11 * MINUTE_MS);
  assert.equal((await fan.offer()).status, 201, "ten minutes later there are codes again");
});

test("wrong codes are limited for each network, and a right one is taken from it all the same", async () => {
  const { code } = await offered();
  const guesser = room.visitor({ event: "waits", headers: { "cf-connecting-ip": "192.0.2.66" } });
  const statuses = [];
  for (let n = 0; n < 25; n += 1) {
    const guess = `0000${n % 2 ? "Z" : "0"}${"ABCDEFGHJKMNPQR"}`;
    statuses.push((await guesser.takeOver(n % 3 ? guess : "short", browserId())).status);
  }
  assert.deepEqual([...new Set(statuses)], [404, 429], String(statuses));
  assert.equal(statuses.indexOf(429), 20);
  const slowed = await guesser.takeOver("short", browserId());
  assert.ok(Number(slowed.headers["retry-after"]) > 0);
  const honest = room.visitor({ event: "waits", headers: guesser.headers });
  assert.equal((await honest.takeOver(code, browserId())).status, 200);
});

test("bad input: no id, a code of a shard that there is not, no ticket; and an event whose organizer turned it off", async () => {
  const { code } = await offered();
  const phone = room.visitor({ event: "waits", headers: { "cf-connecting-ip": "192.0.2.77" } });
  for (const id of ["", "short", "*".repeat(22)]) assert.equal((await phone.takeOver(code, id)).status, 400);
  assert.equal((await phone.takeOver(`1ZZZ${"0".repeat(16)}`, browserId())).status, 404);
  assert.equal((await phone.offer()).status, 401);
  const { fan } = await joined("fixed");
  assert.equal((await fan.offer()).status, 404);
  assert.equal((await fan.takeOver(code, browserId())).status, 404);
  assert.equal((await fan.ask()).handover, false);
});

test("without script the button of the page moves the place, and says on the page what does not work", async () => {
  const { entry, code } = await offered();
  const phone = room.visitor({ event: "waits", headers: { "cf-connecting-ip": "192.0.2.88" } });
  const page = await phone.visit(`${phone.queue}/handover`);
  const [, id] = page.text.match(/name="id" value="([^"]*)"/);
  const send = (typed) =>
    phone.visit(`${phone.queue}/handover`, {
      method: "POST",
      site: "same-origin",
      form: { code: typed, id, return: phone.path },
    });
  const wrong = await send("00000-00000-00000-00000");
  assert.deepEqual([wrong.status, wrong.headers.location], [303, `${phone.queue}/handover?refused=handover-unknown`]);
  assert.deepEqual([(await send(code)).headers.location, (await phone.ask()).entry], [phone.path, entry]);
});

test("without script the code is asked for by a form, and the page shows it, or says why there is none", async () => {
  const { fan, entry } = await joined();
  const ask = (visitor, back = visitor.path) =>
    visitor.visit(`${visitor.queue}/tickets/me/handover`, {
      method: "POST",
      site: "same-origin",
      form: { return: back },
    });
  const page = await ask(fan);
  assert.equal(page.status, 201, page.text);
  assert.match(page.headers["content-type"], /^text\/html/);
  assert.match(page.headers["content-security-policy"], /default-src 'none'/);
  assert.equal(page.headers["cache-control"], "no-store");
  const [, code] = page.text.match(/class="code"[^>]*>([^<]*)</);
  assert.ok(page.text.includes(`href="${room.url}/_wr/queues/waits/handover#${code.replaceAll("-", "")}"`));
  assert.match(page.text, /<svg [^>]*viewBox/);
  const [, until] = page.text.match(/<time datetime="([^"]*)"/);
  assert.ok(Math.abs(Date.parse(until) - Date.now() - 10 * MINUTE_MS) < 30 * MINUTE_MS, until);
  assert.ok(page.text.includes(`id="back" href="${fan.path}"`));
  assert.ok((await ask(fan, "https://evil.example/")).text.includes('id="back" href="/events/waits/"'));
  for (let n = 0; n < 3; n += 1) assert.equal((await ask(fan)).status, 201);
  const sixth = await ask(fan);
  assert.equal(sixth.status, 429);
  assert.ok(Number(sixth.headers["retry-after"]) > 0);
  assert.match(sixth.text, /role="alert">Too many codes were made for this place/);
  assert.equal((await fan.ask()).entry, entry);
  const stranger = await ask(room.visitor({ event: "waits" }));
  assert.deepEqual([stranger.status, /role="alert">This browser has no place/.test(stranger.text)], [401, true]);
  const { fan: fixed } = await joined("fixed");
  assert.match((await ask(fixed)).text, /role="alert">Places of this sale cannot be taken to another device/);
});
