// What the documents tell somebody to type exists.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import path from "node:path";
import test from "node:test";
import { root } from "../../scripts/paths.mjs";
import { suites } from "../../scripts/testing/suites.mjs";
import { files, textOf, withEnding } from "./repository.mjs";

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

test("every suite of npm test and every folder of tests is named where newcomers look", () => {
  const named = new Set([...textOf("CONTRIBUTING.md").matchAll(/`([\w-]+)`/g)].map(([, word]) => word));
  assert.deepEqual(
    suites.map(({ name }) => name).filter((name) => !named.has(name)),
    [],
  );
  const [line] = textOf("ARCHITECTURE.md").match(/^tests\/ .*$/m);
  const folders = new Set(files.filter((name) => /^tests\/.+\//.test(name)).map((name) => name.split("/")[1]));
  assert.deepEqual(
    [...folders].filter((folder) => !line.includes(` ${folder}/`)),
    [],
  );
});

test("every link between documents leads somewhere", () => {
  const broken = withEnding(".md").flatMap((name) =>
    [...textOf(name).matchAll(/\]\((?!https?:|mailto:|#)([^)\s#]+)/g)]
      .filter(([, target]) => !existsSync(path.join(root, path.dirname(name), target)))
      .map(([, target]) => `${name}: ${target}`),
  );
  assert.deepEqual(broken, []);
});

/** What comes before the name of a file that a command writes, or that somebody is told to make or to save. */
const MADE =
  /(?:--(?:out|json|history|save-counts|state|config|draw|log|ticket)|[^=<-]>|\s-o|mkdir -p) @?([a-z.][\w./-]*)/g;

test("git ignores what a command of the documents leaves in this folder", () => {
  const made = withEnding(".md").flatMap((name) => {
    const blocks = [...textOf(name).matchAll(/^```(?:sh|bash)\n([\s\S]*?)^```$/gm)].map(([, block]) => block);
    const inline = [...textOf(name).matchAll(/`(npm run [^`\n]+)`/g)].map(([, command]) => command);
    return [...blocks, ...inline].flatMap((text) => [...text.matchAll(MADE)].map(([, file]) => file));
  });
  const known = [...new Set(made)].filter((file) => !files.includes(file));
  for (const file of ["rehearsal.toml", "rehearsal.jsonl", "world-tour.jsonl", ".state", "my-site/my-gig"]) {
    assert.ok(known.includes(file), `${file} is not found in the documents: ${known.join(", ")}`);
  }
  const isIgnored = (file) => spawnSync("git", ["check-ignore", file, `${file}/x`], { cwd: root }).status === 0;
  assert.deepEqual(
    known.filter((file) => !isIgnored(file)),
    [],
  );
});
