// The recipes of examples/verify, each behind a driver that asks it about one pass after the other.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { root, targetDir, toolNode } from "../../scripts/paths.mjs";
import { runOrThrow } from "../../scripts/processes.mjs";

const PATIENCE_MS = 60_000;

const recipe = (name) => path.join(root, "examples", "verify", name);
const driver = (name) => path.join(root, "tests", "recipes", "drivers", name);
/** The crate `anteroom-token`, as an example of it that mints and verifies. */
export const passes = path.join(targetDir, "debug", "examples", "passes");

const { PYTHON, PHP, JAVAC } = process.env;
export const java = JAVAC?.replace(/javac$/, "java");

/** Java's recipe and its driver, compiled for this process. */
let classes = null;
async function javaClasses() {
  if (classes) return classes;
  classes = mkdtempSync(path.join(tmpdir(), "anteroom-recipes-"));
  process.once("exit", () => rmSync(classes, { recursive: true, force: true }));
  await runOrThrow(JAVAC, ["-d", classes, recipe("Verify.java"), driver("Driver.java")]);
  return classes;
}

/** Who judges passes by the secret key: every recipe, and the crate for origins in Rust. */
export const SECRET_KEY = {
  "Rust, anteroom-token": () => [passes, "verify", "hs256"],
  "Node, jose": () => [toolNode(), driver("driver.mjs"), recipe("verify.mjs")],
  "Python, PyJWT": () => [PYTHON, driver("driver.py"), recipe("verify.py")],
  "PHP, hash_hmac": () => [PHP, "-n", driver("driver.php"), recipe("verify.php")],
  "Java, no library": async () => [java, "-cp", await javaClasses(), "Driver"],
};

/** Who judges passes by the published key. */
export const PUBLIC_KEY = {
  "Rust, anteroom-token": () => [passes, "verify", "ed25519"],
  "Node, jose": () => [toolNode(), driver("driver.mjs"), recipe("verify-ed25519.mjs")],
  "Python, PyJWT": () => [PYTHON, driver("driver.py"), recipe("verify_ed25519.py")],
};

/** No recipe of ours: a library with nothing but its own checks. */
export const jsonwebtoken = () => [toolNode(), driver("driver.mjs"), driver("jsonwebtoken.mjs")];

/** The settings of a recipe, as `npm run origin-key` prints them. */
export function settingsFor({ keys, event, jwks }) {
  const [{ issuer, audience }] = keys;
  return {
    WAITING_ROOM_ISSUER: issuer,
    WAITING_ROOM_AUDIENCE: audience,
    WAITING_ROOM_EVENT: event,
    ...(jwks ? { WAITING_ROOM_JWKS: jwks } : { WAITING_ROOM_KEYS: keys.map(({ kid, k }) => `${kid}:${k}`).join(" ") }),
  };
}

/** Whether each of `rows`, `{ now, token }`, is taken. */
export async function verdicts(command, env, rows) {
  const { program, code, output, errors } = await asked(command, env, rows);
  assert.equal(code, 0, `${program}: ${errors.slice(0, 2_000)}`);
  const lines = output.trimEnd().split("\n");
  assert.equal(lines.length, rows.length, `${program}: ${errors.slice(0, 2_000)}`);
  return lines.map((line) => line === "1");
}

/** What a recipe says that does not even start with settings like these. */
export async function refusesToStart(command, env) {
  const { program, code, output, errors } = await asked(command, env, [{ now: 1_800_000_000, token: "a.b.c" }]);
  assert.notEqual(code, 0, `${program} starts`);
  return output + errors;
}

async function asked(command, env, rows) {
  const [program, ...args] = await command();
  const child = spawn(program, args, { env: { ...process.env, ...env }, stdio: ["pipe", "pipe", "pipe"] });
  const timer = setTimeout(() => child.kill("SIGKILL"), PATIENCE_MS);
  let [output, errors] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text) => {
    output += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text) => {
    errors += text;
  });
  // One that has ended early says why with its code.
  child.stdin.on("error", () => {});
  child.stdin.end(rows.map(({ now, token }) => `${now} ${Buffer.from(token, "utf8").toString("hex")}\n`).join(""));
  const code = await new Promise((resolve, reject) => child.once("error", reject).once("close", resolve));
  clearTimeout(timer);
  return { program, code, output, errors };
}
