// The probe against the real room and the demo shop, where nothing leaks, and against the same with one leak of each kind:
// each has to be found, by its name.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import path from "node:path";
import { after, before, beforeEach, test } from "node:test";
import { compactVerify, importJWK } from "jose";
import { root } from "../../scripts/paths.mjs";
import { freePort } from "../../scripts/ports.mjs";
import { originKeys } from "../../scripts/setup/keys-tool.mjs";
import { startRoom } from "../e2e/harness/room.mjs";
import { startLeaky } from "./probing/leaky.mjs";

const SHOP = { body: "<h1>Seats</h1>" };
const PAGE = "/events/demo/";

let room;
let front;
let rear;
before(async () => {
  const shop = { origin: "demo-shop" };
  room = await startRoom({
    events: [
      { id: "demo", ...shop, bypass: ["/events/demo/hooks/*", "/events/demo/health"] },
      { id: "signed", ...shop, pass_algorithm: "EdDSA" },
    ],
  });
  front = await startLeaky(room.url);
  rear = await startLeaky(room.shopUrl);
});
beforeEach(() => {
  front.leak = {};
  rear.leak = {};
});
after(async () => {
  await front?.stop();
  await rear?.stop();
  await room?.stop();
});

/** Runs the command; `document` is its report. */
async function probe({ event = "demo", url = front.url, more = [], isJson = true } = {}) {
  const words = ["--config", room.configFile, "--event", event, "--url", url, "--pace", "0", ...more];
  const { code, output, complaint } = await run([...words, ...(isJson ? ["--json"] : [])]);
  return { code, output, complaint, document: isJson && output ? JSON.parse(output) : null };
}

function run(words) {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [path.join(root, "scripts", "probe.mjs"), ...words], { cwd: root });
    let [output, complaint] = ["", ""];
    child.stdout.on("data", (text) => {
      output += text;
    });
    child.stderr.on("data", (text) => {
      complaint += text;
    });
    child.on("close", (code) => resolve({ code, output, complaint }));
  });
}

const idsOf = ({ findings }) => findings.map(({ id }) => id);

test("nothing leaks from the real room and the demo shop, seen from the front and from behind", async () => {
  for (const event of ["demo", "signed"]) {
    const { code, output, complaint, document } = await probe({ event, more: ["--origin", room.shopUrl] });
    assert.equal(code, 0, output + complaint);
    assert.equal(document.verdict, "closed");
    assert.deepEqual(document.findings, []);
    const names = document.passed.map(({ name }) => name);
    for (const name of ["room", "gate", "operators", "spellings", "methods", "passes", "headers"])
      assert.ok(names.includes(name), name);
    assert.equal(
      names.filter((name) => name.startsWith("others http")).length,
      2,
      "under the event's name and under its own",
    );
    assert.ok(document.requests > 200, `${document.requests} requests`);
    assert.match(complaint, /^Up to \d+ requests to http/m, "it says what it will send before it sends it");
    assert.doesNotMatch(output + complaint, /eyJ/, "no token is shown");
  }
});

test("nothing leaks while first visits are let in in one step, and the probe takes nobody's place", async () => {
  const open = await startRoom({ events: [{ id: "demo", origin: "demo-shop", mode: "auto" }] });
  try {
    const words = ["--config", open.configFile, "--event", "demo", "--url", open.url, "--pace", "0", "--json"];
    const { code, output } = await run(words);
    assert.equal(code, 0, output);
    const { totals } = await (await open.operator()).observe();
    assert.deepEqual([totals.joined, totals.active, totals.tried ?? 0], [0, 0, 0]);
  } finally {
    await open.stop();
  }
});

/** What stands in front of the room: a leak, and the finding that it is. */
const FRONTS = [
  ["there is no room", { before: () => SHOP }, ["room-absent", "gate-open"]],
  ["another event's room", { before: isAt("/_wr/queues/demo", board({ event: "other" })) }, ["other-room"]],
  ["another run", { before: isAt("/_wr/queues/demo", board({ run: 2 })) }, ["other-room"]],
  ["a room that is off", { before: isAt("/_wr/queues/demo", board({ mode: "off" })) }, ["everything-passes"]],
  ["the event's own page", { before: isAt(PAGE, SHOP) }, ["gate-open"]],
  ["capitals", { before: ({ url }) => url.startsWith("/EVENTS") && SHOP }, ["spelling-open"]],
  ["decoding twice", { before: ({ url }) => url.includes("%25") && decodesTo(url, PAGE) && SHOP }, ["spelling-open"]],
  ["parameters", { before: ({ url }) => url.includes(";") && SHOP }, ["spelling-open"]],
  ["files like pictures", { before: ({ url }) => url.endsWith(".png") && SHOP }, ["spelling-open"]],
  ["letters that are normalised", { before: ({ url }) => /%EF%BD/i.test(url) && SHOP }, ["spelling-open"]],
  ["the whole address", { before: ({ url }) => url.startsWith("http://") && SHOP }, ["spelling-open"]],
  [
    "a route that only knows small letters",
    { before: ({ url }) => url.startsWith("/EVENTS") && { status: 404 } },
    ["past-the-room"],
  ],
  ["POST", { before: ({ method }) => method === "POST" && SHOP }, ["method-open"]],
  ["HEAD", { before: ({ method }) => method === "HEAD" && SHOP }, ["method-open"]],
  ["a range", { before: ({ headers }) => headers.range && { ...SHOP, status: 206 } }, ["method-open"]],
  ["an unchanged page", { before: ({ headers }) => headers["if-modified-since"] && { status: 304 } }, ["method-open"]],
  ["WebSockets", { upgrades: true }, ["method-open"]],
  [
    "whoever calls himself local",
    { before: ({ headers }) => headers["x-real-ip"] === "127.0.0.1" && SHOP },
    ["header-opens"],
  ],
  [
    "whoever calls himself a crawler",
    { before: ({ headers }) => /Googlebot/.test(headers["user-agent"]) && SHOP },
    ["header-opens"],
  ],
  ["X-Original-URL", { before: ({ headers }) => headers["x-original-url"] === PAGE && SHOP }, ["header-opens"]],
  ["any pass as a cookie", { before: ({ headers }) => headers.cookie?.includes("wr-pass") && SHOP }, ["pass-accepted"]],
  ["a bypass and what is above it", { before: ({ url }) => /hooks.*\.\./.test(url) && SHOP }, ["bypass-wide"]],
  [
    "what only begins like a bypass",
    { before: ({ url }) => url.startsWith("/events/demo/healthy") && SHOP },
    ["bypass-wide"],
  ],
  ["the operators' figures", { before: isAt("/_wr/metrics", { body: "waiting 1" }) }, ["operator-open"]],
  ["a page for all", { before: cached() }, ["page-cached"]],
  ["no word to caches", { after: without("cache-control") }, ["answer-kept", "cookie-kept"]],
  ["an answer from a cache", { after: withHeader("age", "12") }, ["answer-kept"]],
  ["a page without its policy", { after: without("content-security-policy") }, ["headers-missing"]],
  ["types to be guessed", { after: without("x-content-type-options") }, ["headers-missing"]],
  ["cookies for scripts", { after: cookies((line) => line.replace(/; HttpOnly/i, "")) }, ["cookie-weak"]],
  ["other sites' scripts", { after: withHeader("access-control-allow-origin", "*") }, ["foreign-reader"]],
  ["a clock that is late", { after: withHeader("date", new Date(Date.now() - 300_000).toUTCString()) }, ["clock-off"]],
  [
    "a page for a preflight",
    { before: ({ headers }) => headers["access-control-request-method"] && SHOP },
    ["preflight-content"],
  ],
];

function isAt(address, answer) {
  return ({ url }) => url.split("?")[0] === address && answer;
}
function board(changes) {
  const body = JSON.stringify({ event: "demo", run: 1, mode: "always", ...changes });
  return { body, headers: { "content-type": "application/json", "cache-control": "no-store" } };
}
function decodesTo(url, address) {
  try {
    return decodeURIComponent(decodeURIComponent(url)) === address;
  } catch {
    return false;
  }
}
function without(name) {
  return ({ headers }) => void delete headers[name];
}
function withHeader(name, value) {
  return ({ headers }) => {
    headers[name] = value;
  };
}
function cookies(change) {
  return ({ headers }) => {
    if (headers["set-cookie"]) headers["set-cookie"] = headers["set-cookie"].map(change);
  };
}
function cached() {
  let page;
  return ({ url, headers }) => {
    if (url !== PAGE || headers["sec-fetch-mode"] !== "navigate") return null;
    page ??= fetch(`${room.url}${PAGE}`, { headers: { accept: "text/html", "sec-purpose": "prefetch" } }).then(
      async (response) => ({ status: 503, headers: Object.fromEntries(response.headers), body: await response.text() }),
    );
    return page.then(({ headers: { "content-encoding": _, ...kept }, ...answer }) => ({ ...answer, headers: kept }));
  };
}

for (const [what, leak, ids] of FRONTS) {
  test(`found in front: ${what} (${ids.join(", ")})`, async () => {
    front.leak = leak;
    const { code, output, document } = await probe();
    assert.equal(code, 1, output);
    for (const id of ids) assert.ok(idsOf(document).includes(id), `${id} is not among ${idsOf(document)}`);
  });
}

/** An origin that looks at one thing of a pass only. */
const believes = (isEnough) => ({
  before: async ({ headers }) => ((await isEnough(headers["waiting-room-pass"] ?? "")) ? SHOP : null),
});
const claimsOf = (token) => {
  try {
    return JSON.parse(Buffer.from(token.split(".")[1], "base64url").toString());
  } catch {
    return {};
  }
};
async function isSigned(token) {
  const { issuer, secrets } = room;
  const { keys } = await originKeys({ issuer, audience: "*loopback", secrets });
  const key = await importJWK(keys[0], "HS256");
  return compactVerify(token, key).then(
    () => true,
    () => false,
  );
}

const REARS = [
  ["no pass is asked for", { before: () => SHOP }, "origin-open", /without a pass/],
  [
    "no pass is asked for under its own name",
    { before: ({ headers }) => headers.host === new URL(rear.url).host && SHOP },
    "origin-open",
    /without/,
  ],
  [
    "a redirect of its own to the page",
    { before: ({ url }) => (url === PAGE ? { status: 302, headers: { location: "/in" } } : url === "/in" && SHOP) },
    "origin-open",
    /without/,
  ],
  [
    "it decodes twice",
    { before: ({ url }) => url.includes("%25") && decodesTo(url, PAGE) && SHOP },
    "origin-spelling-open",
    /twice/,
  ],
  ["it reads backslashes", { before: ({ url }) => url.includes("\\") && SHOP }, "origin-spelling-open", /backslashes/],
  ["HEAD needs no pass", { before: ({ method }) => method === "HEAD" && SHOP }, "origin-method-open", /HEAD/],
  ["WebSockets need no pass", { upgrades: true }, "origin-method-open", /WebSocket/],
  [
    "it believes X-Original-URL",
    { before: ({ headers }) => headers["x-original-url"] === PAGE && SHOP },
    "origin-header-opens",
    /in a header/,
  ],
  [
    "it asks the edge's word, not the pass",
    { before: ({ headers }) => headers["waiting-room-state"] === "admitted" && SHOP },
    "origin-header-opens",
    /waiting-room-state/,
  ],
  ["any pass will do", believes((token) => token !== ""), "origin-pass-accepted", /no token at all/],
  ["unsigned passes will do", believes((token) => /\.$/.test(token)), "origin-pass-accepted", /without a signature/],
  [
    "signatures are not looked at",
    believes((token) => claimsOf(token).exp * 1_000 > Date.now()),
    "origin-pass-accepted",
    /another key[\s\S]*changed/,
  ],
  ["only signatures are looked at", believes(isSigned), "origin-pass-accepted", /time is over[\s\S]*another event/],
];

for (const [what, leak, id, example] of REARS) {
  test(`found behind: ${what} (${id})`, async () => {
    rear.leak = leak;
    const { code, output, document } = await probe({ more: ["--origin", rear.url] });
    assert.equal(code, 1, output);
    const found = document.findings.find((each) => each.id === id);
    assert.ok(found, `${id} is not among ${idsOf(document)}`);
    assert.equal(found.severity, "high");
    assert.match(found.examples.join("\n"), example);
  });
}

test("the origin's name is found wherever it stands", async () => {
  const { host } = new URL(room.shopUrl);
  for (const after of [withHeader("x-backend", host), withHeader("link", `<http://${host}/seats.css>`)]) {
    front.leak = { after };
    const { code, document } = await probe({ more: ["--origin", room.shopUrl] });
    assert.equal(code, 1);
    assert.ok(idsOf(document).includes("origin-named"));
  }
});

test("missing public keys, another open port and a certificate that nobody trusts are found", async () => {
  front.leak = {
    before: isAt("/_wr/jwks.json", { body: '{"keys":[]}', headers: { "content-type": "application/json" } }),
  };
  const { document } = await probe({ event: "signed" });
  assert.deepEqual(idsOf(document), ["keys-missing"]);
  front.leak = {};
  rear.leak = { before: () => SHOP };
  const { port } = new URL(rear.url);
  const beside = await probe({ more: ["--port", port] });
  assert.deepEqual([beside.code, idsOf(beside.document)], [1, ["port-open"]]);
  const secure = await startLeaky(room.url, { tls: true });
  try {
    assert.ok(idsOf((await probe({ url: secure.url })).document).includes("certificate"));
  } finally {
    await secure.stop();
  }
});

test("an origin that takes no connections is closed; a public address that takes none is not known", async () => {
  const nobody = `http://127.0.0.1:${await freePort()}`;
  const closed = await probe({ more: ["--origin", nobody] });
  assert.equal(closed.code, 0, closed.output);
  assert.ok(closed.document.passed.some(({ shut }) => shut === "nobody listens"));
  const unknown = await probe({ url: nobody });
  assert.deepEqual([unknown.code, unknown.document.verdict], [2, "unasked"]);
});

test("what cannot be seen is said: an origin whose address nobody gave", async () => {
  const { code, output } = await probe({ isJson: false });
  assert.equal(code, 0, output);
  assert.match(output, /^unseen {2}the origin: .*--origin$/m);
  assert.match(output, /Nothing that was seen leaks\. Some could not be seen\.$/m);
});

test("nothing is sent for a plan, beyond the agreed number, or to another host", async () => {
  const { asked } = front;
  const plan = await probe({ more: ["--plan"], isJson: false });
  assert.match(plan.output, /GET http:\/\/127\.0\.0\.1:\d+\/EVENTS\/DEMO\/ as/);
  for (const more of [
    ["--most", "20"],
    ["--path", "https://other.example/x"],
    ["--path", "//other.example/x"],
    ["--origin", "https://origin.example/shop"],
    ["--event", "nothing"],
  ]) {
    const { code, complaint } = await probe({ more, isJson: false });
    assert.equal(code, 2, more.join(" "));
    assert.match(complaint, /allowed|--most|there are/, more.join(" "));
  }
  assert.equal(front.asked, asked);
});

test("which rule decides about an address is told by the edge's own rules", async () => {
  const { host } = new URL(room.url);
  const rows = [
    ["/events/demo/seats", "protected", "paths of demo: /events/demo/*"],
    ["/EVENTS/%64emo//seats", "protected", "paths of demo: /events/demo/*"],
    ["/events/demo/hooks/paid", "bypass", "bypass of demo: /events/demo/hooks/*"],
    ["/events/demo/hooks/..%2fseats", "protected", "/events/demo/seats  paths of demo"],
    ["/events/demo/%00", "refused", "a control character"],
    ["/_wr/health", "own", "address of the room itself"],
    ["/about", "open", "no reading is in paths"],
  ];
  for (const [address, verdict, said] of rows) {
    const words = ["--config", room.configFile, "--explain", `http://${host}${address}`];
    const { output, code } = await run(words);
    assert.equal(code, 0, output);
    assert.ok(output.includes(said), `${address}: ${output}`);
    const [{ verdict: told }] = JSON.parse((await run([...words, "--json"])).output);
    assert.equal(told, verdict, address);
  }
});
