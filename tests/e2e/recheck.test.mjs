// Visitors who have a place and look odd: a pass in many networks, a ticket in many browsers, a suspected claim. R1, R2, R3,
// R10, Q12. Whatever is asked of them, the place stays.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { paused } from "./harness/crowd.mjs";
import { until } from "./harness/exchange.mjs";
import { opened } from "./harness/forge.mjs";
import { startRoom } from "./harness/room.mjs";
import { solverOf } from "./harness/work.mjs";

const BITS = 4;
const EASY = { challenge: "pow", pow_bits: BITS };
/** Past half of a pass's 180 s. */
const RENEWAL_MS = 100_000;
/** A pass handed out before is over. */
const PASS_MS = 185_000;
/** So long a check is waited for without script, and less than a grant waits for its pass. */
const WAIT_MS = 15_000;
const [WIFI, CARRIER, CAFE, OFFICE] = ["192.0.2.1", "198.51.100.1", "203.0.113.1", "10.0.0.1"];
const ANOTHER_BROWSER = "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0";
/** A network where machines are rented. */
const RENTED = { asn: 16_509 };

let room;
let solve;
before(async () => {
  room = await startRoom({
    staged: true,
    events: [
      { id: "phone" },
      { id: "strict", binding: "strict" },
      { id: "watched", binding: "strict", ...EASY },
      { id: "shared", ...EASY },
      { id: "walk-in", ...EASY, mode: "auto" },
      { id: "careful", ...EASY, recheck: "everyone" },
      { id: "rented", ...EASY },
      { id: "copied" },
      { id: "sold", ...EASY },
      { id: "sold-bound", ...EASY, binding: "strict" },
    ],
  });
  solve = await solverOf(room);
});
after(() => room?.stop());

const at = (fan, address, more = {}) => {
  fan.headers = { ...fan.headers, "cf-connecting-ip": address, ...more };
  return fan;
};
const arrives = (event, address, more) => at(room.visitor({ event }), address, more);
const session = (fan) => opened(fan.cookie("pass")).claims;
const problemOf = ({ json }) => json.type.replace("urn:anteroom:problem:", "");

async function joins(fan) {
  await fan.visit();
  const permit = await fan.permit();
  const { bits } = opened(permit).claims;
  return fan.join(bits ? { solution: await solve(permit, bits) } : {});
}

/**
 * Past half of their passes, which still live; a pass is renewed beside the answer. Then its home has heard of too many
 * networks: a claim from where the last is, who learns nothing of it, is told so.
 */
async function visitFromManyNetworks(fans) {
  for (const each of fans) assert.equal((await each.visit()).status, 200, "its pass still lives");
  const last = fans.at(-1);
  const claiming = at(last.copied(["pass", "ticket", "browser"]), last.headers["cf-connecting-ip"]);
  await until(
    () => claims(claiming, {}),
    ({ status }) => status === 422,
    { what: "the check" },
  );
}

async function admitted(event, address) {
  const fan = arrives(event, address);
  await joins(fan);
  await fan.enter();
  assert.equal((await fan.visit()).status, 200);
  return fan;
}

const claims = (fan, document) => fan.script("POST", `${fan.queue}/tickets/me/pass`, document);

/** Does the check that an answer asks for. */
async function solved({ json: { check, challenge } }) {
  return { check, solution: await solve(check, challenge.bits) };
}

test("R1 R2 by default a pass works in another network and in another browser, without anybody being asked", async () => {
  const fan = await admitted("phone", WIFI);
  const copy = at(fan.copied(["pass"]), CARRIER, { "user-agent": ANOTHER_BROWSER });
  await room.cut("phone/1/shard/");
  const answer = await copy.visit();
  await room.cut();
  assert.equal(answer.status, 200);
  assert.deepEqual(answer.cookies, []);
});

test("R1 R2 a strictly bound pass from elsewhere is asked about at its home and handed out anew; place and session stay", async () => {
  const fan = await admitted("strict", WIFI);
  const before = session(fan);
  for (const [address, more] of [
    [CARRIER, {}],
    [CARRIER, { "user-agent": ANOTHER_BROWSER }],
  ]) {
    const asked = await at(fan, address, more).visit();
    assert.equal(asked.status, 200);
    assert.deepEqual(
      asked.cookies.map(({ name }) => name.split("-")[1]),
      ["pass", "binding"],
      "handed out anew",
    );
    assert.deepEqual((await fan.visit()).cookies, [], "and bound to where it is used now");
    assert.deepEqual([session(fan).jti, session(fan).sx], [before.jti, before.sx]);
  }
  await room.cut("strict/1/shard/");
  const open = await at(fan, CAFE).visit();
  await room.cut();
  assert.equal(open.status, 200, "open-door: while nobody can be asked, the pass alone decides");
});

test("a strictly bound pass that is copied to a fourth network is checked with its first request there", async () => {
  const fan = await admitted("watched", WIFI);
  for (const address of [CARRIER, CAFE]) assert.equal((await at(fan.copied(["pass"]), address).visit()).status, 200);
  const fourth = at(fan.copied(["pass"]), OFFICE);
  const page = await fourth.visit();
  assert.deepEqual([page.status, page.state], [503, "recheck"]);
  assert.equal((await fan.visit()).status, 200, "where it was handed out it holds as long as it lives");
});

test("R3 a phone goes from Wi-Fi to its carrier and back in the queue, at the turn and in the shop, and nothing is asked", async () => {
  const operator = await paused(room, "phone");
  const fan = arrives("phone", WIFI);
  const { entry } = await joins(fan);
  for (const address of [CARRIER, WIFI, CARRIER]) assert.equal((await at(fan, address).ask()).entry, entry);
  await operator.act("resume");
  await fan.reaches("called");
  await at(fan, WIFI).enter();
  const { jti, sx } = session(fan);
  for (const address of [CARRIER, WIFI, CARRIER, WIFI, CARRIER]) {
    await room.advance(RENEWAL_MS);
    const answer = await at(fan, address).visit();
    assert.deepEqual([answer.status, session(fan).jti, session(fan).sx], [200, jti, sx]);
  }
});

test("a pass in more than three networks at once is checked; one browser goes on with the place, the session and its end", async () => {
  const fan = await admitted("shared", WIFI);
  const { entry } = await fan.ask();
  const { sx } = session(fan);
  const copies = [CARRIER, CAFE, OFFICE].map((address) => at(fan.copied(["pass", "ticket", "browser"]), address));
  await room.advance(RENEWAL_MS);
  await visitFromManyNetworks([fan, ...copies]);
  await room.advance(PASS_MS);
  const last = copies[2];
  const page = await last.visit();
  assert.deepEqual([page.status, page.state], [503, "recheck"]);
  assert.match(page.text, /data-scene="recheck"/);
  const refused = await last.script("GET", last.path);
  assert.deepEqual([refused.status, problemOf(refused), refused.json.state], [503, "recheck", "recheck"]);

  const asked = await claims(last, {});
  assert.deepEqual([asked.status, problemOf(asked), asked.state], [422, "recheck", "recheck"]);
  const early = await claims(last, { check: asked.json.check });
  assert.deepEqual([early.status, problemOf(early)], [422, "unsolved"]);
  const wrong = await claims(last, { check: asked.json.check, solution: "0".repeat(256) });
  assert.deepEqual([wrong.status, problemOf(wrong)], [422, "unusable-field"]);
  const proof = await solved(asked);
  const passed = await claims(last, proof);
  assert.equal(passed.status, 200, passed.text);
  assert.equal((await last.visit()).status, 200);
  assert.deepEqual([session(last).sx, (await last.ask()).state], [sx, "admitted"]);
  assert.equal((await claims(last, proof)).status, 200, "a lost answer is asked for again");

  await room.advance(RENEWAL_MS);
  const elsewhere = await fan.visit();
  assert.deepEqual([elsewhere.status, elsewhere.state], [503, "elsewhere"]);
  const stale = await claims(copies[0], proof);
  assert.notEqual(session(last).jti, session(copies[0]).jti);
  assert.ok(stale.status !== 200 || session(copies[0]).sx === sx, "what was solved once brings no second session");
  await fan.enter();
  assert.deepEqual([(await fan.visit()).status, session(fan).sx], [200, sx], "continued here");
  assert.equal((await fan.ask()).state, "admitted");
  assert.equal(entry, 0);
});

test("who was let in in one step has no ticket: the pass is enough to be checked and go on", async () => {
  const fan = at(room.visitor({ event: "walk-in" }), WIFI);
  await fan.walksIn();
  const isConfirmed = () => session(fan).exp - session(fan).iat > 30;
  await until(() => fan.visit(), isConfirmed, { what: "a pass of the usual life" });
  const { sx } = session(fan);
  const copies = [CARRIER, CAFE, OFFICE].map((address) => at(fan.copied(["pass", "browser"]), address));
  assert.equal((await claims(fan, {})).status, 401, "nothing is to be checked, and there is no ticket");
  await room.advance(RENEWAL_MS);
  await visitFromManyNetworks(copies);
  await room.advance(PASS_MS);
  assert.equal((await copies[2].visit()).state, "recheck");
  const passed = await claims(copies[2], await solved(await claims(copies[2], {})));
  assert.equal(passed.status, 200, passed.text);
  assert.deepEqual([(await copies[2].visit()).status, session(copies[2]).sx], [200, sx]);
});

test("R10 a ticket copied to five browsers is one place: all see the same, one works at a time", async () => {
  const operator = await paused(room, "copied");
  const first = arrives("copied", WIFI);
  await joins(first);
  const { entry, rank } = await until(
    () => first.ask(),
    ({ entry }) => entry !== null,
    { what: "the number" },
  );
  const browsers = [first, ...Array.from({ length: 4 }, () => at(first.copied(["ticket"]), WIFI))];
  for (const each of browsers) {
    const page = await each.visit();
    assert.equal(page.status, 503);
    const me = await each.ask();
    assert.deepEqual([me.entry, me.rank], [entry, rank]);
  }
  assert.equal((await room.board("copied")).lines[0].entries, 1);
  await operator.act("resume");
  for (const [number, each] of browsers.entries()) {
    await until(
      () => claims(each, {}),
      ({ status }) => status === 200,
      { what: "the pass" },
    );
    await room.advance(PASS_MS);
    assert.equal((await each.visit()).status, 200);
    for (const before of browsers.slice(0, number)) {
      const stopped = await before.visit();
      assert.deepEqual([stopped.status, stopped.state], [503, "elsewhere"], `browser ${number}`);
    }
    for (const other of browsers.slice(number + 1)) assert.equal((await other.ask()).state, "elsewhere");
  }
});

test("R10 a ticket that ever new browsers claim with, each in a network of its own, is checked after the third, bound or not", async () => {
  for (const event of ["sold", "sold-bound"]) {
    const fan = await admitted(event, WIFI);
    const { sx } = session(fan);
    const buyers = Array.from({ length: 6 }, (_, number) => at(fan.copied(["ticket"]), `10.${number + 1}.0.1`));
    const tells = [];
    for (const buyer of buyers) {
      await room.advance(1_000);
      await buyer.visit();
      const told = await claims(buyer, {});
      tells.push(told.status === 422 ? problemOf(told) : told.status);
    }
    assert.deepEqual(tells, [200, 200, "recheck", "recheck", "recheck", "recheck"], event);
    const asked = await claims(buyers[5], {});
    const proof = await solved(asked);
    const passed = await claims(buyers[5], proof);
    assert.deepEqual([passed.status, session(buyers[5]).sx], [200, sx], passed.text);
    const shared = [];
    for (const buyer of buyers.slice(0, 5)) shared.push((await claims(buyer, proof)).status);
    assert.deepEqual(shared, [200, 200, 422, 422, 422], "what one did is not done for all");
  }
});

test("Q12 who is suspected after waiting is asked for a check, with the place and the claim kept, and then let in", async () => {
  const fan = arrives("careful", WIFI);
  const { entry } = await joins(fan);
  await fan.reaches("called");
  const asked = await claims(fan, {});
  assert.deepEqual([asked.status, problemOf(asked), asked.state], [422, "recheck", "pending"]);
  assert.equal((await fan.ask()).state, "pending", "the claim counts");
  const other = arrives("careful", CAFE);
  await joins(other);
  await other.reaches("called");
  const foreign = await claims(fan, await solved(await claims(other, {})));
  assert.deepEqual([foreign.status, problemOf(foreign)], [422, "recheck"], "a check is good for one place");
  const stranger = arrives("careful", OFFICE);
  const asPermit = await stranger.script("POST", `${fan.queue}/tickets`, { permit: asked.json.check });
  assert.deepEqual([asPermit.status, asPermit.json.field], [400, "permit"], "and makes none");
  const proof = await solved(asked);
  const passed = await until(
    () => claims(fan, proof),
    ({ status }) => status !== 202,
    { what: "the pass" },
  );
  assert.equal(passed.status, 200, passed.text);
  assert.deepEqual([(await fan.visit()).status, entry], [200, 0]);
  assert.equal((await claims(fan, {})).status, 200, "who is in is not asked again");
});

test("R10 Q12 where everybody is checked, what one browser did for its check is good for no other", async () => {
  const fan = arrives("careful", WIFI);
  await joins(fan);
  await fan.reaches("called");
  const copies = [CARRIER, CAFE].map((address) => at(fan.copied(["ticket"]), address));
  const proof = await solved(await claims(fan, {}));
  const passed = await until(
    () => claims(fan, proof),
    ({ status }) => status !== 202,
    { what: "the pass" },
  );
  assert.equal(passed.status, 200, passed.text);
  for (const copy of copies) {
    await copy.visit();
    const refused = await claims(copy, proof);
    assert.deepEqual([refused.status, problemOf(refused)], [422, "recheck"]);
  }
  assert.equal(
    (await claims(copies[0], await solved(await claims(copies[0], {})))).status,
    200,
    "it does one of its own",
  );
});

test("Q12 without script the check is waited for, and the wait goes on over a reload", async () => {
  const fan = arrives("careful", CARRIER);
  await joins(fan);
  await fan.reaches("called");
  fan.drop("browser");
  const checkIn = ({ text }) => text.match(/name="check" value="([^"]+)"/)?.[1];
  const send = (check) =>
    fan.visit(`${fan.queue}/tickets/me/pass`, {
      method: "POST",
      site: "same-origin",
      form: { return: fan.path, check },
    });
  const page = await fan.visit();
  assert.match(page.text, /seconds more, then the button lets you in/);
  assert.equal((await send(checkIn(page))).status, 303);
  assert.equal(fan.cookie("pass"), undefined);
  const again = await fan.visit();
  assert.equal(checkIn(again), checkIn(page));
  await room.advance(WAIT_MS);
  await until(
    () => send(checkIn(page)),
    () => fan.cookie("pass"),
    { what: "the pass" },
  );
  assert.equal((await fan.visit()).status, 200);
});

test("Q12 a claim out of a data centre is suspected, one of the same visitor from home is not", async () => {
  const told = room.told(RENTED);
  const fan = arrives("rented", WIFI, told);
  await joins(fan);
  await fan.reaches("called");
  assert.equal(problemOf(await claims(fan, {})), "recheck");
  for (const name of Object.keys(told)) delete fan.headers[name];
  await until(
    () => claims(fan, {}),
    ({ status }) => status === 200,
    { what: "the pass" },
  );
  assert.equal((await fan.visit()).status, 200);
});

test("a grant that waits for a check too long goes to others, and the turn stands anew", async () => {
  const fan = arrives("careful", OFFICE);
  await joins(fan);
  await fan.reaches("called");
  const proof = await solved(await claims(fan, {}));
  await until(
    () => fan.ask(),
    ({ session_ends_at_ms }) => session_ends_at_ms !== null,
    { what: "the grant" },
  );
  await room.advance(40_000);
  await until(
    () => fan.ask(),
    ({ state }) => state === "called",
    { what: "the offer" },
  );
  await until(
    () => claims(fan, proof),
    ({ status }) => status === 200,
    { what: "the pass" },
  );
});
