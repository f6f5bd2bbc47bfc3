// .dev.vars: the secrets of this machine's own deployment, random, made once, never overwritten.
import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { devVarsFile } from "../paths.mjs";

const ROOT_KEY_BYTES = 32;

/** A root key in the form that the Worker reads: its id and 32 random bytes. */
export const freshRootKey = (id) => `${id}:${randomBytes(ROOT_KEY_BYTES).toString("base64url")}`;

/** The id of a key for a developer's machine: where others are served the Worker knows it by that (src/development_key.rs). */
export const developmentId = () => `dev${randomBytes(2).toString("hex")}`;

export const keysStep = {
  title: "fresh keys in .dev.vars",
  usually: "no time",
  isDone: () => existsSync(devVarsFile) && "ROOT_KEY" in secretsOf(devVarsFile),
  work: async () => {
    const before = existsSync(devVarsFile) ? `${readFileSync(devVarsFile, "utf8").trimEnd()}\n` : "";
    writeFileSync(devVarsFile, `${before}ROOT_KEY=${freshRootKey(developmentId())}\n`, { mode: 0o600 });
  },
};

/** The names and values of a file in the form of .dev.vars; a missing file holds none. */
export function secretsOf(file) {
  const secrets = {};
  if (!existsSync(file)) return secrets;
  for (const line of readFileSync(file, "utf8").split(/\r?\n/)) {
    const match = line.match(/^\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(.*?)\s*$/);
    if (match) secrets[match[1]] = match[2].replace(/^(["'])(.*)\1$/, "$2");
  }
  return secrets;
}
