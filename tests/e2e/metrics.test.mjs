// What an organizer's own monitoring sees: one event's life in Prometheus text, exact where it says so.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { joined, paused } from "./harness/crowd.mjs";
import { until } from "./harness/exchange.mjs";
import { startRoom } from "./harness/room.mjs";

const WAITING = 6;

let room;
let operator;
before(async () => {
  room = await startRoom({
    staged: true,
    events: [
      { id: "busy", admission: { max_active: 2, per_minute: 600 } },
      { id: "worked", challenge: "pow" },
      { id: "quiet" },
    ],
  });
  operator = await room.operator({ holdsFor: "*" });
});
after(() => room?.stop());

/** `{ name: value }` of one event; the labels beside the event follow the name. */
async function metrics(event) {
  const { status, text } = await room.ask("/_wr/metrics", { headers: operator.headers });
  assert.equal(status, 200, text);
  const lines = [...text.matchAll(/^(\w+)\{event="([\w-]+)"([^}]*)\} ([\d.]+)$/gm)];
  const own = lines.filter(([, , of]) => of === event);
  return Object.fromEntries(own.map(([, name, , labels, value]) => [`${name}${labels}`, Number(value)]));
}

test("joins, turns, sessions, limits and room are told as they are, and another event's are its own", async () => {
  const fans = await joined(room, "busy", WAITING + 2);
  await fans[0].enter();
  await fans[1].enter();
  const seen = await until(
    () => metrics("busy"),
    (all) => all.anteroom_sessions_active === 2 && all.anteroom_object_call_seconds_count > 0,
    { what: "two sessions" },
  );
  const expected = {
    anteroom_coordinator_up: 1,
    anteroom_joined_total: WAITING + 2,
    anteroom_entries_total: WAITING + 2,
    anteroom_granted_total: 2,
    anteroom_has_room: 0,
    anteroom_shards_silent: 0,
    anteroom_limit_sessions: 2,
    anteroom_limit_per_minute: 600,
    'anteroom_line_entries_total,line="general"': WAITING + 2,
    'anteroom_line_open,line="general"': 1,
  };
  for (const [name, value] of Object.entries(expected)) assert.equal(seen[name], value, name);
  assert.equal(seen.anteroom_waiting, seen.anteroom_entries_total - seen.anteroom_called_total);
  assert.ok(seen.anteroom_board_age_seconds < 10, `${seen.anteroom_board_age_seconds}`);
  assert.ok(seen.anteroom_permits_total >= 1, "handed in with reads of the board");
  const buckets = Object.entries(seen).filter(([name]) => name.includes("seconds_bucket"));
  assert.equal(Math.max(...buckets.map(([, count]) => count)), seen.anteroom_object_call_seconds_count);
  const quiet = await metrics("quiet");
  assert.deepEqual([quiet.anteroom_joined_total, quiet.anteroom_has_room, quiet.anteroom_waiting], [0, 1, 0]);
  assert.equal(quiet.anteroom_limit_sessions, 500);
});

test("a pause takes the room away; a wait that was foretold is held against what it took", async () => {
  await paused(room, "quiet");
  await until(
    () => metrics("quiet"),
    (all) => all.anteroom_has_room === 0,
    { what: "no room" },
  );
  const seen = await metrics("busy");
  assert.equal(seen['anteroom_line_waits_came_true_total,line="general"'] ?? 0, 0, "nobody was told a wait yet");
});

test("work that does not hold is counted", async () => {
  const fan = room.visitor({ event: "worked" });
  await fan.visit();
  const refused = await fan.script("POST", `${fan.queue}/tickets`, {
    permit: await fan.permit(),
    solution: "0".repeat(256),
  });
  assert.equal(refused.status, 422, refused.text);
  await until(
    async () => {
      await fan.visit();
      return metrics("worked");
    },
    (all) => all.anteroom_work_refused_total >= 1,
    { what: "a refused solution" },
  );
});

test("D13 of an event whose coordinator is away there is one 0 and the age of the board, and the others go on", async () => {
  await room.cut("quiet/1/coordinator");
  const away = await until(
    () => metrics("quiet"),
    (all) => all.anteroom_coordinator_up === 0,
    { what: "a coordinator that is away" },
  );
  assert.deepEqual(Object.keys(away).sort(), ["anteroom_board_age_seconds", "anteroom_coordinator_up"]);
  assert.equal((await metrics("busy")).anteroom_coordinator_up, 1);
  await room.cut();
});

test("every metric says what it is, and no name has two types", async () => {
  const { text } = await room.ask("/_wr/metrics", { headers: operator.headers });
  const helps = [...text.matchAll(/^# HELP (\w+) \S.*\.$/gm)].map(([, name]) => name);
  const types = [...text.matchAll(/^# TYPE (\w+) (counter|gauge|histogram)$/gm)].map(([, name]) => name);
  assert.ok(helps.length > 30);
  assert.deepEqual(helps, types);
  assert.equal(new Set(types).size, types.length);
  const samples = [...text.matchAll(/^(anteroom_\w+)\{/gm)].map(([, name]) => name.replace(/_(bucket|sum|count)$/, ""));
  assert.deepEqual(
    samples.filter((name) => !types.includes(name)),
    [],
  );
});
