// open-door: while every Durable Object is unreachable, who is admitted goes on, who waits keeps the page, nothing is lost.
import assert from "node:assert/strict";
import { after, afterEach, before, test } from "node:test";
import { until } from "./harness/exchange.mjs";
import { opened } from "./harness/forge.mjs";
import { codesOf } from "./harness/inviting.mjs";
import { startRoom } from "./harness/room.mjs";

const EVERYTHING = ["/shard/", "/coordinator"];

let room;
before(async () => {
  room = await startRoom({
    staged: true,
    asleep: ["never"],
    events: [
      { id: "demo", session_minutes: 10, idle_minutes: 5 },
      { id: "slow", admission: { per_minute: 1 } },
      { id: "walk-in", mode: "auto" },
      { id: "never" },
      // Several shards: the home of a code and that of a place are apart.
      { id: "coded", expected_visitors: 24_000, lines: [{ id: "fans", access: "code" }, { id: "general" }] },
    ],
  });
});
afterEach(() => room.cut());
after(() => room?.stop());

test("D13 an admitted visitor goes on while no object answers: the edge signs the pass anew, up to the session's end", async () => {
  const fan = room.visitor();
  const { session_ends_at_ms } = await fan.admitted();
  const first = opened(fan.cookie("pass")).claims;
  await room.cut(...EVERYTHING);
  for (let n = 0; n < 3; n += 1) {
    await room.advance(170_000);
    const shop = await fan.visit();
    assert.equal(shop.status, 200, `after ${170 * (n + 1)} s: ${shop.text.slice(0, 200)}`);
  }
  const last = opened(fan.cookie("pass")).claims;
  assert.ok(last.exp > first.exp);
  assert.equal(last.jti, first.jti, "the same session and generation");
  assert.ok(last.exp <= Math.floor(session_ends_at_ms / 1_000));
  await room.advance(170_000);
  const over = await fan.visit();
  assert.equal(over.status, 503, "the end is the end");
  assert.ok(over.state);
});

test("a pass that was renewed goes to whoever brings the one before, without asking its home again", async () => {
  const fan = room.visitor({ event: "slow" });
  await fan.admitted();
  await room.advance(100_000);
  const again = fan.copied(["ticket", "pass", "permit", "browser"]);
  const old = again.cookie("pass");
  assert.equal((await fan.visit()).status, 200);
  await until(
    async () => {
      await fan.visit();
      return fan.cookie("pass");
    },
    (pass) => pass !== old,
    { what: "the next pass, with this answer or a later one" },
  );
  await room.cut(...EVERYTHING);
  assert.equal((await again.visit()).status, 200);
  assert.equal(again.cookie("pass"), fan.cookie("pass"), "from what the edge remembers");
});

test("D13 a first pass that no request confirmed ends by itself: its home may have forgotten the session", async () => {
  const fan = room.visitor({ event: "walk-in" });
  await until(
    () => fan.visit(),
    ({ status }) => status === 200,
    { what: "a first visit" },
  );
  const first = opened(fan.cookie("pass")).claims;
  await room.cut(...EVERYTHING);
  assert.equal((await fan.visit()).status, 200, "it holds for its own 30 s");
  await room.advance(31_000);
  assert.equal((await fan.visit()).status, 503);
  assert.equal((await fan.shop(undefined, { method: "POST", document: {} })).status, 503);
  assert.equal(opened(fan.cookie("pass")).claims.exp, first.exp, "nothing was signed anew");
});

test("D13 who did not ask for longer than the idle time is not let in again without the home", async () => {
  const fan = room.visitor();
  await fan.admitted();
  await room.cut(...EVERYTHING);
  await room.advance(7 * 60_000);
  assert.equal((await fan.visit()).status, 503);
});

test("D13 who waits keeps the page with the last numbers and their age, and the place is the same afterwards", async () => {
  const fans = [];
  for (let n = 0; n < 12; n += 1) {
    const fan = room.visitor({ event: "slow" });
    await fan.visit();
    await fan.join();
    fans.push(fan);
  }
  const fan = fans.at(-1);
  const before = await fan.ask();
  assert.equal(before.state, "waiting");
  await room.cut(...EVERYTHING);
  await room.advance(20_000);
  const page = await fan.visit();
  assert.equal(page.status, 503);
  assert.equal(page.state, "waiting");
  const me = await fan.ask();
  assert.equal(me.entry, before.entry);
  assert.equal(me.called, before.called);
  assert.ok(me.board_age_ms >= 20_000, `age ${me.board_age_ms}`);
  assert.ok((await room.board("slow")).age_ms >= 20_000);
  await room.cut();
  const after = await until(
    () => fan.ask(),
    (answer) => answer.board_age_ms < 5_000,
    { what: "a young board" },
  );
  assert.equal(after.entry, before.entry);
});

test("a shared code loses no use to joins whose place was never made", async () => {
  for (const code of await codesOf(room, { event: "coded", line: "fans", uses: 2, count: 4 })) {
    const unlucky = room.visitor({ event: "coded" });
    for (let n = 0; n < 3; n += 1) {
      await unlucky.visit();
      await room.cut("/shard/0");
      const away = await unlucky.tryToJoin({ code });
      assert.ok([201, 503].includes(away.status), away.text);
      await room.cut();
      if (away.status === 201) break;
      // The page has another permit by then.
      await room.advance(6 * 60_000);
    }
    for (const fan of [unlucky, room.visitor({ event: "coded" })]) {
      await fan.visit();
      const joined = await until(
        () => fan.tryToJoin({ code }),
        ({ status }) => status !== 503,
        { what: "a place by the code" },
      );
      assert.ok([200, 201].includes(joined.status), joined.text);
      assert.equal(joined.json.line, "fans");
    }
  }
});

test("D13 no first pass is given while the brake could not be heard", async () => {
  const fan = room.visitor();
  await fan.visit();
  await fan.join();
  await fan.reaches("called");
  await room.cut(...EVERYTHING);
  await room.advance(3_000);
  const claim = await fan.claim();
  assert.ok([202, 409, 503].includes(claim.status), `${claim.status}`);
  assert.ok(claim.state, "it is the room's own answer");
  assert.equal(fan.cookie("pass"), undefined);
  await room.cut();
  await fan.enter();
});

test("D13 what cannot be done while no object answers says where the visitor stands, as far as the edge knows", async () => {
  const [inside, called] = [room.visitor(), room.visitor()];
  await inside.admitted();
  await called.visit();
  await called.join();
  await called.reaches("called");
  const waiting = room.visitor({ event: "slow" });
  await waiting.visit();
  await waiting.join();
  assert.equal((await waiting.ask()).state, "waiting");
  await room.cut(...EVERYTHING);
  for (const [fan, act, state] of [
    [inside, () => inside.release(), "admitted"],
    [called, () => called.script("POST", `${called.queue}/tickets/me/defer`), "called"],
    [called, () => called.script("POST", `${called.queue}/tickets/me/handover`), "called"],
    [waiting, () => waiting.leave(), "waiting"],
  ]) {
    const answer = await act();
    assert.deepEqual([answer.status, answer.state], [503, state], answer.text);
    assert.ok(fan.cookie("ticket"), "the place is kept");
  }
});

test("a join whose home is away gets the same permit signed anew, and joins with it later at its time of arrival", async () => {
  const fan = room.visitor();
  await fan.visit();
  const permit = opened(fan.page.permit).claims;
  await room.cut("/shard/");
  const away = await fan.tryToJoin();
  assert.equal(away.status, 503);
  assert.ok(away.state);
  assert.ok(away.json.retry_after_ms > 0 && Number(away.headers["retry-after"]) > 0);
  const again = opened(away.json.permit).claims;
  assert.deepEqual([again.jti, again.home], [permit.jti, permit.home]);
  assert.ok(Number.isInteger(again.arr), "with its arrival");
  await room.cut();
  const joined = await fan.script("POST", `${fan.queue}/tickets`, { permit: away.json.permit });
  assert.equal(joined.status, 201, joined.text);
  assert.ok(Number.isInteger((await fan.reachesNumber()).entry));
});

test("a join while only the coordinator is away is provisional within seconds, and numbered once it is back", async () => {
  const fan = room.visitor();
  await fan.visit();
  await room.cut("/coordinator");
  const started_ms = Date.now();
  const joined = await fan.join();
  assert.equal(joined.state, "provisional");
  assert.ok(Date.now() - started_ms < 4_000);
  assert.equal(joined.entry ?? null, null);
  assert.equal((await fan.visit()).state, "provisional");
  await room.cut();
  const me = await fan.reachesNumber();
  assert.equal(opened(fan.cookie("ticket")).claims.ent, me.entry, "the ticket is exchanged");
  const again = await fan.script("POST", `${fan.queue}/tickets`, { permit: fan.page.permit ?? (await fan.permit()) });
  assert.equal(again.json.entry, me.entry);
});

test("an event that no shard was ever heard about has a page that excuses itself", async () => {
  await room.cut("never/");
  const page = await room.visitor({ event: "never" }).visit();
  assert.equal(page.status, 503);
  assert.ok(page.state);
  assert.match(page.headers["content-type"], /text\/html/);
  const board = await room.ask("/_wr/queues/never");
  assert.equal(board.status, 503);
  assert.ok(board.state);
});

test("an operator hears that nothing was done when the coordinator is away", async () => {
  const operator = await room.operator();
  await room.cut("/coordinator");
  const answer = await operator.send({
    action: "pause",
    reason: "Payment is slow",
    next_update_at_ms: Date.now() + 30 * 24 * 60 * 60_000,
  });
  assert.equal(answer.status, 503);
  await room.cut();
  assert.equal((await operator.observe()).board.lines[0].phase, "open");
});
