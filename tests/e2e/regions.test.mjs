// Regions: visitors have their homes near them, objects are asked for where they are to stand, and a region that is lost
// takes nobody along who has no place there yet.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { until } from "./harness/exchange.mjs";
import { opened } from "./harness/forge.mjs";
import { startRoom } from "./harness/room.mjs";

const REGIONS = { regions: ["weur", "enam"], coordinator_region: "weur", expected_visitors: 8 * 8_000 };

let room;
before(async () => {
  room = await startRoom({
    staged: true,
    events: [
      { id: "world", ...REGIONS },
      { id: "lost", ...REGIONS, lost_regions: ["weur"] },
      { id: "nowhere", expected_visitors: 8 * 8_000 },
    ],
  });
});
after(() => room?.stop());

/** The homes of so many new permits for visitors of a continent. */
async function homes(event, continent, count = 24) {
  const headers = continent ? room.told({ continent }) : {};
  const ask = () => room.ask(`/_wr/queues/${event}/permits`, { method: "POST", headers });
  const answers = await Promise.all(Array.from({ length: count }, ask));
  for (const answer of answers) assert.equal(answer.status, 201, answer.text);
  return answers.map(({ json }) => opened(json.permit).claims.home);
}

/** The board says that all eight shards take joins, as it does until joins have begun. */
const isCold = (event) =>
  until(
    () => room.ask(`/_wr/queues/${event}`),
    ({ json }) => json?.open_shards?.length === 8,
    { what: `eight open shards of ${event}` },
  );

const of = (homes, turn) => homes.filter((home) => home % 2 === turn);

test("visitors of two continents have their homes in the region near each", async () => {
  await isCold("world");
  const [europe, america, elsewhere] = await Promise.all([
    homes("world", "EU"),
    homes("world", "NA"),
    homes("world", undefined, 48),
  ]);
  assert.deepEqual(of(europe, 1), []);
  assert.deepEqual(of(america, 0), []);
  assert.ok(new Set(europe).size > 1 && new Set(america).size > 1, "several homes of one region");
  assert.ok(of(elsewhere, 0).length > 0 && of(elsewhere, 1).length > 0, `${elsewhere}`);
});

test("an event without regions gives homes to everybody alike", async () => {
  await isCold("nowhere");
  const europe = await homes("nowhere", "EU", 48);
  assert.ok(of(europe, 0).length > 0 && of(europe, 1).length > 0, `${europe}`);
});

test("objects are first asked for in their regions, by edges and by one another", async () => {
  const visitor = room.ask("/_wr/queues/world/tickets", {
    method: "POST",
    headers: { ...room.told({ continent: "NA" }), "content-type": "application/json" },
    body: JSON.stringify({ permit: await permitFor("NA") }),
  });
  assert.equal((await visitor).status, 201);
  const hints = await room.hints();
  const named = Object.keys(hints).filter((name) => name.startsWith("world/"));
  for (const name of named) {
    const shard = name.match(/\/shard\/(\d+)$/);
    const expected = shard ? REGIONS.regions[shard[1] % 2] : REGIONS.coordinator_region;
    assert.equal(hints[name], expected, name);
  }
  assert.ok(
    named.some((name) => name.includes("/shard/")) && named.some((name) => name.includes("coordinator")),
    `${named}`,
  );
  const nowhere = Object.entries(hints).filter(([name]) => name.startsWith("nowhere/"));
  assert.ok(nowhere.length > 0 && nowhere.every(([, hint]) => hint === null));
});

async function permitFor(continent) {
  const { json } = await room.ask("/_wr/queues/world/permits", { method: "POST", headers: room.told({ continent }) });
  return json.permit;
}

test("of a region that is lost no shard is named, and nobody gets a home there", async () => {
  const board = await until(
    () => room.ask("/_wr/queues/lost"),
    ({ json }) => json?.open_shards?.length === 4,
    { what: "four open shards" },
  );
  assert.deepEqual(of(board.json.open_shards, 0), []);
  for (const continent of ["EU", "NA", undefined]) assert.deepEqual(of(await homes("lost", continent), 0), []);
});
