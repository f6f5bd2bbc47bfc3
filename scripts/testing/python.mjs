// Python tools of the tests, in a virtual environment of the repository.
import { existsSync } from "node:fs";
import path from "node:path";
import { findOnPath, root } from "../paths.mjs";
import { step } from "../progress.mjs";
import { runOrThrow } from "../processes.mjs";
import { contentHash, isStamped, stamp } from "../stamps.mjs";

const REQUIREMENTS = "tests/requirements.txt";
const folder = path.join(root, ".venv");

/** The interpreter of the environment, which has what tests/requirements.txt names. */
export async function providePython() {
  const python = path.join(folder, "bin", "python");
  const system = findOnPath("python3");
  if (!system) throw new Error("Python 3 is missing: install it (Debian: apt-get install python3 python3-venv)");
  const inputs = contentHash([REQUIREMENTS], [system]);
  if (existsSync(python) && isStamped("python", inputs)) return python;
  await step("Python tools of the tests", "20 s", async (onLine) => {
    await runOrThrow(system, ["-m", "venv", "--clear", folder], { onLine }).catch((error) => {
      throw new Error(`${error.message}\nOn Debian the module venv is in the package python3-venv`);
    });
    await runOrThrow(python, ["-m", "pip", "install", "--quiet", "-r", REQUIREMENTS], { cwd: root, onLine });
  });
  stamp("python", inputs);
  return python;
}
