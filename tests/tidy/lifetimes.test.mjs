// How long a step of a key rotation has to stand follows from what visitors hold: the figures of scripts/rotating are those
// of the sources, and the page repeats them.
import assert from "node:assert/strict";
import test from "node:test";
import {
  FOUND_AGAIN_MS,
  INVITATION_MS,
  JWKS_MAX_AGE_MS,
  PERMIT_MS,
  PUBLISHED_FOR_MS,
  TICKET_MS,
  VISITORS_MS,
} from "../../scripts/rotating/steps.mjs";
import { textOf } from "./repository.mjs";

/** A constant in seconds, written as a number or as a product of numbers. */
function secondsOf(file, name) {
  const [, text] = textOf(file).match(new RegExp(`const ${name}: u\\d+ = ([\\d_ *]+);`)) ?? [];
  assert.ok(text, `${file} has ${name}`);
  return text.split("*").reduce((product, factor) => product * Number(factor.replaceAll("_", "")), 1);
}

test("a rotation waits for as long as the sources say that things hold", () => {
  for (const [ms, file, name] of [
    [JWKS_MAX_AGE_MS, "src/routes/jwks.rs", "MAX_AGE_SECONDS"],
    [TICKET_MS, "src/cookies.rs", "KEPT_SECONDS"],
    [PERMIT_MS, "src/permits.rs", "PERMIT_SECONDS"],
    [FOUND_AGAIN_MS, "crates/token/src/validity.rs", "FIND_AGAIN_SECONDS"],
    [INVITATION_MS, "crates/token/src/enqueue.rs", "MAX_ENQUEUE_SECONDS"],
  ]) {
    assert.equal(ms, secondsOf(file, name) * 1_000, name);
  }
});

test("the page about rotation has these times", () => {
  const page = textOf("docs/key-rotation.md");
  const minutes = (ms) => Math.round(ms / 60_000);
  assert.ok(page.includes(`${minutes(PUBLISHED_FOR_MS)} minutes`));
  const [hours, rest] = [Math.floor(minutes(VISITORS_MS) / 60), minutes(VISITORS_MS) % 60];
  assert.ok(page.includes(`${hours} hours ${rest} minutes`), `${hours} hours ${rest} minutes`);
});
