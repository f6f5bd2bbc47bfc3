// What the recipes for origins run on: nginx, PHP and a JDK, installed or else from the system's packages where that is
// allowed.
import { existsSync } from "node:fs";
import { findOnPath } from "../paths.mjs";
import { run } from "../processes.mjs";
import { installPackages } from "./system-packages.mjs";

/** Where Debian keeps what only root has in its path. */
const SYSTEM_FOLDERS = ["/usr/sbin", "/usr/local/sbin", "/opt/homebrew/bin"];
/** As the recipes say of themselves. */
const OLDEST_JAVA = 17;
const OLDEST_PHP = 8;

const PROGRAMS = [
  { name: "NGINX", command: "nginx", debian: "nginx", works: hasNginx },
  { name: "PHP", command: "php", debian: "php-cli", works: hasPhp },
  { name: "JAVAC", command: "javac", debian: "default-jdk-headless", works: hasJava },
];

const find = (command) =>
  findOnPath(command) ?? SYSTEM_FOLDERS.map((folder) => `${folder}/${command}`).find(existsSync) ?? null;

/** What `auth_request` and an https room need; Debian's has both. */
async function hasNginx(nginx) {
  const { code, output } = await run(nginx, ["-V"]);
  return code === 0 && ["http_auth_request_module", "http_ssl_module"].every((name) => output.includes(name));
}

async function hasJava(javac) {
  const { code, output } = await run(javac, ["-version"]);
  return code === 0 && Number(output.match(/javac (\d+)/)?.[1]) >= OLDEST_JAVA;
}

async function hasPhp(php) {
  const { code, output } = await run(php, ["-n", "-r", "echo PHP_MAJOR_VERSION;"]);
  return code === 0 && Number(output) >= OLDEST_PHP;
}

async function findWorking({ command, works }) {
  const found = find(command);
  return found && (await works(found)) ? found : null;
}

/** The programs' paths, as environment variables; installs the system's packages if `mayInstall`. */
export async function provideOriginPrograms(mayInstall) {
  const missing = [];
  for (const program of PROGRAMS) if (!(await findWorking(program))) missing.push(program);
  if (missing.length > 0) {
    const names = missing.map(({ command }) => command).join(", ");
    const packages = missing.map(({ debian }) => debian);
    const howTo =
      `no working ${names} (a JDK from ${OLDEST_JAVA}, PHP from ${OLDEST_PHP}): install ` +
      `(Debian: apt-get install ${packages.join(" ")}), or start the tests with --install-system`;
    if (!mayInstall) throw new Error(howTo);
    await installPackages({ packages, title: `${names} from the system's packages`, usually: "1 to 3 min", howTo });
  }
  const env = {};
  for (const program of PROGRAMS) {
    env[program.name] = await findWorking(program);
    if (!env[program.name]) throw new Error(`the package ${program.debian} brought no working ${program.command}`);
  }
  return env;
}
