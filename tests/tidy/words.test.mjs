// One word, one thing: names that say nothing, words that the glossary does not have, and work left undone.
import assert from "node:assert/strict";
import path from "node:path";
import test from "node:test";
import { files, placesMatching, withEnding, written } from "./repository.mjs";

const EMPTY_NAMES = new Set([
  "utils",
  "util",
  "helpers",
  "helper",
  "common",
  "manager",
  "service",
  "services",
  "types",
  "misc",
]);

/** These words have their own technical meaning beside "user" and "client". */
const TECHNICAL =
  /user[-_ ]?agent|user-(data-dir|select)|\$USER|env\.USER|http client|client library|clientkind|clientwidth/i;

/** Not inside a name like `true-client-ip`. */
const WORD = /(?<![\w`-])(users?|clients?)(?![\w`-])/i;

const ownFile = (name) => name.startsWith("tests/tidy/");

test("no file or folder has a name that says nothing", () => {
  const empty = files.filter((name) =>
    name.split("/").some((part) => EMPTY_NAMES.has(path.parse(part).name.toLowerCase())),
  );
  assert.deepEqual(empty, []);
});

test("nothing is left to do in the sources", () => {
  const sources = withEnding(".rs", ".mjs", ".js", ".css", ".html", ".toml", ".yaml", ".md").filter((n) => !ownFile(n));
  assert.deepEqual(placesMatching(sources, /\b(todo!|unimplemented!|FIXME|TODO|XXX)/), []);
});

test("functions are not named get_ or test_", () => {
  assert.deepEqual(placesMatching(withEnding(".rs"), /\bfn (get_|test_)\w*/), []);
});

test("a visitor is never called a user or a client", () => {
  // The glossary names the words that are not used.
  const documents = withEnding(".md").filter((name) => name !== "docs/glossary.md");
  const prose = documents.concat(written.filter((name) => name.startsWith("static/") && name.endsWith(".html")));
  const isTechnical = (line) => TECHNICAL.test(line);
  assert.deepEqual(placesMatching(prose, WORD, isTechnical), []);
  const comments = withEnding(".rs", ".mjs", ".js").filter((name) => !ownFile(name));
  assert.deepEqual(placesMatching(comments, new RegExp(`^\\s*//.*${WORD.source}`, "i"), isTechnical), []);
});

test("nothing names a path of somebody's machine", () => {
  const isOwn = (_line, name) => ownFile(name);
  assert.deepEqual(placesMatching(written, /(?<![\w.])\/(root|work|home\/\w+|Users\/\w+)\/[\w.]/, isOwn), []);
});
