// How many tests passed and failed, from what cargo test, wasm-bindgen-test and Node's runner print.

const RUST = /^test result: \w+\. (\d+) passed; (\d+) failed;/gm;
const NODE_PASSED = /^# pass (\d+)$/gm;
const NODE_FAILED = /^# (?:fail|cancelled) (\d+)$/gm;

const total = (output, pattern, group = 1) =>
  [...output.matchAll(pattern)].reduce((sum, match) => sum + Number(match[group]), 0);

/** `{ passed, failed }` of one command. A command that counts nothing is one check; a failed one fails at least once. */
export function countTests({ code, output }) {
  const passed = total(output, RUST, 1) + total(output, NODE_PASSED);
  const failed = total(output, RUST, 2) + total(output, NODE_FAILED);
  if (code !== 0) return { passed, failed: Math.max(failed, 1) };
  return passed + failed === 0 ? { passed: 1, failed: 0 } : { passed, failed };
}
