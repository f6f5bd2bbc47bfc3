// `npm run cost`: what waiting, going in and shopping cost at the platform's list prices, from what a measured run took.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { command, configFileOf, readArguments, UsageError, wholeNumber } from "./command-line.mjs";
import { bill, MODES } from "./costing/arithmetic.mjs";
import { FORMAT, PARTS } from "./costing/format.mjs";
import { PRICES } from "./costing/prices.mjs";
import { readingsOf } from "./costing/readings.mjs";
import { printed } from "./costing/table.mjs";
import { wranglerFile } from "./paths.mjs";
import { onStopRequest } from "./processes.mjs";
import { say } from "./progress.mjs";
import { setup } from "./setup.mjs";

const USAGE = `npm run cost -- [--visitors N --wait-minutes M | --event ID] [--arrive-minutes A] [--mode push|poll]
       [--session-minutes S] [--session-requests R] [--isolates I] [--no-work]
       [--no-static-files] [--counts FILE] [--save-counts FILE]
       [--measure-visitors N] [--config FILE] [--json FILE]
  --visitors N          how many come, 1 to 200000000 (1000000)
  --wait-minutes M      how long each waits, 0 to 10080 (10)
  --event ID            instead of these two: the crowd that an event of wrangler.toml expects, and its limits
  --arrive-minutes A    in which time they come, 1 to 10080 (10)
  --mode push|poll      which of the two is meant by "waiting" in --json (push); both are always reckoned
  --session-minutes S   how long somebody is inside, 1 to 1440 (5)
  --session-requests R  how many requests to the shop that takes, 1 to 100000 (20)
  --isolates I          copies of the edge that run at the same time, 1 to 100000 (500)
  --no-work             an event that asks for no work: challenge = "none"
  --no-static-files     the Worker itself serves the script that works: deployed by wrangler alone
  --counts FILE         reckons with these counts instead of measuring
  --save-counts FILE    where what was measured is kept
  --measure-visitors N  how many visitors a measurement has, 200 to 5000 (2000)
  --config FILE         another wrangler.toml
  --json FILE           the sums: {"usd":{"waiting","admission","admitted_traffic"},"by_mode":{"push","poll"}}, in dollars;
                        waiting is for all visitors, admission and admitted_traffic for each million admitted
Without --counts it starts a room on this machine and counts for about six minutes.`;

const number = (values, name, from, to) => wholeNumber(values[name], { name: `--${name}`, from, to });

/** The counts of a file; an error says what is wrong with it. */
function countsOf(file) {
  if (!existsSync(file)) throw new UsageError(`--counts is ${JSON.stringify(file)}, but there is no such file`);
  let counts;
  try {
    counts = JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    throw new UsageError(`--counts ${file}: not JSON (${error.message})`);
  }
  if (counts?.format !== FORMAT) {
    throw new UsageError(`--counts ${file}: format is ${JSON.stringify(counts?.format)}, allowed is ${FORMAT}`);
  }
  const missing = PARTS.filter((name) => counts.parts?.[name] === undefined);
  if (missing.length > 0) throw new UsageError(`--counts ${file}: parts has no ${missing.join(", ")}`);
  return counts;
}

/** Nothing is counted for minutes, to be lost then. */
function checkFolder(name, file) {
  if (file === undefined || existsSync(path.dirname(path.resolve(file)))) return;
  throw new UsageError(`--${name} is ${JSON.stringify(file)}, but there is no such folder`);
}

async function measured(visitors, waitMinutes) {
  onStopRequest(() => process.exit(130));
  await setup(["packages", "rust", "tools", "keys", "keysTool", "worker"]);
  const { measure } = await import("../tests/cost/measure.mjs");
  return measure({ visitors, waitMinutes, say: (title) => say(`counting: ${title}`) });
}

/** The crowd that is asked about, and what is said of it. */
async function crowdOf(values) {
  const common = {
    arriveMinutes: number(values, "arrive-minutes", 1, 10_080) ?? 10,
    sessionMinutes: number(values, "session-minutes", 1, 1_440) ?? 5,
    sessionRequests: number(values, "session-requests", 1, 100_000) ?? 20,
    isolates: number(values, "isolates", 1, 100_000) ?? 500,
    hasStaticFiles: !values["no-static-files"],
  };
  if (values.event === undefined) {
    const visitors = number(values, "visitors", 1, 200_000_000) ?? 1_000_000;
    const waitMinutes = number(values, "wait-minutes", 0, 10_080) ?? 10;
    return { ...common, visitors, waitMinutes, challenge: values["no-work"] ? "none" : "pow", passSeconds: 180 };
  }
  for (const name of ["visitors", "wait-minutes", "no-work"]) {
    if (values[name] !== undefined) throw new UsageError(`--${name} does not go with --event: the event says it`);
  }
  await setup(["packages"]);
  const { eventOf, expectationOf } = await import("./costing/events.mjs");
  const { readWranglerConfig } = await import("./wrangler-config.mjs");
  const event = eventOf(readWranglerConfig(configFileOf(values.config ?? wranglerFile)), values.event);
  return { ...common, ...expectationOf(event, common), event: event.id };
}

async function main(words) {
  const [text, flag] = [{ type: "string" }, { type: "boolean" }];
  const names = ["visitors", "wait-minutes", "event", "arrive-minutes", "mode", "session-minutes", "session-requests"];
  const more = ["isolates", "counts", "save-counts", "measure-visitors", "config", "json"];
  const options = Object.fromEntries([...names, ...more].map((name) => [name, text]));
  const { values } = readArguments(words, { ...options, "no-work": flag, "no-static-files": flag });
  const mode = values.mode ?? "push";
  if (!MODES.includes(mode))
    throw new UsageError(`--mode is ${JSON.stringify(mode)}, allowed is ${MODES.join(" or ")}`);
  for (const name of ["json", "save-counts"]) checkFolder(name, values[name]);
  const crowd = await crowdOf(values);
  const visitors = number(values, "measure-visitors", 200, 5_000) ?? 2_000;
  const counts = values.counts === undefined ? await measured(visitors, 10) : countsOf(values.counts);
  if (values["save-counts"]) writeFileSync(values["save-counts"], `${JSON.stringify(counts, null, 2)}\n`);
  const reckoned = bill(readingsOf(counts), crowd, mode, PRICES);
  const { usd, by_mode } = reckoned;
  const sums = [...Object.values(usd), ...Object.values(by_mode)];
  if (!sums.every(Number.isFinite)) throw new Error("these counts give no price: in a part of them nothing happened");
  if (values.json) {
    writeFileSync(values.json, `${JSON.stringify({ usd, by_mode }, null, 2)}\n`);
  }
  process.stdout.write(`${printed(reckoned, crowd, mode, counts)}\n`);
  if (values.counts === undefined) process.exit(0);
}

command(import.meta.url, USAGE, main);
