// What was found, in plain words for a person, or as a document for a machine.
import { counted } from "../counted.mjs";
import { gathered, isLeak } from "./findings.mjs";

/** `"closed"`, `"leaks"` or `"unasked"`. */
export function verdictOf({ found, isAsked }) {
  if (!isAsked) return "unasked";
  return gathered(found).some(isLeak) ? "leaks" : "closed";
}

/** The document. */
export function documentOf(outcome, { event, publicBase, origins }, { requests, seconds }) {
  const { found, passed, unseen } = outcome;
  return {
    event: event.id,
    url: publicBase,
    origins,
    verdict: verdictOf(outcome),
    findings: gathered(found, Number.POSITIVE_INFINITY),
    passed,
    unseen,
    requests,
    seconds,
  };
}

/** The lines. */
export function linesOf(outcome, target, { requests, seconds }) {
  const kinds = gathered(outcome.found);
  const leaks = kinds.filter(isLeak);
  return [
    `${target.event.id} at ${target.publicBase}: ${counted(requests, "request")} in ${seconds} s`,
    "",
    ...kinds.flatMap(linesOfKind),
    ...outcome.passed.map(({ says, asked, shut }) => `ok      ${says} (${shut ?? `${asked} asked`})`),
    ...outcome.unseen.map((text) => `unseen  ${text}`),
    "",
    summary(outcome, leaks, target),
  ];
}

function linesOfKind({ severity, says, then, examples, count }) {
  const more = count > examples.length ? [`        and ${count - examples.length} more`] : [];
  return [
    `${severity.padEnd(8)}${says}`,
    ...examples.map((example) => `        ${example}`),
    ...more,
    ...(then ? [`        what to do: ${then}`] : []),
  ];
}

function summary({ isAsked, unseen }, leaks, { publicBase }) {
  if (!isAsked) return `${publicBase} could not be asked; nothing is known.`;
  if (leaks.length > 0) {
    const bySeverity = ["high", "medium", "low"]
      .map((severity) => [leaks.filter((each) => each.severity === severity).length, severity])
      .filter(([count]) => count > 0)
      .map(([count, severity]) => `${count} ${severity}`);
    return `It leaks: ${bySeverity.join(", ")}.`;
  }
  return unseen.length > 0 ? "Nothing that was seen leaks. Some could not be seen." : "Nothing leaks.";
}
