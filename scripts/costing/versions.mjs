// Which version of an npm package stands in the lock file.
import { readFileSync } from "node:fs";
import path from "node:path";
import { root } from "../paths.mjs";

export const lockedVersion = (name) =>
  JSON.parse(readFileSync(path.join(root, "package-lock.json"), "utf8")).packages[`node_modules/${name}`].version;
