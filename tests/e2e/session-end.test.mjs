// The end of a session: at its time, after idling, when the origin says so; and what still counts until then.
// The clock of edge and objects is moved, in steps short enough that nobody looks asleep.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { until } from "./harness/exchange.mjs";
import { opened } from "./harness/forge.mjs";
import { startRoom } from "./harness/room.mjs";

const STEP_MS = 20_000;
const MINUTE_MS = 60_000;

let room;
before(async () => {
  room = await startRoom({
    staged: true,
    events: [
      { id: "short", session_minutes: 4, idle_minutes: 4, max_extension_minutes: 2, admission: { max_active: 50 } },
      { id: "idle", session_minutes: 30, idle_minutes: 2, pass_seconds: 60, admission: { max_active: 50 } },
      { id: "own", session_minutes: 30, admission: { max_active: 1 } },
    ],
  });
});
after(() => room?.stop());

/** Lets time pass; somebody looks at every board meanwhile, and the given visitors ask for the shop. */
async function passes(ms, visitors = []) {
  for (let left = ms; left > 0; left -= STEP_MS) {
    await room.advance(Math.min(left, STEP_MS));
    for (const event of ["short", "idle", "own"]) await room.board(event);
    for (const visitor of visitors) await visitor.shop();
  }
}

const activeIn = async (event) => (await (await room.operator({ event })).observe()).totals.active;

async function slotsFree(event, active) {
  await until(
    () => activeIn(event),
    (now) => now === active,
    { what: `${active} sessions in ${event}` },
  );
}

test("a session that is in use is renewed until its end, never beyond, and then its page says when it ended", async () => {
  const fan = room.visitor({ event: "short" });
  const { session_ends_at_ms } = await fan.admitted();
  const first = fan.cookie("pass");
  await passes(3 * MINUTE_MS + 40_000, [fan]);
  assert.equal((await fan.visit()).status, 200);
  assert.notEqual(fan.cookie("pass"), first, "renewed on the way");
  const { claims } = opened(fan.cookie("pass"));
  assert.equal(claims.sx, Math.floor(session_ends_at_ms / 1_000), "the end does not move");
  assert.ok(claims.exp <= claims.sx);
  const late = fan.copied(["ticket", "pass", "permit", "browser"]);
  await passes(25_000);
  const page = await fan.visit();
  assert.equal(page.status, 503);
  assert.equal(page.state, "ended");
  const late_ms = fan.page.me.session_ends_at_ms - claims.sx * 1_000;
  assert.ok(late_ms >= 0 && late_ms < STEP_MS, `ended ${late_ms} ms after its end`);
  assert.equal((await fan.claim()).status, 409, "R7 a session is not lived twice");
  const checkout = await late.shop(`${late.path}checkout`, { method: "POST", document: { pay: true } });
  assert.equal(checkout.status, 200, "R7 what was sent as the time ran out still arrives");
  await passes(MINUTE_MS);
  assert.equal((await late.shop(`${late.path}checkout`, { method: "POST", document: {} })).status, 503);
  await slotsFree("short", 0);
});

test("Q10 idling ends a session and frees its slot, while one that is used goes on", async () => {
  const busy = room.visitor({ event: "idle" });
  const gone = room.visitor({ event: "idle" });
  await busy.admitted();
  const { pass } = await gone.admitted();
  await passes(3 * MINUTE_MS + 20_000, [busy]);
  assert.equal((await busy.visit()).status, 200);
  const page = await gone.visit();
  assert.equal(page.status, 503);
  assert.equal(page.state, "ended");
  const access = await room.ask("/_wr/access", { headers: { authorization: `Bearer ${pass}` } });
  assert.ok([401, 410].includes(access.status));
  await slotsFree("idle", 1);
});

test("the origin releases: the slot is free at once, the cookie is gone, and the command stays between us", async () => {
  const buyer = room.visitor({ event: "own" });
  await buyer.admitted();
  const next = room.visitor({ event: "own" });
  await next.visit();
  await next.join();
  room.origin.answer = ({ url }) => url.endsWith("/thanks") && { headers: { "Waiting-Room-Command": "release" } };
  const thanks = await buyer.visit(`${buyer.path}thanks`);
  room.origin.answer = null;
  assert.equal(thanks.status, 200);
  assert.equal(thanks.headers["waiting-room-command"], undefined);
  assert.equal(buyer.cookie("pass"), undefined, "the cookie is cleared on that answer");
  await next.enter();
  assert.equal(await activeIn("own"), 1);
  await next.release();
});

test("a visitor cannot command: neither in a header that reaches us, nor in one that reaches the origin", async () => {
  const fan = room.visitor({ event: "own" });
  await fan.admitted();
  const answer = await fan.visit(`${fan.path}o1`, {
    headers: { "waiting-room-command": "release", "Waiting-Room-State": "admitted", "waiting-room-anything": "x" },
  });
  assert.equal(answer.status, 200);
  const [{ headers }] = room.origin.arrived("/o1");
  const ours = Object.keys(headers).filter((name) => name.startsWith("waiting-room-"));
  assert.deepEqual(ours, ["waiting-room-pass"], "O1 only the pass");
  assert.equal((await fan.visit()).status, 200, "the session runs on");
  await fan.release();
});

test("the origin extends a checkout, up to the configured maximum in all", async () => {
  const fan = room.visitor({ event: "short" });
  const { session_ends_at_ms } = await fan.admitted();
  const end_s = Math.floor(session_ends_at_ms / 1_000);
  let seconds = 60;
  room.origin.answer = ({ url }) =>
    url.endsWith("/pay") && { headers: { "waiting-room-command": `extend=${seconds}` } };
  const ends = () => opened(fan.cookie("pass")).claims.sx;
  await until(
    () => fan.visit(`${fan.path}pay`),
    () => ends() > end_s,
    { what: "a longer session" },
  );
  assert.ok(Math.abs(ends() - (end_s + 60)) <= 1 || ends() === end_s + 120, `${ends() - end_s} s more`);
  seconds = 3_600;
  await fan.visit(`${fan.path}pay`);
  await fan.visit(`${fan.path}pay`);
  room.origin.answer = null;
  await passes(MINUTE_MS + 40_000, [fan]);
  await fan.visit();
  assert.ok(ends() <= end_s + 120, `two minutes at most, not ${ends() - end_s} s`);
  await passes(2 * MINUTE_MS, [fan]);
  assert.equal((await fan.visit()).status, 200, "past the first end");
  await fan.release();
});

test("R8 who leaves while inside ends the session, and the pass is refused at once by the home", async () => {
  const fan = room.visitor({ event: "own" });
  const { pass } = await fan.admitted();
  const left = await fan.leave();
  assert.equal(left.status, 200, left.text);
  assert.equal(fan.cookie("pass"), undefined);
  const access = await room.ask("/_wr/access", { headers: { authorization: `Bearer ${pass}` } });
  assert.equal(access.status, 410);
  await slotsFree("own", 0);
});
