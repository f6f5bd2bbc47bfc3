// The file that holds a deployment's root keys: lines of NAME=value, as .dev.vars has them. One comment says which step
// of a rotation was taken last, and when. Everything else in the file stays as it is.
import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import path from "node:path";
import { developmentId, freshRootKey, secretsOf } from "../setup/keys.mjs";

/** Only whoever owns the file may read it. */
const MODE = 0o600;
const NAMES = ["ROOT_KEY", "ROOT_KEY_PREVIOUS"];
const KEY = /^([a-z0-9-]{1,16}):[A-Za-z0-9_-]{43}$/;
const STEP = /^# keys: (prepared|promoted) ([a-z0-9-]{1,16}) (\S+)$/m;

/**
 * `{ signing, other, step, since }`: the ids of both keys (`other` is null when there is one), the last step, `"steady"`
 * with one key, `"unknown"` when the file does not say, and when it was taken, in Unix milliseconds.
 */
export function readKeys(file) {
  if (!existsSync(file)) throw new Error(`${file} is not there: it holds ROOT_KEY=<id>:<key>`);
  const secrets = secretsOf(file);
  const [signing, other] = NAMES.map((name) => idOf(name, secrets[name]));
  if (signing === null) throw new Error(`${file} has no ROOT_KEY`);
  if (signing === other) throw new Error(`${file}: both keys have the id ${signing}; no Worker starts with that`);
  if (other === null) return { signing, other, step: "steady", since: null };
  const [, step, id, at] = readFileSync(file, "utf8").match(STEP) ?? [];
  const since = Date.parse(at);
  const fits = (step === "prepared" && id === other) || (step === "promoted" && id === signing);
  return fits && Number.isFinite(since)
    ? { signing, other, step, since }
    : { signing, other, step: "unknown", since: null };
}

/** The id of a key; what is wrong with it is said without its bytes, nor an id that is not well formed. */
function idOf(name, text) {
  if (text === undefined || text === "") return null;
  const [, id] = text.match(KEY) ?? [];
  if (id) return id;
  const [before] = text.split(":");
  const named = /^[a-z0-9-]{1,16}$/.test(before) && text.includes(":") ? ` of the id ${before}` : "";
  throw new Error(`${name}: the key${named} is not written <id>:<32 random bytes as base64url, 43 characters>`);
}

/** The first key of a file, which is made where it is not there; answers its id. What signed before is not lost by mistake. */
export function firstKey(file, nowMs, isReplacing) {
  const secrets = secretsOf(file);
  const [held] = NAMES.filter((name) => secrets[name]);
  if (held && !isReplacing) {
    throw new Error(
      `nothing was done: ${file} has ${held} already. \`rotate\` brings another key and nobody loses anything; ` +
        "--replace takes what is there away, with all that it signed",
    );
  }
  if (!existsSync(path.dirname(file))) throw new Error(`nothing was done: there is no folder ${path.dirname(file)}`);
  const id = freshId(file, nowMs);
  write(file, { ROOT_KEY: freshRootKey(id) }, null);
  return id;
}

/** An id says when a key was made, or that it is for a developer's machine. */
const freshId = (file, nowMs) =>
  path.basename(file) === ".dev.vars"
    ? developmentId()
    : `k${new Date(nowMs).toISOString().slice(2, 10).replaceAll("-", "")}-${randomBytes(2).toString("hex")}`;

/** A key with an id that the file does not have, beside the one that signs. Answers its id. */
export function addKey(file, nowMs) {
  const { signing } = readKeys(file);
  let id;
  do id = freshId(file, nowMs);
  while (id === signing);
  const { ROOT_KEY } = secretsOf(file);
  write(file, { ROOT_KEY, ROOT_KEY_PREVIOUS: freshRootKey(id) }, `prepared ${id}`, nowMs);
  return id;
}

/** The other key signs from now on, and the one that signed only opens. */
export function exchangeKeys(file, nowMs) {
  const { other } = readKeys(file);
  const { ROOT_KEY, ROOT_KEY_PREVIOUS } = secretsOf(file);
  write(file, { ROOT_KEY: ROOT_KEY_PREVIOUS, ROOT_KEY_PREVIOUS: ROOT_KEY }, `promoted ${other}`, nowMs);
}

/** Takes the other key out of the file. */
export function dropKey(file) {
  const { ROOT_KEY } = secretsOf(file);
  write(file, { ROOT_KEY }, null);
}

/** The file is there whole or as it was: never with half of a key, and never readable for others. */
function write(file, keys, step, nowMs) {
  const isOurs = (line) => /^\s*(export\s+)?ROOT_KEY(_PREVIOUS)?\s*=/.test(line) || line.startsWith("# keys: ");
  const kept = (existsSync(file) ? readFileSync(file, "utf8") : "").split(/\r?\n/).filter((line) => !isOurs(line));
  while (kept.at(-1) === "") kept.pop();
  const said = step === null ? [] : [`# keys: ${step} ${new Date(nowMs).toISOString()}`];
  const lines = [...kept, ...said, ...NAMES.filter((name) => keys[name]).map((name) => `${name}=${keys[name]}`)];
  const beside = path.join(path.dirname(file), `.${path.basename(file)}.${process.pid}`);
  writeFileSync(beside, `${lines.join("\n")}\n`, { mode: MODE, flag: "wx" });
  renameSync(beside, file);
}
