// The npm packages, exactly as package-lock.json has them.
import { existsSync } from "node:fs";
import { npmBinary, root } from "../paths.mjs";
import { run, runOrThrow } from "../processes.mjs";
import { contentHash, isStamped, stamp } from "../stamps.mjs";

const inputs = () => contentHash(["package.json", "package-lock.json", ".npmrc"], [process.platform, process.arch]);

export const packagesStep = {
  title: "npm packages",
  usually: "15 to 60 s",
  isDone: () => isStamped("packages", inputs()) && existsSync(npmBinary("wrangler")),
  work: async (onLine) => {
    await runOrThrow("npm", ["ci", "--loglevel=error"], { cwd: root, onLine });
    const version = await run(npmBinary("node"), ["--version"]);
    if (version.code !== 0) {
      throw new Error(
        `the npm package "node" brought no binary (${version.output.trim()}); ` +
          "allow its install script (npm install-scripts approve node) or use Node 22.12 or newer",
      );
    }
    stamp("packages", inputs());
  },
};
