// What the platform loads, in front of a built module that answers, throws, panics and starts anew.
import assert from "node:assert/strict";
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, test } from "node:test";
import { pathToFileURL } from "node:url";
import { root } from "../../scripts/paths.mjs";

const BUILT = `
export class CoordinatorObject {}
export class RelayObject {}
export class ShardObject {}
export default class Room {
  constructor(ctx, env) {
    globalThis.started.push([ctx, env]);
    Object.assign(this, { ctx, env });
  }
  fetch(request) {
    return request.answer.call(this);
  }
}
`;

const folder = mkdtempSync(path.join(tmpdir(), "anteroom-main-"));
after(() => rmSync(folder, { recursive: true, force: true }));

/** The module afresh, in front of a built one that says of itself what `state` is. */
async function loaded(state, name) {
  const own = path.join(folder, name);
  copyFileSync(path.join(root, "src/main.js"), `${own}.mjs`);
  writeFileSync(path.join(folder, "index.js"), BUILT);
  writeFileSync(path.join(folder, "package.json"), JSON.stringify({ type: "module" }));
  Object.assign(globalThis, { started: [], __worker_init_state: state });
  return (await import(pathToFileURL(`${own}.mjs`))).default;
}

test("a request goes to the built module with its bindings, and nothing is made for it", async () => {
  const main = await loaded({ criticalError: false }, "plain");
  const answer = main.fetch(
    {
      answer: function () {
        return [this.env, this.ctx];
      },
    },
    "env",
    "ctx",
  );
  assert.deepEqual(answer, ["env", "ctx"]);
  assert.deepEqual(globalThis.started, []);
});

test("after a panic the built module starts anew, by its own way", async () => {
  const state = { criticalError: false };
  const main = await loaded(state, "panics");
  const panics = () => {
    throw new WebAssembly.RuntimeError("unreachable");
  };
  assert.throws(() => main.fetch({ answer: panics }, "env", "ctx"), WebAssembly.RuntimeError);
  assert.equal(state.criticalError, true);
  assert.equal(main.fetch({ answer: () => "there again" }, "env", "ctx"), "there again");
  assert.deepEqual(globalThis.started, [["ctx", "env"]]);
});

test("an error that is no panic is only passed on", async () => {
  const state = { criticalError: false };
  const main = await loaded(state, "throws");
  const throws = () => {
    throw new TypeError("no");
  };
  assert.throws(() => main.fetch({ answer: throws }, "env", "ctx"), TypeError);
  assert.equal(state.criticalError, false);
});

test("a built module that says nothing of panics is always asked by its own way", async () => {
  const main = await loaded(undefined, "unknown");
  assert.equal(main.fetch({ answer: () => "told" }, "env", "ctx"), "told");
  assert.equal(globalThis.started.length, 1);
});
