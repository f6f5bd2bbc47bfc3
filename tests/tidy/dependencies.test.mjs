// Which way the crates depend: origins -> token <- edge -> durable-objects -> queue. What is read is Cargo's own answer.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import test from "node:test";
import { root } from "../../scripts/paths.mjs";

const MAX_METADATA_BYTES = 64 * 1024 * 1024;

const metadata = JSON.parse(
  execFileSync("cargo", ["metadata", "--format-version", "1", "--locked"], {
    cwd: root,
    encoding: "utf8",
    maxBuffer: MAX_METADATA_BYTES,
    stdio: ["ignore", "pipe", "ignore"],
  }),
);
const nameOf = new Map(metadata.packages.map(({ id, name }) => [id, name]));
const nodes = new Map(metadata.resolve.nodes.map((node) => [nameOf.get(node.id), node]));

/** The names of all packages that a package needs to be built and to run, itself left out. */
function needs(name) {
  const seen = new Set();
  const visit = (each) => {
    for (const dependency of nodes.get(each).deps) {
      const isNeeded = dependency.dep_kinds.some(({ kind }) => kind !== "dev");
      const dependencyName = nameOf.get(dependency.pkg);
      if (isNeeded && !seen.has(dependencyName)) {
        seen.add(dependencyName);
        visit(dependencyName);
      }
    }
  };
  visit(name);
  return seen;
}

const FORBIDDEN = [
  ["anteroom-queue", ["anteroom-token", "anteroom-config", "worker", "wasm-bindgen", "js-sys"]],
  ["anteroom-token", ["anteroom-queue", "anteroom-config", "worker", "wasm-bindgen", "js-sys"]],
  ["anteroom-config", ["anteroom-token", "worker"]],
  ["anteroom-durable-objects", ["anteroom-token", "anteroom"]],
  ["anteroom-demo-shop", ["anteroom-queue", "anteroom-config", "anteroom", "worker"]],
  ["simulation", ["anteroom-durable-objects", "anteroom", "worker"]],
  ["model", ["anteroom-durable-objects", "anteroom", "worker"]],
  ["anteroom-load", ["anteroom-queue", "anteroom-durable-objects", "anteroom", "worker"]],
];

for (const [name, forbidden] of FORBIDDEN) {
  test(`${name} needs none of ${forbidden.join(", ")}`, () => {
    const needed = needs(name);
    assert.deepEqual(
      forbidden.filter((each) => needed.has(each)),
      [],
    );
  });
}

test("every crate of ours has its license and is not published by accident", () => {
  const ours = metadata.packages.filter(({ id }) => metadata.workspace_members.includes(id));
  assert.deepEqual(
    ours
      .filter(({ license, publish }) => license !== "Apache-2.0 OR MIT" || publish?.length !== 0)
      .map(({ name }) => name),
    [],
  );
});
