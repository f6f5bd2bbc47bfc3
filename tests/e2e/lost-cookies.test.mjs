// Cookies that are lost, copied or not kept at all: no second place, no loop, one working browser at a time.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { until } from "./harness/exchange.mjs";
import { startRoom } from "./harness/room.mjs";

let room;
before(async () => {
  room = await startRoom({
    staged: true,
    events: [{ id: "demo" }, { id: "slow", admission: { per_minute: 1 } }, { id: "twice" }],
  });
});
after(() => room?.stop());

async function joined(event) {
  const fan = room.visitor({ event });
  await fan.visit();
  return { fan, entry: (await fan.join()).entry };
}

test("a lost ticket is found again with the permit that the browser still has", async () => {
  const { fan, entry } = await joined("slow");
  fan.drop("ticket");
  const page = await fan.visit();
  assert.equal(page.state, "none");
  const again = await fan.tryToJoin();
  assert.equal(again.status, 200);
  assert.equal(again.json.entry, entry);
});

test("who lost everything starts anew, behind, and the old place stays where it was", async () => {
  const { fan, entry } = await joined("slow");
  const old = fan.copied(["ticket"]);
  fan.jar.clear();
  await fan.visit();
  assert.ok((await fan.join()).entry > entry);
  assert.equal((await old.ask()).entry, entry);
});

test("a browser that keeps no cookies is told so after one try by form, and has taken no place", async () => {
  const before = (
    await until(
      () => room.board("slow"),
      (board) => board.version > 0,
    )
  ).lines[0].entries;
  const fan = room.visitor({ event: "slow", cookies: false });
  await fan.visit("/events/slow/seats?row=4");
  assert.equal(fan.page.me.cookie, true, "the first page cannot know");
  const form = { permit: fan.page.permit, return: "/events/slow/seats?row=4" };
  const sent = await fan.visit(`${fan.queue}/tickets`, { method: "POST", site: "same-origin", form });
  assert.equal(sent.status, 303);
  const page = await fan.visit(sent.headers.location, { site: "same-origin" });
  assert.equal(page.status, 503);
  assert.equal(fan.page.me.cookie, false);
  assert.equal(fan.page.return, "/events/slow/seats?row=4", "the way on is still the address that was asked");
  assert.match(page.text, /<ul id="reasons">/, "it says why");
  assert.match(page.text, /<form id="act"[^>]* hidden/, "and offers no form that would lead in a circle");
  assert.equal((await fan.ask()).cookie, false);
  await room.advance(3_000);
  assert.equal((await room.board("slow")).lines[0].entries, before);
});

test("a lost pass is given again to the browser that had it: the same session", async () => {
  const fan = room.visitor();
  const first = await fan.admitted();
  fan.drop("pass");
  const page = await fan.visit();
  assert.equal(page.status, 503);
  assert.equal(page.state, "admitted");
  const again = await fan.claim();
  assert.equal(again.status, 200);
  assert.equal(again.json.session_ends_at_ms, first.session_ends_at_ms);
  assert.equal((await fan.visit()).status, 200);
});

test("R3 another network and another browser version change nothing, in the queue, at the turn and inside", async () => {
  const { fan, entry } = await joined("demo");
  const wander = (n) => {
    fan.headers = {
      "cf-connecting-ip": `203.0.113.${n}`,
      "x-forwarded-for": `198.51.100.${n}`,
      "user-agent": `R2/${n}`,
    };
  };
  wander(1);
  assert.equal((await fan.ask()).entry, entry);
  wander(2);
  await fan.enter();
  wander(3);
  assert.equal((await fan.visit()).status, 200, "R1");
  wander(4);
  assert.equal((await fan.visit()).status, 200, "R2");
});

test("R10 a ticket copied to five browsers is one place, and one of them is inside: the one that entered last", async () => {
  const { fan, entry } = await joined("twice");
  const copies = Array.from({ length: 4 }, () => fan.copied(["ticket"]));
  for (const copy of copies) {
    await copy.visit();
    assert.equal((await copy.ask()).entry, entry);
  }
  await fan.enter();
  assert.equal((await fan.visit()).status, 200);
  for (const copy of copies) {
    assert.equal((await copy.ask()).state, "elsewhere", "continued elsewhere");
    const page = await copy.visit();
    assert.equal(page.status, 503);
    assert.equal(page.state, "elsewhere");
  }
  const [next] = copies;
  const taken = await until(
    () => next.claim(),
    ({ status }) => status !== 202,
  );
  assert.equal(taken.status, 200, "continue here");
  await next.visit();
  await room.advance(100_000);
  await room.board("twice");
  await room.advance(90_000);
  await next.visit();
  const first = await fan.visit();
  assert.equal(first.status, 503, "the older one is not renewed");
  assert.equal(first.state, "elsewhere");
  assert.equal((await next.visit()).status, 200);
  const operator = await room.operator({ event: "twice" });
  assert.equal((await operator.observe()).totals.active, 1, "one session in all");
});

test("C4 five hundred cookies, broken pairs and emoji do not hide ours", async () => {
  const fan = room.visitor();
  await fan.admitted();
  const ours = [...fan.jar].map(([name, { value }]) => `${name}=${value}`).join("; ");
  const noise = Array.from({ length: 500 }, (_, n) => `c${n}=${n}`).join("; ");
  const latin1 = Buffer.from("\u{1f3ab}=\u{1f3ab}; =; ;;; novalue; =x", "utf8").toString("latin1");
  for (const cookie of [`${noise}; ${ours}`, `${latin1}; ${ours}`, `${ours}; wr-pass-demo-1=; wr-pass-demo-1=x.y.z`]) {
    const answer = await room.ask("/events/demo/c4", { headers: { cookie } });
    assert.equal(answer.status, 200, cookie.slice(0, 40));
  }
  const { cookie } = room.origin.arrived("/c4")[0].headers;
  assert.equal(cookie.split("; ").length, 500, "the shop's own cookies arrive");
});

/** The browser of a visitor from before a deploy that changed a cookie's attribute: its names are of the epoch before. */
function fromBefore(fan) {
  const old = [...fan.jar].map(([name, cookie]) => [name.replace(/-1$/, "-0"), cookie]);
  fan.jar = new Map(old);
  return fan;
}

test("C5 after a deploy that renames cookies who waits keeps the place and enters, and who is inside stays inside", async () => {
  const waiting = room.visitor();
  await waiting.visit();
  const { entry } = await waiting.join();
  fromBefore(waiting);
  for (let n = 0; n < 3; n += 1) assert.equal((await waiting.ask()).entry, entry);
  await waiting.enter();
  assert.ok(
    [...waiting.jar.keys()].some((name) => /wr-pass-demo-1$/.test(name)),
    "what is set has the name of now",
  );
  const inside = room.visitor();
  await inside.admitted();
  fromBefore(inside);
  for (let n = 0; n < 3; n += 1) assert.equal((await inside.visit()).headers["x-shop"], "1", "no loop");
});
