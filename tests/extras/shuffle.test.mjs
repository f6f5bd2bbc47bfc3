// The arithmetic of the page of the draw: the rank as the consensus specification has it, the seed as it is defined.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { drawnDocument, shuffle } from "./draws.mjs";

const VECTORS = new URL("../../crates/queue/tests/draw/consensus_spec_vectors.tsv", import.meta.url);
/** The YAML writer ends a line once it is longer than this. */
const LINE_LETTERS = 80;
/** A browser computes one rank; a test of them all would take minutes beyond this. */
const MOST_ENTRANTS = 100;

/** The specification's file for these ranks, whose hash identifies a vector. */
function mappingFile(seed, ranks) {
  let line = "mapping: [";
  const lines = [`seed: '0x${seed}'`, `count: ${ranks.length}`];
  ranks.forEach((rank, at) => {
    if (at > 0) {
      line += ",";
      if (line.length > LINE_LETTERS) {
        lines.push(line);
        line = " ";
      }
      line += " ";
    }
    line += rank;
  });
  return [...lines, `${line}]\n`].join("\n");
}

test("every rank is that of the consensus specification's own vectors", async () => {
  const rows = readFileSync(VECTORS, "utf8")
    .split("\n")
    .filter((line) => line && !line.startsWith("#"))
    .map((line) => line.split("\t"))
    .filter(([, count]) => Number(count) <= MOST_ENTRANTS);
  assert.ok(rows.length >= 10, `${rows.length} vectors`);
  for (const [seed, count, sha256] of rows) {
    const entries = Array.from({ length: Number(count) }, (_, entry) => entry);
    const ranks = await Promise.all(entries.map((entry) => shuffle.rankOf(entry, entries.length, seed)));
    const file = mappingFile(seed, ranks);
    assert.equal(createHash("sha256").update(file).digest("hex"), sha256, `${seed} ${count}`);
  }
});

test("who comes after the draw keeps the entry number, and a seed that is none gives no rank", async () => {
  const { draw } = drawnDocument().lines[0];
  assert.equal(await shuffle.rankOf(1_000, 1_000, draw.seed), 1_000);
  assert.equal(await shuffle.rankOf(1_001, 1_000, draw.seed), 1_001);
  for (const seed of ["", "00", draw.seed.toUpperCase(), `${draw.seed}00`, null]) {
    assert.equal(await shuffle.rankOf(3, 1_000, seed), null, String(seed));
  }
});

test("numbers of an honest draw fit one another, with a beacon, without, and when it did not come", async () => {
  const expected = {
    came: { secret: true, round: true, randomness: true, seed: true },
    absent: { secret: true, round: true, seed: true },
    none: { secret: true, seed: true },
  };
  for (const [beacon, checks] of Object.entries(expected)) {
    const document = drawnDocument({ beacon });
    assert.deepEqual(await shuffle.checksOf(document, document.lines[0]), checks, beacon);
  }
});

test("one altered value of any kind is noticed by a check", async () => {
  const flipped = (hex) => `${hex.slice(0, -1)}${hex.endsWith("0") ? "1" : "0"}`;
  const alterations = {
    commitment: ({ draw }) => Object.assign(draw, { commitment: flipped(draw.commitment) }),
    entrants: ({ draw }) => Object.assign(draw, { entrants: draw.entrants + 1 }),
    log_root: ({ draw }) => Object.assign(draw, { log_root: flipped(draw.log_root) }),
    fixed_at: ({ draw }) =>
      Object.assign(draw, { fixed_at: new Date(Date.parse(draw.fixed_at) + 3_000).toISOString() }),
    secret: ({ draw }) => Object.assign(draw, { secret: flipped(draw.secret) }),
    seed: ({ draw }) => Object.assign(draw, { seed: flipped(draw.seed) }),
    round: ({ draw }) => Object.assign(draw.beacon, { round: draw.beacon.round + 1 }),
    signature: ({ draw }) => Object.assign(draw.beacon, { signature: flipped(draw.beacon.signature) }),
    randomness: ({ draw }) => Object.assign(draw.beacon, { randomness: flipped(draw.beacon.randomness) }),
    "no signature": ({ draw }) => Object.assign(draw.beacon, { signature: null }),
    "said to be absent": ({ draw }) => Object.assign(draw.beacon, { absent: true, randomness: null, signature: null }),
    line: (line) => Object.assign(line, { id: "fans" }),
    event: (_line, document) => Object.assign(document, { event: "world-tours" }),
    run: (_line, document) => Object.assign(document, { run: 4 }),
    label: (_line, document) => Object.assign(document, { label: "anteroom/draw/v2" }),
  };
  for (const [name, alter] of Object.entries(alterations)) {
    const document = drawnDocument();
    alter(document.lines[0], document);
    const checks = await shuffle.checksOf(document, document.lines[0]);
    assert.ok(Object.values(checks).includes(false), `${name}: ${JSON.stringify(checks)}`);
  }
});
