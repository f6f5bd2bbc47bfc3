// Two builds take turns on one state, as in a deployment that is rolled back and tried again.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import path from "node:path";
import { buildDir } from "../../../scripts/paths.mjs";
import { freshRootKey } from "../../../scripts/setup/keys.mjs";
import { pause } from "../../e2e/harness/exchange.mjs";

const TURNS = 6;

export const title = "two builds take turns on one state";

export const seconds = ({ betweenSeconds }) => (TURNS + 1) * (betweenSeconds + 2);

export const settings = ({ otherBuild }) => {
  if (!otherBuild) return {};
  for (const name of ["index.js", "index_bg.wasm"]) {
    assert.ok(existsSync(path.join(otherBuild, name)), `--other-build ${otherBuild}: there is no ${name}`);
  }
  return {};
};

/** Without another build: what another deployment of the same one may differ in. */
function otherwise(room) {
  const { ROOT_KEY } = room.secrets;
  return { secrets: { ROOT_KEY, ROOT_KEY_PREVIOUS: freshRootKey("other") }, vars: { FURTHER: "a variable of nobody" } };
}

export async function goesWrong({ room, journal }, { otherBuild, betweenSeconds }) {
  const one = { buildDir, secrets: room.secrets, vars: {} };
  const other = otherBuild ? { ...one, buildDir: path.resolve(otherBuild) } : { ...one, ...otherwise(room) };
  for (let turn = 1; turn <= TURNS; turn += 1) {
    await pause(betweenSeconds * 1_000);
    await journal.fault(otherBuild ? "other-build" : "other-deployment", async () => {
      await room.kill9();
      await room.restartWith(turn % 2 === 1 ? other : one);
    });
  }
}
