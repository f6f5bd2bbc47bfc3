// The work that a permit asks for, done with the solver that the room serves to browsers, and checked by the definition.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";

const PUZZLES = 32;

const seedOf = (permit) => Buffer.from(permit.split(".")[2], "base64url");

/** The zero bits of one hash, as docs/challenges.md defines it. */
export function zeroBits(permit, index, counter) {
  const input = Buffer.alloc(5);
  input[0] = index;
  input.writeUInt32BE(counter, 1);
  const hash = createHash("sha256").update("anteroom/pow/v1").update(seedOf(permit)).update(input).digest();
  return Math.clz32(hash.readUInt32BE());
}

/** The room's solver, as a worker runs it: `(permit, bits) => solution`. */
export async function solverOf(room) {
  const script = await room.ask("/_wr/solver.js");
  assert.equal(script.status, 200);
  const listeners = [];
  const found = [];
  new Function("addEventListener", "postMessage", script.text)(
    (_kind, listener) => listeners.push(listener),
    (message) => found.push(message),
  );
  return async (permit, bits) => {
    const bytes = seedOf(permit);
    const seed = Array.from({ length: 8 }, (_, at) => bytes.readUInt32BE(4 * at));
    found.length = 0;
    await listeners[0]({ data: { seed, bits, puzzles: [...Array(PUZZLES).keys()] } });
    return solutionOf(found.toSorted((a, b) => a.index - b.index).map(({ counter }) => counter));
  };
}

export const solutionOf = (counters) => counters.map((counter) => counter.toString(16).padStart(8, "0")).join("");
