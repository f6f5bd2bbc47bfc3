// What one visitor, one second, one admission takes, read out of the counts of a measured run (tests/cost/measure.mjs).
//
// Each reading is a figure of one part of the run, over what it was done for. Where groups matter (joins and admissions of
// the same moment share rows and reports) the figure depends on how many come in a second, and is read between the measured
// rates: what is written in a second grows ever more slowly, so below the lowest rate each costs as much as there, and
// beyond the highest no more is written than is measured.

const sum = (values) => values.reduce((total, value) => total + value, 0);

/** The entries of a table whose names satisfy, added up. */
const total = (table, satisfies) =>
  sum(Object.entries(table).flatMap(([name, times]) => (satisfies(name) ? [times] : [])));

const LOOK = "GET /queues/{event}/tickets/me";
const SYNC = "shard -> coordinator: sync";

const written = (part) => sum(Object.values(part.objects).map((kind) => kind.written));
const read = (part) => sum(Object.values(part.objects).map((kind) => kind.read));
const awake = (part, kind) =>
  Math.min(1, part.objects[kind].awake_ms / 1_000 / part.objects[kind].objects / part.seconds);

/** Calls to `shard` for one place, made while such a request was answered. */
const placeCalls = (part, request) => part.calls[`${request} -> shard: place`] ?? 0;

/** `y` at `x`, between measured points `[x, y]` in the order of `x`: y for one, where x is how many in a second. */
export function eachAt(points, x) {
  const sorted = points.toSorted(([a], [b]) => a - b);
  const [first] = sorted;
  const last = sorted.at(-1);
  if (x <= first[0]) return first[1];
  if (x >= last[0]) return (last[1] * last[0]) / x;
  const at = sorted.findIndex(([from]) => from > x);
  const [[x0, y0], [x1, y1]] = sorted.slice(at - 1);
  const inSecond = y0 * x0 + ((x - x0) / (x1 - x0)) * (y1 * x1 - y0 * x0);
  return inSecond / x;
}

/** Questions of a visitor who asks, in a wait of so many seconds: minute by minute before the turn. */
export function asksInWait(byMinute, seconds) {
  const measured = byMinute.map((minute) => (minute ? minute.asks / minute.seconds : null));
  let known = measured.find((rate) => rate !== null);
  let asks = 0;
  for (let at = 0; at * 60 < seconds; at += 1) {
    known = measured[at] ?? known;
    asks += known * Math.min(60, seconds - at * 60);
    // Far from the front nothing changes any more.
    if (at >= measured.length) return asks + known * Math.max(0, seconds - (at + 1) * 60);
  }
  return asks;
}

function ofJoins(joins) {
  const at = (figure) => joins.map((part) => [part.per_second, figure(part) / part.people]);
  const fastest = joins.toSorted((a, b) => a.per_second - b.per_second).at(-1);
  return {
    rates: joins.map((part) => part.per_second),
    cpuMs: fastest.cpu_ms / fastest.people,
    requests: total(fastest.requests, (name) => name === "POST /queues/{event}/tickets") / fastest.people,
    calls: placeCalls(fastest, "POST /queues/{event}/tickets") / fastest.people,
    rowsAt: (perSecond) => eachAt(at(written), perSecond),
    readAt: (perSecond) => eachAt(at(read), perSecond),
    syncsAt: (perSecond) =>
      eachAt(
        at((part) => part.calls[SYNC] ?? 0),
        perSecond,
      ),
  };
}

/** What a second of waiting takes: of a shard, of the coordinator. */
const ofSecond = (part) => ({
  syncs: (part.calls[SYNC] ?? 0) / part.seconds / part.objects.shard.objects,
  boards: total(part.calls, (name) => name.endsWith("-> shard: board")) / part.seconds,
  alarms: sum(Object.values(part.alarms)) / part.seconds,
  rows: written(part) / part.seconds,
  shardAwake: awake(part, "shard"),
  coordinatorAwake: awake(part, "coordinator"),
});

/** What an admission takes from the turn on: `quiet` is a second of the same waiting without any. */
function ofAdmission(push, batch, quiet) {
  const { entered, asks } = push;
  const syncs = Math.max(0, (push.calls[SYNC] ?? 0) - quiet.syncs * push.seconds);
  const looks = asks.turn + asks.after;
  const callsOfLook = placeCalls(push, LOOK) / Math.max(1, looks);
  const claims = "POST /queues/{event}/tickets/me/pass";
  const points = [
    [entered / push.seconds, written(push) / entered],
    [batch.people / batch.seconds, written(batch) / batch.people],
  ];
  return {
    looks: looks / entered,
    callsOfLook,
    claims: asks.claims / entered,
    callsOfClaim: placeCalls(push, claims) / Math.max(1, asks.claims),
    cpuMsOfClaim: batch.cpu_ms / Math.max(1, batch.asks.claims),
    rowsAt: (perSecond) => eachAt(points, perSecond),
    syncs: syncs / entered,
    rates: points.map(([rate]) => rate),
  };
}

/** Everything that is reckoned with. */
export function readingsOf({ parts, measured }) {
  const { pages, solver, joins, looks, sockets, quietPush, push, poll, quietPoll, admission, shop, ends } = parts;
  const shopped = shop.requests.shop;
  return {
    page: { requests: pages.requests.page / pages.people, cpuMs: pages.cpu_ms / pages.people },
    solver: { cpuMs: solver.cpu_ms / solver.people },
    join: ofJoins(joins),
    look: { cpuMs: looks.cpu_ms / looks.people },
    socket: {
      requests: sockets.requests[`${LOOK}/ws`] / sockets.people,
      calls: sockets.calls[`${LOOK}/ws -> shard: socket`] / sockets.people,
      cpuMs: sockets.cpu_ms / sockets.people,
      // Each socket is closed once; a closing may be billed as the message that tells of it.
      messages: 1,
    },
    push: {
      second: ofSecond(quietPush),
      asksASecond: (push.asks.planned + push.asks.owed) / push.people / push.seconds,
    },
    poll: { second: ofSecond(quietPoll), byMinute: poll.by_minute },
    // One isolate, in parts in which nothing but the board's age makes it read.
    boardsASecond: Math.max(...[pages, quietPoll, shop].map((part) => ofSecond(part).boards)),
    admission: ofAdmission(push, admission, ofSecond(quietPush)),
    shop: {
      cpuMs: shop.cpu_ms / shopped,
      // Passes of a measured run live for a shorter time: renewals go by that.
      renewalsInPassLife: (placeCalls(shop, "page") / shop.people / shop.seconds) * measured.pass_seconds,
      shardAwake: awake(shop, "shard"),
    },
    end: {
      requests: total(ends.requests, (name) => name.startsWith("DELETE")) / ends.people,
      calls: placeCalls(ends, "DELETE /queues/{event}/tickets/me/pass") / ends.people,
      rows: written(ends) / ends.people,
      syncs: (ends.calls[SYNC] ?? 0) / ends.people,
      cpuMs: ends.cpu_ms / ends.people,
    },
  };
}
