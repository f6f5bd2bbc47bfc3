// `npm run operator`: steers an event from the terminal.
import { createInterface } from "node:readline/promises";
import { command, configFileOf, readArguments, UsageError, wholeNumber } from "./command-line.mjs";
import { count } from "./counted.mjs";
import { actions } from "./operating/actions.mjs";
import { figuresOf, settingsOf } from "./operating/figures.mjs";
import { instant } from "./operating/instants.mjs";
import { writeLog } from "./operating/log.mjs";
import { DEFAULT_URL, reach, requireUrl } from "./operating/reach.mjs";
import { statusLines } from "./operating/status.mjs";
import { wranglerFile } from "./paths.mjs";
import { setup } from "./setup.mjs";

const USAGE = `npm run operator -- [options] COMMAND
  status | watch                 numbers now; numbers every two seconds
  pause REASON | resume          no calls and no admissions | ends pause and stop
  stop REASON                    also those inside get the page
  off | soldout | close | open   everybody passes | sold out | over | ends these three
  rate N | limit N               admissions a minute | inside at the same time; N may be "none" or "reset"
  message [TEXT]                 what everybody reads; without a text it is taken away
  reschedule TIME REASON         another opening, until the draw begins; TIME is like 2027-03-01T10:00:00+01:00
  expect N                       more visitors come than planned: N in all; never fewer
  stock N                        what is left to sell; 0 holds the calls until there is more; "reset" takes it back
  close-line ID | open-line ID   one line takes no joins and is not called | ends that
  log                            the event log, all of it, into --out
options
  --event E           the event; by default the one of the deployment's front page
  --url URL           the deployment, http://127.0.0.1:8787 by default
  --next-update MIN   with pause and stop, required: when you will say more
  --line ID           with reschedule: one line; otherwise all that have not opened
  --out FILE          with log: where it goes, one JSON object a line; "-" is the standard output
  --yes               do not ask (stop, off, soldout, close and close-line ask a person at a terminal)
  --seconds N         with watch: stop after so long
  --config FILE       another wrangler.toml
The token is OPERATOR_TOKEN of the environment, or is made from the root keys (.dev.vars, or ROOT_KEY).`;

/** Commands that further words belong to; to any other they are a mistake. */
const WITH_WORDS = [
  ...["pause", "stop", "rate", "limit", "message"],
  ...["reschedule", "expect", "stock", "close-line", "open-line"],
];
/** Commands that change nothing. */
const LOOKS = ["status", "watch", "log"];
const WATCH_INTERVAL_MS = 2_000;
/** A week: the longest that anybody watches in one go. */
const MAX_WATCH_SECONDS = 7 * 86_400;

async function main(words) {
  const { values, positionals } = readArguments(
    words,
    {
      config: { type: "string", default: wranglerFile },
      event: { type: "string" },
      url: { type: "string", default: DEFAULT_URL },
      "next-update": { type: "string" },
      line: { type: "string" },
      out: { type: "string" },
      seconds: { type: "string" },
      yes: { type: "boolean", default: false },
    },
    true,
  );
  const [verb, ...rest] = positionals;
  if (!LOOKS.includes(verb) && !Object.hasOwn(actions, verb ?? "")) {
    const known = [...LOOKS, ...Object.keys(actions)].join(", ");
    throw new UsageError(`${verb === undefined ? "no command" : `found ${JSON.stringify(verb)}`}, allowed: ${known}`);
  }
  if (rest.length > 0 && !WITH_WORDS.includes(verb)) {
    throw new UsageError(`${verb} takes nothing more, found ${JSON.stringify(rest.join(" "))}`);
  }
  if (values.line !== undefined && verb !== "reschedule") throw new UsageError("--line belongs to reschedule");
  if ((values.out !== undefined) !== (verb === "log")) throw new UsageError("log and --out FILE belong together");
  const forSeconds = wholeNumber(values.seconds, { name: "--seconds", from: 1, to: MAX_WATCH_SECONDS });
  requireUrl(values.url);
  values.config = configFileOf(values.config);
  const body = actions[verb]?.body(rest, {
    nextUpdateMinutes: values["next-update"],
    line: values.line,
  });
  await setup(["packages"]);
  const target = await reach(values);
  if (verb === "status") return status(target);
  if (verb === "watch") return watch(target, forSeconds ?? Number.POSITIVE_INFINITY);
  if (verb === "log") return printLines([await writeLog(target.api, values.out)].filter(Boolean));
  return change(target, verb, body, values.yes);
}

async function status(target) {
  const document = await target.api.observe();
  const isDrawing = (document.board.lines ?? []).some(({ phase }) => phase === "drawing");
  // Without them the status says less, and everything else all the same.
  const draws = isDrawing ? await target.api.draws().catch(() => null) : null;
  printLines(statusLines({ ...target, document, draws }));
}

async function change({ api, event, url, zone }, verb, body, isAgreed) {
  const before = figuresOf(await api.observe());
  printLines([`${event} at ${url}: ${verb}`, `  now: ${before.state}, ${numbers(before)}`]);
  const refusal = actions[verb].refuses?.(before, body) ?? null;
  if (refusal !== null) throw new Error(`nothing was done: ${refusal}`);
  printLines([`  will: ${actions[verb].says(before, body, zone)}`]);
  if (actions[verb].asks && !isAgreed && process.stdin.isTTY && !(await agrees())) {
    printLines(["  nothing was done"]);
    return;
  }
  const after = figuresOf(await api.change(body));
  const [was, is] = [settingsOf(before, zone), settingsOf(after, zone)];
  const changed = Object.keys(is).filter((name) => was[name] !== is[name]);
  printLines(changed.map((name) => `  ${name}: ${was[name]} -> ${is[name]}`));
  const { shows } = actions[verb];
  const nothing = `  nothing changed${shows ? `: ${shows} ${is[shows]}` : ""}`;
  printLines([changed.length === 0 ? nothing : "  done; in force at every edge within 2 seconds"]);
  printLines([`  now: ${after.state}, ${numbers(after)}`]);
}

async function agrees() {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await terminal.question("  do it? [y/N] ");
  terminal.close();
  return /^y(es)?$/i.test(answer.trim());
}

async function watch({ api, zone }, forSeconds) {
  const until = Date.now() + forSeconds * 1000;
  let last = null;
  for (;;) {
    const document = await api.observe();
    const now = { ...figuresOf(document), atMs: document.now_ms ?? Date.now() };
    printLines([`${instant(now.atMs, zone)}  ${now.state.padEnd(10)}${numbers(now)}${pace(last, now)}`]);
    last = now;
    if (Date.now() + WATCH_INTERVAL_MS > until) return;
    await new Promise((resolve) => setTimeout(resolve, WATCH_INTERVAL_MS));
  }
}

const numbers = ({ waiting, called, pending, active, granted }) =>
  `${count(waiting)} waiting, ${count(called)} called (${count(pending)} asking), ` +
  `${count(active)} inside, ${count(granted)} admitted`;

/** How fast it went since the line before. */
function pace(last, now) {
  if (last === null || now.atMs <= last.atMs) return "";
  const perMinute = (key) => count(Math.round(((now[key] - last[key]) * 60_000) / (now.atMs - last.atMs)));
  return `; a minute: ${perMinute("joined")} join, ${perMinute("granted")} enter`;
}

const printLines = (lines) => lines.forEach((line) => void process.stdout.write(`${line}\n`));

command(import.meta.url, USAGE, main);
