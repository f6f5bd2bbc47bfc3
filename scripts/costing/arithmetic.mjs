// From what was measured to a bill: lines of so many units at a list price, each with where it comes from.
//
// Three kinds of figures scale differently, and every line says which it is:
//
// - by the visitor: the page, the join, the socket, the questions of a wait;
// - by the second of an object: a shard of so many places is awake while anybody waits there, and reports once a second;
//   the coordinator is awake for as long as the event lasts;
// - by the group: joins and admissions of the same moment share rows and reports, so each is cheaper the more there are.

import { MESSAGES_A_REQUEST, OBJECT_GB } from "./prices.mjs";
import { asksInWait } from "./readings.mjs";

/** Places that a shard is planned for; `PLANNED_PLACES` in crates/queue/src/limits.rs, as the next two are there. */
export const PLACES_OF_SHARD = 8_000;
/** Shards that report to the coordinator itself; behind them stand relays, each for so many. */
export const DIRECT_SHARDS = 50;
export const SHARDS_OF_RELAY = 80;
/** Joins a second that a shard is meant to take before another is opened. */
const JOINS_OF_SHARD = 500;
const MINUTE_SECONDS = 60;

export const MODES = ["push", "poll"];

/**
 * A crowd: `visitors`, `waitMinutes` that each waits, `arriveMinutes` in which they come, `isolates` of the edge, `challenge`
 * ("none": no work), `hasStaticFiles` (not false: the deployment serves the script that works without its Worker, as
 * `npm run deploy` has it), `sessionMinutes` and `sessionRequests` of whoever is admitted, `passSeconds`, `lastsMinutes` from the
 * first visitor to the last turn (by default what the two times add up to), `isDrawn`: a draw gives the turns, so that
 * somebody waits at each shard to the end. This is what follows from it.
 */
function shapeOf(crowd) {
  const { visitors, waitMinutes, arriveMinutes, lastsMinutes = arriveMinutes + waitMinutes, isDrawn = false } = crowd;
  const joinsASecond = visitors / (arriveMinutes * MINUTE_SECONDS);
  const openShards = Math.max(1, Math.ceil(joinsASecond / JOINS_OF_SHARD));
  const shards = Math.max(openShards, Math.ceil(visitors / PLACES_OF_SHARD));
  const joinsOfShard = joinsASecond / openShards;
  const waitSeconds = waitMinutes * MINUTE_SECONDS;
  const lastSeconds = lastsMinutes * MINUTE_SECONDS;
  const fillSeconds = visitors / shards / joinsOfShard;
  const awakeSeconds = isDrawn ? lastSeconds : Math.min(lastSeconds, fillSeconds + waitSeconds);
  const relays = Math.ceil(Math.max(0, shards - DIRECT_SHARDS) / SHARDS_OF_RELAY);
  const admittedASecond = crowd.admittedASecond ?? visitors / lastSeconds;
  return {
    ...{ openShards, shards, relays, joinsOfShard, waitSeconds, lastSeconds },
    shardSeconds: shards * awakeSeconds,
    admissionsOfShard: admittedASecond / openShards,
  };
}

/** One line of a bill. */
const line = (what, units, price, why) => ({ what, units, usd: units * price, why });

const usdOf = (lines) => lines.reduce((sum, { usd }) => sum + usd, 0);

/** Questions that a visitor's page asks on the way, and why so many. */
function questions(readings, shape, mode) {
  if (mode === "poll") {
    const asks = asksInWait(readings.poll.byMinute, shape.waitSeconds);
    return [asks, "each visitor, as often as the room says by the distance from the turn"];
  }
  return [readings.push.asksASecond * shape.waitSeconds, "each visitor, seldom, in case words were missed"];
}

/**
 * The price of waiting, in lines: from the page until the page knows that it is the turn. Who listens is told so by a word,
 * and what is asked then is part of the admission; who asks finds out with the last question.
 */
export function waiting(readings, crowd, mode, prices) {
  const { visitors, challenge, isolates } = crowd;
  const shape = shapeOf(crowd);
  const { joinsOfShard, lastSeconds, shardSeconds, relays } = shape;
  const { page, solver, join, look, socket } = readings;
  const second = readings[mode].second;
  const isPush = mode === "push";
  const works = challenge !== "none" ? 1 : 0;
  const paidWorks = crowd.hasStaticFiles === false ? works : 0;
  const [asks, asksWhy] = questions(readings, shape, mode);
  const sockets = isPush ? socket.requests : 0;
  const cpuMs = page.cpuMs + paidWorks * solver.cpuMs + join.cpuMs + asks * look.cpuMs + sockets * socket.cpuMs;
  const requests = (what, each, why) => line(`requests: ${what}`, each * visitors, prices.workerRequest, why);
  const calls = (what, units, why) => line(`objects: ${what}`, units, prices.objectRequest, why);
  const listening = [
    requests("the socket", sockets, "each visitor, at its upgrade; words over it are free"),
    calls("sockets", socket.calls * visitors, "each visitor, at the home"),
    calls("closings of sockets", (socket.messages * visitors) / MESSAGES_A_REQUEST, "each visitor; 20 are a request"),
  ];
  const asking = [
    calls("the question that finds the turn", readings.admission.callsOfLook * visitors, "each visitor, at the home"),
  ];
  const theWork = paidWorks
    ? requests("the script that works", 1, "each visitor of an event that asks for work, once")
    : line(
        "static file: the script that works",
        visitors,
        0,
        "each visitor, once; what the Worker does not answer is free",
      );
  const edges = page.requests + paidWorks + join.requests + asks + sockets;
  // A board is read by an isolate that is asked something, about once a second.
  const boards = Math.min(isolates * lastSeconds * readings.boardsASecond, edges * visitors);
  const reports = second.syncs * (shardSeconds + relays * lastSeconds);
  const objectSeconds = second.shardAwake * shardSeconds + second.coordinatorAwake * lastSeconds * (1 + relays);
  return [
    requests("the queue page", page.requests, "each visitor; the permit is in it"),
    ...(works ? [theWork] : []),
    requests("the join", join.requests, "each visitor"),
    requests("questions on the way", asks, asksWhy),
    ...(isPush ? listening : asking),
    line("processor of the edge, ms", cpuMs * visitors, prices.workerCpuMs, "each visitor, on this machine"),
    calls("joins", join.calls * visitors, "each visitor, at the home"),
    calls("reports of joins", join.syncsAt(joinsOfShard) * visitors, "by the group, shard to coordinator"),
    calls("reports while they wait", reports, "each shard and relay, each second"),
    calls("alarms", second.alarms * shardSeconds, "each shard, seldom while it is awake"),
    calls("reads of the board", boards, "each isolate of the edge, each second"),
    line(
      "objects awake, GB-s",
      objectSeconds * OBJECT_GB,
      prices.objectGbSecond,
      "each shard while anybody waits there",
    ),
    line(
      "rows written: joins",
      join.rowsAt(joinsOfShard) * visitors,
      prices.rowWritten,
      "by the group, at shard and coordinator",
    ),
    line(
      "rows written: waiting",
      second.rows * shardSeconds,
      prices.rowWritten,
      "each shard, its alarm; waiting itself writes nothing",
    ),
    line("rows read", join.readAt(joinsOfShard) * visitors, prices.rowRead, "each visitor"),
  ];
}

/** What letting one visitor in costs, from the turn to the pass, times `admitted`; `perSecond`: of one shard. */
export function admission(readings, admitted, perSecond, prices) {
  const { looks, callsOfLook, claims, callsOfClaim, cpuMsOfClaim, rowsAt, syncs } = readings.admission;
  const cpuMs = looks * readings.look.cpuMs + claims * cpuMsOfClaim;
  return [
    line("requests: questions at the turn", looks * admitted, prices.workerRequest, "each, until it claims"),
    line("requests: claims", claims * admitted, prices.workerRequest, "each, until its grant"),
    line("processor of the edge, ms", cpuMs * admitted, prices.workerCpuMs, "each, on this machine"),
    line("objects: questions", looks * callsOfLook * admitted, prices.objectRequest, "each, at the home"),
    line("objects: claims", claims * callsOfClaim * admitted, prices.objectRequest, "each, at the home"),
    line("objects: reports", syncs * admitted, prices.objectRequest, "by the group, shard to coordinator"),
    line(
      "rows written",
      rowsAt(perSecond) * admitted,
      prices.rowWritten,
      "by the group: calls, claims, grants, sessions",
    ),
  ];
}

/** What sessions cost: requests with a pass, its renewals, its end. */
export function admittedTraffic(readings, admitted, { sessionMinutes, sessionRequests, passSeconds }, prices) {
  const { shop, end } = readings;
  const seconds = sessionMinutes * MINUTE_SECONDS;
  const renewals = Math.min(sessionRequests, (shop.renewalsInPassLife * seconds) / passSeconds);
  const cpuMs = sessionRequests * shop.cpuMs + end.requests * end.cpuMs;
  const shardSeconds = (admitted / PLACES_OF_SHARD) * seconds * shop.shardAwake;
  return [
    line("requests: to the shop", sessionRequests * admitted, prices.workerRequest, "each, so many as were assumed"),
    line("requests: giving back", end.requests * admitted, prices.workerRequest, "each"),
    line("processor of the edge, ms", cpuMs * admitted, prices.workerCpuMs, "each, on this machine"),
    line("objects: renewals", renewals * admitted, prices.objectRequest, "each, past half of a pass"),
    line("objects: ends and reports", (end.calls + end.syncs) * admitted, prices.objectRequest, "each, at the home"),
    line("objects awake, GB-s", shardSeconds * OBJECT_GB, prices.objectGbSecond, "each shard while anybody is inside"),
    line("rows written: ends", end.rows * admitted, prices.rowWritten, "each"),
  ];
}

const MILLION = 1_000_000;

/**
 * The bill of a crowd: lines and sums. Waiting is for the whole crowd, by `mode`; admission and admitted traffic are for
 * each million admitted.
 */
export function bill(readings, crowd, mode, prices) {
  const shape = shapeOf(crowd);
  const byMode = Object.fromEntries(MODES.map((each) => [each, waiting(readings, crowd, each, prices)]));
  const parts = {
    waiting: byMode[mode],
    admission: admission(readings, MILLION, shape.admissionsOfShard, prices),
    admitted_traffic: admittedTraffic(readings, MILLION, crowd, prices),
  };
  return {
    shape,
    parts,
    usd: Object.fromEntries(Object.entries(parts).map(([name, lines]) => [name, usdOf(lines)])),
    by_mode: Object.fromEntries(MODES.map((each) => [each, usdOf(byMode[each])])),
  };
}
