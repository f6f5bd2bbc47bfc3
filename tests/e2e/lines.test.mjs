// Lines: for everyone, by a code, by an invitation; spent-once and unique-place for codes and member keys.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { until } from "./harness/exchange.mjs";
import { codesOf, inviterOf } from "./harness/inviting.mjs";
import { startRoom } from "./harness/room.mjs";

/** Nobody is called: only who would stand where is looked at. */
const NEVER = "2999-01-01T10:00:00Z";
const LINES = [
  { id: "general" },
  { id: "fans", access: "code" },
  { id: "members", access: "enqueue_token" },
  { id: "balcony" },
];

let room;
let invite;
before(async () => {
  room = await startRoom({
    events: [
      { id: "club", lines: LINES, opens_at: NEVER },
      { id: "other", lines: LINES, opens_at: NEVER },
      { id: "open", lines: LINES },
      { id: "coded", lines: [{ id: "fans", access: "code" }], opens_at: NEVER },
      { id: "two", lines: ["early", "late"].map((id) => ({ id, access: "enqueue_token" })), opens_at: NEVER },
    ],
  });
  invite = await inviterOf(room);
});
after(() => room?.stop());

async function fresh(event = "club", options = {}) {
  const fan = room.visitor({ event, ...options });
  await fan.visit();
  return fan;
}

/** A refusal names the field, says what is allowed, repeats nothing and takes no place. */
async function isRefused(answer, fan, { status, field, kind, reason }) {
  assert.equal(answer.status, status, answer.text);
  assert.equal(answer.headers["content-type"], "application/problem+json");
  const { type, field: named, reason: why } = answer.json;
  if (kind) assert.equal(type, `urn:anteroom:problem:${kind}`);
  if (field) assert.equal(named, field);
  if (reason) assert.equal(why, reason, answer.text);
  assert.equal((await fan.ask()).state, "none", "no place was made");
}

test("who says nothing joins the first line for everyone, who names one joins that, each line counts from 0", async () => {
  assert.deepEqual([(await (await fresh()).join()).line], ["general"]);
  const balcony = await (await fresh()).join({ line: "balcony" });
  assert.deepEqual([balcony.line, balcony.entry], ["balcony", 0]);
});

test("unknown line, and lines that need a code or an invitation: a clear answer, and no place lost", async () => {
  const fan = await fresh();
  await isRefused(await fan.tryToJoin({ line: "nowhere" }), fan, { status: 400, field: "line", kind: "no-such-line" });
  const coded = await fan.tryToJoin({ line: "fans" });
  await isRefused(coded, fan, { status: 422, field: "line" });
  assert.equal(coded.json.needs, "code");
  const invited = await fan.tryToJoin({ line: "members" });
  await isRefused(invited, fan, { status: 422, field: "line" });
  assert.equal(invited.json.needs, "enqueue_token");
  const only = await fresh("coded");
  await isRefused(await only.tryToJoin(), only, { status: 422, field: "line" });
});

test("a code opens its line however it is typed, and again for the same browser", async () => {
  const [code] = await codesOf(room, { line: "fans" });
  const fan = await fresh();
  const { line, entry } = await fan.join({ code: ` ${code.toLowerCase().replaceAll("-", " ")} ` });
  assert.equal(line, "fans");
  const again = await fan.tryToJoin({ code });
  assert.deepEqual([again.status, again.json.entry], [200, entry]);
});

test("code of another event, run or line, a made-up one, one with other uses: refused, and the place that is there stays", async () => {
  const [elsewhere] = await codesOf(room, { event: "other", line: "fans" });
  const [later] = await codesOf(room, { line: "fans", run: 2 });
  const [everyone] = await codesOf(room, { line: "general" });
  const [good] = await codesOf(room, { line: "fans" });
  const altered = good.slice(0, -1) + (good.endsWith("0") ? "1" : "0");
  const fan = await fresh();
  for (const code of [elsewhere, later, everyone, altered, "ABCDE-FGHJK-MNPQR-STVWX", "x", "\u{1f3ab}".repeat(20)]) {
    await isRefused(await fan.tryToJoin({ code }), fan, { status: 422, field: "code", kind: "unusable-field" });
  }
  const { entry } = await fan.join();
  const refused = await fan.tryToJoin({ code: altered });
  assert.deepEqual([refused.status, refused.state], [422, "waiting"]);
  assert.equal((await fan.ask()).entry, entry);
  assert.ok(!room.output.includes(altered), "no code is logged");
});

test("spent-once: a single code is one live place, whoever brings it", async () => {
  const [code] = await codesOf(room, { line: "fans" });
  const fans = await Promise.all(Array.from({ length: 8 }, () => fresh()));
  const entries = await Promise.all(fans.map((fan) => fan.join({ code })));
  assert.equal(new Set(entries.map(({ entry }) => entry)).size, 1, JSON.stringify(entries.map(({ entry }) => entry)));
});

test("replacement after leaving: who left before the turn may use the code again, further behind", async () => {
  const [code] = await codesOf(room, { line: "fans" });
  const fan = await fresh();
  const { entry } = await fan.join({ code });
  assert.equal((await fan.leave()).status, 200);
  await fan.visit();
  const again = await fan.join({ code });
  assert.equal(again.state, "waiting");
  assert.ok(again.entry > entry);
  const elsewhere = await fresh();
  assert.equal((await elsewhere.join({ code })).entry, again.entry, "the new place is the code's");
});

test("code reuse: a code whose place was let in is used up, also after the session", async () => {
  const [code] = await codesOf(room, { event: "open", line: "fans" });
  const fan = await fresh("open");
  await fan.join({ code });
  await fan.enter();
  assert.equal((await (await fresh("open")).join({ code })).line, "fans", "while it runs another device finds it");
  assert.equal((await fan.release()).status, 200);
  const late = await fresh("open");
  await isRefused(await late.tryToJoin({ code }), late, { status: 409, kind: "code-spent" });
});

test("spent-once: a shared code makes as many places as it allows, and a repeated join costs nothing", async () => {
  const [code] = await codesOf(room, { line: "fans", uses: 3 });
  const fans = await Promise.all(Array.from({ length: 3 }, () => fresh()));
  for (const fan of fans) {
    const { entry } = await fan.join({ code });
    assert.equal((await fan.join({ code })).entry, entry);
    fan.drop("ticket");
    assert.equal((await fan.join({ code })).entry, entry, "its answer was lost");
  }
  const fourth = await fresh();
  const refused = await until(
    () => fourth.tryToJoin({ code }),
    ({ status }) => status !== 503,
    { what: "what came of each use" },
  );
  await isRefused(refused, fourth, { status: 409, kind: "code-spent" });
});

test("a shared code is not used up by those who come while its line is closed", async () => {
  const [code] = await codesOf(room, { event: "open", line: "fans", uses: 2 });
  const operator = await room.operator({ event: "open" });
  await operator.act("close", { line: "fans" });
  await until(
    () => room.board("open"),
    ({ lines }) => lines[1].phase === "closed",
    { what: "the closed line" },
  );
  for (let n = 0; n < 4; n += 1) {
    const early = await fresh("open");
    await isRefused(await early.tryToJoin({ code }), early, { status: 409, kind: "closed" });
  }
  await operator.act("open", { line: "fans" });
  for (let n = 0; n < 2; n += 1) {
    const fan = await fresh("open");
    await until(
      () => fan.tryToJoin({ code }),
      ({ status }) => status === 201,
      { what: "a place" },
    );
  }
});

test("same member, several devices: every device sees the same place, also when all join at once", async () => {
  const devices = await Promise.all(Array.from({ length: 6 }, () => fresh()));
  const joined = await Promise.all(
    devices.map((device) => device.join({ enqueue_token: invite({ key: "member-1" }) })),
  );
  assert.deepEqual([...new Set(joined.map(({ entry, line }) => `${line} ${entry}`))].length, 1);
  const others = await (await fresh()).join({ enqueue_token: invite({ key: "member-2" }) });
  assert.notEqual(others.entry, joined[0].entry);
});

test("unique-place: a member who is invited to several lines has one live place, and leaves it for another", async () => {
  const devices = await Promise.all(Array.from({ length: 6 }, () => fresh("two")));
  const inviteTo = await inviterOf(room, { event: "two" });
  const to = (line) => ({ enqueue_token: inviteTo({ key: "m", line }) });
  const joinedTo = (line) => devices.map((device) => device.join(to(line)));
  const places = [...(await Promise.all(joinedTo("early"))), ...(await Promise.all(joinedTo("late")))];
  assert.deepEqual([...new Set(places.map(({ entry, line }) => `${line} ${entry}`))], ["early 0"]);
  assert.equal((await devices[0].leave()).status, 200);
  const moved = await devices[0].join(to("late"));
  assert.deepEqual([moved.line, moved.entry, moved.state], ["late", 0, "waiting"]);
  const others = await Promise.all(devices.slice(1).map((device) => device.join(to("early"))));
  assert.deepEqual([...new Set(others.map(({ entry, line }) => `${line} ${entry}`))], ["late 0"], "whatever they name");
});

test("who joins, leaves and changes lines ever again from one page gets a place each time, by code or without", async () => {
  const fan = await fresh();
  let asked = 0;
  for (let n = 0; n < 12; n += 1) {
    const line = n % 2 ? "general" : "balcony";
    let joined = await fan.tryToJoin({ line });
    if (joined.status === 422 && joined.json.field === "permit") {
      // One permit makes a few places; then the page asks for another, as for any that is refused.
      asked += 1;
      fan.page = { ...fan.page, permit: null };
      joined = await fan.tryToJoin({ line });
    }
    assert.deepEqual([joined.json.line, joined.json.state], [line, "waiting"], `change ${n}: ${joined.text}`);
  }
  assert.ok(asked < 6, `${asked} more permits`);
  const [code] = await codesOf(room, { line: "fans" });
  for (let n = 0; n < 8; n += 1) {
    assert.equal((await fan.join({ code })).line, "fans", `round ${n}`);
    assert.equal((await fan.leave()).status, 200);
  }
});

test("a code or an invitation is bound to its own place, never to what the browser's permit had made before", async () => {
  const inviteIn = invite;
  for (const more of [
    { code: (await codesOf(room, { line: "fans" }))[0] },
    { enqueue_token: inviteIn({ key: "lost" }) },
  ]) {
    const fan = await fresh();
    const general = await fan.join();
    fan.drop("ticket");
    const keyed = await fan.tryToJoin(more);
    assert.deepEqual([keyed.status, keyed.json.line !== general.line], [201, true], keyed.text);
    assert.equal((await (await fresh()).join(more)).entry, keyed.json.entry, "every device finds the key's place");
    fan.drop("ticket");
    const found = await fan.tryToJoin(more);
    assert.deepEqual([found.status, found.json.entry], [200, keyed.json.entry], "its answer was lost");
    fan.drop("ticket");
    await fan.visit();
    assert.equal((await fan.join()).entry, keyed.json.entry, "the permit that the browser keeps finds it, too");
  }
});

test("a refusal tells whoever waits that they wait", async () => {
  const fan = await fresh();
  await fan.join();
  for (const more of [{ line: "nowhere" }, { code: "x" }, { enqueue_token: "a.b.c" }]) {
    const refused = await fan.tryToJoin(more);
    assert.ok(refused.status >= 400, refused.text);
    assert.equal(refused.state ?? "waiting", "waiting", refused.text);
  }
});

test("whoever stands in a line that takes a code is answered the own place, by name and without the code", async () => {
  const [code] = await codesOf(room, { line: "fans" });
  const fan = await fresh();
  const { entry } = await fan.join({ code });
  const named = await fan.tryToJoin({ line: "fans" });
  assert.deepEqual([named.status, named.json.line, named.json.entry], [200, "fans", entry]);
  assert.equal((await fan.tryToJoin({ line: "members" })).status, 422);
});

test("a place that another browser left is not answered as live: the join makes a new one", async () => {
  const fan = await fresh();
  const { entry } = await fan.join();
  const other = fan.copied(["ticket", "permit"]);
  await other.visit();
  assert.equal((await fan.leave()).status, 200);
  const again = await other.tryToJoin();
  assert.deepEqual([again.status, again.json.state], [201, "waiting"]);
  assert.ok(again.json.entry > entry);
});

test("two devices of one member: one is the working browser, the other is told and may continue there", async () => {
  const inviteIn = await inviterOf(room, { event: "open" });
  const phone = await fresh("open");
  const laptop = await fresh("open");
  await phone.join({ enqueue_token: inviteIn({ key: "m" }) });
  await laptop.join({ enqueue_token: inviteIn({ key: "m" }) });
  await phone.enter();
  assert.equal((await laptop.visit()).state, "elsewhere");
  assert.equal((await laptop.claim()).status, 200, "continue here");
  assert.equal((await laptop.visit()).status, 200);
  const phonePass = { authorization: `Bearer ${phone.cookie("pass")}` };
  assert.equal((await room.ask("/_wr/access", { headers: phonePass })).status, 410, "its pass is not the working one");
});

test("R11 an invitation that is used again finds the place, and after leaving makes a new one", async () => {
  const token = invite({ key: "member-3" });
  const fan = await fresh();
  const { entry } = await fan.join({ enqueue_token: token });
  assert.equal((await fan.join({ enqueue_token: token })).entry, entry);
  await fan.leave();
  await fan.visit();
  assert.ok((await fan.join({ enqueue_token: token })).entry > entry);
});

test("R11 enqueue token expired, for another event, unsigned, signed with another key, for another address: refused each", async () => {
  const now = Math.floor(Date.now() / 1_000);
  const other = await inviterOf(room, { event: "other" });
  const unsigned = `${invite({ key: "m" }).split(".").slice(0, 2).join(".")}.`;
  const fan = await fresh("club", { headers: { "cf-connecting-ip": "192.0.2.7" } });
  for (const [token, reason] of [
    [invite({ key: "m", iat: now - 600, exp: now - 1 }), "expired"],
    [other({ key: "m" }), undefined],
    [invite({ key: "m", evt: "other" }), "wrong-event"],
    [invite({ key: "m", aud: "somebody-else" }), "wrong-audience"],
    [invite({ key: "m" }, { key: Buffer.alloc(32, 7).toString("base64url") }), "signature"],
    [invite({ key: "m" }, { header: { alg: "none" } }), "header"],
    [unsigned, undefined],
    [invite({ key: "m", ip: "192.0.2.8" }), "wrong-ip"],
    [invite({ key: "m", exp: now + 61 * 86_400 }), "long-lived"],
    [invite({ key: "m", line: "nowhere" }), "no-such-line"],
    [invite({ key: "m", line: "general" }), "line-takes-none"],
    [invite({ key: "" }), "claims"],
    ["no.token.atall", undefined],
  ]) {
    await isRefused(await fan.tryToJoin({ enqueue_token: token }), fan, {
      status: 422,
      field: "enqueue_token",
      reason,
    });
    assert.ok(!room.output.includes(token), "no invitation is logged");
  }
  assert.equal((await fan.join({ enqueue_token: invite({ key: "m", ip: "192.0.2.7" }) })).line, "members");
});

test("a live place and another line: the new place is there before the old is left, also when the answer is lost", async () => {
  const fan = await fresh();
  const { entry } = await fan.join();
  const before = fan.copied(["ticket", "permit", "browser"]);
  const [code] = await codesOf(room, { line: "fans" });
  const moved = await fan.join({ code });
  assert.equal(moved.line, "fans");
  assert.equal((await before.ask()).entry, entry, "the old ticket still says what it said");
  const again = await before.tryToJoin({ code });
  assert.deepEqual([again.json.line, again.json.entry], ["fans", moved.entry], "the same join finds the same place");
  const named = await fan.join({ line: "balcony" });
  assert.equal(named.line, "balcony");
  const unnamed = await fan.join();
  assert.deepEqual([unnamed.line, unnamed.entry], ["balcony", named.entry], "who names nothing keeps what there is");
});

test("without script a code that does not do is said on the page, and a good one opens the line", async () => {
  const fan = await fresh();
  const form = { permit: fan.page.permit, code: "WRONG", return: fan.path };
  const sent = await fan.visit(`${fan.queue}/tickets`, { method: "POST", site: "same-origin", form });
  assert.equal(sent.status, 303);
  const page = await fan.visit(sent.headers.location);
  assert.equal(fan.page.refused, "wrong");
  assert.equal(page.state === "before" || page.state === "prequeue", true, page.state);
  const [code] = await codesOf(room, { line: "fans" });
  const good = { permit: fan.page.permit, code, return: fan.path };
  const joined = await fan.visit(`${fan.queue}/tickets`, { method: "POST", site: "same-origin", form: good });
  assert.equal(joined.headers.location, fan.path);
  assert.equal((await fan.ask()).line, "fans");
  const late = await fresh();
  const invited = { permit: late.page.permit, code: "a.b.c", return: late.path };
  const refused = await late.visit(`${late.queue}/tickets`, { method: "POST", site: "same-origin", form: invited });
  await late.visit(refused.headers.location);
  assert.equal(late.page.refused, "invitation");
});

test("a line may close by itself and open again; the others go on, and a program is told of its own", async () => {
  const operator = await room.operator({ event: "open" });
  const inside = await fresh("open");
  await inside.join({ line: "balcony" });
  await operator.act("close", { line: "balcony" });
  const fan = await fresh("open");
  await until(
    () => room.board("open"),
    ({ lines }) => lines[3].phase === "closed",
    { within_ms: 2_000, what: "the closed line" },
  );
  const refused = await until(
    () => fan.tryToJoin({ line: "balcony" }),
    ({ status }) => status === 409,
    { what: "a refusal" },
  );
  assert.equal(refused.json.type, "urn:anteroom:problem:closed");
  assert.equal((await inside.shop()).json.phase, "closed");
  assert.equal((await fan.shop()).json.phase, "open");
  await fan.join();
  await fan.enter();
  await operator.act("open", { line: "balcony" });
  const other = await fresh("open");
  await until(
    () => other.tryToJoin({ line: "balcony" }),
    ({ status }) => status === 201,
    { what: "a place" },
  );
  assert.equal((await operator.send({ action: "close", line: "nowhere" })).status, 400);
  const done = (await operator.wholeLog()).filter(({ kind }) => kind === "operator").map(({ action }) => action);
  const recorded = [{ closeline: { line: "balcony" } }, { openline: { line: "balcony" } }];
  assert.deepEqual(done.slice(-2), recorded, "in the words that docs/draw.md explains");
});
