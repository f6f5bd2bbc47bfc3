// The alert rules name metrics that there are, every alert is tried, and promtool finds what is wrong with a rule.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, test } from "node:test";
import { run } from "../../scripts/processes.mjs";

const { PROMTOOL } = process.env;
const rules = readFileSync("docs/alerts.yml", "utf8");
const tried = readFileSync("tests/alerts/alerts.yml", "utf8");
const families = readFileSync("src/routes/metrics/families.rs", "utf8");

const folder = mkdtempSync(path.join(tmpdir(), "anteroom-alerts-"));
after(() => rmSync(folder, { recursive: true, force: true }));

test("every metric of a rule is one that the room has", () => {
  const known = new Set([...families.matchAll(/^ {4}\w+ \w+ "(\w+)" "/gm)].map(([, name]) => `anteroom_${name}`));
  const named = new Set([...rules.matchAll(/\banteroom_\w+/g)].map(([name]) => name));
  assert.ok(known.size > 40 && named.size > 10, `${known.size} known, ${named.size} named`);
  const isKnown = (name) => known.has(name) || known.has(name.replace(/_(bucket|sum|count)$/, ""));
  assert.deepEqual(
    [...named].filter((name) => !isKnown(name)),
    [],
  );
});

test("every alert has a case in which it fires", () => {
  const alerts = [...rules.matchAll(/- alert: (\w+)/g)].map(([, name]) => name);
  assert.ok(alerts.length > 5);
  const fires = (name) => new RegExp(`alertname: ${name}\\n +exp_alerts:\\n +- exp_labels`).test(tried);
  assert.deepEqual(
    alerts.filter((name) => !fires(name)),
    [],
  );
});

test("a rule that cannot be read and a rule that does not fire are found", async () => {
  const file = path.join(folder, "alerts.yml");
  writeFileSync(file, rules.replace("anteroom_coordinator_up == 0", "anteroom_coordinator_up == == 0"));
  const unreadable = await run(PROMTOOL, ["check", "rules", file]);
  assert.notEqual(unreadable.code, 0, unreadable.output);
  writeFileSync(file, rules.replace("(anteroom_has_room == 1)", "(anteroom_has_room == 2)"));
  const cases = path.join(folder, "cases.yml");
  writeFileSync(cases, tried.replace("../../docs/alerts.yml", "alerts.yml"));
  const silent = await run(PROMTOOL, ["test", "rules", cases]);
  assert.notEqual(silent.code, 0);
  assert.match(silent.output, /AnteroomAdmitsNobody/);
});
