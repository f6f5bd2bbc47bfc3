// A stage for the built Worker: the same modules, with a few lines behind them by which a test can move the clock that
// edge and objects read, cut objects off from their callers, have an object's alarm come (the platform's own keep to the
// real clock, and fail), have calls to objects fail as the platform's do or lose their answers, and stand in for the
// platform's rate limits. The Worker itself is not changed.
import assert from "node:assert/strict";
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { exchange } from "./exchange.mjs";

const CONTROL = "/__stage";

// A module may import itself: so its default export is found under whatever name the bundler gave it. Clock and cuts
// are the isolate's, which edge and objects share in one workerd.
const STAGE = `
import * as stagedSelf from "./index.js";
{
  const stage = { ahead_ms: 0, cut: [], limited: [], faults: [], alarms_fail: 0, hints: {} };
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
  let isPatched = false;
  const patch = (namespace) => {
    isPatched = true;
    const prototype = Object.getPrototypeOf(namespace);
    const { get } = prototype;
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
  const prototype = stagedSelf.default.prototype;
  const { fetch } = prototype;
  prototype.fetch = async function (request) {
    if (!isPatched) patch(this.env.SHARD);
    if (new URL(request.url).pathname !== "${CONTROL}") return fetch.call(this, request);
    const { advance_ms = 0, cut, object, alarm, limits = {}, ...more } = await request.json();
    Object.assign(stage, more);
    for (const [name, most] of Object.entries(limits)) this.env[name] = new Ratelimit(name, most);
    stage.ahead_ms += advance_ms;
    if (cut) stage.cut = cut;
    if (!object) return Response.json(stage);
    const { COORDINATOR, RELAY, SHARD } = this.env;
    const namespace = object.endsWith("/coordinator") ? COORDINATOR : object.includes("/relay/") ? RELAY : SHARD;
    const id = namespace.idFromName(object);
    if (alarm) await namespace.get(id).fetch(request.url);
    return Response.json({ id: id.toString() });
  };
  for (const { prototype } of [stagedSelf.ShardObject, stagedSelf.RelayObject, stagedSelf.CoordinatorObject]) {
    const { fetch, alarm } = prototype;
    prototype.alarm = function (...told) {
      if (stage.alarms_fail <= 0) return alarm.apply(this, told);
      stage.alarms_fail -= 1;
      return Promise.reject(new Error("staged: an alarm that fails"));
    };
    prototype.fetch = function (request) {
      return new URL(request.url).pathname === "${CONTROL}" ? this.alarm() : fetch.call(this, request);
    };
  }
}
`;

/** Makes a build folder with the stage below `folder`, from the one that was built. */
export function stagedBuild(builtDir, folder) {
  const staged = path.join(folder, "build");
  mkdirSync(staged, { recursive: true });
  copyFileSync(path.join(builtDir, "index_bg.wasm"), path.join(staged, "index_bg.wasm"));
  const script = readFileSync(path.join(builtDir, "index.js"), "utf8");
  writeFileSync(path.join(staged, "index.js"), `${script}\n${STAGE}`);
  return staged;
}

/** Changes what is on the stage; answers it, or the id of the object that is named. */
export async function setStage(url, change) {
  const body = JSON.stringify(change);
  const answer = await exchange(url, { method: "POST", path: CONTROL, body });
  assert.equal(
    answer.status,
    200,
    "only a staged room has a clock that moves, and alarms that come when they are called",
  );
  return answer.json;
}
