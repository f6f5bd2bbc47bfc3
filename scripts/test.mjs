// `npm test`: sets up, runs every suite, one line per suite, and a total alone on the last line.
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { command, readArguments, UsageError } from "./command-line.mjs";
import { counted } from "./counted.mjs";
import { root, toolsDir } from "./paths.mjs";
import { onStopRequest, startGroup, stopGroup } from "./processes.mjs";
import { say, seconds, withSignsOfLife } from "./progress.mjs";
import { setup } from "./setup.mjs";
import { provideBrowser } from "./testing/browser.mjs";
import { countTests, failedTests } from "./testing/counts.mjs";
import { provideOriginPrograms } from "./testing/origin-programs.mjs";
import { providePromtool } from "./testing/promtool.mjs";
import { providePython } from "./testing/python.mjs";
import { suites } from "./testing/suites.mjs";

const USAGE = `npm test -- [NAME...] [--install-system]
  NAME             only these suites: ${suites.map(({ name }) => name).join(", ")}
  --install-system may install Chromium, nginx, PHP and a JDK with the system's package manager (in CI it always may)
The output of every suite is kept in .tools/test-logs/.`;

const logsDir = path.join(toolsDir, "test-logs");
/** A suite that takes longer hangs. */
const SUITE_PATIENCE_MS = 20 * 60_000;
/** How long the last lines of a command that has ended may take to arrive. */
const OUTPUT_PATIENCE_MS = 5_000;
/** How much of a failed suite's output is shown; all of it is in its log. */
const SHOWN_LINES = 200;

let child = null;

async function main(words) {
  const { values, positionals } = readArguments(words, { "install-system": { type: "boolean", default: false } }, true);
  const unknown = positionals.filter((name) => !suites.some((suite) => suite.name === name));
  if (unknown.length > 0) {
    throw new UsageError(`no suite ${unknown.join(", ")}; there are: ${suites.map(({ name }) => name).join(", ")}`);
  }
  // Whatever goes wrong from here on, only the last line can make it a success.
  process.exitCode = 1;
  const wanted = suites.filter(({ name }) => positionals.length === 0 || positionals.includes(name));
  onStopRequest(async () => {
    await stopGroup(child);
    process.exit(130);
  });
  const mayInstall = values["install-system"] || ["true", "1"].includes(process.env.CI);
  const startedAt = Date.now();
  mkdirSync(logsDir, { recursive: true });
  const results = [];
  for (const suite of wanted) results.push(await runSuite(suite, mayInstall));
  const sum = (key) => results.reduce((total, result) => total + result[key], 0);
  process.stdout.write(`\n${counted(wanted.length, "suite")} in ${seconds(Date.now() - startedAt)}\n`);
  for (const { name, output } of results) {
    for (const test of failedTests(output)) process.stdout.write(`failed in ${name}: ${test}\n`);
  }
  process.stdout.write(`${sum("passed")} passed, ${sum("failed")} failed\n`);
  process.exit(sum("failed") === 0 && results.every(({ passed }) => passed > 0) ? 0 : 1);
}

async function runSuite(suite, mayInstall) {
  let startedAt = Date.now();
  const result = { name: suite.name, passed: 0, failed: 0, output: "" };
  try {
    await setup(suite.needs);
    const env = await provide(suite.provides ?? [], mayInstall);
    startedAt = Date.now();
    const commands = suite.commands(env);
    if (commands.length === 0) throw new Error("this suite has nothing to run");
    for (const one of commands) {
      const ran = await withSignsOfLife(`${suite.name}:`, (onLine) => runCommand(one, env, onLine));
      const { passed, failed } = countTests({ ...ran, isCheck: !one.countsTests });
      result.passed += passed;
      result.failed += failed;
      result.output += `== ${one.label}\n${ran.output}\n`;
    }
  } catch (error) {
    result.failed += 1;
    result.output += `${error.message}\n`;
  }
  report(result, Date.now() - startedAt);
  return result;
}

async function provide(names, mayInstall) {
  const env = {};
  if (names.includes("browser")) env.CHROME_PATH = await provideBrowser(mayInstall);
  if (names.includes("promtool")) env.PROMTOOL = await providePromtool(mayInstall);
  if (names.includes("python")) env.PYTHON = await providePython();
  if (names.includes("origins")) Object.assign(env, await provideOriginPrograms(mayInstall));
  return env;
}

async function runCommand({ program, args, env = {}, files }, provided, onLine) {
  if (files?.length === 0) return { code: 1, output: "no test files here" };
  child = startGroup(program, args, { cwd: root, env: { ...process.env, NO_COLOR: "1", ...env, ...provided } });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8");
    stream.on("data", (text) => {
      output += text;
      // The runner's own punctuation says nothing.
      const told = text.split("\n").filter((line) => /\w/.test(line));
      if (told.length > 0) onLine(told.at(-1).trim());
    });
  }
  const closed = new Promise((resolve) => child.once("close", resolve));
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    output += `\nstopped after ${seconds(SUITE_PATIENCE_MS)}\n`;
    stopGroup(child);
  }, SUITE_PATIENCE_MS);
  const { code, error } = await child.hasEnded;
  clearTimeout(timer);
  // What a test left running goes with it, so that nothing holds its output open.
  await stopGroup(child);
  if (!error) await Promise.race([closed, sleep(OUTPUT_PATIENCE_MS)]);
  child = null;
  return { code: isLate ? 1 : (code ?? 1), output: error ? `${output}${program}: ${error.message}` : output };
}

function report({ name, passed, failed, output }, ms) {
  writeFileSync(path.join(logsDir, `${name}.log`), output);
  if (failed > 0) {
    const lines = output.trimEnd().split("\n");
    if (lines.length > SHOWN_LINES) say(`… all ${lines.length} lines are in .tools/test-logs/${name}.log`);
    process.stdout.write(`${lines.slice(-SHOWN_LINES).join("\n")}\n`);
  }
  const counts = `${passed} passed${failed > 0 ? `, ${failed} failed` : ""}`;
  process.stdout.write(`${failed > 0 ? "FAIL" : "ok  "} ${name.padEnd(12)} ${counts.padEnd(24)} ${seconds(ms)}\n`);
}

command(import.meta.url, USAGE, main);
