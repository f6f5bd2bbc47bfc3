// A stage for the built Worker: the same modules, with one in front of them by which a test can move the clock that edge and
// objects read, cut objects off from their callers, evict and abort them, have an object's alarm come (the platform's own
// keep to the real clock, and fail), have calls to objects fail as the platform's do or lose their answers, and stand in for
// the platform's rate limits. The Worker itself is not changed.
import assert from "node:assert/strict";
import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { MAIN_MODULE } from "../../../scripts/paths.mjs";
import { exchange } from "./exchange.mjs";

const CONTROL = "/__stage";

/** The main module of the build, behind that of the stage. */
const STAGED = "staged.js";

/** What the room on the stage needs: `workerd:unsafe` is the platform's own module for tests, which evicts objects. */
export const STAGE_FLAG = "unsafe_module";

// Clock and cuts are the isolate's, which edge and objects share in one workerd.
const STAGE = `
import unsafe from "workerd:unsafe";
import room, * as built from "./${STAGED}";

const CONTROL = "http://stage${CONTROL}";
const stage = { ahead_ms: 0, cut: [], limited: [], faults: [], alarms_fail: 0, hints: {}, started: {} };
const clock = Date.now.bind(Date);
Date.now = () => clock() + stage.ahead_ms;

// As the platform's own: so many for each key, then no more.
class Ratelimit {
  #taken = new Map();
  constructor(name, most) {
    Object.assign(this, { name, most });
  }
  async limit({ key }) {
    stage.limited.push([this.name, key]);
    this.#taken.set(key, (this.#taken.get(key) ?? 0) + 1);
    return { success: this.#taken.get(key) <= this.most };
  }
}

let get = null;
const patch = (namespace) => {
  const prototype = Object.getPrototypeOf(namespace);
  get = prototype.get;
  prototype.get = function (id, options) {
    const stub = get.call(this, id, options);
    stage.hints[id.name] ??= options?.locationHint ?? null;
    const isCut = () => stage.cut.some((part) => String(id.name).includes(part));
    const away = () => Promise.reject(new Error("Network connection lost."));
    const failing = () => stage.faults.find(({ part, times }) => times > 0 && String(id.name).includes(part));
    return {
      fetch: async (...call) => {
        if (isCut()) return away();
        const fault = failing();
        if (!fault) return stub.fetch(...call);
        fault.times -= 1;
        fault.met = (fault.met ?? 0) + 1;
        // What was done stays done; only the answer is gone.
        if (fault.kind === "lost") await stub.fetch(...call).then((answer) => answer.arrayBuffer());
        throw Object.assign(new Error("staged: " + fault.kind), { [fault.kind]: true });
      },
    };
  };
};

const objectOf = ({ COORDINATOR, RELAY, SHARD }, name) => {
  const namespace = name.endsWith("/coordinator") ? COORDINATOR : name.includes("/relay/") ? RELAY : SHARD;
  const id = namespace.idFromName(name);
  return { id, stub: get.call(namespace, id) };
};

// Of an object that did not run, and of one that did not come to rest in the platform's own time.
const ASLEEP = "not currently running";
const STILL_BUSY = "Timed out waiting to evict";

// What can be done to an object; answers what it came to.
const ACTS = {
  alarm: (stub) => stub.fetch(CONTROL).then(() => "called"),
  // What is under way fails, and so does this call.
  abort: (stub) => stub.fetch(CONTROL, { method: "DELETE" }).catch(() => {}).then(() => "aborted"),
  // What is under way ends first. One that does not run has no memory to lose; one that does not come to rest, since it
  // has something to do every second, ends as with a deployment. Any other error is this call's.
  evict: async (stub, rest_ms) => {
    const evicted = unsafe.evict(stub).then(
      () => "evicted",
      (error) => {
        if (String(error).includes(ASLEEP)) return "asleep";
        if (String(error).includes(STILL_BUSY)) return "busy";
        throw error;
      },
    );
    // What becomes of it when the time is over is the abort's doing.
    evicted.catch(() => {});
    const busy = new Promise((resolve) => setTimeout(resolve, rest_ms, "busy"));
    const came = await Promise.race([evicted, busy]);
    return came === "busy" ? ACTS.abort(stub) : came;
  },
};

export default {
  async fetch(request, env, ctx) {
    if (!get) patch(env.SHARD);
    if (new URL(request.url).pathname !== "${CONTROL}") return room.fetch(request, env, ctx);
    const { advance_ms = 0, cut, object, act, rest_ms, limits = {}, ...more } = await request.json();
    Object.assign(stage, more);
    for (const [name, most] of Object.entries(limits)) env[name] = new Ratelimit(name, most);
    stage.ahead_ms += advance_ms;
    if (cut) stage.cut = cut;
    const named = act && !object ? Object.keys(stage.started) : [object ?? []].flat();
    const objects = named.map((name) => objectOf(env, name));
    try {
      const done = await Promise.all(objects.map(({ stub }) => act && ACTS[act](stub, rest_ms)));
      return Response.json({ ...stage, ids: objects.map(({ id }) => id.toString()), done });
    } catch (error) {
      return new Response(act + ": " + error, { status: 500 });
    }
  },
};

const staged = (Built) =>
  class extends Built {
    #ctx;

    constructor(ctx, env) {
      super(ctx, env);
      this.#ctx = ctx;
      stage.started[ctx.id.name] = (stage.started[ctx.id.name] ?? 0) + 1;
    }

    fetch(request) {
      if (request.url !== CONTROL) return super.fetch(request);
      return request.method === "DELETE" ? this.#ctx.abort("staged: aborted") : this.alarm();
    }

    alarm(...told) {
      if (stage.alarms_fail <= 0) return super.alarm(...told);
      stage.alarms_fail -= 1;
      return Promise.reject(new Error("staged: an alarm that fails"));
    }
  };

export const CoordinatorObject = staged(built.CoordinatorObject);
export const RelayObject = staged(built.RelayObject);
export const ShardObject = staged(built.ShardObject);
`;

/** Makes a build folder with the stage below `folder`, from the one that was built. */
export function stagedBuild(builtDir, folder) {
  const staged = path.join(folder, "build");
  mkdirSync(staged, { recursive: true });
  for (const name of ["index.js", "index_bg.wasm"]) copyFileSync(path.join(builtDir, name), path.join(staged, name));
  copyFileSync(path.join(builtDir, MAIN_MODULE), path.join(staged, STAGED));
  writeFileSync(path.join(staged, MAIN_MODULE), STAGE);
  return staged;
}

/** Changes what is on the stage, and does something to the object that is named; answers the stage. */
export async function setStage(url, change) {
  const body = JSON.stringify(change);
  const answer = await exchange(url, { method: "POST", path: CONTROL, body });
  assert.equal(
    answer.status,
    200,
    `only a staged room has a clock that moves, and alarms that come when they are called: ${answer.text}`,
  );
  return answer.json;
}
