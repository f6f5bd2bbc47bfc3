// The command `anteroom-keys`: from the root keys it derives those of
// origins and organizers, signs operator tokens and makes access codes.
import { existsSync } from "node:fs";
import path from "node:path";
import { devVarsFile, NATIVE_SELECTION, root, targetDir } from "../paths.mjs";
import { run, runOrThrow } from "../processes.mjs";
import { contentHash, isStamped, stamp } from "../stamps.mjs";
import { secretsOf } from "./keys.mjs";

const INPUTS = ["Cargo.toml", "Cargo.lock", "rust-toolchain.toml", "crates/token"];
const binary = path.join(targetDir, "debug", "anteroom-keys");

const inputs = () => contentHash(INPUTS, [targetDir]);

export const keysToolStep = {
  title: "the key tool",
  usually: "5 s; 20 to 40 s the first time",
  isDone: () => existsSync(binary) && isStamped("keys-tool", inputs()),
  work: async (onLine) => {
    const hash = inputs();
    const args = ["build", ...NATIVE_SELECTION, "--bin", "anteroom-keys"];
    const env = { ...process.env, CARGO_TARGET_DIR: targetDir };
    await runOrThrow("cargo", args, { cwd: root, env, onLine });
    stamp("keys-tool", hash);
  },
};

/** Asks the key tool. The root keys come from `secrets`, by default those of .dev.vars. */
export async function askKeyTool(words, secrets = secretsOf(devVarsFile)) {
  const { ROOT_KEY = "", ROOT_KEY_PREVIOUS = "" } = secrets;
  if (!ROOT_KEY)
    throw new Error("ROOT_KEY is missing: neither .dev.vars nor the environment has it (npm run setup makes one)");
  const { code, output } = await run(binary, words, { env: { ROOT_KEY, ROOT_KEY_PREVIOUS } });
  if (code !== 0)
    throw new Error(`the key tool refuses, with ROOT_KEY of .dev.vars or of the environment: ${output.trim()}`);
  return output.trim();
}

/** The keys that verify the passes of one audience: `{ keys: [JWK] }`. */
export async function originKeys({ issuer, audience, algorithm = "HS256", secrets }) {
  const name = algorithm === "HS256" ? "hs256" : "ed25519";
  return JSON.parse(await askKeyTool(["origin-key", issuer, audience, "--algorithm", name], secrets));
}

/** A token for the operator API of one event, of several ("a,b"), or of every event ("*"). */
export function operatorToken({ issuer, events, name = "operator", role, hours = 12, secrets }) {
  return askKeyTool(["operator-token", issuer, events, name, role, String(hours)], secrets);
}

/** The keys that sign the enqueue tokens of one event: `{ keys: [JWK] }`. */
export async function enqueueKeys({ issuer, event, secrets }) {
  return JSON.parse(await askKeyTool(["enqueue-key", issuer, event], secrets));
}

/** The claims of an enqueue token that holds now; rejects with why it does not. */
export async function checkEnqueue({ issuer, event, token, address, secrets }) {
  const words = ["check-enqueue", issuer, event, token, ...(address === undefined ? [] : [address])];
  return JSON.parse(await askKeyTool(words, secrets));
}

/** Access codes for a line of one event's run, one a line. */
export function accessCodes({ issuer, event, run = 1, line, count, uses, secrets }) {
  return askKeyTool(["codes", issuer, event, String(run), line, String(count), String(uses)], secrets);
}
