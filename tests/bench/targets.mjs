// What the benchmark measures: a room and the Workers that it is compared with, in one process, and what each is sent.
// Every Worker gets the same bytes as the one that it is held against: a poll's to `hello`, an admitted request's to the
// proxies, a join's to the object that stores nothing.
import { readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { modulesOf } from "../../scripts/workerd-config.mjs";
import { freePort } from "../../scripts/ports.mjs";
import { startRoom } from "../e2e/harness/room.mjs";
import { baselineDir } from "./baseline.mjs";
import { closedLoop } from "./measuring.mjs";

const here = path.dirname(fileURLToPath(import.meta.url));

/** Connections of the loops that answer at once, and of those whose answers are gathered in groups. */
const CONNECTIONS = 32;
const JOINING_CONNECTIONS = 512;

/** Visitors who wait and poll: each as often as a page in a hurry, so that no limit on looks is met. */
const WAITING = 2_000;
/** The first are called although nobody enters. */
const CALLED_AT_MOST = 200;

/** Joins of one sample. */
const JOINS = 4_000;

const BROWSER = {
  "user-agent": "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36",
  "accept-language": "en",
  "accept-encoding": "identity",
};
const SCRIPT = {
  ...BROWSER,
  accept: "application/json",
  "sec-fetch-mode": "cors",
  "sec-fetch-dest": "empty",
  "sec-fetch-site": "same-origin",
};
const NAVIGATION = {
  ...BROWSER,
  accept: "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8",
  "sec-fetch-mode": "navigate",
  "sec-fetch-dest": "document",
  "sec-fetch-site": "none",
  "sec-fetch-user": "?1",
};

/** Nobody who waits comes in; whoever comes to the shop may, and stays. */
const EVENTS = [
  { id: "waiting", origin: null, expected_visitors: 1_000, admission: { max_active: 1 } },
  { id: "joining", origin: null, expected_visitors: 1_000, admission: { max_active: 1 } },
  { id: "shopping", origin: null, expected_visitors: 1_000, pass_seconds: 300 },
  { id: "elsewhere", origin: "http://127.0.0.1:9", expected_visitors: 1_000, pass_seconds: 300 },
];

/** The platform says of every request where it comes from; each of these visitors is alone behind an address. */
const address = (number) => `10.${(number >> 16) & 255}.${(number >> 8) & 255}.${number & 255}`;

const script = (name) => [{ name: "index.js", bytes: readFileSync(path.join(here, "workers", `${name}.js`)) }];

/**
 * Starts everything: `{ targets, room, stop }`. `folder` is for files of the measurement; `more` says how the room is
 * started beyond that (see `startRoom`), so that one can be looked at while it is measured.
 */
export async function startTargets(folder, { buildDir, ...more } = {}) {
  const rust = modulesOf(baselineDir);
  const workers = [
    { name: "stub", modules: script("stub") },
    { name: "jsHello", modules: script("hello") },
    { name: "jsProxy", modules: script("proxy"), outbound: "stub" },
    { name: "rustHello", modules: rust, vars: { KIND: "hello" } },
    { name: "rustProxy", modules: rust, vars: { KIND: "proxy" }, outbound: "stub" },
    {
      name: "rustNothing",
      modules: rust,
      vars: { KIND: "nothing" },
      objects: [{ binding: "NOTHING", className: "Nothing" }],
    },
  ];
  const urls = {};
  const beside = [];
  for (const worker of workers) {
    const port = worker.name === "stub" ? null : await freePort();
    urls[worker.name] = `http://127.0.0.1:${port}`;
    beside.push({ ...worker, ...(port && { address: `127.0.0.1:${port}` }) });
  }
  const room = await startRoom({ events: EVENTS, buildDir, server: { beside, outbound: "stub", ...more } });
  try {
    return { room, targets: await targetsOf(room, urls, folder), stop: () => room.stop() };
  } catch (error) {
    await room.stop();
    throw error;
  }
}

async function targetsOf(room, urls, folder) {
  const loop = { pids: [room.workerdPid], connections: CONNECTIONS, status: 200, folder };
  const polls = await waiting(room, folder);
  const shopping = await admitted(room, "shopping");
  const elsewhere = await admitted(room, "elsewhere");
  const pages = Array.from({ length: WAITING }, (_, number) => ({
    headers: { ...NAVIGATION, "cf-connecting-ip": address(number) },
  }));
  const boards = pages.map(({ headers }) => ({
    headers: { ...SCRIPT, "cf-connecting-ip": headers["cf-connecting-ip"] },
  }));
  const joins = { ...loop, method: "POST", connections: JOINING_CONNECTIONS, once: true };
  return [
    { target: "js_hello", ...loop, url: urls.jsHello, requests: polls },
    { target: "status", ...loop, url: `${room.url}/_wr/queues/waiting/tickets/me`, requests: polls },
    { target: "rust_hello", ...loop, url: urls.rustHello, requests: polls },
    { target: "page", ...loop, url: `${room.url}/events/waiting/`, requests: pages, status: 503 },
    { target: "board", ...loop, url: `${room.url}/_wr/queues/waiting`, requests: boards },
    { target: "js_proxy", ...loop, url: `${urls.jsProxy}/events/shopping/`, requests: shopping.requests },
    { target: "pass", ...loop, url: `${room.url}/events/shopping/`, ...shopping },
    { target: "rust_proxy", ...loop, url: `${urls.rustProxy}/events/shopping/`, requests: shopping.requests },
    { target: "pass_elsewhere", ...loop, url: `${room.url}/events/elsewhere/`, ...elsewhere },
    { target: "nostore", ...joins, url: urls.rustNothing, ...(await joining(room, folder)) },
    {
      target: "join",
      ...joins,
      url: `${room.url}/_wr/queues/joining/tickets`,
      status: 201,
      ...(await joining(room, folder)),
    },
  ];
}

/** Permits of an event, as many. */
async function permits(room, event, count, folder) {
  const { answers } = await closedLoop({
    url: `${room.url}/_wr/queues/${event}/permits`,
    method: "POST",
    requests: Array.from({ length: count }, () => ({ headers: SCRIPT })),
    connections: CONNECTIONS,
    once: true,
    status: 201,
    folder,
    keep: true,
  });
  return answers.map((answer) => JSON.parse(answer).permit);
}

const joinsOf = (made) =>
  made.map((permit, number) => ({
    headers: { ...SCRIPT, "content-type": "application/json", "cf-connecting-ip": address(number) },
    body: JSON.stringify({ permit }),
  }));

/** Joins, new ones for each sample. */
async function joining(room, folder) {
  const fresh = async () => joinsOf(await permits(room, "joining", JOINS, folder));
  return { requests: await fresh(), before: async (target) => Object.assign(target, { requests: await fresh() }) };
}

/** Polls of visitors who wait, each with the cookies that a browser has by then. */
async function waiting(room, folder) {
  const made = await permits(room, "waiting", WAITING + CALLED_AT_MOST, folder);
  const { answers } = await closedLoop({
    url: `${room.url}/_wr/queues/waiting/tickets`,
    method: "POST",
    requests: joinsOf(made),
    connections: JOINING_CONNECTIONS,
    once: true,
    status: 201,
    folder,
    keep: true,
  });
  const places = answers.map((answer) => JSON.parse(answer)).toSorted((a, b) => a.entry - b.entry);
  return places.slice(-WAITING).map(({ ticket }, number) => ({
    headers: {
      ...SCRIPT,
      cookie: `wr-permit-waiting-1=${made[number]}; wr-ticket-waiting-1=${ticket}`,
      "cf-connecting-ip": address(number),
    },
  }));
}

/** Requests of a visitor in the shop. A pass is taken anew for each sample, so that none is renewed meanwhile. */
async function admitted(room, event) {
  const visitor = room.visitor({ event });
  await visitor.admitted();
  const requests = () => {
    const cookie = [...visitor.jar].map(([name, { value }]) => `${name}=${value}`).join("; ");
    return [{ headers: { ...NAVIGATION, cookie, "cf-connecting-ip": address(1) } }];
  };
  const before = async (target) => {
    await visitor.claim();
    target.requests = requests();
  };
  return { requests: requests(), before };
}
