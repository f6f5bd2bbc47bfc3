// `npm run keys`: the root keys of a deployment, step by step from an old one to a new one. No key is ever printed.
import { statSync } from "node:fs";
import path from "node:path";
import { command, configFileOf, readArguments, UsageError } from "./command-line.mjs";
import { devVarsFile, wranglerFile } from "./paths.mjs";
import { addKey, dropKey, exchangeKeys, firstKey, readKeys } from "./rotating/key-file.mjs";
import { nextOf } from "./rotating/steps.mjs";
import { setup } from "./setup.mjs";

const USAGE = `npm run keys -- COMMAND [--file FILE] [--config FILE] [--origins-ready] [--now] [--replace]
  new       a first key, in a file that has none
  show      which key signs, which one only opens, what comes next and when
  rotate    takes the next step, if its time has come; otherwise says when
  prepare   a new key, published and not used: it only opens
  promote   the new key signs, the old one only opens
  retire    the key that only opens goes
  rollback  one step back: before the promotion the new key goes, after it the two are exchanged
options
  --file FILE      the file with the keys, .dev.vars by default; one of its own for each deployment, mode 600
  --config FILE    another wrangler.toml; its events say how long a step has to stand
  --origins-ready  with promote and rotate: every origin that was given a key has the new one
  --now            with promote, retire and rotate: before its time; whoever holds something of the old key loses it
  --replace        with new: instead of the keys that the file has; everybody loses what they signed
Changes that file and prints what to do with a deployment. Every step and why: docs/key-rotation.md.`;

const COMMANDS = ["new", "show", "rotate", "prepare", "promote", "retire", "rollback"];
/** The commands that an option says something to; any command takes --file. */
const BELONGS_TO = {
  replace: ["new"],
  now: ["rotate", "promote", "retire"],
  "origins-ready": ["rotate", "promote"],
  config: COMMANDS.filter((word) => word !== "new"),
};

async function main(words) {
  const { values, positionals } = readArguments(
    words,
    {
      config: { type: "string" },
      file: { type: "string", default: devVarsFile },
      "origins-ready": { type: "boolean", default: false },
      now: { type: "boolean", default: false },
      replace: { type: "boolean", default: false },
    },
    true,
  );
  const [word, ...rest] = positionals;
  if (!COMMANDS.includes(word) || rest.length > 0) {
    throw new UsageError(`command is ${JSON.stringify(positionals.join(" "))}, allowed are ${COMMANDS.join(", ")}`);
  }
  for (const [option, words] of Object.entries(BELONGS_TO)) {
    if (values[option] && !words.includes(word)) throw new UsageError(`--${option} belongs to ${words.join(", ")}`);
  }
  const file = keyFileOf(values.file);
  if (word === "new") return printLines(begun(file, values.replace));
  const configFile = configFileOf(values.config ?? wranglerFile);
  await setup(["packages", ...(values.file === devVarsFile ? ["keys"] : [])]);
  const { eventsOf, readWranglerConfig } = await import("./wrangler-config.mjs");
  const events = eventsOf(readWranglerConfig(configFile)).map(({ event }) => event);
  const asked = { file, events, nowMs: Date.now(), isEarly: values.now, areOriginsReady: values["origins-ready"] };
  if (word === "show") return printLines(shown(asked));
  printLines(word === "rollback" ? rollback(asked) : take(asked, word));
}

/** The full path of what `--file` names; that there is nothing yet is for each command to judge. */
function keyFileOf(text) {
  const file = path.resolve(text);
  if (!statSync(file, { throwIfNoEntry: false })?.isDirectory()) return file;
  throw new UsageError(`--file is ${JSON.stringify(text)}, which is a folder; allowed is a file with keys: ${file}`);
}

function begun(file, isReplacing) {
  const id = firstKey(file, Date.now(), isReplacing);
  return [
    `${id} is new, in ${file}. It is shown nowhere; keep a copy where you keep what must not be lost.`,
    "A deployment gets it, and whatever else the file holds, with",
    `  npx wrangler secret bulk ${shellPath(file)}`,
  ];
}

/** Takes a step forward, the next one for `rotate`, and answers what is to be said. */
function take({ file, events, nowMs, isEarly, areOriginsReady }, word) {
  const keys = readKeys(file);
  const next = keys.step === "unknown" ? null : nextOf(keys, events);
  if (word === "rotate" && next === null) {
    throw new Error(
      `${file} has two keys and does not say which of them is new: \`promote\` lets ${keys.other} sign, ` +
        `\`retire\` takes ${keys.other} away`,
    );
  }
  const step = word === "rotate" ? next.step : word;
  requireOrder(keys, step);
  const isDue = next === null || next.step !== step || next.atMs === null || next.atMs <= nowMs;
  if (!isDue && !isEarly) {
    throw new Error(`nothing was done: ${step} ${whenText(next.atMs)}, since ${next.why}; --now does not wait`);
  }
  return { prepare: prepared, promote: promoted, retire: retired }[step](
    { file, events, nowMs, areOriginsReady },
    keys,
  );
}

function requireOrder({ signing, other }, step) {
  if (step === "prepare" && other !== null) {
    throw new Error(`nothing was done: there are two keys already, ${signing} signs and ${other} only opens`);
  }
  if (step !== "prepare" && other === null) {
    throw new Error(`nothing was done: there is one key, ${signing}; a new one begins with prepare`);
  }
}

function prepared({ file, events, nowMs }, { signing }) {
  const id = addKey(file, nowMs);
  return [
    `${id} is new and only opens; ${signing} signs as before.`,
    ...uploaded(file),
    ...originLines(events, `Give every origin that checks passes with a secret the new key as well:`),
    ...nextLines(file, events),
  ];
}

function promoted({ file, events, nowMs, areOriginsReady }, { signing, other }) {
  if (originsWithSecrets(events).length > 0 && !areOriginsReady) {
    throw new Error(
      [
        `nothing was done: from this step on passes are signed by ${other}, and an origin without it refuses them.`,
        ...originLines(events, "Each of these has to have both keys; then say --origins-ready:"),
      ].join("\n"),
    );
  }
  exchangeKeys(file, nowMs);
  return [
    `${other} signs; ${signing} only opens.`,
    ...uploaded(file),
    "`npm run keys -- rollback` exchanges the two again.",
    ...nextLines(file, events),
  ];
}

function retired({ file, events }, { signing, other }) {
  dropKey(file);
  return [
    `${other} is gone; ${signing} signs and opens. What ${other} has signed is refused from now on.`,
    "A deployment forgets it with",
    "  npx wrangler secret delete ROOT_KEY_PREVIOUS",
    ...originLines(events, `Take ${other} away from every origin that has it; these remain:`),
  ];
}

function rollback({ file, events, nowMs }) {
  const { signing, other, step } = readKeys(file);
  if (step === "steady") throw new Error(`nothing was done: there is one key, ${signing}, and no step to take back`);
  if (step === "prepared") {
    dropKey(file);
    return [
      `${other} is gone; it has signed nothing. ${signing} signs and opens.`,
      "A deployment forgets it with",
      "  npx wrangler secret delete ROOT_KEY_PREVIOUS",
    ];
  }
  exchangeKeys(file, nowMs);
  return [`${other} signs again; ${signing} only opens.`, ...uploaded(file), ...nextLines(file, events)];
}

function shown({ file, events }) {
  const { signing, other, step, since } = readKeys(file);
  const lines = [`${signing} signs`];
  if (other !== null) lines.push(`${other} only opens`);
  if (since !== null) lines.push(`${step} at ${instantText(since)}`);
  if (step === "unknown") lines.push("the file does not say which of the two is new: promote or retire");
  return [...lines, ...nextLines(file, events)];
}

function nextLines(file, events) {
  const keys = readKeys(file);
  if (keys.step === "unknown") return [];
  const { step, atMs, why } = nextOf(keys, events);
  if (atMs === null) return ["next: prepare, whenever you like"];
  return [`next: ${step}, ${whenText(atMs)}, since ${why}`];
}

const whenText = (atMs) =>
  Number.isFinite(atMs) ? `not before ${instantText(atMs)}` : "when nobody needs the old key any more (retire --now)";

const instantText = (ms) => new Date(ms).toISOString().replace(/\.\d+Z$/, "Z");

/** Both secrets in one step: one after the other there would be a moment with the same key twice, which stops everything. */
const uploaded = (file) => [
  "A deployment gets both at once, in one version, with",
  `  npx wrangler secret bulk ${shellPath(file)}`,
  "A room on this machine has them when it is started again. The times below count from now.",
];

/** A file as a shell takes it, from the folder in which this was called. */
function shellPath(file) {
  const near = path.relative(process.cwd(), file);
  return /^[\w./][\w./-]*$/.test(near) ? near : `'${near.replaceAll("'", "'\\''")}'`;
}

/** The events whose origins were given a secret key. Those with EdDSA fetch theirs; the demo shop is started with its own. */
const originsWithSecrets = (events) =>
  events.filter((event) => event?.origin !== "demo-shop" && (event?.pass_algorithm ?? "HS256") === "HS256");

function originLines(events, what) {
  const commands = originsWithSecrets(events).map(({ id }) => `  npm run origin-key -- --event ${id}`);
  return commands.length === 0 ? [] : [what, ...commands];
}

const printLines = (lines) => lines.forEach((line) => void process.stdout.write(`${line}\n`));

command(import.meta.url, USAGE, main);
