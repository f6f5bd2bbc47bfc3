// Visitors who go while an answer is worked out: nothing of it is kept, and nobody else waits for what they began (D7).
import assert from "node:assert/strict";
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import net from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import test, { after, before } from "node:test";
import { buildDir } from "../../scripts/paths.mjs";
import { pause } from "./harness/exchange.mjs";
import { startRoom } from "./harness/room.mjs";

const CONTROL = "/__memory";
/** An answer that was kept took some 12 kB; what the platform's promises leave behind is below 1 kB. */
const MOST_BYTES_EACH = 2_000;
const WHO_GO = 1_500;
const AT_ONCE = 50;

/** Before the module: remembers its memory. */
const FIRST = `
const Instance = WebAssembly.Instance;
WebAssembly.Instance = function (...given) {
  const instance = new Instance(...given);
  globalThis.moduleMemory = instance.exports.memory;
  return instance;
};
`;
const MAIN = `
import "./first.js";
import front from "./front.js";
export * from "./front.js";
export default {
  fetch: (request, ...given) =>
    new URL(request.url).pathname === "${CONTROL}"
      ? new Response(String(globalThis.moduleMemory.buffer.byteLength))
      : front.fetch(request, ...given),
};
`;

const folder = mkdtempSync(path.join(tmpdir(), "anteroom-gone-"));
let room;

before(async () => {
  for (const name of ["index.js", "index_bg.wasm"]) copyFileSync(path.join(buildDir, name), path.join(folder, name));
  writeFileSync(path.join(folder, "front.js"), readFileSync(path.join(buildDir, "main.js")));
  writeFileSync(path.join(folder, "first.js"), FIRST);
  writeFileSync(path.join(folder, "main.js"), MAIN);
  room = await startRoom({ buildDir: folder });
});
after(async () => {
  await room?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const memory = async () => Number(await (await fetch(`${room.url}${CONTROL}`)).text());

/** Sends `text` and is gone `after_ms` later. */
const goes = (text, after_ms) =>
  new Promise((resolve) => {
    const socket = net.connect(room.port, "127.0.0.1", () => {
      socket.write(text.replaceAll("\n", "\r\n"));
      setTimeout(() => resolve(socket.resetAndDestroy()), after_ms);
    });
    socket.on("error", resolve);
  });

async function manyGo(text, after_ms) {
  for (let gone = 0; gone < WHO_GO; gone += AT_ONCE) {
    await Promise.all(Array.from({ length: AT_ONCE }, () => goes(text, after_ms)));
  }
  await pause(500);
}

/** What is kept of one who goes, in bytes, once the module has what it needs for so many at a time. */
async function keptOfEach(text, after_ms) {
  await manyGo(text, after_ms);
  const before = await memory();
  await manyGo(text, after_ms);
  return ((await memory()) - before) / WHO_GO;
}

const HOST = "Host: localhost\n";

test("of a body that breaks off nothing is kept", async () => {
  const half = `POST /_wr/queues/demo/tickets HTTP/1.1\n${HOST}Content-Type: application/json\nContent-Length: 500\n\n{`;
  const bytes = await keptOfEach(half, 15);
  assert.ok(bytes < MOST_BYTES_EACH, `${bytes} bytes of each`);
});

test("of a request to the shop whose visitor is gone nothing is kept", async () => {
  const fan = room.visitor();
  const { pass } = await fan.admitted();
  room.origin.answer = async () => {
    await pause(60);
    return { body: "late" };
  };
  const asks = `GET /events/demo/slow HTTP/1.1\n${HOST}Waiting-Room-Pass: ${pass}\n\n`;
  const bytes = await keptOfEach(asks, 15);
  room.origin.answer = null;
  assert.ok(bytes < MOST_BYTES_EACH, `${bytes} bytes of each`);
});

test("a board that somebody began to read who is gone is there for the others", async () => {
  await room.kill9();
  await room.restart();
  const asks = `GET /_wr/queues/demo HTTP/1.1\n${HOST}\n`;
  await Promise.all([1, 2, 3, 4].map((ms) => goes(asks, ms)));
  const answer = await room.ask("/_wr/queues/demo");
  assert.equal(answer.status, 200);
});
