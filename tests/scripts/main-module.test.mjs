// What the platform loads, in front of a built module that answers, throws, panics and starts anew.
import assert from "node:assert/strict";
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, test } from "node:test";
import { pathToFileURL } from "node:url";
import { root } from "../../scripts/paths.mjs";

const BUILT = `
class Plain {
  constructor(...given) {
    globalThis.made.push(["plain", ...given]);
  }
  fetch(request) {
    return request.answer.call(this);
  }
  alarm(told) {
    return told;
  }
}
export class CoordinatorObject extends Plain {}
export class RelayObject extends Plain {}
class Shard extends Plain {}
export const ShardObject = new Proxy(Shard, {
  construct(Class, given) {
    const state = globalThis.__worker_init_state;
    if (state?.criticalError) Object.assign(state, { criticalError: false, instanceId: state.instanceId + 1 });
    globalThis.made.push(["anew", ...given]);
    return Reflect.construct(Class, given);
  },
});
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
  Object.assign(globalThis, { started: [], made: [], __worker_init_state: state });
  return import(pathToFileURL(`${own}.mjs`));
}

const panics = () => {
  throw new WebAssembly.RuntimeError("unreachable");
};

test("a request goes to the built module with its bindings, and nothing is made for it", async () => {
  const { default: main } = await loaded({ criticalError: false }, "plain");
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
  const { default: main } = await loaded(state, "panics");
  assert.throws(() => main.fetch({ answer: panics }, "env", "ctx"), WebAssembly.RuntimeError);
  assert.equal(state.criticalError, true);
  assert.equal(main.fetch({ answer: () => "there again" }, "env", "ctx"), "there again");
  assert.deepEqual(globalThis.started, [["ctx", "env"]]);
});

test("an error that is no panic is only passed on", async () => {
  const state = { criticalError: false };
  const { default: main } = await loaded(state, "throws");
  const throws = () => {
    throw new TypeError("no");
  };
  assert.throws(() => main.fetch({ answer: throws }, "env", "ctx"), TypeError);
  assert.equal(state.criticalError, false);
});

test("a built module that says nothing of panics is always asked by its own way", async () => {
  const { default: main } = await loaded(undefined, "unknown");
  assert.equal(main.fetch({ answer: () => "told" }, "env", "ctx"), "told");
  assert.equal(globalThis.started.length, 1);
});

test("an object of the built module is called as it is, and made once", async () => {
  const { ShardObject } = await loaded({ criticalError: false, instanceId: 0 }, "object");
  const object = new ShardObject("state", "env");
  assert.equal(object.fetch({ answer: () => "told" }), "told");
  assert.equal(object.alarm("late"), "late");
  assert.deepEqual(globalThis.made, [["plain", "state", "env"]]);
});

test("after a panic every object is made anew, with the module, by the built module's own way", async () => {
  const state = { criticalError: false, instanceId: 0 };
  const { ShardObject } = await loaded(state, "object-panics");
  const [one, another] = [new ShardObject("one"), new ShardObject("another")];
  for (const object of [one, another]) object.fetch({ answer: () => "told" });
  assert.throws(() => one.fetch({ answer: panics }), WebAssembly.RuntimeError);
  assert.equal(state.criticalError, true);
  globalThis.made.length = 0;
  for (const object of [one, another, one]) assert.equal(object.fetch({ answer: () => "again" }), "again");
  assert.deepEqual(globalThis.made, [
    ["anew", "one"],
    ["plain", "one"],
    ["plain", "another"],
  ]);
});

test("the objects of a built module that says nothing of panics are made by its own way", async () => {
  const { ShardObject } = await loaded(undefined, "object-unknown");
  assert.equal(new ShardObject("state").fetch({ answer: () => "told" }), "told");
  assert.deepEqual(globalThis.made[0], ["anew", "state"]);
});
