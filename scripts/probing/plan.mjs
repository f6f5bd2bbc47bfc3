// All that will be asked, as data, before anything is asked: groups of requests, each with its judge.
//
// The public address is asked as a browser asks that fetches ahead: the room takes nobody in for that, so no place and no
// session is used up by a probe.
import { randomBytes } from "node:crypto";
import * as judge from "./judging.mjs";
import { beyond, spellingsOf } from "./spellings.mjs";

const AHEAD = { "sec-purpose": "prefetch" };
const PAGE = { ...AHEAD, accept: "text/html", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" };
const ELSEWHERE = "https://anteroom-probe.invalid";
const UPGRADE = {
  connection: "Upgrade",
  upgrade: "websocket",
  "sec-websocket-version": "13",
  "sec-websocket-key": "YW50ZXJvb20tcHJvYmU=",
};
const METHODS = ["HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE", "TRACE", "PROPFIND"];

/**
 * `target`: `{ event, prefix, publicBase, publicHost, paths, bypass, passes, ports, origins: [{ base, host }] }`;
 * `verdictOf(path)`: what the edge's rules say of a path at the public host. A group is `{ name, says, asks }`, and
 * `isOf`: `"room"` or `"origin"`; an ask is `{ what, base, host, method, path, headers, judge }`.
 */
export function planOf(target, verdictOf) {
  const unknown = `/anteroom-probe-${randomBytes(4).toString("hex")}`;
  const groups = [
    ...[roomGroup, gateGroup, operatorGroup].map((group) => group(target)),
    ...[nothingGroup, spellingGroup].map((group) => group(target, verdictOf, unknown)),
    ...[methodGroup, passGroup].map((group) => group(target)),
    headerGroup(target, verdictOf, unknown),
    bypassGroup(target, verdictOf),
    besideGroup(target),
    ...target.origins.flatMap((origin) => originGroups(target, origin, unknown)),
  ];
  return groups.filter(({ asks }) => asks.length > 0);
}

/** Every path that asks want to know the verdict of: `spellingsOf` and `beyond` of all paths. */
export const pathsToExplain = ({ paths, bypass, publicHost }) => [
  ...paths.flatMap((path) => spellingsOf(path, publicHost).map((each) => each.path)),
  ...bypass.flatMap((rule) => beyond(rule, paths[0]).map((each) => each.path)),
];

const atPublic = ({ publicBase, publicHost }, ask) => ({ base: publicBase, host: publicHost, headers: AHEAD, ...ask });

const own = ({ prefix, event }, rest = "") => `${prefix}/queues/${event.id}${rest}`;

const roomGroup = (target) => ({
  name: "room",
  says: "the room answers here, with this event and run",
  asks: [
    atPublic(target, { what: "the board", path: own(target), judge: judge.theBoard(target.event) }),
    atPublic(target, { what: "the clock", path: own(target), judge: judge.clock }),
    atPublic(target, { what: "public keys", path: `${target.prefix}/jwks.json`, judge: judge.theKeys(target.event) }),
    atPublic(target, {
      what: "the board, for another site's script",
      path: own(target),
      headers: { ...AHEAD, origin: ELSEWHERE, "sec-fetch-mode": "cors", "sec-fetch-site": "cross-site" },
      judge: judge.forNoOtherSite,
    }),
  ],
});

const gateGroup = (target) => ({
  name: "gate",
  says: "who comes without a pass gets the room, each an own page",
  asks: target.paths.flatMap((path) => [
    atPublic(target, { what: "a page", path, headers: PAGE, keepAs: "page", judge: judge.roomsPage }),
    atPublic(target, { what: "a second page", path, headers: PAGE, judge: judge.anotherPage }),
    atPublic(target, { what: "a script", path, judge: judge.closed("gate-open") }),
  ]),
});

const operatorGroup = (target) => ({
  name: "operators",
  says: "what only operators may see is not shown",
  asks: [own(target, "/observability"), own(target, "/log?after=0"), `${target.prefix}/metrics`].map((path) =>
    atPublic(target, { what: "without a token", path, judge: judge.forOperators }),
  ),
});

/** What the shop says of an address that nobody knows; a room before the whole host says the same of all. */
const nothingGroup = (target, verdictOf, unknown) => ({
  name: "nothing",
  says: "an address that nobody knows",
  isQuiet: true,
  asks: verdictOf(unknown) === "open" ? [atPublic(target, { what: "nothing", path: unknown, keepAs: "nothing" })] : [],
});

const spellingGroup = (target, verdictOf) => ({
  name: "spellings",
  isOf: "room",
  says: "however the event's addresses are spelled, the room answers or it is refused",
  asks: target.paths.flatMap((path) =>
    spellingsOf(path, target.publicHost).flatMap(({ how, path: spelled }) => {
      const verdict = verdictOf(spelled);
      if (["bypass", "own"].includes(verdict)) return [];
      const isProtected = ["protected", "refused"].includes(verdict);
      const spellingJudge = isProtected ? judge.closedBySpelling : judge.nothingThere("spelling-open");
      return [atPublic(target, { what: how, path: spelled, judge: spellingJudge })];
    }),
  ),
});

/** Methods and kinds of requests at `path`, without a body: `[{ what, method, headers }]`. */
const kindsOfRequests = () => [
  ...METHODS.map((method) => ({ what: method, method })),
  { what: "a WebSocket", headers: UPGRADE },
  { what: "a range", headers: { range: "bytes=0-1023" } },
  { what: "if changed since 1970", headers: { "if-modified-since": "Thu, 01 Jan 1970 00:00:00 GMT" } },
  { what: "if it matches nothing", headers: { "if-none-match": "*" } },
  { what: "POST as GET", method: "POST", headers: { "x-http-method-override": "GET" } },
];

const PREFLIGHT = {
  what: "a CORS preflight",
  method: "OPTIONS",
  headers: { origin: ELSEWHERE, "access-control-request-method": "GET" },
};

const methodGroup = (target) => ({
  name: "methods",
  isOf: "room",
  says: "no other method or kind of request gets past the room",
  asks: target.paths.flatMap((path) => [
    ...kindsOfRequests().map(({ headers, ...kind }) =>
      atPublic(target, { ...kind, path, headers: { ...AHEAD, ...headers }, judge: judge.closed("method-open") }),
    ),
    atPublic(target, { ...PREFLIGHT, path, judge: judge.onlyHeaders }),
  ]),
});

const passGroup = (target) => ({
  name: "passes",
  isOf: "room",
  says: "no pass that does not hold opens the room",
  asks: target.passes.flatMap(({ what, token }) => {
    const judging = { path: target.paths[0], judge: judge.closed("pass-accepted") };
    const cookie = `__Host-wr-pass-${target.event.id}-1=${token}; wr-pass-${target.event.id}-1=${token}`;
    return [
      atPublic(target, { what: `${what}, as a header`, headers: { ...AHEAD, "waiting-room-pass": token }, ...judging }),
      atPublic(target, { what: `${what}, as a cookie`, headers: { ...AHEAD, cookie }, ...judging }),
    ];
  }),
});

/** What somebody may say of the request who is no proxy. */
const saidByAnybody = ({ publicHost, bypass }) => {
  const harmless = bypass[0]?.replace(/\*$/, "") ?? "/robots.txt";
  return [
    { "waiting-room-state": "admitted" },
    { "waiting-room-session": "0.0.1" },
    { "waiting-room-command": "extend=60" },
    { "x-original-url": harmless, "x-rewrite-url": harmless, "x-original-uri": harmless },
    {
      "x-forwarded-for": "127.0.0.1",
      "x-real-ip": "127.0.0.1",
      "true-client-ip": "127.0.0.1",
      forwarded: "for=127.0.0.1",
    },
    { "x-forwarded-host": publicHost, "x-host": publicHost, "x-forwarded-proto": "https" },
    { authorization: "Bearer a.b.c" },
    { referer: `https://${publicHost}${harmless}` },
    { "user-agent": "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)" },
  ];
};

/** An address that is asked for in a header, behind an address that nobody knows. */
const anotherAddress = (path) => ({ "x-original-url": path, "x-rewrite-url": path, "x-original-uri": path });

const namesOf = (headers) => Object.keys(headers).join(", ");

const headerGroup = (target, verdictOf, unknown) => ({
  name: "headers",
  isOf: "room",
  says: "no header that anybody can send opens the room",
  asks: [
    ...saidByAnybody(target).map((said) =>
      atPublic(target, {
        what: namesOf(said),
        path: target.paths[0],
        headers: { ...AHEAD, ...said },
        judge: judge.closed("header-opens"),
      }),
    ),
    ...(verdictOf(unknown) === "open" ? [unknown] : []).map((path) =>
      atPublic(target, {
        what: "the event's address in a header",
        path,
        headers: { ...AHEAD, ...anotherAddress(target.paths[0]) },
        judge: judge.nothingThere("header-opens"),
      }),
    ),
  ],
});

const bypassGroup = (target, verdictOf) => ({
  name: "bypasses",
  isOf: "room",
  says: "no bypass reaches more than it says",
  asks: target.bypass.flatMap((rule) =>
    beyond(rule, target.paths[0]).flatMap(({ how, path }) => {
      const verdict = verdictOf(path);
      const isProtected = ["protected", "refused"].includes(verdict);
      if (!isProtected && verdict !== "open") return [];
      const bypassJudge = isProtected ? judge.closed("bypass-wide") : judge.nothingThere("bypass-wide");
      return [atPublic(target, { what: `${rule}: ${how}`, path, judge: bypassJudge })];
    }),
  ),
});

/** The same host over http, and at the ports that were named. */
const besideGroup = (target) => {
  const { protocol, hostname, port } = new URL(target.publicBase);
  const plain = protocol === "https:" && port === "" ? [[`http://${hostname}`, "plain-open"]] : [];
  const ports = target.ports.flatMap((each) =>
    ["http", "https"].map((scheme) => [`${scheme}://${hostname}:${each}`, "port-open"]),
  );
  return {
    name: "beside",
    says: "beside the public address nothing answers without a pass",
    asks: [...plain, ...ports].flatMap(([base, id]) =>
      target.paths.map((path) => ({
        ...{ what: base, base, host: target.publicHost, path, headers: PAGE },
        judge: judge.closed(id),
      })),
    ),
  };
};

function originGroups(target, { base, host }, unknown) {
  const at = (ask) => ({ base, host, headers: {}, isOrigin: true, ...ask });
  const denied = (id, options) => judge.denied(id, target.publicHost, options);
  const name = `${base} as ${host}`;
  const [front] = target.paths;
  const otherwise = denied("origin-spelling-open", { isOtherwise: true });
  const asks = {
    first: [
      at({ what: "nothing", path: unknown, keepAs: "nothing", judge: judge.clock }),
      ...target.paths.map((path) =>
        at({ what: "without a pass", path, headers: { accept: "text/html" }, judge: denied("origin-open") }),
      ),
    ],
    spellings: target.paths.flatMap((path) =>
      spellingsOf(path, host)
        .slice(1)
        .map(({ how, path: spelled }) => at({ what: how, path: spelled, judge: otherwise })),
    ),
    others: [
      ...kindsOfRequests().map((kind) => at({ ...kind, path: front, judge: denied("origin-method-open") })),
      at({ ...PREFLIGHT, path: front, judge: judge.onlyHeaders }),
      ...saidByAnybody(target).map((said) =>
        at({ what: namesOf(said), path: front, headers: said, judge: denied("origin-header-opens") }),
      ),
      at({
        what: "the event's address in a header",
        path: unknown,
        headers: anotherAddress(front),
        judge: denied("origin-header-opens", { isOtherwise: true }),
      }),
      ...target.passes.map(({ what, token }) =>
        at({ what, path: front, headers: { "waiting-room-pass": token }, judge: denied("origin-pass-accepted") }),
      ),
    ],
  };
  const more = { isOf: "origin", place: judge.placeOf({ base, host }) };
  return [
    { name: `origin ${name}`, says: `${name}: refuses who has no pass`, place: more.place, asks: asks.first },
    { name: `spellings ${name}`, says: `${name}: refuses every spelling`, asks: asks.spellings, ...more },
    {
      name: `others ${name}`,
      says: `${name}: believes no header, no method and no false pass`,
      asks: asks.others,
      ...more,
    },
  ];
}
