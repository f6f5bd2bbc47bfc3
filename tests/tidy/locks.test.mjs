// The lock files work from any mirror, and what has to match does match.
import assert from "node:assert/strict";
import test from "node:test";
import { textOf } from "./repository.mjs";

const npm = JSON.parse(textOf("package.json"));

test("the npm lock file names no registry", () => {
  const lock = textOf("package-lock.json");
  assert.equal(lock.match(/"resolved"/), null);
  assert.equal(lock.match(/registry\.[\w.-]+/), null);
});

test("npm packages are pinned to exact versions", () => {
  const loose = Object.entries(npm.devDependencies).filter(([, version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version));
  assert.deepEqual(loose, []);
});

test("workerd is the one that wrangler brings", () => {
  const lock = JSON.parse(textOf("package-lock.json"));
  assert.equal(npm.devDependencies.workerd, lock.packages["node_modules/wrangler"].dependencies.workerd);
});

test("wasm-bindgen has one exact version, in the workspace and in the lock file", () => {
  const wanted = textOf("Cargo.toml").match(/^wasm-bindgen = "=([\d.]+)"$/m)?.[1];
  const locked = [...textOf("Cargo.lock").matchAll(/name = "wasm-bindgen"\nversion = "([^"]+)"/g)].map(([, v]) => v);
  assert.deepEqual(locked, [wanted]);
});

test("Python tools are pinned to exact versions", () => {
  const lines = textOf("tests/requirements.txt")
    .split("\n")
    .filter((line) => line && !line.startsWith("#"));
  assert.ok(lines.length > 0);
  assert.deepEqual(
    lines.filter((line) => !/^[\w.[\]-]+==[\w.]+$/.test(line)),
    [],
  );
});
