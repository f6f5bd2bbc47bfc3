// promtool checks alert rules. An installed one, else that of Debian's package `prometheus`, unpacked into `.tools`: nothing
// is installed, and no Prometheus starts.
import { existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import path from "node:path";
import { findOnPath, toolsDir } from "../paths.mjs";
import { run, runOrThrow } from "../processes.mjs";
import { step } from "../progress.mjs";
import { updateLists } from "./system-packages.mjs";

const FOLDER = path.join(toolsDir, "prometheus");
const UNPACKED = path.join(FOLDER, "usr/bin/promtool");
const HOW_TO_INSTALL = "no promtool: install Prometheus (Debian: apt-get install prometheus), or name it in PROMTOOL";

async function works(promtool) {
  return (await run(promtool, ["--version"])).code === 0;
}

/** Its path; unpacks the package where there is none. `mayInstall`: the lists of packages may be brought up to date for it. */
export async function providePromtool(mayInstall) {
  for (const found of [process.env.PROMTOOL, findOnPath("promtool"), UNPACKED]) {
    if (found && existsSync(found) && (await works(found))) return found;
  }
  if (!findOnPath("apt-get") || !findOnPath("dpkg-deb")) throw new Error(HOW_TO_INSTALL);
  await step("promtool from Debian's package prometheus", "10 s", (onLine) => unpack(mayInstall, onLine));
  if (!(await works(UNPACKED)))
    throw new Error(`the package prometheus brought no working promtool; ${HOW_TO_INSTALL}`);
  return UNPACKED;
}

async function unpack(mayInstall, onLine) {
  rmSync(FOLDER, { recursive: true, force: true });
  mkdirSync(FOLDER, { recursive: true });
  const download = () => run("apt-get", ["download", "-qq", "prometheus"], { cwd: FOLDER, onLine });
  let { code, output } = await download();
  if (code !== 0 && mayInstall) {
    await updateLists(onLine);
    ({ code, output } = await download());
  }
  if (code !== 0) throw new Error(`the package prometheus cannot be had: ${output.trim()}\n${HOW_TO_INSTALL}`);
  const [file] = readdirSync(FOLDER).filter((name) => name.endsWith(".deb"));
  await runOrThrow("dpkg-deb", ["--extract", file, "."], { cwd: FOLDER, onLine });
  rmSync(path.join(FOLDER, file));
}
