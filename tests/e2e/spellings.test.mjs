// However a protected address is spelled, it is protected; and what passes arrives as it was sent.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startRoom } from "./harness/room.mjs";

const SPELLINGS = [
  "/events/demo",
  "/events/demo/",
  "/EVENTS/Demo/x",
  "/events/%64emo/x",
  "/%65%76ents/demo/x",
  "/events/%2564emo/x",
  "/events/%252564emo/x",
  "//events/demo/x",
  "/events//demo/x",
  "/events/./demo/x",
  "/./events/demo/x",
  "/x/../events/demo/x",
  "/x/%2e%2e/events/demo/x",
  "/events/x/..%2fdemo/x",
  "/events/demo%2fx",
  "/events%2fdemo/x",
  "/events%5cdemo/x",
  "/events\\demo\\x",
  "/events/demo;v=1/x",
  "/events;a=b/demo/x",
  "/events/demo/x;jsessionid=1",
  "/events/demo/x%00.png",
  "/events/demo/x%3fy",
  "/events/demo./x",
  "/events/demo/%20",
  "//anything/events/demo/x",
  "///anything/events/demo/x",
  "/\\anything/events/demo/x",
  "/%5canything/events/demo/x",
  "/%2fanything%2fevents/demo/x",
  "/x/..%2f/anything/events/demo/x",
  "/eve%09nts/demo/x",
  "/events/demo%0a",
  "/events/%0ddemo/x",
  "/events/demo%7f/x",
  "/events/demo/x?y=/events/other",
  "/events/demo?x",
];

let room;
before(async () => {
  room = await startRoom();
});
after(() => room?.stop());

test("every spelling of a protected address shows the room to who has no pass", async () => {
  for (const path of SPELLINGS) {
    const answer = await room.ask(path);
    assert.ok([400, 503].includes(answer.status), `${path}: ${answer.status}`);
    assert.equal(answer.headers["x-shop"], undefined, path);
  }
  assert.equal(room.origin.seen.length, 0);
});

test("every spelling of the host is the same host", async () => {
  for (const host of ["127.0.0.1", "LOCALHOST", "localhost.", "127.0.0.1:1", "shop.localhost:99"]) {
    const answer = await room.ask("/events/demo/x", { headers: { host } });
    assert.equal(answer.status, 503, host);
    assert.equal(answer.state, "none", host);
  }
});

test("with a pass an address with an unusual query, encoding or length arrives as it was sent", async () => {
  const fan = room.visitor();
  await fan.admitted();
  for (const path of [
    "/events/demo/a?b=c&b=d&&e=%20+%2B",
    "/events/demo/caf%C3%A9?x=%F0%9F%8E%AB",
    "/events/demo/a%2Fb%20c",
    "/events/demo/a?redirect=https://other.example/%3Fx",
    `/events/demo/${"long/".repeat(1_000)}`,
    "/events/demo/a?",
  ]) {
    const answer = await fan.visit(path);
    assert.equal(answer.status, 200, path.slice(0, 60));
    const { url } = room.origin.seen.at(-1);
    assert.ok(url === path || `${url}?` === path, `${path.slice(0, 60)} arrived as ${url.slice(0, 60)}`);
  }
});
