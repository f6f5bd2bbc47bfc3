// Where functions begin and end in formatted Rust and JavaScript: a function that starts on a line with some
// indentation ends on the first later line that has the same indentation and begins with a closing brace. A table (from
// a line that ends with an opening bracket to the line that closes it) counts as one line: rows are data.

const RUST = /^(\s*)(?:pub(?:\([^)]*\))? )?(?:default )?(?:const |async |unsafe |extern "C" )*fn (\w+)/;
const JAVASCRIPT = [
  /^(\s*)(?:export )?(?:default )?(?:async )?function\*? ?(\w+)/,
  /^(\s*)(?:export )?const (\w+) = (?:async )?(?:\([^)]*\)|\w+) => \{$/,
  /^(\s+)(?:static |async |get |set )*(#?\w+)\([^)]*\) \{$/,
  /^(\s*)(?:test|it)\(("[^"]*")/,
];
const KEYWORDS = new Set(["if", "for", "while", "switch", "catch", "function"]);

/** `[{ name, line, length }]` of a file. */
export function functionsOf(fileName, text) {
  const lines = text.split("\n");
  const patterns = fileName.endsWith(".rs") ? [RUST] : JAVASCRIPT;
  const found = [];
  lines.forEach((line, index) => {
    const match = patterns.map((pattern) => line.match(pattern)).find(Boolean);
    if (!match || KEYWORDS.has(match[2])) return;
    // Declared in a trait or complete on one line: nothing to measure.
    if (/[;}]\s*$/.test(line) && !line.trimEnd().endsWith("{")) return;
    const end = lines.findIndex((other, at) => at > index && other.startsWith(`${match[1]}}`));
    if (end >= 0) found.push({ name: match[2], line: index + 1, length: countedLines(lines.slice(index, end + 1)) });
  });
  return found;
}

function countedLines(lines) {
  let counted = 0;
  let closing = null;
  for (const line of lines) {
    if (closing !== null) {
      if (line.startsWith(closing)) closing = null;
      continue;
    }
    counted += 1;
    if (/[[]$/.test(line)) closing = `${line.match(/^\s*/)[0]}]`;
  }
  return counted;
}
