// A draw as a room publishes it, made here once more from its definition with Node's own hashes; and the page's
// arithmetic, loaded as the page carries it.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";

const read = (name) => readFileSync(new URL(`../../static/sheets/${name}`, import.meta.url), "utf8");

/** The functions of static/sheets/shuffle.js. */
export const shuffle = new Function(
  `"use strict";\n${read("shuffle.js")}\nreturn { bytesOf, seedOf, rankOf, roundAfter, checksOf };`,
)();

const sha256 = (...parts) => {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part);
  return hash.digest();
};

const GENESIS_SECONDS = 1_692_803_367;

/** SHA-256 over the fields, each behind its length in 4 bytes. */
function seedOf(fields) {
  const parts = fields.flatMap((field) => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(field.length);
    return [length, field];
  });
  return sha256(...parts);
}

/** The document of a run with one line whose draw is over. `beacon`: "came", "absent" or "none". */
export function drawnDocument({ entrants = 1_000, beacon = "came" } = {}) {
  const secret = sha256("a secret");
  const root = sha256("a log");
  const signature = Buffer.concat([sha256("a signature"), Buffer.alloc(16, 7)]);
  const randomness = beacon === "came" ? sha256(signature) : Buffer.alloc(0);
  const fixed_s = 1_803_891_600;
  const run = Buffer.from([0, 0, 0, 3]);
  const count = Buffer.alloc(8);
  count.writeBigUInt64BE(BigInt(entrants));
  const text = (value) => Buffer.from(value);
  const seed = seedOf([
    text("anteroom/draw/v1"),
    text("world-tour"),
    run,
    text("general"),
    count,
    root,
    secret,
    randomness,
  ]);
  const round = Math.ceil((fixed_s + 10 - GENESIS_SECONDS) / 3) + 1;
  const told = {
    chain: "52db9ba70e0cc0f6eaf7803dd07447a1f5477735fd3f661792ba94600c84e971",
    round,
    signature: beacon === "came" ? signature.toString("hex") : null,
    randomness: beacon === "came" ? randomness.toString("hex") : null,
    absent: beacon === "absent",
  };
  const draw = {
    commitment: sha256(secret).toString("hex"),
    entrants,
    log_root: root.toString("hex"),
    fixed_at: new Date(fixed_s * 1_000).toISOString(),
    beacon: beacon === "none" ? null : told,
    secret: secret.toString("hex"),
    seed: seed.toString("hex"),
  };
  return {
    event: "world-tour",
    run: 3,
    algorithm: "swap-or-not-90/sha-256",
    label: "anteroom/draw/v1",
    lines: [{ id: "general", draw }],
  };
}

/** The same run before anything was fixed. */
export function earlyDocument() {
  const document = drawnDocument();
  const [line] = document.lines;
  const { commitment } = line.draw;
  line.draw = {
    commitment,
    entrants: null,
    log_root: null,
    fixed_at: null,
    beacon: null,
    secret: null,
    seed: null,
  };
  return document;
}

/** A visitor's state, as far as the page of the draw reads it. */
export const stateOf = (entry, rank) => ({
  event: "world-tour",
  run: 3,
  state: "waiting",
  line: "general",
  entry,
  rank,
});
