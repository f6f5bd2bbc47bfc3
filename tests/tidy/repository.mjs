// The repository as the tidy tests read it: its own files, with their text.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { root } from "../../scripts/paths.mjs";

/** Everything that is committed, or about to be: files of somebody's own beside them are nobody's business. */
export const files = execFileSync("git", ["ls-files", "--cached"], {
  cwd: root,
  encoding: "utf8",
})
  .split("\n")
  .filter((name) => name && existsSync(path.join(root, name)))
  .sort();

export const textOf = (name) => readFileSync(path.join(root, name), "utf8");

const LOCK_FILES = new Set(["Cargo.lock", "package-lock.json"]);

/** What people wrote: no lock files, no test vectors and other data, no pictures. */
export const written = files.filter(
  (name) =>
    !LOCK_FILES.has(name) &&
    !name.includes("/vectors/") &&
    /(\.(rs|mjs|js|css|html|md|toml|ya?ml|json|py|php|java|conf|sh|txt)|\/run|LICENSE-\w+)$/.test(name),
);

export const withEnding = (...endings) => written.filter((name) => endings.some((ending) => name.endsWith(ending)));

/** One line for each place, `file:line: what`, so that a failure can be followed. */
export function placesMatching(names, pattern, isAllowed = () => false) {
  const places = [];
  for (const name of names) {
    textOf(name)
      .split("\n")
      .forEach((line, index) => {
        const match = line.match(pattern);
        if (match && !isAllowed(line, name)) places.push(`${name}:${index + 1}: ${match[0]}`);
      });
  }
  return places;
}
