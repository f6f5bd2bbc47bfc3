// What the documents tell somebody to type exists.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import path from "node:path";
import test from "node:test";
import { root } from "../../scripts/paths.mjs";
import { textOf, withEnding } from "./repository.mjs";

const { scripts } = JSON.parse(textOf("package.json"));

test("every npm command in the documents is in package.json", () => {
  const unknown = withEnding(".md", ".toml").flatMap((name) =>
    [...textOf(name).matchAll(/npm run ([a-z][\w-]*)/g)]
      .filter(([, command]) => !Object.hasOwn(scripts, command))
      .map(([whole]) => `${name}: ${whole}`),
  );
  assert.deepEqual(unknown, []);
});

test("every npm command has its script", () => {
  const missing = Object.values(scripts).filter((line) => !existsSync(path.join(root, line.replace(/^node /, ""))));
  assert.deepEqual(missing, []);
});

test("every link between documents leads somewhere", () => {
  const broken = withEnding(".md").flatMap((name) =>
    [...textOf(name).matchAll(/\]\((?!https?:|mailto:|#)([^)\s#]+)/g)]
      .filter(([, target]) => !existsSync(path.join(root, path.dirname(name), target)))
      .map(([, target]) => `${name}: ${target}`),
  );
  assert.deepEqual(broken, []);
});
