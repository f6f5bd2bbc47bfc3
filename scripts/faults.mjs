// `npm run faults`: real workerd processes under traffic, and what goes wrong with them. The histories stay in a folder.
import { mkdirSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { command, readArguments, UsageError, wholeNumber } from "./command-line.mjs";
import { root } from "./paths.mjs";
import { onStopRequest } from "./processes.mjs";
import { seconds as inSeconds } from "./progress.mjs";
import { buildNative } from "./rust-program.mjs";
import { setup } from "./setup.mjs";

const USAGE = `npm run faults -- [SCENE...] [--kills N] [--every S] [--freeze S] [--lasts S]
       [--per-second R] [--other-build DIR] [--histories DIR]
  SCENE            kills, freeze, storage, origin, builds; all of them without one
  --kills N        how often the room is killed, 1 to 10000 (50)
  --every S        seconds between kills, 1 to 600 (4)
  --freeze S       for how long it stands still, 1 to 3600 (60)
  --lasts S        for how long storage or the shop fail each time, 1 to 3600 (8)
  --per-second R   visitors who arrive each second, 1 to 100 (10)
  --other-build DIR  the build that takes turns with this one in \`builds\`: a folder with index.js and index_bg.wasm;
                   without it the same build with another key and another configuration
  --histories DIR  where what was seen is written, as lines of JSON; a new temporary folder without it
Each scene says what the checker found; a promise that was broken ends it with 1.`;

/** How long all is well between faults that are not kills. */
const BETWEEN_SECONDS = 4;

const SCENES = ["kills", "freeze", "storage", "origin", "builds"];

async function main(words) {
  const { values, positionals } = readArguments(
    words,
    {
      kills: { type: "string", default: "50" },
      every: { type: "string", default: "4" },
      freeze: { type: "string", default: "60" },
      lasts: { type: "string", default: "8" },
      "per-second": { type: "string", default: "10" },
      "other-build": { type: "string" },
      histories: { type: "string" },
    },
    true,
  );
  const unknown = positionals.filter((name) => !SCENES.includes(name));
  if (unknown.length > 0) throw new UsageError(`no scene ${unknown.join(", ")}; there are: ${SCENES.join(", ")}`);
  const options = {
    kills: wholeNumber(values.kills, { name: "--kills", from: 1, to: 10_000 }),
    everySeconds: wholeNumber(values.every, { name: "--every", from: 1, to: 600 }),
    freezeSeconds: wholeNumber(values.freeze, { name: "--freeze", from: 1, to: 3_600 }),
    lastsSeconds: wholeNumber(values.lasts, { name: "--lasts", from: 1, to: 3_600 }),
    betweenSeconds: BETWEEN_SECONDS,
    perSecond: wholeNumber(values["per-second"], { name: "--per-second", from: 1, to: 100 }),
    otherBuild: values["other-build"],
  };
  onStopRequest(() => process.exit(130));
  await setup(["packages", "rust", "tools", "keys", "keysTool", "worker"]);
  await buildNative("anteroom-load");
  const folder = values.histories
    ? path.resolve(values.histories)
    : mkdtempSync(path.join(tmpdir(), "anteroom-faults-"));
  mkdirSync(folder, { recursive: true });
  const { playScene } = await import(path.join(root, "tests/faults/play.mjs"));
  let isRight = true;
  for (const name of positionals.length > 0 ? positionals : SCENES) {
    const startedAt = Date.now();
    const { title, passed, text } = await playScene(name, { ...options, folder });
    isRight &&= passed;
    process.stdout.write(`\n${name}: ${title} (${inSeconds(Date.now() - startedAt)})\n${text}\n`);
  }
  process.stdout.write(`\nhistories in ${folder}\n${isRight ? "all passed" : "FAILED"}\n`);
  process.exit(isRight ? 0 : 1);
}

command(import.meta.url, USAGE, main);
