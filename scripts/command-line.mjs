// What every command does alike: read its arguments, say how it is used, end with a plain message.
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { say } from "./progress.mjs";

/** A mistake in how a command was called: its usage is printed with it. */
export class UsageError extends Error {}

/** Runs `main` when the file is the one that was started. */
export function command(moduleUrl, usage, main) {
  if (moduleUrl !== pathToFileURL(process.argv[1] ?? "").href) return;
  const words = process.argv.slice(2);
  if (words.includes("--help") || words.includes("-h")) {
    process.stdout.write(`${usage}\n`);
    return;
  }
  main(words).catch((error) => {
    say(error instanceof UsageError ? `${error.message}\n\n${usage}` : `\n${error.message}`);
    process.exitCode = error instanceof UsageError ? 2 : 1;
  });
}

/** `parseArgs` whose complaints are usage errors. */
export function readArguments(words, options, allowPositionals = false) {
  try {
    return parseArgs({ args: words, options, allowPositionals });
  } catch (error) {
    throw new UsageError(error.message);
  }
}

/** A port from the command line; `fallback` when none is given. */
export function portOf(text, fallback) {
  if (text === undefined) return fallback;
  const port = Number(text);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw new UsageError(`--port is ${JSON.stringify(text)}, allowed is 0 (any free one) to 65535`);
  }
  return port;
}
