// The public protocol has one home, docs/openapi.yaml: every route of the edge is in it, and nothing else is.
import assert from "node:assert/strict";
import path from "node:path";
import test from "node:test";
import { Validator } from "@seriousme/openapi-schema-validator";
import { root } from "../../scripts/paths.mjs";
import { files, textOf } from "./repository.mjs";

const METHODS = ["get", "put", "post", "delete", "patch", "head", "options"];
const PREFIX = "/_wr";

/** The rows of the edge's table `ROUTES`: a method and a path without the prefix. */
function routesOfEdge() {
  const tables = files
    .filter((name) => name.startsWith("src/") && name.endsWith(".rs"))
    .map((name) => textOf(name).match(/const ROUTES\b[\s\S]*?\n\];/)?.[0])
    .filter(Boolean);
  assert.equal(tables.length, 1, "src/ has one table named ROUTES");
  const rows = [...tables[0].matchAll(/"(GET|PUT|POST|DELETE|PATCH|HEAD|OPTIONS)",\s*"(\/[^"]*)"/g)];
  return rows.map(([, method, route]) => `${method} ${PREFIX}${route}`);
}

async function routesOfDocument() {
  const validator = new Validator();
  const result = await validator.validate(path.join(root, "docs", "openapi.yaml"));
  assert.ok(result.valid, JSON.stringify(result.errors));
  return Object.entries(validator.specification.paths)
    .filter(([route]) => route.startsWith(PREFIX))
    .flatMap(([route, item]) =>
      METHODS.filter((method) => method in item).map((method) => `${method.toUpperCase()} ${route}`),
    );
}

test("the routes of the edge are those of docs/openapi.yaml", async () => {
  const edge = routesOfEdge();
  assert.ok(edge.length > 0);
  assert.deepEqual(edge.sort(), (await routesOfDocument()).sort());
});
