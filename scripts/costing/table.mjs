// A bill as text: what, how many, how much, and why so many.
import { counted } from "../counted.mjs";
import { INCLUDED } from "./prices.mjs";
import { PUBLISHED } from "./published.mjs";

const MILLION = 1_000_000;

/** Dollars: cents where it matters, more digits below. */
export const dollars = (usd) =>
  `$${usd >= 100 ? Math.round(usd).toLocaleString("en-US") : usd.toFixed(usd >= 1 ? 2 : 3)}`;

const amount = (units) => Math.round(units).toLocaleString("en-US");
const figure = (value) => (value >= 100 ? amount(value) : value >= 1 ? value.toFixed(2) : value.toPrecision(2));

function tableOf(title, lines, people, usd) {
  const rows = lines.map(({ what, units, usd, why }) => [
    what,
    figure(units / people),
    amount(units),
    dollars(usd),
    why,
  ]);
  const head = ["", "each", "all", "price", "how it scales"];
  const widths = head.map((_, at) => Math.max(...[head, ...rows].map((row) => row[at].length)));
  const text = (row) =>
    row
      .map((cell, at) => (at === 0 || at === row.length - 1 ? cell.padEnd(widths[at]) : cell.padStart(widths[at])))
      .join("  ")
      .trimEnd();
  return [`${title}: ${dollars(usd)}`, ...[head, ...rows].map((row) => `  ${text(row)}`)].join("\n");
}

function crowdText(crowd, shape) {
  const minutes = (value) => `${figure(value)} min`;
  const who = crowd.event ? `event ${crowd.event}: ` : "";
  const limit = crowd.limit
    ? ` on average; let in by ${crowd.limit}, all of them after ${minutes(crowd.lastsMinutes)}`
    : "";
  return [
    `${who}${counted(crowd.visitors, "visitor comes", "visitors come")} within ${minutes(crowd.arriveMinutes)}, each waits ${minutes(crowd.waitMinutes)}${limit}`,
    `${counted(shape.shards, "shard")} of at most 8,000 places, ${shape.openShards} taking joins at a time (${figure(shape.joinsOfShard)}/s each), ${counted(shape.relays, "relay")}`,
  ].join("\n");
}

/** What one visitor brings about, and the whole crowd if everybody is let in. */
function sumsText({ usd, by_mode }, { visitors }) {
  const let_in = ((usd.admission + usd.admitted_traffic) * visitors) / MILLION;
  const perMillion = (sum) => dollars((sum / visitors) * MILLION);
  return [
    `waiting of all ${amount(visitors)}, listening: ${dollars(by_mode.push)} (${perMillion(by_mode.push)} a million)`,
    `waiting of all ${amount(visitors)}, asking:    ${dollars(by_mode.poll)} (${perMillion(by_mode.poll)} a million)`,
    `letting all of them in, and what they do inside: ${dollars(let_in)}`,
    `all of it, listening: ${dollars(by_mode.push + let_in)}`,
  ].join("\n");
}

function notesText({ measured }, crowd) {
  return [
    `Counted ${measured.at} with ${counted(measured.visitors, "visitor")} on workerd ${measured.workerd} (${measured.machine}).`,
    "Processor time is this machine's, and that of the whole process: the objects' own, which is not billed, is in it.",
    `Assumed, not measured: ${counted(crowd.isolates, "isolate")} of the edge; ${counted(crowd.sessionMinutes, "minute")} and ${counted(crowd.sessionRequests, "request")} inside; every page visible (a hidden`,
    "one asks once a minute at most); nobody leaves, reloads or comes twice; no bot.",
    `Not taken off: what a plan includes, ${INCLUDED}. Not added: the plan itself, storage (docs/storage.md).`,
  ].join("\n");
}

const publishedText = () => PUBLISHED.map(({ who, figure, source }) => `  ${who}: ${figure}\n    ${source}`).join("\n");

/** What the command prints. */
export function printed(reckoned, crowd, mode, counts) {
  const { shape, parts, usd } = reckoned;
  const how = { push: "listening", poll: "asking" }[mode];
  return [
    crowdText(crowd, shape),
    tableOf(`Waiting, ${how}`, parts.waiting, crowd.visitors, usd.waiting),
    tableOf("Admission, each million admitted", parts.admission, MILLION, usd.admission),
    tableOf("Admitted traffic, each million admitted", parts.admitted_traffic, MILLION, usd.admitted_traffic),
    sumsText(reckoned, crowd),
    notesText(counts, crowd),
    `What others publish:\n${publishedText()}`,
  ].join("\n\n");
}
