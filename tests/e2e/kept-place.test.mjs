// A place that cannot be lost: whatever happens around it, entry number, rank and session stay what they are. One row of
// the list a test; each looks at somebody who waits, by a drawn rank, and at somebody who is in the shop.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { freshRootKey } from "../../scripts/setup/keys.mjs";
import { until } from "./harness/exchange.mjs";
import { opened } from "./harness/forge.mjs";
import { startRoom } from "./harness/room.mjs";

const ENTRANTS = 8;
/** A room starts, and its entrants join, well within this time, on a busy machine too. */
const UNTIL_OPENING_MS = 20_000;
const DRAWN_WITHIN_MS = UNTIL_OPENING_MS + 20_000;
const EVENT = { id: "kept", admission: { max_active: 1 }, expected_visitors: 8_000 };
const ALL_COOKIES = ["ticket", "permit", "browser", "pass"];

let room;
let waiting;
let inside;

before(async () => {
  const opens_at = new Date(Date.now() + UNTIL_OPENING_MS).toISOString();
  room = await startRoom({ events: [{ ...EVENT, opens_at }] });
  const fans = Array.from({ length: ENTRANTS }, () => room.visitor());
  for (const fan of fans) {
    await fan.visit();
    await fan.join();
  }
  await until(
    () => room.board(),
    ({ lines }) => lines[0].phase === "open",
    { within_ms: DRAWN_WITHIN_MS, what: "the draw" },
  );
  const places = await Promise.all(fans.map((fan) => fan.ask()));
  const ofRank = (rank) => fans[places.findIndex((place) => place.rank === rank)];
  [inside, waiting] = [ofRank(0), ofRank(ENTRANTS - 1)];
  await inside.enter();
});
after(() => room?.stop());

/** What must not change. */
async function facts() {
  const { entry, rank, state } = await waiting.ask();
  const shop = await inside.visit();
  const { jti, sx } = opened(inside.cookie("pass")).claims;
  return { entry, rank, state, shop: shop.status, session: jti, ends: sx };
}

/** The same before and after. */
async function keeps(happens) {
  const is = await facts();
  assert.deepEqual([is.rank, is.state, is.shop], [ENTRANTS - 1, "waiting", 200]);
  await happens();
  assert.deepEqual(await facts(), is);
}

test("refresh, back button and a restored tab change no entry number, no rank and no session", () =>
  keeps(async () => {
    for (const fan of [waiting, inside]) {
      for (const path of [fan.path, `${fan.path}seats?row=4`, fan.path, fan.path]) await fan.visit(path);
      const again = await fan.visit(fan.path, { headers: { "cache-control": "no-cache" } });
      assert.equal(again.status, fan === inside ? 200 : 503);
    }
    assert.equal((await waiting.tryToJoin()).status, 200, "a restored page joins again");
  }));

test("two tabs, and fifty that load at once, change no entry number, no rank and no session", () =>
  keeps(async () => {
    for (const fan of [waiting, inside]) await Promise.all(Array.from({ length: 50 }, () => fan.visit()));
    await Promise.all(Array.from({ length: 10 }, () => waiting.tryToJoin()));
  }));

test("a killed browser that starts again with its cookies changes no entry number, no rank and no session", () =>
  keeps(() => {
    [waiting, inside] = [waiting, inside].map((fan) => fan.copied(ALL_COOKIES));
  }));

test("a changed network and country change no entry number, no rank and no session", () =>
  keeps(async () => {
    for (const [address, country] of [
      ["203.0.113.9", "DE"],
      ["2001:db8::9", "BR"],
      ["198.51.100.9", "T1"],
    ]) {
      for (const fan of [waiting, inside]) {
        fan.headers = { "cf-connecting-ip": address, "cf-ipcountry": country, "accept-language": "pt-BR" };
        await fan.visit();
      }
    }
  }));

test("a deploy of new code changes no entry number, no rank and no session", () => keeps(() => room.restartWith({})));

test("a key rotation, both ways, changes no entry number, no rank and no session", () =>
  keeps(async () => {
    const { ROOT_KEY: old } = room.secrets;
    const next = freshRootKey("next");
    await room.restartWith({ secrets: { ROOT_KEY: old, ROOT_KEY_PREVIOUS: next } });
    await facts();
    await room.restartWith({ secrets: { ROOT_KEY: next, ROOT_KEY_PREVIOUS: old } });
    await facts();
    await room.restartWith({ secrets: { ROOT_KEY: old, ROOT_KEY_PREVIOUS: next } });
  }));

test("more shards, by the operator and by the configuration, change no entry number, no rank and no session", () =>
  keeps(async () => {
    const operator = await room.operator();
    const before = (await room.board()).shards;
    await operator.act("expect", { visitors: 20_000 });
    await until(
      () => room.board(),
      ({ shards }) => shards > before,
      { what: "more shards" },
    );
    await room.restartWith({ events: [{ ...EVENT, expected_visitors: 40_000 }] });
    const late = room.visitor();
    await late.visit();
    assert.equal((await late.join()).entry, ENTRANTS, "the numbers go on");
  }));

test("a restart of every object by a power cut changes no entry number, no rank and no session", () =>
  keeps(async () => {
    for (let n = 0; n < 2; n += 1) {
      await room.kill9();
      await room.restart();
      await facts();
    }
  }));

test("a clock of the visitor's that is wrong by a day changes nothing: nobody asks it", () =>
  keeps(async () => {
    for (const ms of [-86_400_000, 86_400_000]) {
      const date = new Date(Date.now() + ms).toUTCString();
      for (const fan of [waiting, inside]) {
        fan.headers = { date, "if-modified-since": date };
        await fan.visit();
      }
    }
  }));
