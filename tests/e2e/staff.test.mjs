// The organizer's people look at the shop before the sale: short-lived, counted apart, in the log.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { until } from "./harness/exchange.mjs";
import { opened, tampered } from "./harness/forge.mjs";
import { startRoom } from "./harness/room.mjs";

const MINUTE_MS = 60_000;

let room;
let operator;
before(async () => {
  room = await startRoom({
    staged: true,
    events: [
      { id: "early", opens_at: "2999-01-01T10:00:00Z", pass_seconds: 60, idle_minutes: 1 },
      { id: "other" },
      { id: "over", mode: "closed" },
    ],
  });
  operator = await room.operator();
});
after(() => room?.stop());

function make(document, by = operator) {
  return room.ask(`/_wr/queues/${by.event}/staff`, {
    method: "POST",
    headers: { "content-type": "application/json", ...by.headers },
    body: JSON.stringify(document),
  });
}

async function linkFor(name, minutes = 10, by = operator) {
  const answer = await make({ name, minutes }, by);
  assert.equal(answer.status, 201, answer.text);
  return answer.json;
}

const enter = (person, token) => person.script("POST", `${person.queue}/staff/enter`, { token });

const tokenOf = (link) => new URL(link).hash.slice(1);

test("a link admits to the shop before the sale, is counted apart, and stands in the log with its name", async () => {
  const before = (await operator.observe()).totals;
  const { link, expires_at } = await linkFor("Ann (box office)");
  assert.equal(new URL(link).pathname, "/_wr/queues/early/staff");
  assert.ok(Math.abs(Date.parse(expires_at) - Date.now() - 10 * MINUTE_MS) < MINUTE_MS);
  const ann = room.visitor();
  assert.equal((await ann.visit(new URL(link).pathname)).status, 200);
  assert.equal((await ann.visit()).status, 503, "opening the link does nothing");
  const let_in = await enter(ann, tokenOf(link));
  assert.equal(let_in.status, 200, let_in.text);
  const shop = await ann.visit();
  assert.equal(shop.status, 200);
  assert.equal(shop.headers["x-shop"], "1");
  assert.ok(room.origin.seen.at(-1).headers["waiting-room-pass"], "the shop sees an ordinary pass");
  const { totals, noted } = await operator.observe();
  assert.equal(totals.staff_passes, before.staff_passes + 1);
  assert.deepEqual([totals.granted, totals.active], [before.granted, before.active], "nobody's place, no slot");
  assert.deepEqual([noted.at(-1).did.action, noted.at(-1).did.name], ["staff", "Ann (box office)"]);
  await until(
    async () => {
      await ann.visit();
      return operator.observe();
    },
    ({ edge }) => edge.staff > 0,
    { what: "the count of staff" },
  );
  const lines = await operator.wholeLog();
  assert.ok(
    lines.some(({ kind, action }) => kind === "operator" && JSON.stringify(action).includes("Ann (box office)")),
    "it is in the log",
  );
});

test("the edge renews the pass by itself, with every object away, until the token's end and not beyond", async () => {
  const { link } = await linkFor("Ben", 5);
  const ben = room.visitor();
  await enter(ben, tokenOf(link));
  const first = ben.cookie("pass");
  await room.advance(45_000);
  await room.cut("/shard/", "/coordinator");
  assert.equal((await ben.visit()).status, 200);
  await until(
    () => ben.visit(),
    () => ben.cookie("pass") !== first,
    { what: "the next pass" },
  );
  assert.equal(opened(ben.cookie("pass")).claims.jti, opened(first).claims.jti, "the same session");
  await room.advance(2 * MINUTE_MS);
  assert.equal((await ben.visit()).status, 200, "an expired one is renewed first");
  await room.cut();
  await room.advance(3 * MINUTE_MS);
  assert.equal((await ben.visit()).status, 503);
  assert.equal((await enter(ben, tokenOf(link))).status, 401, "the link is over too");
});

test("staff look at a shop that is closed or sold out, but not through a stop", async () => {
  const closed = await room.operator({ event: "over" });
  const { link } = await linkFor("Cy", 10, closed);
  const cy = room.visitor({ event: "over" });
  await enter(cy, tokenOf(link));
  assert.equal((await cy.visit()).status, 200);
  await closed.act("soldout");
  assert.equal((await cy.visit()).status, 200);
  await closed.act("stop");
  const stopped = await until(
    () => cy.visit(),
    ({ status }) => status === 503,
    { within_ms: 2_500, what: "the stop" },
  );
  assert.equal(stopped.state, "stopped");
  await room.advance(3 * MINUTE_MS);
  const { state, stop } = await cy.ask();
  assert.deepEqual([state, stop], ["admitted", true], "who is staff needs no place, though nobody renews the pass");
  await closed.act("resume");
});

test("a staff token opens its own event only, is no other token, and cannot be altered", async () => {
  const { link } = await linkFor("Dee");
  const token = tokenOf(link);
  const dee = room.visitor();
  const elsewhere = room.visitor({ event: "other" });
  assert.equal((await enter(elsewhere, token)).status, 401);
  assert.equal((await enter(dee, tampered(token, { exp: opened(token).claims.exp + 600 }))).status, 401);
  assert.equal((await enter(dee, operator.token)).status, 401);
  assert.equal((await enter(dee, "")).status, 401);
  const asPass = await dee.visit(dee.path, { headers: { "waiting-room-pass": token } });
  assert.equal(asPass.status, 503);
  const asOperator = await room.ask("/_wr/queues/early/observability", {
    headers: { authorization: `Bearer ${token}` },
  });
  assert.equal(asOperator.status, 401);
});

test("only an operator who may configure makes a link, with a name and an end", async () => {
  const reader = await room.operator({ role: "operate" });
  const stranger = { event: "early", headers: {} };
  assert.equal((await make({ name: "Eve", minutes: 5 }, reader)).status, 403);
  assert.equal((await make({ name: "Eve", minutes: 5 }, stranger)).status, 401);
  for (const bad of [
    {},
    { name: "Eve" },
    { name: "", minutes: 5 },
    { name: "Eve", minutes: 0 },
    { name: "Eve", minutes: 241 },
  ]) {
    assert.equal((await make(bad)).status, 400, JSON.stringify(bad));
  }
});

test("a pass of staff that is given back opens nothing, and the way without script leads into the shop", async () => {
  const { link } = await linkFor("Fay");
  const fay = room.visitor();
  const form = { token: tokenOf(link), return: fay.path };
  const sent = await fay.visit(`${fay.queue}/staff/enter`, { method: "POST", site: "same-origin", form });
  assert.deepEqual([sent.status, sent.headers.location], [303, fay.path]);
  assert.equal((await fay.visit()).status, 200);
  const access = await room.ask("/_wr/access", { headers: { authorization: `Bearer ${fay.cookie("pass")}` } });
  assert.equal(access.status, 200);
  const released = await fay.release();
  assert.deepEqual([released.status, released.json.state], [200, "none"], "no session is over: the link opens again");
  assert.equal((await fay.visit()).status, 503);
  const altered = { ...form, token: `${form.token}x` };
  const refused = await fay.visit(`${fay.queue}/staff/enter`, { method: "POST", site: "same-origin", form: altered });
  assert.deepEqual([refused.status, refused.headers.location], [303, `${fay.queue}/staff?refused=unauthorized`]);
  assert.match((await fay.visit(refused.headers.location)).text, /role="alert">This staff pass is not valid/);
});
