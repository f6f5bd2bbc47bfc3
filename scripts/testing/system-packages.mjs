// Debian's package manager, as root or by a sudo that asks nothing.
import { findOnPath } from "../paths.mjs";
import { run, runOrThrow } from "../processes.mjs";
import { step } from "../progress.mjs";

/** Installs `packages`; a failure ends with `howTo`, which says what a person can do instead. */
export function installPackages({ packages, title, usually, howTo }) {
  return step(title, usually, (onLine) => aptInstall(packages, howTo, onLine));
}

async function aptInstall(packages, howTo, onLine) {
  const names = packages.join(", ");
  if (!findOnPath("apt-get")) throw new Error(`there is no apt-get to install ${names} with; ${howTo}`);
  const isRoot = process.getuid?.() === 0;
  if (!isRoot && !findOnPath("sudo")) {
    throw new Error(`installing ${names} needs root or sudo, and here is neither; ${howTo}`);
  }
  await updateLists(onLine);
  await runOrThrow(...aptGet(onLine, "install", "-y", "-qq", "--no-install-recommends", ...packages)).catch((error) => {
    throw new Error(`${names} could not be installed: ${error.message}\n${howTo}`);
  });
}

/** Brings the lists of packages up to date. A source that cannot be reached is no reason to give up: what is missing is said later. */
export const updateLists = (onLine) => run(...aptGet(onLine, "update", "-qq"));

function aptGet(onLine, ...args) {
  const options = { env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" }, onLine };
  const [command, ...rest] = [...(process.getuid?.() === 0 ? [] : ["sudo", "-n"]), "apt-get", ...args];
  return [command, rest, options];
}
