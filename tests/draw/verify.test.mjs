// The program verify-draw, from files and from a room: what it says and how it ends.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";
import { startBeacon } from "./beacon.mjs";
import { verifyDraw } from "./programs.mjs";
import { publishedDraw } from "./published.mjs";

const FIXED_AT = Date.UTC(2027, 2, 1, 9, 0, 0, 250);

let folder;
let beacon;
before(async () => {
  folder = mkdtempSync(path.join(tmpdir(), "draw-"));
  beacon = await startBeacon({ genesis: 1_700_000_000, period: 2 });
});
after(async () => {
  await beacon?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const beaconWords = () => [
  ...["--beacon-key", beacon.key, "--beacon-chain", beacon.chain],
  ...["--beacon-genesis", String(beacon.genesis), "--beacon-period", String(beacon.period)],
];

function saved(name, content) {
  const file = path.join(folder, name);
  writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content));
  return file;
}

/** Checks a published draw from files. */
function checked({ draw, log, ticket }, ...words) {
  const ticketWords = ticket ? ["--ticket", ticket] : [];
  return verifyDraw("--draw", saved("draw", draw), "--log", saved("log", log), ...ticketWords, ...words);
}

/** A room that has published `draw` and knows one ticket. */
async function startRoom({ draw, ticket }) {
  const server = createServer((request, response) => {
    const isKnown = request.headers.authorization === `Bearer ${ticket}`;
    const states = { "/_wr/queues/world-tour/tickets/me": { state: isKnown ? "waiting" : "none" } };
    const document = request.url === "/_wr/queues/world-tour/draw" ? draw : states[request.url];
    response.writeHead(document ? 200 : 404, { "content-type": "application/json" });
    response.end(JSON.stringify(document ?? {}));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}/_wr/queues/world-tour`,
    stop: () => new Promise((resolve) => server.close(resolve)),
  };
}

test("a draw with a beacon holds, from the commitment to the rank on the ticket", async () => {
  const published = publishedDraw({ fixedAt: FIXED_AT, beacon });
  const { code, said } = await checked({ ...published, ticket: published.ticketOf(17) }, ...beaconWords());
  assert.equal(code, 0, said);
  assert.match(said, /is signed by the beacon's key/);
  assert.match(said, /entry number 17 of general has rank \d+, place \d+ in the order: drawn among 200 entrants/);
  assert.doesNotMatch(said, /could have influenced/);
});

test("a beacon with another key did not sign it", async () => {
  const other = await startBeacon({ genesis: beacon.genesis, period: beacon.period, chain: beacon.chain });
  try {
    const { code, said } = await checked(publishedDraw({ fixedAt: FIXED_AT, beacon: other }), ...beaconWords());
    assert.equal(code, 1);
    assert.match(
      said,
      /DOES NOT HOLD line general, draw\.beacon\.signature: it is not the beacon's signature of round/,
    );
  } finally {
    await other.stop();
  }
});

test("quicknet did not sign it either, and has other rounds", async () => {
  const { code, said } = await checked(publishedDraw({ fixedAt: FIXED_AT, beacon }));
  assert.equal(code, 1);
  for (const member of ["chain", "round", "signature"]) {
    assert.match(said, new RegExp(`DOES NOT HOLD line general, draw\\.beacon\\.${member}`));
  }
});

test("without a beacon, or when its round did not come, it says that the operator could have influenced the draw", async () => {
  for (const draw of [{ fixedAt: FIXED_AT }, { fixedAt: FIXED_AT, beacon, cameNot: true }]) {
    const { code, said } = await checked(publishedDraw(draw), ...(draw.beacon ? beaconWords() : []));
    assert.equal(code, 0, said);
    assert.match(said, /not checked {3}line general, draw\.beacon: .*the operator.*could have influenced this draw/);
    assert.match(
      said.trimEnd().split("\n").at(-1),
      /But the operator could have influenced the draw of general: .*\.$/,
    );
  }
});

test("one altered value, and it ends with 1 and names it", async () => {
  const published = publishedDraw({ fixedAt: FIXED_AT, beacon });
  published.draw.lines[0].draw.entrants = 199;
  const { code, said } = await checked(published, ...beaconWords());
  assert.equal(code, 1);
  assert.match(said, /DOES NOT HOLD line general, draw\.entrants: log line 3 has another value/);
  assert.match(said, /DOES NOT HOLD line general, draw\.seed/);
});

/** Every value of a document, as the names on the way to it. */
const leavesOf = (value, way = []) =>
  value !== null && typeof value === "object"
    ? Object.entries(value).flatMap(([name, member]) => leavesOf(member, [...way, name]))
    : [way];

const another = (value) => {
  if (typeof value === "boolean") return !value;
  if (typeof value === "number") return value + 1;
  // Another last digit: of a time, one within the same round of the beacon.
  return value.replace(/[0-9a-z](?=Z?$)/, (digit) => (digit === "1" ? "2" : "1"));
};

/** How the program ends for each value of the draw when that alone is altered: `[way, exit code]`. */
async function endsOfAltered({ draw, log }) {
  const ends = [];
  for (const way of leavesOf(draw)) {
    const altered = structuredClone(draw);
    const parent = way.slice(0, -1).reduce((value, name) => value[name], altered);
    parent[way.at(-1)] = another(parent[way.at(-1)]);
    const words = log ? ["--log", saved("log", log)] : [];
    const { code } = await verifyDraw("--draw", saved("draw", altered), ...words, ...beaconWords());
    ends.push([way.join("."), code]);
  }
  return ends;
}

test("whichever value of the draw is altered, with the log it ends with 1; without, only the time is not proven", async () => {
  const published = publishedDraw({ fixedAt: FIXED_AT, beacon });
  const ends = await endsOfAltered(published);
  assert.equal(ends.length, 16);
  assert.deepEqual(
    ends.filter(([, code]) => code !== 1),
    [],
  );
  const alone = await endsOfAltered({ draw: published.draw });
  assert.deepEqual(
    alone.filter(([, code]) => code !== 1),
    [["lines.0.draw.fixed_at", 0]],
  );
});

test("a room is asked for its draw and whether the ticket is its own", async () => {
  const published = publishedDraw({ fixedAt: FIXED_AT });
  const ticket = published.ticketOf(3);
  const room = await startRoom({ draw: published.draw, ticket });
  try {
    const right = await verifyDraw("--url", room.url, "--ticket", ticket);
    assert.equal(right.code, 0, right.said);
    assert.match(right.said, /holds {9}ticket, shown to the room: the room's own/);
    assert.match(right.said, /not checked {3}log: no event log was given.*organizer exports it.*--log FILE/);
    const plain = new URL(room.url).origin;
    const named = await verifyDraw("--url", plain, "--event", "world-tour", "--ticket", ticket);
    assert.deepEqual([named.code, named.said], [0, right.said]);
    const unknown = await verifyDraw("--url", plain, "--event", "gig");
    assert.equal(unknown.code, 2);
    assert.match(unknown.said, /queues\/gig\/draw: answered with status 404: is there a waiting room, with this event/);
    // The last letter's upper bits belong to the signature's last byte.
    const forged = `${ticket.slice(0, -2)}${ticket.at(-2) === "A" ? "B" : "A"}${ticket.at(-1)}`;
    const wrong = await verifyDraw("--url", `${room.url}/`, "--ticket", forged);
    assert.equal(wrong.code, 1);
    assert.match(wrong.said, /DOES NOT HOLD ticket, shown to the room: it is none that this room made/);
  } finally {
    await room.stop();
  }
});

test("what cannot be asked or read ends with 2 and says why", async () => {
  const missing = path.join(folder, "nowhere");
  const cases = [
    [[], /one of --url and --draw is needed/],
    [["--draw", missing], /nowhere/],
    [["--url", "http://tickets.example.com/_wr/queues/e"], /has to begin with https:/],
    [["--url", "https://tickets.example.com"], /names no event: add --event EVENT/],
    [["--url", "http://127.0.0.1:9/_wr/queues/e"], /127\.0\.0\.1:9/],
    [["--draw", missing, "--beacon-key", "00"], /a beacon's key has 96 bytes/],
  ];
  for (const [words, why] of cases) {
    const { code, said } = await verifyDraw(...words);
    assert.equal(code, 2, said);
    assert.match(said, why);
  }
});

test("the beacon gives a round when its time has come and not before", async () => {
  const ask = async (what) => {
    const response = await fetch(`${beacon.url}/${beacon.chain}/${what}`, { signal: AbortSignal.timeout(10_000) });
    return { status: response.status, document: await response.json() };
  };
  const { document: info } = await ask("info");
  assert.equal(info.public_key, beacon.key);
  assert.equal(info.scheme, "bls-unchained-g1-rfc9380");
  const { document: latest } = await ask("public/latest");
  assert.ok(beacon.timeOf(latest.round) <= Date.now());
  assert.deepEqual((await ask("public/7")).document, beacon.round(7));
  assert.equal((await ask(`public/${latest.round + 100}`)).status, 425);
  assert.equal((await ask("public/0")).status, 404);
  beacon.answers = false;
  assert.equal((await ask("public/7")).status, 503);
  beacon.answers = true;
});
