// How many tests passed and which failed, from what cargo test, wasm-bindgen-test and Node's runner print.

const RUST = /^test result: \w+\. (\d+) passed; (\d+) failed;/gm;
const NODE_PASSED = /^# pass (\d+)$/gm;
const NODE_FAILED = /^# (?:fail|cancelled) (\d+)$/gm;

const total = (output, pattern, group = 1) =>
  [...output.matchAll(pattern)].reduce((sum, match) => sum + Number(match[group]), 0);

/**
 * `{ passed, failed }` of one command, which fails at least once if it ended with an error. One that `isCheck` counts
 * nothing and is one by itself; of any other, no test at all is a failure.
 */
export function countTests({ code, output, isCheck = false }) {
  const passed = total(output, RUST, 1) + total(output, NODE_PASSED);
  const failed = total(output, RUST, 2) + total(output, NODE_FAILED);
  if (code !== 0) return { passed, failed: Math.max(failed, 1) };
  if (passed + failed > 0) return { passed, failed };
  return isCheck ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 };
}

const RUST_NAME = /^test (.+) \.\.\. FAILED$/gm;
/** A failed test of Node's runner, and the first line of what it says, also where that begins a block. */
const NODE_NAME = /^not ok \d+ - (.+)\n(?:(?!\.\.\.$).*\n)*? {2}error: (?:\|-\n\s*)?(.+)$/gm;

/** The failed tests, each by its name and, where the runner says it in a word, why. */
export const failedTests = (output) => [
  ...[...output.matchAll(RUST_NAME)].map(([, name]) => name),
  ...[...output.matchAll(NODE_NAME)].map(([, name, why]) => `${name}: ${why}`),
];
