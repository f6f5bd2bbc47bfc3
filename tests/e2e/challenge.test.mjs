// Proof of work: asked of everybody, checked at the edge before anybody else is asked, spent by the place. P1 to P10, P18,
// P22 and what else is of their kind.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { until } from "./harness/exchange.mjs";
import { opened, signed } from "./harness/forge.mjs";
import { startRoom } from "./harness/room.mjs";
import { solutionOf, solverOf, zeroBits } from "./harness/work.mjs";

const EASY = { challenge: "pow", pow_bits: 8 };
const NEVER = "2999-01-01T10:00:00Z";
const WAIT_MS = 15_000;

let room;
let solve;
before(async () => {
  room = await startRoom({
    staged: true,
    events: [
      { id: "easy", ...EASY, opens_at: NEVER },
      { id: "usual", challenge: "pow", opens_at: NEVER },
      { id: "other", ...EASY, opens_at: NEVER },
      { id: "crowd", ...EASY, pow_bits: 4, expected_visitors: 8_000, opens_at: NEVER },
      { id: "waits", challenge: "pow", opens_at: NEVER },
      { id: "door", ...EASY, mode: "auto" },
      { id: "away", ...EASY, opens_at: NEVER },
    ],
  });
  solve = await solverOf(room);
});
after(() => room?.stop());

let networks = 0;
/** Everybody comes from another network, unless a test says otherwise. */
function arrives(event, headers = {}) {
  networks += 1;
  const address = `10.${networks >> 8}.${networks & 255}.1`;
  return room.visitor({ event, headers: { "cf-connecting-ip": address, ...headers } });
}

/** A visitor with a permit, and what it asks for. */
async function asks(event, headers) {
  const fan = arrives(event, headers);
  const answer = await fan.script("POST", `${fan.queue}/permits`);
  assert.equal(answer.status, 201, answer.text);
  return { fan, permit: answer.json.permit, challenge: answer.json.challenge };
}

const join = (fan, permit, solution) =>
  fan.script("POST", `${fan.queue}/tickets`, { permit, ...(solution && { solution }) });

test("a permit asks for 32 puzzles, their solution makes a place, and the definition agrees with the solver", async () => {
  const { fan, permit, challenge } = await asks("easy");
  assert.deepEqual(challenge, { kind: "pow", bits: 8, puzzles: 32, or_wait_seconds: 15 });
  const { claims } = opened(permit);
  assert.deepEqual([claims.chl, claims.bits, claims.exp - claims.iat], ["pow", 8, 300]);
  const solution = await solve(permit, 8);
  for (let index = 0; index < 32; index += 1) {
    assert.ok(zeroBits(permit, index, Number.parseInt(solution.slice(8 * index, 8 * index + 8), 16)) >= 8);
  }
  const joined = await join(fan, permit, solution);
  assert.deepEqual([joined.status, joined.json.state], [201, "waiting"]);
});

test("P4 one permit's work makes a place a few times after it was left, and then no more", async () => {
  const { fan, permit } = await asks("easy");
  const solution = await solve(permit, 8);
  const bearer = {};
  const again = () =>
    room.ask("/_wr/queues/easy/tickets", {
      method: "POST",
      headers: { "content-type": "application/json", ...fan.headers, ...bearer },
      body: JSON.stringify({ permit, solution }),
    });
  const first = await again();
  bearer.authorization = `Bearer ${first.json.ticket}`;
  let newest = first;
  let places = 0;
  for (let round = 0; round < 10 && newest.status === 201; round += 1) {
    places += 1;
    await room.ask("/_wr/queues/easy/tickets/me", {
      method: "DELETE",
      headers: { ...fan.headers, authorization: `Bearer ${newest.json.ticket}` },
    });
    newest = await again();
  }
  assert.ok(places <= 5, `${places} places`);
  const answers = await Promise.all(Array.from({ length: 10 }, again));
  for (const { status, json } of [newest, ...answers]) assert.deepEqual([status, json.field], [422, "permit"]);
});

test("P1 P2 P5 P8 solutions that miss, of another permit, event or difficulty, and stockpiled ones make no place", async () => {
  const { fan, permit } = await asks("easy");
  const solution = await solve(permit, 8);
  const refused = async (answer, status, kind) => {
    assert.deepEqual([answer.status, answer.json.type], [status, `urn:anteroom:problem:${kind}`], answer.text);
    assert.equal((await fan.ask()).state, "none");
  };
  await refused(await join(fan, permit, "0".repeat(256)), 422, "unusable-field");
  for (const bad of [
    "x",
    solution.slice(1),
    `${solution}0`,
    solution.toUpperCase().replace("A", "G"),
    `0x${solution}`,
  ]) {
    await refused(await join(fan, permit, bad), 400, "bad-field");
  }
  const moved = solution.slice(8) + solution.slice(0, 8);
  await refused(await join(fan, permit, moved), 422, "unusable-field");
  await refused(await join(fan, permit), 422, "unsolved");
  const { permit: another } = await asks("easy");
  await refused(await join(fan, another, solution), 422, "unusable-field");
  const { permit: elsewhere } = await asks("other");
  await refused(await join(fan, elsewhere, await solve(elsewhere, 8)), 400, "bad-field");
  const { claims } = opened(permit);
  for (const change of [{ bits: 1 }, { chl: "none", bits: undefined }, { home: 1 }, { evt: "other" }]) {
    const [header, , signature] = permit.split(".");
    const altered = [header, Buffer.from(JSON.stringify({ ...claims, ...change })).toString("base64url"), signature];
    await refused(await join(fan, altered.join("."), solution), 400, "bad-field");
  }
  const old = { ...claims, iat: claims.iat - 400, exp: claims.exp - 400 };
  const stockpiled = signed(room, "wr-permit+jwt", old);
  await refused(await join(fan, stockpiled, await solve(stockpiled, 8)), 410, "permit-expired");
  const first = opened((await asks("easy")).permit).claims.jti;
  assert.notEqual(first, opened((await asks("easy")).permit).claims.jti, "P8 nothing in a permit can be foreseen");
});

test("P4 a thousand uses of one solution at once make exactly one place, and a lost answer is found again", async () => {
  const { fan, permit } = await asks("easy");
  const solution = await solve(permit, 8);
  const browsers = Array.from({ length: 1_000 }, () => arrives("easy"));
  const entries = new Set();
  while (browsers.length > 0) {
    const some = await Promise.all(browsers.splice(0, 50).map((each) => join(each, permit, solution)));
    for (const { status, json, text } of some) {
      assert.ok([200, 201].includes(status), text);
      entries.add(json.entry);
    }
  }
  assert.equal(entries.size, 1);
  assert.equal((await join(fan, permit, solution)).json.entry, [...entries][0]);
});

test("P9 P10 ten thousand garbage solutions and permits wake no object", async () => {
  const { fan, permit } = await asks("away");
  await until(
    () => room.board("away"),
    ({ phase, lines }) => phase ?? lines,
    { what: "a board" },
  );
  await room.cut("away/1/");
  try {
    const refused = await join(fan, permit, "0".repeat(256));
    assert.equal(refused.status, 422, "decided while every object is away");
    for (let n = 0; n < 100; n += 1) {
      const all = await Promise.all(
        Array.from({ length: 100 }, () => join(fan, permit, solutionOf(Array(32).fill(n)))),
      );
      assert.ok(all.every(({ status }) => status === 422));
    }
    assert.equal((await asks("away")).challenge.kind, "pow", "permits too");
  } finally {
    await room.cut();
  }
});

test("P18 without script a wait that the server measures does instead, for a few of each network, and for nobody else less", async () => {
  const fan = arrives("waits");
  const page = await fan.visit();
  const here = fan.headers;
  assert.match(page.text, /<noscript><p class="notice">Without script, a short wait/);
  const form = () => ({ permit: fan.page.permit, return: fan.path });
  const press = () => fan.visit(`${fan.queue}/tickets`, { method: "POST", site: "same-origin", form: form() });
  assert.equal((await press()).headers.location, fan.path);
  assert.equal((await fan.ask()).state, "none", "too early: the page comes back, and says so");
  const early = await join(fan, fan.page.permit);
  assert.deepEqual([early.status, early.json.type], [422, "urn:anteroom:problem:unsolved"]);
  assert.ok(early.json.retry_after_ms > 0 && early.json.retry_after_ms <= WAIT_MS);
  const { permit } = fan.page;
  await room.advance(WAIT_MS);
  const again = await fan.visit();
  assert.equal(fan.page.permit, permit, "the page keeps the permit, and with it the time that has passed");
  assert.doesNotMatch(again.text, /a short wait/);
  assert.equal((await press()).status, 303);
  assert.equal((await fan.ask()).state, "waiting");
  const statuses = [];
  for (let n = 0; n < 12; n += 1) {
    const { fan: next, permit: other } = await asks("waits", here);
    await room.advance(8 * WAIT_MS);
    statuses.push((await join(next, other)).status);
  }
  assert.ok(statuses.includes(201), String(statuses));
  const { fan: late, permit: last } = await asks("waits", here);
  await room.advance(WAIT_MS);
  const full = await join(late, last);
  if (full.status === 422) assert.ok(full.json.retry_after_ms > 0, "when to try again is said");
  const { fan: elsewhere, permit: free } = await asks("waits");
  await room.advance(WAIT_MS);
  assert.equal((await join(elsewhere, free)).status, 201, "other networks wait no longer");
});

test("P18 forty who wait at the same time are ten, and a lost answer is found again", async () => {
  const near = (n) => ({ "cf-connecting-ip": `198.18.7.${n}` });
  const people = await Promise.all(Array.from({ length: 40 }, (_, n) => asks("waits", near(n))));
  await room.advance(WAIT_MS);
  const all = () => Promise.all(people.map(({ fan, permit }) => join(fan, permit)));
  const joined = await all();
  const places = joined.filter(({ status }) => status === 201);
  assert.equal(places.length, 10, String(joined.map(({ status }) => status)));
  for (const { status, json } of joined.filter((answer) => !places.includes(answer))) {
    assert.deepEqual([status, json.type], [422, "urn:anteroom:problem:unsolved"]);
    assert.ok(json.retry_after_ms > 500_000);
  }
  for (const { fan } of people) fan.jar.clear();
  const again = await all();
  assert.deepEqual(
    again.filter(({ status }) => status === 200).map(({ json }) => json.entry),
    places.map(({ json }) => json.entry),
    "and nobody else gets in with it",
  );
});

test("P18 a wait while the home is away counts: the permit that comes back asks for nothing more", async () => {
  const near = (n) => ({ "cf-connecting-ip": `198.18.8.${n}` });
  const people = await Promise.all(Array.from({ length: 15 }, (_, n) => asks("away", near(n))));
  await room.advance(WAIT_MS);
  await room.cut("away/1/shard");
  const away = [];
  for (const { fan, permit } of people) away.push(await join(fan, permit));
  await room.cut();
  assert.deepEqual(
    away.map(({ status }) => status),
    [...Array(10).fill(503), ...Array(5).fill(422)],
  );
  const kept = away.slice(0, 10).map(({ json }, n) => join(people[n].fan, json.permit));
  for (const { status, text } of await Promise.all(kept)) assert.ok([200, 201].includes(status), text);
});

test("P22 Q2 permits fetched together are asked for more as their network's joins grow, for the same place", async () => {
  const near = (n) => ({ "cf-connecting-ip": `203.0.114.${n % 250}` });
  const people = await Promise.all(
    Array.from({ length: 300 }, async (_, n) => {
      const person = await asks("crowd", near(n));
      assert.equal(person.challenge.bits, 4, "nobody has joined yet");
      return person;
    }),
  );
  for (const person of people) person.solution = await solve(person.permit, 4);
  const all = await Promise.all(people.map(({ fan, permit, solution }) => join(fan, permit, solution)));
  const refused = people.filter((_, n) => all[n].status !== 201);
  assert.equal(refused.length, 300 - 256, "at once as one after the other");
  const raised = async ({ permit }, { status, json, cookies }, bits = 6) => {
    const { type, field, challenge, permit: more } = json;
    assert.deepEqual([status, type, field], [422, "urn:anteroom:problem:unsolved", "solution"]);
    assert.deepEqual([challenge.bits, opened(more).claims.bits], [bits, bits]);
    assert.equal(opened(more).claims.jti, opened(permit).claims.jti, "it makes the same place");
    assert.ok(cookies.some(({ value }) => value === more));
    return more;
  };
  for (const person of refused) {
    const more = await raised(person, all[people.indexOf(person)]);
    const joined = await join(person.fan, more, await solve(more, 6));
    assert.equal(joined.status, 201, "nobody is asked twice");
  }
  const [first] = people.filter((person) => !refused.includes(person));
  const place = all[people.indexOf(first)].json;
  first.fan.jar.clear();
  const found = await join(first.fan, first.permit, first.solution);
  assert.deepEqual(
    [found.status, found.json.entry],
    [200, place.entry],
    "a lost answer costs no place and no more work",
  );
});

test("P22 Q2 two thousand honest joins behind one network all get a place; the work grows eightfold and no further", async () => {
  const bits = new Set();
  const crowd = Array.from({ length: 2_000 }, (_, n) => ({ "cf-connecting-ip": `203.0.113.${n % 250}` }));
  let joined = 0;
  while (crowd.length > 0) {
    const some = await Promise.all(crowd.splice(0, 20).map((headers) => asks("crowd", headers)));
    for (const { fan, permit, challenge } of some) {
      bits.add(challenge.bits);
      const { status, text } = await join(fan, permit, await solve(permit, challenge.bits));
      assert.equal(status, 201, text);
      joined += 1;
    }
  }
  assert.deepEqual([joined, [...bits].toSorted((a, b) => a - b)], [2_000, [4, 5, 6, 7]]);
  assert.equal((await asks("crowd")).challenge.bits, 4, "others are asked for no more");
});

test("signals: whoever sends no browser's headers works twice as much, and nobody is refused", async () => {
  const bare = await room.ask("/_wr/queues/usual/permits", {
    method: "POST",
    headers: { "cf-connecting-ip": "192.0.2.200" },
  });
  assert.deepEqual([bare.status, bare.json.challenge.bits, bare.json.challenge.or_wait_seconds], [201, 17, 30]);
  assert.equal((await asks("usual")).challenge.bits, 16);
});

test("open-door: a first visit that is let in in one step is asked for nothing", async () => {
  const fan = arrives("door");
  await until(
    () => fan.visit(),
    ({ status }) => status === 200,
    { what: "the shop" },
  );
});

test("a home that is away costs no second work: the permit that comes back asks for nothing", async () => {
  const { fan, permit } = await asks("away");
  const solution = await solve(permit, 8);
  await room.cut("away/1/shard");
  const away = await join(fan, permit, solution);
  await room.cut();
  assert.equal(away.status, 503, away.text);
  assert.equal(opened(away.json.permit).claims.chl, "none");
  const joined = await join(fan, away.json.permit);
  assert.ok([200, 201].includes(joined.status), joined.text);
});

test("a permit that ends soon is replaced, one with time left is kept", async () => {
  const fan = arrives("easy");
  await fan.visit();
  const { permit } = fan.page;
  await fan.visit();
  assert.equal(fan.page.permit, permit);
  await room.advance(245_000);
  await fan.visit();
  assert.notEqual(fan.page.permit, permit);
});

test("the solver is one script for everybody, kept for good, under a policy of its own", async () => {
  const fan = arrives("easy");
  const page = await fan.visit();
  const script = await room.ask(fan.page.solver);
  assert.match(script.headers["content-type"], /^text\/javascript/);
  assert.equal(script.headers["cache-control"], "public, max-age=31536000, immutable");
  assert.equal(
    script.headers["content-security-policy"],
    "default-src 'none'; script-src 'wasm-unsafe-eval'; frame-ancestors 'none'",
  );
  assert.match(page.headers["content-security-policy"], /worker-src 'self'/);
  assert.doesNotMatch(page.headers["content-security-policy"], /unsafe/);
});
