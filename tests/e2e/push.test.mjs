// The board as it changes, over a WebSocket at the home of the place and over the edge's stream.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import WebSocket from "ws";
import { joined, paused } from "./harness/crowd.mjs";
import { until } from "./harness/exchange.mjs";
import { startRoom } from "./harness/room.mjs";

/** From the operator's word to every page that listens. */
const SEEN_WITHIN_MS = 2_000;
const SILENCE_MS = 8_000;

let room;
before(async () => {
  room = await startRoom({ staged: true, events: ["told", "kept", "cut", "shut", "slept"].map((id) => ({ id })) });
});
after(() => room?.stop());

const cookiesOf = (fan) => [...fan.jar].map(([name, { value }]) => `${name}=${value}`).join("; ");

/** Opens the socket of a visitor: `{ words, isOpen, close, said }`, or the answer that refused it. */
function listens(fan, headers = {}) {
  const address = `${room.url.replace("http", "ws")}${fan.queue}/tickets/me/ws`;
  const own = { cookie: cookiesOf(fan), origin: room.url };
  const connection = new WebSocket(address, { headers: { ...own, ...headers }, handshakeTimeout: 5_000 });
  const words = [];
  connection.on("message", (data) => words.push({ at: Date.now(), ...JSON.parse(String(data)) }));
  let code = null;
  connection.once("close", (closed) => {
    code = closed;
  });
  return new Promise((resolve, reject) => {
    connection.once("open", () =>
      resolve({ words, connection, code: () => code, close: () => connection.terminate() }),
    );
    connection.once("unexpected-response", (request, response) => {
      let text = "";
      response.on("data", (data) => {
        text += data;
      });
      response.on("end", () => {
        resolve({ status: response.statusCode, headers: response.headers, text });
        request.destroy();
      });
    });
    connection.once("error", reject);
  });
}

test("who has a place is told the board at once, and what changes on it within two seconds", async () => {
  const operator = await paused(room, "told");
  const fans = await joined(room, "told", 5);
  const sockets = await Promise.all(fans.map((fan) => listens(fan)));
  try {
    for (const { words } of sockets) {
      await until(
        () => words,
        ({ length }) => length > 0,
        { what: "the first word" },
      );
      assert.equal(words[0].lines[0].phase, "paused");
    }
    const { entries } = (await room.board("told")).lines[0];
    const began = Date.now();
    await operator.act("resume");
    const isCalled = ({ words }) => words.find(({ lines }) => lines[0].called >= entries);
    for (const socket of sockets) {
      await until(() => socket, isCalled, { what: "the turn", within_ms: 10_000 });
      const opened = socket.words.find(({ lines }) => lines[0].phase === "open");
      assert.ok(opened.settled > socket.words[0].settled, "what a word does not tell has changed with it");
      const versions = socket.words.map(({ version }) => version);
      assert.deepEqual(
        versions,
        versions.toSorted((a, b) => a - b),
        "never an older board",
      );
      assert.ok(opened.at - began < SEEN_WITHIN_MS + 1_000, `seen after ${opened.at - began} ms`);
    }
  } finally {
    for (const { close } of sockets) close();
  }
});

test("only a ticket opens a socket, and only on our own page", async () => {
  const [fan] = await joined(room, "shut", 1);
  const stranger = room.visitor({ event: "shut" });
  const refused = await listens(stranger);
  assert.deepEqual([refused.status, JSON.parse(refused.text).type], [401, "urn:anteroom:problem:unauthorized"]);
  const foreign = await listens(fan, { origin: "https://evil.example" });
  assert.deepEqual([foreign.status, JSON.parse(foreign.text).type], [403, "urn:anteroom:problem:foreign-site"]);
  const plain = await fan.script("GET", `${fan.queue}/tickets/me/ws`);
  assert.deepEqual([plain.status, plain.json.type], [426, "urn:anteroom:problem:upgrade-needed"]);
  for (const protocol of ["websocket/13", "h2c, websocket", "h2c"]) {
    const odd = await fan.script("GET", `${fan.queue}/tickets/me/ws`, undefined, { upgrade: protocol });
    assert.equal(odd.status, 426, protocol);
  }
});

test("a page that says something is not heard, and its socket is closed", async () => {
  const [fan] = await joined(room, "shut", 1);
  const socket = await listens(fan);
  socket.connection.send("let me in");
  await until(socket.code, (code) => code === 1_008, { what: "the end of the socket" });
});

test("one place has a few sockets, and no more take the room of others", async () => {
  const [fan, other] = await joined(room, "shut", 2);
  const sockets = [];
  for (let n = 0; n < 4; n += 1) sockets.push(await listens(fan));
  assert.equal((await listens(fan)).status, 503);
  sockets.push(await listens(other));
  assert.ok(sockets.every(({ words }) => words));
  sockets[0].close();
  sockets.push(
    await until(
      () => listens(fan),
      ({ words }) => words,
      { what: "a socket again" },
    ),
  );
  for (const { close } of sockets) close();
});

test("without news the last word is said again, so that silence means that nobody is there", async () => {
  const [fan] = await joined(room, "kept", 1);
  const { words, close } = await listens(fan);
  try {
    await until(
      () => words,
      ({ length }) => length >= 2,
      { within_ms: 3 * SILENCE_MS, what: "a second word" },
    );
    assert.ok(
      words.every(({ age_ms }) => age_ms < 5_000),
      "and it is not old",
    );
  } finally {
    close();
  }
});

test("a socket outlives the eviction of its home, which tells it the next board", async () => {
  const operator = await room.operator({ event: "slept" });
  const [fan] = await joined(room, "slept", 1);
  const { words, close, code } = await listens(fan);
  const hears = (phase) =>
    until(
      () => words.at(-1),
      (word) => word?.lines[0].phase === phase,
      { within_ms: SEEN_WITHIN_MS + 1_000, what: phase },
    );
  try {
    // While anything may change a home with listeners stays awake; when all lines are over it sleeps.
    await operator.act("close");
    await hears("closed");
    const objects = ["slept/1/shard/0", "slept/1/coordinator"];
    const before = await room.started();
    for (const object of objects) assert.ok(await room.evict(object, { rest_ms: 5_000 }), `${object} comes to rest`);
    await operator.act("open");
    await hears("open");
    const started = await room.started();
    for (const object of objects) assert.ok(started[object] > before[object], `${object} started anew`);
    assert.equal(code(), null);
  } finally {
    close();
  }
});

test("a home that cannot be reached gives no socket; the place is kept and the edge still answers", async () => {
  const [fan] = await joined(room, "cut", 1);
  await room.cut("cut/1/shard/");
  const refused = await listens(fan);
  assert.equal(refused.status, 503);
  assert.ok(Number(refused.headers["retry-after"]) > 0);
  assert.ok((await fan.ask()).entry >= 0);
  await room.cut();
  const { close } = await until(
    () => listens(fan),
    ({ words }) => words,
    { what: "a socket" },
  );
  close();
});
