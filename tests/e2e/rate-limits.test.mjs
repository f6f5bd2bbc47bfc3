// Who asks too often waits, keeps the place, and keeps no object busy; what an address is, only the platform says.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, before, test } from "node:test";
import { paused } from "./harness/crowd.mjs";
import { until } from "./harness/exchange.mjs";
import { startRoom } from "./harness/room.mjs";

const LOOKS = 200;
const GUESSES = 20;
const OBJECTS = ["demo/1/shard", "demo/1/coordinator"];

let room;
before(async () => {
  room = await startRoom({
    staged: true,
    events: [{ id: "demo" }, { id: "limited" }, { id: "work", challenge: "pow", pow_bits: 8 }],
  });
  await paused(room, "demo");
});
after(() => room?.stop());

const browserId = () => randomBytes(16).toString("base64url");

const from = (address, more = {}) => ({ "cf-connecting-ip": address, ...more });

/** A visitor from an address who waits behind another one inside. */
async function waiting(address, more) {
  const fan = room.visitor({ event: "demo", headers: from(address, more) });
  await fan.visit();
  await fan.join();
  await fan.reachesNumber();
  return fan;
}

/** Looks of a visitor, twenty at a time, until one is refused; on a busy machine ten seconds may begin anew meanwhile. */
async function looksTooOften(fan) {
  for (let batch = 0; batch < 100; batch += 1) {
    const some = Array.from({ length: 20 }, () => fan.script("GET", `${fan.queue}/tickets/me`));
    const answers = await Promise.all(some);
    for (const { status } of answers) assert.ok([200, 429].includes(status), `${status}`);
    const refused = answers.filter(({ status }) => status === 429);
    if (refused.length > 0) return { refused, taken: 20 * batch + 20 - refused.length };
  }
  assert.fail("nobody is told to wait");
}

test("Q6 who looks a hundred times a second is told to wait, from memory, and keeps the place", async () => {
  const fan = await waiting("192.0.2.1");
  const neighbour = await waiting("192.0.2.1");
  const { entry, state } = await fan.ask();
  await room.cut(...OBJECTS);
  const { refused, taken } = await looksTooOften(fan);
  assert.ok(taken >= LOOKS - 20, `${taken} were taken`);
  for (const { headers, json, state: told } of refused) {
    assert.ok(Number(headers["retry-after"]) >= 1 && Number(headers["retry-after"]) <= 10);
    assert.match(json.type, /too-many-looks$/);
    assert.equal(told, state, "how it stands is said all the same");
  }
  assert.equal(
    (await neighbour.script("GET", `${neighbour.queue}/tickets/me`)).status,
    200,
    "others behind the address",
  );
  await room.cut();
  await room.advance(11_000);
  assert.equal((await fan.ask()).entry, entry);
});

test("R5 whatever one visitor tries, a code of a neighbour at the same address is taken", async () => {
  const here = "198.51.100.70";
  const giver = await waiting(here);
  const { code } = (await giver.offer()).json;
  const guesser = room.visitor({ event: "demo", headers: from(here) });
  const wrong = () => guesser.takeOver("0000ABCDEFGHJKMNPQRS", browserId());
  const tries = await Promise.all(Array.from({ length: 60 }, wrong));
  assert.equal(tries.filter(({ status }) => status === 404).length, GUESSES, "also all at once");
  for (const { status, json } of tries.filter(({ status }) => status !== 404)) {
    assert.deepEqual([status, json.type], [429, "urn:anteroom:problem:too-many-guesses"]);
  }
  const phone = room.visitor({ event: "demo", headers: from(here) });
  const taken = await phone.takeOver(code, browserId());
  assert.deepEqual([taken.status, taken.json.entry], [200, (await giver.ask()).entry], taken.text);
  const over = [];
  for (let n = 0; n < 22; n += 1) over.push((await guesser.takeOver(code, browserId())).status);
  assert.deepEqual([over[0], over.at(-1)], [409, 429], "one code that is sent again and again is braked by itself");
});

test("R5 who handed a place over and goes on looking keeps nobody from it", async () => {
  const here = "198.51.100.71";
  const giver = await waiting(here);
  const phone = room.visitor({ event: "demo", headers: from(here) });
  const taken = await phone.takeOver((await giver.offer()).json.code, browserId());
  assert.equal(taken.status, 200, taken.text);
  await looksTooOften(giver);
  const look = await phone.script("GET", `${phone.queue}/tickets/me`);
  assert.deepEqual([look.status, look.json.entry], [200, taken.json.entry]);
});

test("O4 an address that a visitor writes changes nothing, neither against it nor for it", async () => {
  const victim = "192.0.2.20";
  const spoofed = (address) => ({
    "x-forwarded-for": address,
    "x-real-ip": address,
    "true-client-ip": address,
    "x-client-ip": address,
    forwarded: `for=${address}`,
  });
  const guess = (fan) => fan.takeOver("0000ABCDEFGHJKMNPQRS", "AAAAAAAAAAAAAAAAAAAAAA");
  const guesser = room.visitor({ event: "demo", headers: from("192.0.2.21", spoofed(victim)) });
  const statuses = [];
  for (let n = 0; n < 22; n += 1) {
    guesser.headers = from("192.0.2.21", spoofed(n % 2 ? victim : `198.51.100.${n}`));
    statuses.push((await guess(guesser)).status);
  }
  assert.deepEqual([statuses[0], statuses.indexOf(429)], [404, 20], String(statuses));
  const other = room.visitor({ event: "demo", headers: from(victim) });
  assert.equal((await guess(other)).status, 404, "nobody was counted for whom it was said");
});

test("where the platform's limits are there, what they refuse waits from the next request on", async () => {
  await room.limit({ RATE_POLLS: 5, RATE_CODES: 2 });
  const fan = await waiting("203.0.113.4");
  await until(
    () => fan.script("GET", `${fan.queue}/tickets/me`),
    ({ status }) => status === 429,
    { what: "the platform's refusal" },
  );
  await room.advance(11_000);
  await room.limit({ RATE_POLLS: 1_000 });
  assert.equal((await fan.script("GET", `${fan.queue}/tickets/me`)).status, 200);
  const guesses = [];
  for (let n = 0; n < 6; n += 1) {
    guesses.push((await fan.takeOver("0000ABCDEFGHJKMNPQRS", "AAAAAAAAAAAAAAAAAAAAAA")).status);
  }
  assert.ok(guesses.includes(429) && guesses[0] === 404, String(guesses));
});

test("O4 the platform's limits are told a keyed hash, another for each network and event, and no address", async () => {
  const of = async (address, event = "limited") => {
    const before = (await room.limit({ RATE_PERMITS: 1_000 })).length;
    const fan = room.visitor({ event, headers: from(address) });
    await fan.script("POST", `${fan.queue}/permits`, {});
    const [[name, key]] = (await room.limit()).slice(before);
    assert.equal(name, "RATE_PERMITS");
    return key;
  };
  const keys = [await of("203.0.113.40"), await of("203.0.113.41"), await of("203.0.113.40", "work")];
  assert.equal(await of("203.0.113.40"), keys[0]);
  assert.equal(new Set(keys).size, 3);
  for (const key of keys) assert.match(key, /^[\w-]{22}$/);
  for (const [, key] of await room.limit()) assert.doesNotMatch(key, /203|113/);
});

test("P22 the platform's limit of a place stops no crowd behind one address that has no place yet", async () => {
  const before = (await room.limit({ RATE_POLLS: 5 })).length;
  for (let n = 0; n < 20; n += 1) {
    const fan = room.visitor({ event: "limited", headers: from("203.0.113.60") });
    const answers = [await fan.script("GET", `${fan.queue}/tickets/me`), await fan.script("GET", fan.queue)];
    for (const { status, text } of answers) assert.equal(status, 200, text);
  }
  assert.deepEqual((await room.limit()).slice(before), []);
});

test("a network that the platform calls busy works more, and is not refused", async () => {
  const asks = async (address) => {
    const fan = room.visitor({ event: "work", headers: from(address) });
    const answer = await fan.script("POST", `${fan.queue}/permits`, {});
    assert.equal(answer.status, 201, answer.text);
    return answer.json.challenge.bits;
  };
  await room.limit({ RATE_PERMITS: 3 });
  const bits = [];
  for (let n = 0; n < 6; n += 1) bits.push(await asks("198.51.100.7"));
  assert.equal(bits[0], 8);
  assert.equal(bits.at(-1), 9);
  assert.equal(await asks("198.51.100.8"), 8, "another network");
});

test("a form or a script never shows an address in what is logged", () => {
  for (const address of ["192.0.2.1", "203.0.113.4", "198.51.100.7"]) assert.ok(!room.output.includes(address));
});
