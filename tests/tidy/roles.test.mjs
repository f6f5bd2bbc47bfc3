// What an operator may do has one home, the table ROLES of the edge; the runbook repeats it.
import assert from "node:assert/strict";
import test from "node:test";
import { textOf } from "./repository.mjs";

function rolesOfEdge() {
  const [table] = textOf("src/roles.rs").match(/const ROLES\b[\s\S]*?\n\];/);
  const rows = [...table.matchAll(/\("([a-z-]+)", OperatorRole::(\w+)\)/g)];
  return rows.map(([, what, role]) => `${what} ${role.toLowerCase()}`);
}

function rolesOfRunbook() {
  const rows = [...textOf("docs/runbook.md").matchAll(/^\| `([a-z-]+)` +\| `(view|operate|configure)` +\|/gm)];
  return rows.map(([, what, role]) => `${what} ${role}`);
}

test("the runbook gives each action the role that the edge asks for", () => {
  const edge = rolesOfEdge();
  assert.ok(edge.length > 10, edge);
  assert.deepEqual(rolesOfRunbook(), edge);
});
