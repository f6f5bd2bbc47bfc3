// What is kept of a visitor: no address, no name, no token and no code, neither in what is stored nor in what is logged.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { after, before, test } from "node:test";
import { until } from "./harness/exchange.mjs";
import { inviterOf, codesOf } from "./harness/inviting.mjs";
import { opened, operatorTokenOf, withWrongSignature } from "./harness/forge.mjs";
import { Operator } from "./harness/operator.mjs";
import { startRoom } from "./harness/room.mjs";

const ADDRESSES = ["203.0.113.77", "2001:db8:77:7700:1234:5678:9abc:def0", "198.51.100.9"];
const NETWORKS = [
  "203.0.113.0/24",
  "203.0.113.0",
  "203.0.113",
  "2001:db8:77::/48",
  "2001:db8:77:7700::/56",
  "2001:db8:77",
];
/** Who can be known by it: a membership that is an address of mail, and a browser's name. */
const MEMBER = "anna.example@mail.example";
const AGENT = "PrivateBrowser/77.1 (a rare device)";
const LINES = [{ id: "general" }, { id: "fans", access: "code" }, { id: "members", access: "enqueue_token" }];

let room;
before(async () => {
  room = await startRoom({
    staged: true,
    events: [
      { id: "demo", origin: "demo-shop", lines: LINES, session_minutes: 10, idle_minutes: 5 },
      { id: "worked", origin: "demo-shop", challenge: "pow", pow_bits: 4 },
    ],
  });
});
after(() => room?.stop());

/** What nobody may find again, gathered on the way: `[name, text]`. */
const secrets = [];
const keepSecret = (name, text) => {
  assert.ok(typeof text === "string" && text.length >= 8, `${name} is there`);
  secrets.push([name, text]);
  return text;
};

const from = (address, event = "demo") =>
  room.visitor({
    event,
    headers: {
      "cf-connecting-ip": address,
      "x-forwarded-for": ADDRESSES[2],
      "user-agent": AGENT,
      "cf-ipcountry": "DE",
    },
  });

function keepCookies(fan, who) {
  for (const kind of ["permit", "ticket", "pass", "browser"]) {
    if (fan.cookie(kind)) keepSecret(`the ${kind} of ${who}`, fan.cookie(kind));
  }
}

/** The whole way of somebody in the line of this, and back out. */
async function wholeWay(address, who, more) {
  const fan = from(address);
  await fan.visit();
  keepCookies(fan, who);
  const joined = await fan.tryToJoin(more);
  assert.equal(joined.status, 201, joined.text);
  const { code } = (await fan.offer()).json;
  keepSecret(`the hand-over code of ${who}`, code.replaceAll("-", ""));
  keepCookies(fan, who);
  await fan.enter();
  keepCookies(fan, who);
  const hall = await fan.visit();
  assert.equal(hall.status, 200);
  const [, seat] = hall.text.match(/name="seat" value="([^"]*)"/);
  const reserved = await fan.visit("/events/demo/reservations", {
    method: "POST",
    site: "same-origin",
    form: { seat },
  });
  assert.equal(reserved.headers.location, "/events/demo/cart", "the shop has stored something too");
  return fan;
}

/** Requests that are refused, with something private in each. */
async function refusals(code) {
  const fan = from(ADDRESSES[0]);
  await fan.visit();
  const ticket = withWrongSignature(secrets.find(([name]) => name.startsWith("the ticket"))[1]);
  const forged = keepSecret("a forged operator token", withWrongSignature(operatorTokenOf(room)));
  const bearer = { authorization: `Bearer ${forged}` };
  const guess = keepSecret("a guessed code", "ZZZZZYYYYYXXXXXWWWWW");
  const asked = [
    await fan.tryToJoin({ line: "fans", code: guess }),
    await fan.tryToJoin({ line: "members", enqueue_token: `${ticket}x` }),
    await fan.script("POST", `${fan.queue}/tickets`, { permit: ticket }),
    await fan.script("POST", `${fan.queue}/handover`, { code: guess, id: "x" }),
    await fan.script("POST", `${fan.queue}/staff/enter`, { token: forged }),
    await room.ask(`/_wr/queues/demo/observability?token=${forged}`),
    await room.ask("/_wr/queues/demo", { method: "PATCH", headers: bearer, body: JSON.stringify({ action: MEMBER }) }),
    await room.ask("/_wr/access", { headers: { authorization: `Bearer ${ticket}` } }),
    await room.ask(`/events/demo/${code}`, { headers: { "waiting-room-pass": ticket } }),
    await fan.script("POST", `${fan.queue}/tickets`, { [MEMBER]: AGENT }),
  ];
  for (const { status, text } of asked) {
    assert.ok(status >= 400 && status < 504, `${status}`);
    for (const [name, secret] of [...secrets, ["the member", MEMBER]])
      assert.ok(!text.includes(secret), `${name} is repeated`);
  }
}

test("a visitor's whole way and a row of refusals leave no address, token, code or name in any row, file or line of the log", async () => {
  const [code] = await codesOf(room, { line: "fans" });
  keepSecret("an access code", code);
  const invite = await inviterOf(room);
  const invitation = keepSecret("an invitation", invite({ key: MEMBER }));
  const operator = await room.operator({ name: "anna" });
  keepSecret("the operator's token", operator.token);

  const plain = await wholeWay(ADDRESSES[0], "one in the general line", {});
  const coded = await wholeWay(ADDRESSES[1], "one with a code", { line: "fans", code });
  await wholeWay(ADDRESSES[0], "a member", { line: "members", enqueue_token: invitation });
  const worker = from(ADDRESSES[1], "worked");
  await worker.visit();
  keepCookies(worker, "one who works");
  await refusals(code);
  const first = plain.cookie("pass");
  // The shop's clock does not move along: whatever it says, the edge has renewed the pass.
  await room.advance(100_000);
  const renewed = () => plain.cookie("pass") !== first;
  await until(() => plain.visit(), renewed, { what: "a renewed pass" });
  keepCookies(plain, "one in the general line, renewed");
  await coded.leave();
  // Something is logged, and somewhere something is stored: else this test would see nothing at all.
  await operator.act("message", { text: "More seats at noon" });
  await new Operator(room, { event: "demo", token: withWrongSignature(operator.token) }).look();

  await plain.release();
  keepSecret("the root key", room.secrets.ROOT_KEY.split(":")[1]);
  const stored = room.everythingStored();
  assert.ok(
    stored.some(({ where }) => /^places?\//.test(where) || where.startsWith("page")),
    stored.map(({ where }) => where).join(" "),
  );
  assert.match(room.output, /operator anna on demo: .*More seats at noon/);
  assert.match(room.output, /operator tokens that nobody signed: \d+/);
  const number = Buffer.from(opened(plain.cookie("ticket")).claims.jti, "base64url");
  assert.ok(
    stored.some(({ bytes }) => bytes.includes(number)),
    "what is stored is seen: the number by which a ticket is recognised",
  );
  const told = await operator.wholeLog();
  assert.ok(told.length > 3);
  const places = [...stored, { where: "the log of the server", bytes: Buffer.from(room.output) }];
  places.push({ where: "the event log", bytes: Buffer.from(JSON.stringify(told)) });
  assert.deepEqual(found(places), []);
});

/** Every private thing in every form in which it might be kept, and where it is. */
function found(places) {
  const texts = [...ADDRESSES, ...NETWORKS, MEMBER, AGENT].map((text) => [text, text]);
  const all = [...texts, ...secrets].map(([name, text]) => [name, Buffer.from(text)]);
  const signatures = secrets.filter(([, text]) => text.split(".").length === 3);
  const raw = signatures.map(([name, text]) => [
    `${name}, its signature`,
    Buffer.from(text.split(".")[2], "base64url"),
  ]);
  // A plain hash of an address or of a network is found out by trying all of them.
  const hashes = [...ADDRESSES, ...NETWORKS].map((text) => [
    `SHA-256 of ${text}`,
    createHash("sha256").update(text).digest().subarray(0, 8),
  ]);
  const binary = [
    ["the bytes of an IPv4 address", Buffer.from([203, 0, 113, 77])],
    ["the bytes of an IPv6 network", Buffer.from("20010db8007777", "hex")],
  ];
  return [...all, ...raw, ...hashes, ...binary].flatMap(([name, bytes]) =>
    places.filter(({ bytes: kept }) => kept.includes(bytes)).map(({ where }) => `${name} in ${where}`),
  );
}

test("O4 what a visitor says of the own address makes no other network of it: guesses are counted for the one that is known", async () => {
  const guesser = from("192.0.2.66");
  const statuses = [];
  for (let n = 0; n < 22; n += 1) {
    const claimed = `198.51.100.${n}`;
    const headers = {
      "x-forwarded-for": claimed,
      "x-real-ip": claimed,
      "true-client-ip": claimed,
      forwarded: `for=${claimed}`,
    };
    statuses.push((await guesser.takeOver("0000ZABCDEFGHJKMNPQR", "A".repeat(22), headers)).status);
  }
  assert.equal(statuses[0], 404, String(statuses));
  assert.equal(statuses.at(-1), 429, String(statuses));
});
