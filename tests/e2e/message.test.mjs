// What operators, organizers and visitors write is text wherever it is shown; the page's policy lets nothing else run.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { until } from "./harness/exchange.mjs";
import { startRoom } from "./harness/room.mjs";

/** From when on an operator's word is seen everywhere. */
const IN_FORCE_MS = 2_000;

/** What an organizer may call an event, and must never become markup. */
const TITLE = `Rock & <b>"Roll"</b> </title></script><script>alert(3)</script>`;

let room;
let operator;
before(async () => {
  room = await startRoom({ events: [{ id: "demo" }, { id: "markup", title: TITLE }] });
  operator = await room.operator();
});
after(() => room?.stop());

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
