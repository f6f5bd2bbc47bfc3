// The meter counts what was done: so many visitors, so many of everything that they ask for.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";
import { buildDir } from "../../scripts/paths.mjs";
import { pause, until } from "../e2e/harness/exchange.mjs";
import { startRoom } from "../e2e/harness/room.mjs";
import { Browser, closeConnections } from "./browser.mjs";
import { between, counted, meteredBuild } from "./meter.mjs";

const VISITORS = 7;
const TICKETS = "/queues/{event}/tickets";

let room;
let folder;
let operator;
const browsers = [];

before(async () => {
  folder = mkdtempSync(path.join(tmpdir(), "anteroom-meter-"));
  room = await startRoom({
    events: [{ id: "demo", expected_visitors: 1_000 }],
    buildDir: meteredBuild(buildDir, folder),
  });
  operator = await room.operator();
  await operator.act("pause");
});
after(async () => {
  closeConnections();
  await room?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** What is counted while something is done, and until the reports that follow are through. */
async function during(work) {
  const before = await counted(room);
  const done = await work();
  await pause(500);
  return { ...between(before, await counted(room)), done };
}

const stored = (found, kind) => found.objects[kind].written;

test("pages are requests to the Worker, and ask no object for a place", async () => {
  const found = await during(async () => {
    for (let number = 0; number < VISITORS; number += 1) {
      const browser = new Browser(room, "demo", `198.18.0.${number}`);
      browsers.push(Object.assign(browser, { given: await browser.open() }));
    }
  });
  assert.deepEqual(found.requests, { page: VISITORS });
  assert.deepEqual(
    Object.keys(found.calls).filter((name) => name.endsWith("place")),
    [],
  );
  assert.ok(found.cpu_ms >= 0 && found.seconds > 0);
});

test("joins are a request and a call each; rows and reports are shared, and none is written without", async () => {
  const found = await during(() =>
    Promise.all(
      browsers.map((browser) => browser.script("POST", `${browser.queue}/tickets`, { permit: browser.given.permit })),
    ),
  );
  assert.equal(found.requests[`POST ${TICKETS}`], VISITORS);
  assert.equal(found.calls[`POST ${TICKETS} -> shard: place`], VISITORS);
  const syncs = found.calls["shard -> coordinator: sync"];
  assert.ok(syncs >= 1 && syncs <= 2 * VISITORS, `${syncs} reports`);
  assert.ok(stored(found, "shard") > 0 && stored(found, "coordinator") > 0);
});

test("looks ask no object for a place while one waits, and write nothing", async () => {
  const found = await during(() => Promise.all(browsers.map((browser) => browser.ask())));
  assert.equal(found.requests[`GET ${TICKETS}/me`], VISITORS);
  assert.equal(found.calls[`GET ${TICKETS}/me -> shard: place`], undefined);
  assert.equal(stored(found, "shard"), 0);
});

test("a socket is a request and a call, its closing is a message, and a shard at which somebody listens is awake", async () => {
  const closes = [];
  const found = await during(async () => {
    const words = await Promise.all(
      browsers.map(
        (browser) =>
          new Promise((resolve) => {
            closes.push(browser.listen(resolve, () => {}));
          }),
      ),
    );
    await pause(2_000);
    return words.length;
  });
  assert.equal(found.done, VISITORS);
  assert.equal(found.requests[`GET ${TICKETS}/me/ws`], VISITORS);
  assert.equal(found.calls[`GET ${TICKETS}/me/ws -> shard: socket`], VISITORS);
  const { awake_ms } = found.objects.shard;
  assert.ok(awake_ms > 1_500 && awake_ms <= found.seconds * 1_000 + 500, `${awake_ms} ms`);
  const before = await counted(room);
  for (const close of closes) close();
  await until(
    async () => between(before, await counted(room)).messages.shard,
    (messages) => messages === VISITORS,
    { what: "the closings" },
  );
});

test("who goes in claims, and the shop's answers are told from the room's", async () => {
  await operator.act("resume");
  const found = await during(async () => {
    for (const browser of browsers)
      await until(
        () => browser.claim(),
        ({ status }) => status === 200,
        { what: "the pass" },
      );
    for (const browser of browsers) assert.equal((await browser.visit()).status, 200);
  });
  assert.equal(found.requests.shop, VISITORS);
  assert.ok(found.requests[`POST ${TICKETS}/me/pass`] >= VISITORS);
  const ended = await during(() => Promise.all(browsers.map((browser) => browser.release())));
  assert.equal(ended.requests[`DELETE ${TICKETS}/me/pass`], VISITORS);
  assert.equal(ended.calls[`DELETE ${TICKETS}/me/pass -> shard: place`], VISITORS);
  assert.ok(stored(ended, "shard") > 0);
});
