// brake: pause, resume and stop are in force at the edge within 2 s; nothing is granted, what runs goes on.
import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { pause, until } from "./harness/exchange.mjs";
import { startRoom } from "./harness/room.mjs";

/** From when on an operator's word holds at every edge. */
const IN_FORCE_MS = 2_000;

/** What an organizer may call an event, and must never become markup. */
const TITLE = `Rock & <b>"Roll"</b> </title></script><script>alert(3)</script>`;

let room;
let operator;
before(async () => {
  room = await startRoom({
    staged: true,
    events: [{ id: "demo" }, { id: "walk-in", mode: "auto" }, { id: "markup", title: TITLE }],
  });
  operator = await room.operator();
});
beforeEach(() => operator.act("resume"));
after(() => room?.stop());

test("a pause stops calling and granting, says why, and its end lets the line go on", async () => {
  const next_update_at_ms = Date.now() + 15 * 60_000;
  await operator.act("pause", { reason: "The shop <b>rests</b>", next_update_at_ms });
  const fan = room.visitor();
  const inForce = { within_ms: IN_FORCE_MS, what: "the pause" };
  const page = await until(
    () => fan.visit(),
    ({ state }) => state === "paused",
    inForce,
  );
  assert.match(page.text, /The shop &(#60|lt);b/);
  assert.doesNotMatch(page.text, /<b>rests/, "C14 a reason is text");
  await fan.join();
  const me = await fan.ask();
  assert.equal(me.state, "waiting");
  assert.deepEqual(me.pause, { reason: "The shop <b>rests</b>", next_update_at_ms });
  await pause(1_000);
  assert.equal((await fan.ask()).state, "waiting", "nobody is called during a pause");
  assert.equal((await fan.claim()).status, 409);
  await operator.act("resume");
  await fan.enter();
  assert.equal((await fan.visit()).status, 200);
});

test("from 2 s after a pause nobody gets a first pass, called or claiming or walking in", async () => {
  const called = room.visitor();
  await called.visit();
  await called.join();
  await called.reaches("called");
  const { totals } = await operator.act("pause", { reason: "" });
  await pause(IN_FORCE_MS);
  for (let n = 0; n < 5; n += 1) {
    const answer = await called.claim();
    assert.ok([202, 409].includes(answer.status), `${answer.status}`);
    assert.equal(called.cookie("pass"), undefined);
  }
  assert.equal((await operator.observe()).totals.granted, totals.granted, "no grant after the acknowledgement");
  await operator.act("resume");
  await called.enter();
});

test("while it is paused sessions go on and are renewed, and their end does not move", async () => {
  const fan = room.visitor();
  const { pass, session_ends_at_ms } = await fan.admitted();
  await operator.act("pause", { reason: "" });
  await pause(IN_FORCE_MS);
  await room.advance(100_000);
  const shop = await fan.visit();
  assert.equal(shop.status, 200);
  await until(
    () => fan.visit(),
    () => fan.cookie("pass") !== pass,
    { what: "a renewed pass" },
  );
  const access = await room.ask("/_wr/access", { headers: { authorization: `Bearer ${fan.cookie("pass")}` } });
  assert.equal(access.status, 200);
  assert.equal(access.json.sx, Math.floor(session_ends_at_ms / 1_000));
});

test("a stop shows the room to admitted visitors too, and its end lets them back in with the same session", async () => {
  const fan = room.visitor();
  const { pass } = await fan.admitted();
  assert.equal((await fan.visit()).status, 200);
  await operator.act("stop", { reason: "Fire drill" });
  const stopped = await until(
    () => fan.visit(),
    ({ status }) => status === 503,
    { within_ms: IN_FORCE_MS },
  );
  assert.equal(stopped.state, "stopped");
  assert.match(stopped.text, /Fire drill/);
  const json = await fan.shop();
  assert.equal(json.status, 503);
  assert.equal(json.headers["content-type"], "application/problem+json");
  assert.ok(fan.cookie("pass"), "the pass is kept");
  await operator.act("resume");
  const back = await until(
    () => fan.visit(),
    ({ status }) => status === 200,
    { within_ms: IN_FORCE_MS },
  );
  assert.equal(back.headers["x-shop"], "1");
  assert.equal(fan.cookie("pass")?.split(".")[1].slice(0, 20), pass.split(".")[1].slice(0, 20));
});

test("a pause closes the door of an event that lets first visits in", async () => {
  const steering = await room.operator({ event: "walk-in" });
  const first = room.visitor({ event: "walk-in" });
  await until(
    () => first.visit(),
    ({ status }) => status === 200,
    { what: "a first visit" },
  );
  await steering.act("pause", { reason: "" });
  await pause(IN_FORCE_MS);
  const second = room.visitor({ event: "walk-in" });
  assert.equal((await second.visit()).status, 503);
  assert.equal(second.cookie("pass"), undefined);
  assert.equal((await first.visit()).status, 200, "who is in stays in");
  await steering.act("resume");
});

test("a message reaches visitors within 2 s as text, in the page and in their state, and can be taken back", async () => {
  const fan = room.visitor();
  await fan.visit();
  await fan.join();
  const text = `Doors at 7 </script><img src=x onerror="alert(1)"> \u{1f3ab}`;
  await operator.act("message", { text });
  await until(
    () => fan.ask(),
    (me) => me.message === text,
    { within_ms: IN_FORCE_MS, what: "the message" },
  );
  const page = await fan.visit(`${fan.path}%3Cscript%3E?x=%22%3E%3Cscript%3Ealert(2)%3C/script%3E`);
  assert.match(page.text, /Doors at 7/);
  assert.doesNotMatch(page.text, /<img src=x|<script>alert/, "C14 nothing becomes markup");
  assert.equal(fan.page.me.message, text);
  await operator.act("message", { text: "" });
  await until(
    () => fan.ask(),
    (me) => me.message === null,
    { within_ms: IN_FORCE_MS, what: "no message" },
  );
});

test("C14 the page's policy allows its own script and style by nonce and nothing else", async () => {
  const { headers, text } = await room.visitor().visit();
  const policy = headers["content-security-policy"];
  assert.match(policy, /default-src 'none'/);
  assert.doesNotMatch(policy, /unsafe-inline|unsafe-eval(?!\w)/);
  const [, nonce] = policy.match(/script-src 'nonce-([^']+)'/);
  assert.match(text, new RegExp(`<script nonce="${nonce.replace(/[+/]/g, "\\$&")}"`));
  const other = await room.visitor().visit();
  assert.ok(!other.headers["content-security-policy"].includes(nonce), "a nonce is used once");
});

test("C14 an event's name is text wherever it stands", async () => {
  const fan = room.visitor({ event: "markup" });
  const { text } = await fan.visit();
  assert.doesNotMatch(text, /<b>"Roll|<script>alert/);
  assert.equal(fan.page.title, TITLE);
});

test("C14 the page speaks the browser's language, and a header that is none gets English", async () => {
  const rows = [
    ["de-CH,de;q=0.9,en;q=0.5", "de", "ltr"],
    ["ar", "ar", "rtl"],
    ["tlh", "en", "ltr"],
    ["*", "en", "ltr"],
    [`"><script>alert(4)</script>`, "en", "ltr"],
    [";;;q=,,,", "en", "ltr"],
  ];
  for (const [accepted, lang, dir] of rows) {
    const { text } = await room.visitor({ headers: { "accept-language": accepted } }).visit();
    assert.match(text, new RegExp(`<html lang="${lang}" dir="${dir}"`), accepted);
    assert.doesNotMatch(text, /<script>alert/);
  }
});
