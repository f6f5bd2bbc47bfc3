// The functions of the page's script, loaded the way the page carries them, without the part that
// touches a page.

import { readFileSync } from "node:fs";

const read = (path) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");

/** The order in which the page carries the files, read where it is decided. */
const files = [...read("build.rs").matchAll(/"js\/(\w+\.js)"/g)].map((match) => match[1]);
export const source = [...new Set(files)].filter((file) => file !== "main.js").map((file) => read(`static/js/${file}`));

const NAMES = [
  "wordsIn",
  "sceneOf",
  "slotsOf",
  "nextState",
  "recalled",
  "remembered",
  "progressOf",
  "memoryIn",
  "steadyEta",
  "between",
  "sizeOf",
  "movingNumber",
  "milestoneOf",
  "announcer",
  "delayMs",
  "poller",
  "estimated",
  "answerOf",
  "isTurnIn",
  "overStream",
  "listener",
  "joinTogether",
  "mayMove",
  "rememberMove",
  "passIsLost",
  "claimsByItself",
  "sameSite",
  "cookiesWork",
  "cookieReason",
  "canNotify",
  "countdown",
];

export const script = new Function(`"use strict";\n${source.join("")}\nreturn { ${NAMES.join(", ")} };`)();

/** The words of a language, as the page carries them. */
export const locale = (tag) => JSON.parse(read(`static/locales/${tag}.json`));
