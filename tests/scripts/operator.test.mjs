// What the operator command sends, and what it says beforehand.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import test from "node:test";
import { actions } from "../../scripts/operating/actions.mjs";
import { figuresOf, settingsOf } from "../../scripts/operating/figures.mjs";
import { instant, zoneOf } from "../../scripts/operating/instants.mjs";
import { operatorApi } from "../../scripts/operating/api.mjs";
import { writeLog } from "../../scripts/operating/log.mjs";
import { notedText } from "../../scripts/operating/noted.mjs";
import { shopText, statusLines } from "../../scripts/operating/status.mjs";
import { root } from "../../scripts/paths.mjs";
import { run } from "../../scripts/processes.mjs";

const line = (more = {}) => ({ id: "general", phase: "open", called: 700, lapsed: 0, entries: 2000, ...more });
const queue = ({ board = {}, totals = {} } = {}) => ({
  board: {
    mode: "always",
    stop: false,
    pause: null,
    message: null,
    limits: { max_active: 500, per_minute: 60 },
    lines: [line()],
    ...board,
  },
  totals: { joined: 2000, pending: 20, granted: 650, ended: 152, active: 498, ...totals },
  noted: [],
});

const SENT = [
  ["resume", [], { action: "resume" }],
  ["off", [], { action: "off" }],
  ["soldout", [], { action: "soldout" }],
  ["close", [], { action: "close" }],
  ["open", [], { action: "open" }],
  ["rate", ["1200"], { action: "retune", per_minute: 1200 }],
  ["rate", ["none"], { action: "retune", per_minute: null }],
  ["limit", ["1"], { action: "retune", max_active: 1 }],
  ["limit", ["reset"], { action: "retune", max_active: "reset" }],
  ["message", ["More", "seats"], { action: "message", text: "More seats" }],
  ["message", [], { action: "message", text: "" }],
  ["expect", ["51600000"], { action: "expect", visitors: 51_600_000 }],
  ["stock", ["0"], { action: "stock", left: 0 }],
  ["stock", ["reset"], { action: "stock", left: null }],
  ["stock", ["120"], { action: "stock", left: 120 }],
  ["close-line", ["fans"], { action: "close", line: "fans" }],
  ["open-line", ["fans"], { action: "open", line: "fans" }],
  [
    "reschedule",
    ["2999-01-01T10:00:00+01:00", "snow", "storm"],
    { action: "reschedule", opens_at: "2999-01-01T09:00:00.000Z", reason: "snow storm" },
  ],
];

for (const [verb, words, sent] of SENT) {
  test(`"${[verb, ...words].join(" ")}" sends ${JSON.stringify(sent)}`, () => {
    assert.deepEqual(actions[verb].body(words, {}), sent);
  });
}

test("a limit that is no whole number in range is refused with what is allowed", () => {
  for (const words of [[], ["x"], ["0"], ["-1"], ["1.5"], ["1000001"], ["5", "6"], ["none", "5"]]) {
    assert.throws(() => actions.limit.body(words), /allowed is 1 to 1000000/, words.join(" "));
  }
});

test("a pause and a stop say why and when there is more to hear: minutes from now, within a day", () => {
  for (const verb of ["pause", "stop"]) {
    const sent = actions[verb].body(["bank", "is", "slow"], { nextUpdateMinutes: "10" });
    assert.deepEqual([sent.action, sent.reason], [verb, "bank is slow"]);
    assert.ok(Math.abs(sent.next_update_at_ms - Date.now() - 600_000) < 5_000);
    for (const minutes of ["0", "-1", "x", "1441"]) {
      assert.throws(() => actions[verb].body(["x"], { nextUpdateMinutes: minutes }), /allowed is 1 to 1440/);
    }
    const both = /a reason and --next-update MIN/;
    assert.throws(() => actions[verb].body([], { nextUpdateMinutes: "10" }), both);
    assert.throws(() => actions[verb].body(["x"], {}), both);
    assert.throws(() => actions[verb].body(["x".repeat(501)], { nextUpdateMinutes: "10" }), /1 to 500 bytes/);
  }
});

test("another opening is a time with its offset that lies ahead, with a reason, perhaps for one line", () => {
  const { line: named } = actions.reschedule.body(["2999-01-01T10:00:00Z", "snow"], { line: "fans" });
  assert.equal(named, "fans");
  for (const words of [
    [],
    ["soon", "x"],
    ["2999-01-01T10:00:00", "x"],
    ["2020-01-01T10:00:00Z", "x"],
    ["2999-01-01", "x"],
  ]) {
    assert.throws(() => actions.reschedule.body(words, {}), /a time with its offset/, words.join(" "));
  }
  assert.throws(() => actions.reschedule.body(["2999-01-01T10:00:00Z"], {}), /takes a reason/);
});

test("a stock is a whole number, a line is one word", () => {
  for (const words of [[], ["x"], ["-1"], ["1.5"], ["5", "6"]]) {
    assert.throws(() => actions.stock.body(words), /allowed is 0 to 9999999999998 or "reset"/, words.join(" "));
    assert.throws(() => actions.expect.body(words), /allowed is 1 to 51600000/, words.join(" "));
  }
  for (const words of [[], ["a", "b"]]) assert.throws(() => actions["close-line"].body(words), /the id of one line/);
});

test("the log is written page by page, and an answer that leads nowhere is said", async () => {
  const folder = mkdtempSync(path.join(tmpdir(), "anteroom-log-"));
  const file = path.join(folder, "log.jsonl");
  const pages = { 0: { text: '{"n":1}\n{"n":2}\n', next: 2 }, 2: { text: '{"n":3}\n', next: null } };
  try {
    assert.equal(await writeLog({ logPage: async (after) => pages[after] }, file), `3 lines in ${file}`);
    assert.equal(readFileSync(file, "utf8"), '{"n":1}\n{"n":2}\n{"n":3}\n');
    await assert.rejects(writeLog({ logPage: async () => ({ text: "", next: 0 }) }, file), /goes on at line 0/);
    await assert.rejects(
      writeLog({ logPage: async () => pages[2] }, path.join(folder, "no", "log")),
      /cannot be written/,
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test("every action says what it will do, with the numbers of this moment", () => {
  const now = figuresOf(queue());
  const says = (verb, ...words) => actions[verb].says(now, actions[verb].body(words, { nextUpdateMinutes: "10" }));
  assert.match(says("pause", "x"), /1,300 go on waiting.*498 inside stay/);
  assert.match(says("resume"), /changes nothing/);
  assert.match(says("stop", "x"), /498 inside/);
  assert.match(says("off"), /1,300 wait now/);
  assert.match(says("soldout"), /1,300 waiting are told that it is sold out/);
  assert.match(says("open"), /changes nothing/);
  assert.match(says("rate", "130"), /From 60 a minute to 130 a minute\. About 10 minutes/);
  assert.match(says("limit", "100"), /until 399 of the 498 inside have left/);
  assert.doesNotMatch(says("limit", "600"), /until/);
  assert.match(says("message", "hello"), /"hello"/);
  assert.match(says("stock", "reset"), /not known any more, until the shop says it again, and whoever was held/);
});

test("what goes back to the file's limits says from which number to which", () => {
  const settings = { limits: { max_active: null, per_minute: 1200, batch: null } };
  const says = (document, verb) => actions[verb].says(figuresOf(document), actions[verb].body(["reset"]));
  const lowered = { ...queue(), settings };
  assert.match(says(lowered, "rate"), /goes back from 60 a minute to what the file has, 1,200 a minute\.$/);
  assert.match(says(lowered, "limit"), /from at most 500 at the same time to what the file has, no limit at the same/);
  const same = { ...queue({ board: { limits: settings.limits } }), settings };
  assert.match(says(same, "rate"), /^The rate is what the file has already, 1,200 a minute: this changes nothing\.$/);
  assert.match(says(queue(), "rate"), /to what the file has\.$/, "a room that does not say");
});

test("after a reset it is said which number holds, also where it is the same", async () => {
  const limits = { max_active: 500, per_minute: 1200, batch: null };
  let document = { ...queue(), settings: { limits } };
  const server = createServer((request, response) => {
    if (request.method === "PATCH") document = { ...queue({ board: { limits } }), settings: { limits } };
    response.end(JSON.stringify(document));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${server.address().port}`;
  const operate = (...words) =>
    run(process.execPath, ["scripts/operator.mjs", "--url", url, ...words], {
      cwd: root,
      env: { ...process.env, OPERATOR_TOKEN: "x.y.z" },
    });
  const [back, same] = [await operate("rate", "reset"), await operate("limit", "reset")];
  await new Promise((resolve) => server.close(resolve));
  assert.match(back.output, /rate: 60 a minute -> 1,200 a minute\n {2}done/);
  assert.match(same.output, /nothing changed: limit at most 500 at the same time/);
});

test("one is said as one, whatever is counted", () => {
  const alone = { lines: [line({ called: 1_999 })], shards: 1 };
  const now = figuresOf(queue({ board: alone, totals: { active: 1, joined: 1 } }));
  const says = (verb, ...words) => actions[verb].says(now, actions[verb].body(words, { nextUpdateMinutes: "10" }));
  assert.match(says("pause", "x"), /1 goes on waiting and joins are taken; 1 inside stays/);
  assert.match(says("soldout"), /^1 waiting is told that it is sold out/);
  assert.match(says("off"), /1 waits now/);
  assert.match(says("close-line", "general"), /1 waiting in it is told/);
  assert.match(says("expect", "1"), /for 1 visitor if it was for fewer; 1 has joined/);
  assert.match(says("stock", "1"), /^1 is left/);
  assert.match(says("rate", "1"), /About 1 minute for/);
  assert.match(says("limit", "1"), /until 1 of the 1 inside has left/);
  assert.match(settingsOf(now)["laid out"], /^for 1 shard$/);
  const shop = { health: "good", answers: 1, failed: 0, slow: 1, acts: true, paused: false };
  assert.match(shopText(shop), /of 1 answer 0 failed, 1 was slow/);
});

test("a pause and a stop are told apart", () => {
  const pause = { reason: "bank", next_update_at_ms: null };
  const paused = queue({ board: { pause, lines: [line({ phase: "paused" })] } });
  assert.equal(figuresOf(paused).state, "paused");
  const stopped = queue({ board: { stop: true, pause } });
  assert.equal(figuresOf(stopped).state, "stopped");
  assert.match(actions.resume.says(figuresOf(stopped)), /498 inside reach the shop again/);
});

test("what changed is found by comparing", () => {
  for (const [board, changed] of [
    [{ message: "hello" }, "message"],
    [{ shards: 8 }, "laid out"],
  ]) {
    const [was, is] = [queue(), queue({ board })].map((each) => settingsOf(figuresOf(each)));
    assert.deepEqual(
      Object.keys(is).filter((name) => is[name] !== was[name]),
      [changed],
    );
  }
});

test("the status shows who waits, who is inside and who did what", () => {
  const document = { ...queue(), noted: [{ at_ms: 0, by: "anna", did: { action: "pause", reason: "bank" } }] };
  const text = statusLines({ event: "tour", url: "http://localhost", zone: "UTC", document }).join("\n");
  assert.match(text, /1,300 not called yet/);
  assert.match(text, /498, at most 500/);
  assert.match(text, /1970-01-01 00:00:00 \+00:00 anna: pause "bank"/);
});

test("the status shows what the file has where the live value is another", () => {
  const settings = { limits: { max_active: 500, per_minute: 1200, batch: null } };
  const text = statusLines({ event: "tour", url: "http://localhost", document: { ...queue(), settings } }).join("\n");
  assert.match(text, /rate +60 a minute \(the file has 1,200 a minute\)/);
  assert.match(text, /498, at most 500 at the same time$/m);
});

test("O7 the status says how the shop does, and what is held back because of it", () => {
  const quiet = { health: "good", answers: 200, failed: 1, slow: 2, acts: true, paused: false, cap_per_minute: null };
  const counts = "(of 200 answers 1 failed, 2 were slow)";
  for (const [more, said] of [
    [{}, `answers well ${counts}`],
    [{ health: "troubled", cap_per_minute: 600 }, `is in trouble ${counts}; at most 600 a minute are let in`],
    [{ health: "down", cap_per_minute: 75, paused: true }, `is down ${counts}; nobody is let in until it answers`],
    [{ health: "down", acts: false }, `is down ${counts}; the room only watches`],
    [{ health: "unknown" }, null],
  ])
    assert.equal(shopText({ ...quiet, ...more }), said);
  assert.equal(shopText(null), null, "it could not be read");
});

test("an instant has one style: the date, the time, how far the event's zone is from UTC", () => {
  const at = Date.UTC(2027, 2, 1, 9, 0, 5);
  for (const [zone, said] of [
    ["Europe/Berlin", "2027-03-01 10:00:05 +01:00"],
    ["Asia/Kolkata", "2027-03-01 14:30:05 +05:30"],
    ["UTC", "2027-03-01 09:00:05 +00:00"],
  ]) {
    assert.equal(instant(at, zone), said);
    assert.equal(instant(new Date(at).toISOString(), zone), said);
  }
  assert.equal(instant(Date.UTC(2027, 6, 1), "Europe/Berlin"), "2027-07-01 02:00:00 +02:00");
  assert.equal(zoneOf({ time_zone: "Europe/Berlin" }), "Europe/Berlin");
  assert.equal(zoneOf({}), "UTC");
  assert.equal(zoneOf({ time_zone: "Mars/Base" }), Intl.DateTimeFormat().resolvedOptions().timeZone);
});

const DID = [
  [{ action: "retune", per_minute: null }, "rate none"],
  [{ action: "retune", max_active: null, per_minute: "reset" }, "rate reset, limit none"],
  [{ action: "retune", max_active: 50, batch: { size: 5, every_seconds: 60 } }, "limit 50, batch 5 every 60 s"],
  [{ action: "pause", reason: "bank", next_update_at_ms: 60_000 }, 'pause "bank", more at 1970-01-01 00:01:00 +00:00'],
  [{ action: "stop", reason: "fire", next_update_at_ms: null }, 'stop "fire"'],
  [{ action: "resume" }, "resume"],
  [{ action: "message", text: "" }, "message taken away"],
  [{ action: "close", line: "fans" }, "close-line fans"],
  [{ action: "open" }, "open"],
  [{ action: "stock", left: 0 }, "stock 0"],
  [{ action: "stock", left: null }, "stock reset"],
  [{ action: "dance", steps: 3 }, 'dance {"steps":3}'],
];

for (const [did, said] of DID) {
  test(`${JSON.stringify(did)} is told as: ${said}`, () => {
    assert.equal(notedText({ at_ms: 0, by: "anna", did }, "UTC"), `1970-01-01 00:00:00 +00:00 anna: ${said}`);
  });
}

const statusOf = (document, draws) =>
  statusLines({ event: "tour", url: "http://localhost", zone: "UTC", document, draws }).join("\n");

test("the status shows the last ten actions and where the rest is", () => {
  const noted = Array.from({ length: 12 }, (_, at_ms) => ({ at_ms, by: `op${at_ms}`, did: { action: "resume" } }));
  const text = statusOf({ ...queue(), noted });
  assert.match(text, /2 or more before these: the log has all/);
  assert.ok(!text.includes("op1:") && text.includes("op2:") && text.includes("op11:"), text);
});

test("the status shows crawlers where the event lets any look", () => {
  const crawlers = { per_minute: 60, in_last_minute: 12, let_through: 3400, turned_away: 7 };
  assert.match(
    statusOf({ ...queue(), crawlers }),
    /crawlers +12 of 60 in the last minute, 3,400 since the run began, 7 turned away/,
  );
  assert.doesNotMatch(statusOf({ ...queue(), crawlers: null }), /crawlers/);
});

test("while the order is drawn the status says what it waits for and until when", () => {
  const opensAtMs = Date.UTC(2027, 2, 1, 9);
  const settings = { draw: { grace_seconds: 60, beacon: "drand", beacon_wait_seconds: 600 } };
  const document = { ...queue({ board: { lines: [line({ phase: "drawing", opens_at_ms: opensAtMs })] } }), settings };
  const draw = (more) => [{ id: "general", draw: { entrants: null, fixed_at: null, beacon: null, ...more } }];
  const fixed = { entrants: 1_200, fixed_at: "2027-03-01T09:00:03Z" };
  assert.match(statusOf(document), /opening +drawing, opened at 2027-03-01 09:00:00 \+00:00/);
  assert.match(statusOf(document), /draw +the order is being drawn$/m);
  assert.match(statusOf(document, draw({})), /every entrant is heard, until 2027-03-01 09:01:00 \+00:00 at the latest/);
  assert.match(
    statusOf(document, draw({ ...fixed, beacon: { round: 7 } })),
    /1,200 in the draw; it waits for the public random number \(round 7\), until 2027-03-01 09:10:03 \+00:00/,
  );
  assert.match(statusOf(document, draw(fixed)), /the order is out in a moment/);
});

test("lines that stand in different places are named, and each is compared by itself", () => {
  const fans = { ...line(), id: "fans" };
  const both = (phase) => figuresOf(queue({ board: { lines: [line(), { ...fans, phase }] } }));
  assert.equal(both("open").state, "open");
  assert.equal(both("closed").state, "general open, fans closed");
  const [was, is] = [both("paused"), both("closed")].map((figures) => settingsOf(figures, "UTC"));
  assert.deepEqual(
    Object.keys(is).filter((name) => is[name] !== was[name]),
    ["line fans"],
  );
});

test("what cannot be done is said before anything is announced", () => {
  const lines = [line({ phase: "prequeue", opens_at_ms: 1_000 }), { ...line(), id: "fans" }];
  const now = figuresOf(queue({ board: { lines } }));
  const refusal = (verb, body) => actions[verb].refuses(now, body);
  assert.equal(refusal("reschedule", {}), null);
  assert.equal(refusal("reschedule", { line: "general" }), null);
  assert.match(refusal("reschedule", { line: "fans" }), /line fans has no opening/);
  assert.match(refusal("reschedule", { line: "vip" }), /no line "vip"; there are: general, fans/);
  for (const verb of ["close-line", "open-line"]) {
    assert.equal(refusal(verb, { line: "fans" }), null);
    assert.match(refusal(verb, { line: "vip" }), /no line "vip"; there are: general, fans/);
  }
  const opened = figuresOf(queue({ board: { lines: [line({ phase: "drawing", opens_at_ms: 1_000 })] } }));
  assert.match(actions.reschedule.refuses(opened, {}), /its draw has begun/);
  const plain = figuresOf(queue());
  assert.match(actions.reschedule.refuses(plain, {}), /no line of this event has an opening/);
});

test("an event that the deployment lacks and a token for another one are one answer, and both are said", async () => {
  const problem = { type: "urn:anteroom:problem:other-event", title: "this token is for another event", status: 403 };
  const server = createServer((_, response) => response.writeHead(403).end(JSON.stringify(problem)));
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${server.address().port}`;
  const api = operatorApi({ url, event: "my-gig", token: "x.y.z" });
  await assert.rejects(
    api.observe(),
    /answered 403: this deployment has no event "my-gig", or the token is for another/,
  );
  await new Promise((resolve) => server.close(resolve));
});
