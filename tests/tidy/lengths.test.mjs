// Files of up to 400 lines with their tests, functions of up to 70: what does not fit holds two ideas.
import assert from "node:assert/strict";
import test from "node:test";
import { functionsOf } from "./functions.mjs";
import { textOf, withEnding } from "./repository.mjs";

const MAX_FILE_LINES = 400;
const MAX_FUNCTION_LINES = 70;

const code = withEnding(".rs", ".mjs", ".js", ".css");

test("a file of code has at most 400 lines", () => {
  const tooLong = code
    .map((name) => ({ name, lines: textOf(name).trimEnd().split("\n").length }))
    .filter(({ lines }) => lines > MAX_FILE_LINES);
  assert.deepEqual(
    tooLong.map(({ name, lines }) => `${name}: ${lines} lines`),
    [],
  );
});

test("a function has at most 70 lines", () => {
  const tooLong = withEnding(".rs", ".mjs", ".js").flatMap((name) =>
    functionsOf(name, textOf(name))
      .filter(({ length }) => length > MAX_FUNCTION_LINES)
      .map((each) => `${name}:${each.line}: ${each.name} has ${each.length} lines`),
  );
  assert.deepEqual(tooLong, []);
});

test("the scanner finds where functions end", () => {
  const rust = "impl A {\n    pub fn one(&self) -> u8 {\n        if x {\n        }\n    }\n\n    fn two();\n}\n";
  assert.deepEqual(functionsOf("a.rs", rust), [{ name: "one", line: 2, length: 4 }]);
  const table = "fn three() {\n    let rows = [\n        (1, 2),\n        (3, 4),\n    ];\n}\n";
  assert.deepEqual(functionsOf("a.rs", table), [{ name: "three", line: 1, length: 3 }]);
  const script = "export async function a() {\n  if (b) {\n  }\n}\nconst c = (d) => {\n  e();\n};\nif (f) {\n}\n";
  assert.deepEqual(functionsOf("a.mjs", script), [
    { name: "a", line: 1, length: 4 },
    { name: "c", line: 5, length: 3 },
  ]);
});
