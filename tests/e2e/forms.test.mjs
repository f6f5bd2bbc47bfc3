// The way without script, by forms; what was sent without a pass; and who may send a form at all.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { until } from "./harness/exchange.mjs";
import { FROM_ANOTHER_SITE } from "./harness/visitor.mjs";
import { startRoom } from "./harness/room.mjs";

let room;
before(async () => {
  room = await startRoom({ events: [{ id: "demo" }, { id: "slow", admission: { per_minute: 1 } }] });
});
after(() => room?.stop());

/** The page's form as a browser without script sends it: its address and hidden fields. */
function formOf(html, id) {
  const [, attributes, inner] = html.match(new RegExp(`<form id="${id}"([^>]*)>(.*?)</form>`, "s"));
  assert.doesNotMatch(attributes, /hidden/, `the form ${id} is offered`);
  const [, action] = attributes.match(/action="([^"]*)"/);
  const unescaped = (text) =>
    text.replaceAll("&#38;", "&").replaceAll("&amp;", "&").replaceAll("&#x2F;", "/").replaceAll("&#x2f;", "/");
  const fields = [...inner.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g)];
  return {
    path: unescaped(action),
    form: Object.fromEntries(fields.map(([, name, value]) => [name, unescaped(value)])),
  };
}

/** Sends the page's form. */
function submit(fan, html, id = "act") {
  const { path, form } = formOf(html, id);
  return fan.visit(path, { method: "POST", site: "same-origin", form });
}

test("without script a fan joins, waits, enters and leaves by forms, always back to the same address", async () => {
  const address = "/events/demo/seats?row=4&all=1";
  const fan = room.visitor();
  const page = await fan.visit(address);
  assert.match(page.text, /<noscript><meta http-equiv="refresh" content="30;url=/);
  assert.match(page.text, /wr-refresh=off/, "the refresh can be turned off");
  const joined = await submit(fan, page.text);
  assert.equal(joined.status, 303, joined.text);
  assert.equal(joined.headers.location, address);
  assert.ok(fan.cookie("ticket"));
  const called = await until(
    () => fan.visit(address),
    ({ state }) => state === "called",
    { what: "the turn" },
  );
  const entered = await until(
    () => submit(fan, called.text),
    () => fan.cookie("pass"),
    { what: "the pass" },
  );
  assert.equal(entered.status, 303);
  assert.equal(entered.headers.location, address);
  const shop = await fan.visit(address);
  assert.equal(shop.text, `shop ${address}`);
});

test("without script the refresh is turned off by a link, and the shop never sees that word", async () => {
  const fan = room.visitor();
  const page = await fan.visit("/events/demo/seats?wr-refresh=off&row=4");
  assert.doesNotMatch(page.text, /http-equiv="refresh"/);
  assert.equal(fan.page.return, "/events/demo/seats?row=4");
  await fan.join();
  await fan.enter();
  assert.equal((await fan.visit("/events/demo/quiet?wr-refresh=off&row=4")).status, 200);
  assert.equal(room.origin.arrived("/events/demo/quiet?row=4").length, 1);
});

test("without script a place is left by a form", async () => {
  const first = room.visitor({ event: "slow" });
  await first.visit();
  await first.join();
  const fan = room.visitor({ event: "slow" });
  await fan.visit();
  await fan.join();
  const page = await fan.visit();
  const left = await submit(fan, page.text, "give-up");
  assert.equal(left.status, 303, left.text);
  assert.equal(left.headers.location, "/events/slow/");
  assert.equal((await fan.ask()).state === "left" || (await fan.ask()).state === "none", true);
});

test("a form that was sent without a pass is not delivered, the page says so, and nothing is sent again by itself", async () => {
  const fan = room.visitor();
  const order = { seat: "4-11", note: "<b>next to my aunt</b>" };
  const page = await fan.visit("/events/demo/order", { method: "POST", site: "same-origin", form: order });
  assert.equal(page.status, 503);
  assert.match(page.text, /<div id="undelivered" class="notice">/);
  assert.doesNotMatch(page.text, /4-11|my aunt/, "nothing of it is repeated");
  assert.equal(room.origin.arrived("/events/demo/order").length, 0);
  await fan.join();
  await fan.enter();
  const shop = await fan.visit("/events/demo/order");
  assert.equal(shop.status, 200);
  const arrived = room.origin.arrived("/events/demo/order");
  assert.deepEqual(
    arrived.map(({ method, body }) => [method, body]),
    [["GET", ""]],
  );
  const get = await room.visitor().visit("/events/demo/order");
  assert.match(get.text, /<div id="undelivered" class="notice" hidden>/, "after a GET nothing is said");
});

test("a form with a pass arrives whole, however large", async () => {
  const fan = room.visitor();
  await fan.admitted();
  const body = "x".repeat(2_000_000);
  const answer = await fan.send({
    method: "POST",
    path: "/events/demo/upload",
    headers: {
      "content-type": "text/plain",
      "content-length": body.length,
      origin: room.url,
      "sec-fetch-mode": "navigate",
    },
    body,
  });
  assert.equal(answer.status, 200);
  assert.equal(room.origin.arrived("/events/demo/upload")[0].body, body);
});

test("a return address that leads elsewhere is never followed", async () => {
  for (const bad of [
    "https://evil.example/",
    "//evil.example/",
    "/\\evil.example",
    "javascript:alert(1)",
    "/a\r\nx: y",
  ]) {
    const fan = room.visitor();
    await fan.visit();
    const form = { permit: fan.page.permit, return: bad };
    const answer = await fan.visit(`${fan.queue}/tickets`, { method: "POST", site: "same-origin", form });
    assert.ok([303, 400].includes(answer.status), `${bad}: ${answer.status}`);
    if (answer.status === 303) assert.equal(answer.headers.location, "/events/demo/", "where the shop begins");
  }
});

test("C15 another site's page can neither join, claim, release nor leave for a visitor", async () => {
  const fan = room.visitor();
  await fan.visit();
  const permit = fan.page.permit;
  await fan.join();
  await fan.reaches("called");
  const attempts = [
    ["/tickets", { permit }],
    ["/tickets/me/pass", {}],
    ["/tickets/me/leave", {}],
    ["/permits", {}],
  ];
  for (const [path, form] of attempts) {
    const answer = await fan.visit(`${fan.queue}${path}`, { method: "POST", ...FROM_ANOTHER_SITE, form });
    assert.equal(answer.status, 403, `${path}: ${answer.status}`);
    const headers = { origin: "https://evil.example", cookie: `wr-ticket-demo-1=${fan.cookie("ticket")}` };
    const old = await room.ask(`${fan.queue}${path}`, {
      method: "POST",
      headers: { ...headers, "content-type": "application/x-www-form-urlencoded" },
      body: new URLSearchParams(form).toString(),
    });
    assert.equal(old.status, 403, `${path} with only Origin: ${old.status}`);
  }
  for (const [method, path] of [
    ["DELETE", "/tickets/me"],
    ["DELETE", "/tickets/me/pass"],
    ["POST", "/tickets/me/pass"],
  ]) {
    const answer = await fan.send({
      method,
      path: `${fan.queue}${path}`,
      site: "same-site",
      headers: { origin: "https://other.example", "sec-fetch-mode": "cors" },
    });
    assert.equal(answer.status, 403, `${method} ${path}`);
  }
  assert.equal((await fan.ask()).state, "called", "nothing has happened to the place");
});

test("C15 a GET never changes anything", async () => {
  const fan = room.visitor();
  await fan.visit();
  await fan.join();
  for (const path of ["/tickets", "/permits", "/tickets/me/pass", "/tickets/me/leave"]) {
    const answer = await fan.script("GET", `${fan.queue}${path}`);
    assert.equal(answer.status, 405, path);
    assert.ok(answer.headers.allow, path);
  }
  assert.ok(["waiting", "called"].includes((await fan.ask()).state));
});
