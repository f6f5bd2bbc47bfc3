// The functions of the page's script, loaded the way the page carries them, without the part that
// touches a page.

import { readFileSync } from "node:fs";
import { PAGE_SCRIPT } from "./carried.mjs";

const read = (path) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");

export const source = PAGE_SCRIPT.filter((file) => !file.endsWith("/main.js")).map(read);

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
  "isTakenIn",
  "isOld",
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
