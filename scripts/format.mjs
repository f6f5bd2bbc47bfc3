// `npm run format`: writes every file the way the check wants it.
import { command, readArguments } from "./command-line.mjs";
import { npmBinary, root } from "./paths.mjs";
import { runOrThrow } from "./processes.mjs";
import { setup } from "./setup.mjs";

const USAGE = "npm run format: formats Rust, JavaScript, CSS and JSON";

async function main(words) {
  readArguments(words, {});
  await setup(["packages", "rust"]);
  await runOrThrow("cargo", ["fmt", "--all"], { cwd: root });
  await runOrThrow(npmBinary("biome"), ["format", "--write", "."], { cwd: root });
}

command(import.meta.url, USAGE, main);
