// What every command does alike: read its arguments, say how it is used, end with a plain message.
import { statSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { say } from "./progress.mjs";

/** A mistake in how a command was called: where its usage is to be had is printed with it. */
export class UsageError extends Error {}

/** Runs `main` when the file is the one that was started. */
export function command(moduleUrl, usage, main) {
  if (moduleUrl !== pathToFileURL(process.argv[1] ?? "").href) return;
  const words = process.argv.slice(2);
  // Who reads only the beginning (`| head`) has what was wanted.
  process.stdout.on("error", ({ code }) => process.exit(code === "EPIPE" ? 0 : 1));
  if (words.includes("--help") || words.includes("-h")) {
    process.stdout.write(`${usage}\n`);
    return;
  }
  main(words).catch((error) => {
    const [how] = usage.split(/ -- |: |\n/);
    say(error instanceof UsageError ? `${error.message}\n${how} -- --help says how it is used` : error.message);
    process.exitCode = error instanceof UsageError ? 2 : 1;
  });
}

/** What no word of a command line can have. */
const MARK = "\0";
const unmarked = (value) => (typeof value === "string" ? value.replaceAll(MARK, "") : value);

/**
 * `parseArgs` whose complaints are usage errors, and for which a negative number is a value: so whoever wants a number says
 * what is allowed. It is marked while it is parsed, since a word that begins with a dash would be an option.
 */
export function readArguments(words, options, allowPositionals = false) {
  const args = words.map((word) => word.replace(/^-(?=\.?\d)/, `${MARK}-`));
  try {
    const { values, positionals } = parseArgs({ args, options, allowPositionals });
    const each = ([name, value]) => [name, Array.isArray(value) ? value.map(unmarked) : unmarked(value)];
    return { values: Object.fromEntries(Object.entries(values).map(each)), positionals: positionals.map(unmarked) };
  } catch (error) {
    throw new UsageError(unmarked(error.message));
  }
}

/** A whole number in decimal digits; `undefined` stays what it is. `allowed` says the range in words. */
export function wholeNumber(text, { name, from, to, allowed = `${from} to ${to}` }) {
  if (text === undefined) return undefined;
  const number = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  if (!(number >= from && number <= to)) {
    throw new UsageError(`${name} is ${JSON.stringify(text)}, allowed is ${allowed}`);
  }
  return number;
}

/** A port from the command line; `fallback` when none is given. */
export const portOf = (text, fallback) =>
  wholeNumber(text, { name: "--port", from: 0, to: 65_535, allowed: "1 to 65535, or 0 for any free one" }) ?? fallback;

/** The full path of a file that `--config` names. */
export function configFileOf(text) {
  const file = path.resolve(text);
  if (!statSync(file, { throwIfNoEntry: false })?.isFile()) {
    throw new UsageError(`--config is ${JSON.stringify(text)}, but there is no such file: ${file}`);
  }
  return file;
}
