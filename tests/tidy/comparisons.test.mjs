// T26: what is secret is compared in constant time, by a library's function for it. An ordinary comparison stops at the
// first difference and so tells how far a guess was right.
import assert from "node:assert/strict";
import test from "node:test";
import { placesMatching, withEnding } from "./repository.mjs";

const SECRET = String.raw`\b(?:\w+_)?(?:mac|hmac|signature|signed_with|digest)(?:_\w+|\d+)?\b(?:\.\w+\(\))*`;
const ORDINARY = new RegExp(
  `(?<!assert.*)(?<!\\^ \\w+\\.)${SECRET}\\s*[=!]==?(?!=)|[=!]==?\\s*(?:[\\w.$>-]*[.>$])?${SECRET}|${SECRET}\\.(?:eq|ne|equals)\\(`,
);

/** Whether a line of code compares what is secret in an ordinary way. */
const judged = {
  "if mac == expected {": true,
  "signature != other_signature": true,
  "if (expected === signature) return;": true,
  "expected == self.mac": true,
  "bytes.len() == SIGNATURE_BYTES": false,
  "if (signature.equals(expected))": true,
  "key.mac(id) ^ code.mac() == 0": false,
  "mac.clone().verify_slice(signature)": false,
  "const signature = mac(content);": false,
  "hash_equals(expected, $signature)": false,
};

const code = withEnding(".rs", ".mjs", ".py", ".php", ".java").filter(
  (name) =>
    /^(src|crates\/token\/src|examples\/verify|examples\/origin\/src)\//.test(name) && !name.endsWith("_tests.rs"),
);

test("T26 an ordinary comparison of a secret is told from others", () => {
  const wrong = Object.entries(judged).filter(([line, isOrdinary]) => ORDINARY.test(line) !== isOrdinary);
  assert.deepEqual(wrong, []);
});

test("T26 no MAC and no signature is compared with ==", () => {
  assert.ok(code.length > 50);
  assert.deepEqual(placesMatching(code, ORDINARY), []);
});
