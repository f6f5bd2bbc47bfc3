// A stage for the built Worker: the same modules, with a few lines behind them by which a test can move the clock that
// edge and objects read, and cut objects off from their callers. The Worker itself is not changed.
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
  const stage = { ahead_ms: 0, cut: [] };
  const clock = Date.now.bind(Date);
  Date.now = () => clock() + stage.ahead_ms;
  let isPatched = false;
  const patch = (namespace) => {
    isPatched = true;
    const prototype = Object.getPrototypeOf(namespace);
    const { get } = prototype;
    prototype.get = function (id, options) {
      const stub = get.call(this, id, options);
      const isCut = () => stage.cut.some((part) => String(id.name).includes(part));
      const away = () => Promise.reject(new Error("Network connection lost."));
      return { fetch: (...call) => (isCut() ? away() : stub.fetch(...call)) };
    };
  };
  const prototype = stagedSelf.default.prototype;
  const { fetch } = prototype;
  prototype.fetch = async function (request) {
    if (!isPatched) patch(this.env.SHARD);
    if (new URL(request.url).pathname !== "${CONTROL}") return fetch.call(this, request);
    const { advance_ms = 0, cut } = await request.json();
    stage.ahead_ms += advance_ms;
    if (cut) stage.cut = cut;
    return Response.json(stage);
  };
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

/** Changes what is on the stage. */
export async function setStage(url, change) {
  const body = JSON.stringify(change);
  const answer = await exchange(url, { method: "POST", path: CONTROL, body });
  assert.equal(answer.status, 200, "only a staged room has a clock that moves");
}
