// The Worker with a meter around it: the entry module of a measured room, and of no other. The Worker itself is not changed;
// what comes in and what goes on is counted on its way, in the units in which the platform bills it.
//
// - `requests`: requests to the Worker, by route; an answer of the shop is told from one of the room's;
// - `calls`: requests to objects, by who asks whom for what; a socket is one request at its upgrade;
// - `alarms`, `messages`: what else comes to an object, by class (messages and closings of sockets);
// - `objects`: for each its rows written and read, as its own cursors tell them, with a row for each alarm that is set, and
//   the milliseconds in which it was not asleep.
//
// An object counts as awake from one event to the next if no more than AWAKE_MS lie between them, and while a call is under
// way. The platform lets one sleep when nothing has been due for ten seconds, and does not bill these: so this is the most
// that it bills. Timers themselves are not seen; none here is longer than five seconds, and each leads to an event.

import { WorkerEntrypoint } from "cloudflare:workers";
import * as room from "./room.js";

const CONTROL = "/__meter";
const AWAKE_MS = 10_000;
/** Cursors that are kept before the older ones are added up: by then they have been read to their end. */
const MOST_CURSORS = 64;
/** The header of a short call; a longer one is a body. */
const CALL = "anteroom-secret-call";
/** The first bytes of a call say what it asks: the format, the event's name, three numbers. */
const NAME_LENGTH_AT = 1;
const SHARD_ASKS = { 0: "board", 1: "place", 2: "poke", 3: "board", 4: "board" };
const COORDINATOR_ASKS = { 0: "sync", 6: "sync", 10: "sync" };

const tally = { requests: {}, calls: {}, alarms: {}, messages: {} };
/** Every object that was made, by its id; one that is made anew goes on with its counts. */
const objects = new Map();

const count = (table, key) => {
  table[key] = (table[key] ?? 0) + 1;
};

class Meter {
  written = 0;
  read = 0;
  awake_ms = 0;
  /** The last event, and up to when its time is counted. */
  #event_ms = null;
  #counted_ms = null;
  #underWay = 0;
  #cursors = [];

  constructor(kind) {
    this.kind = kind;
  }

  /** Something happens here, now. */
  touch() {
    this.#countUpTo(Date.now());
    this.#event_ms = Date.now();
    this.#counted_ms = this.#event_ms;
  }

  #countUpTo(now) {
    if (this.#event_ms === null) return;
    if (this.#underWay > 0 || now - this.#event_ms <= AWAKE_MS) this.awake_ms += Math.max(0, now - this.#counted_ms);
    this.#counted_ms = Math.max(now, this.#counted_ms);
  }

  async during(work) {
    this.touch();
    this.#underWay += 1;
    try {
      return await work();
    } finally {
      this.touch();
      this.#underWay -= 1;
    }
  }

  keep(cursor) {
    this.touch();
    this.#cursors.push(cursor);
    if (this.#cursors.length > MOST_CURSORS) this.#add(this.#cursors.splice(0, MOST_CURSORS / 2));
  }

  #add(cursors) {
    for (const cursor of cursors) {
      this.written += cursor.rowsWritten;
      this.read += cursor.rowsRead;
    }
  }

  get told() {
    this.#countUpTo(Date.now());
    this.#add(this.#cursors.splice(0));
    const { kind, written, read, awake_ms } = this;
    return { kind, written, read, awake_ms };
  }
}

/** Storages and their SQL, and whose they are. */
const owners = new WeakMap();
let isPatched = false;

/** Every object's storage has the same prototype: it tells the meter of whose storage it is. */
function patch(storage) {
  if (isPatched) return;
  isPatched = true;
  const wrap = (prototype, name, then) => {
    const method = prototype[name];
    prototype[name] = function (...given) {
      const result = method.apply(this, given);
      then(owners.get(this), result);
      return result;
    };
  };
  wrap(Object.getPrototypeOf(storage.sql), "exec", (meter, cursor) => meter?.keep(cursor));
  const written = (meter) => {
    if (meter) meter.written += 1;
  };
  wrap(Object.getPrototypeOf(storage), "setAlarm", written);
  wrap(Object.getPrototypeOf(storage), "deleteAlarm", written);
  wrap(Object.getPrototypeOf(storage), "getAlarm", (meter) => {
    if (meter) meter.read += 1;
  });
}

/** A number as postcard writes it, and where the next one begins. */
function numberAt(bytes, at) {
  let value = 0;
  let place = 1;
  for (let next = at; ; next += 1) {
    value += (bytes[next] & 0x7f) * place;
    place *= 128;
    if (!(bytes[next] & 0x80)) return [value, next + 1];
  }
}

/** What a call asks its object for. */
function askedBy(bytes, kind) {
  let [length, at] = numberAt(bytes, NAME_LENGTH_AT);
  at += length;
  const numbers = kind === "coordinator" ? 2 : 3;
  let value = 0;
  for (let n = 0; n < numbers; n += 1) [value, at] = numberAt(bytes, at);
  return (kind === "coordinator" ? COORDINATOR_ASKS : SHARD_ASKS)[value] ?? "other";
}

/** A stub that counts what `from` asks for. */
const counted = (stub, kind, from, during) => ({
  fetch: (...given) =>
    during(async () => {
      const request = new Request(...given);
      const isSocket = request.headers.has("upgrade");
      const carried = request.headers.get(CALL);
      const body = isSocket || carried ? null : request.clone().arrayBuffer();
      const answer = stub.fetch(request);
      const call = carried ? Uint8Array.from(atob(carried), (byte) => byte.charCodeAt(0)) : new Uint8Array(await body);
      const asked = isSocket ? "socket" : askedBy(call, kind);
      count(tally.calls, `${from()} -> ${kind}: ${asked}`);
      return answer;
    }),
});

/** The bindings as they are, but that calls to objects are counted. */
const meteredEnv = (env, from, during = (work) => work()) =>
  new Proxy(env, {
    get(target, name) {
      const value = Reflect.get(target, name);
      if (typeof value?.idFromName !== "function") return value;
      const kind = String(name).toLowerCase();
      return new Proxy(value, {
        get(namespace, member) {
          const found = Reflect.get(namespace, member);
          if (typeof found !== "function") return found;
          if (member === "constructor") return found;
          const bound = found.bind(namespace);
          if (member !== "get" && member !== "getByName") return bound;
          return (...given) => counted(bound(...given), kind, from, during);
        },
      });
    },
  });

/** The room's class of this name, each of its objects with a meter. */
// biome-ignore lint/correctness/noUnusedVariables: the lines that are written behind this file use it
const meteredClass = (name, Own) =>
  class {
    #meter;
    #kind = name.replace(/Object$/, "").toLowerCase();
    #own;

    constructor(context, env) {
      const id = String(context.id);
      if (!objects.has(id)) objects.set(id, new Meter(this.#kind));
      this.#meter = objects.get(id);
      patch(context.storage);
      owners.set(context.storage, this.#meter);
      owners.set(context.storage.sql, this.#meter);
      const during = (work) => this.#meter.during(work);
      this.#own = new Own(
        context,
        meteredEnv(env, () => this.#kind, during),
      );
    }

    fetch(request) {
      return this.#meter.during(() => this.#own.fetch(request));
    }

    alarm(...told) {
      count(tally.alarms, this.#kind);
      return this.#meter.during(() => this.#own.alarm(...told));
    }

    #socket(handler, given) {
      count(tally.messages, this.#kind);
      return this.#meter.during(() => this.#own[handler]?.(...given));
    }

    webSocketMessage(...given) {
      return this.#socket("webSocketMessage", given);
    }

    webSocketClose(...given) {
      return this.#socket("webSocketClose", given);
    }

    webSocketError(...given) {
      return this.#socket("webSocketError", given);
    }
  };

/** The route of a request, without what is of one event. */
function routeOf(request) {
  const { pathname } = new URL(request.url);
  const [, rest] = pathname.match(/^\/_wr(\/.*)$/) ?? [];
  return rest && `${request.method} ${rest.replace(/^\/queues\/[^/]+/, "/queues/{event}")}`;
}

export default class extends WorkerEntrypoint {
  async fetch(request) {
    if (new URL(request.url).pathname === CONTROL) {
      return Response.json({ ...tally, objects: [...objects.values()].map((meter) => meter.told) });
    }
    const route = routeOf(request);
    // Where a request leads is known when it is answered; until then its calls are those of a page.
    let name = route ?? "page";
    const own = new room.default(
      this.ctx,
      meteredEnv(this.env, () => name),
    );
    const answer = await own.fetch(request);
    if (!route && !answer.headers.has("waiting-room-state")) name = "shop";
    count(tally.requests, name);
    return answer;
  }
}

// What follows is written when the room is built: the classes, by the names that wrangler.toml gives them.
