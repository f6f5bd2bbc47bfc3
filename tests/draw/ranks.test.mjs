// Ranks equal those of an independent implementation: ChainSafe's, made for Ethereum's Lodestar.
//
// `rank(entry)` is `compute_shuffled_index(entry)`: where the entry goes. Theirs is `ComputeShuffledIndex.get(entry)`; of
// the whole list, `unshuffleList` of 0, 1, 2… has it at the entry's position (`shuffleList` is the inverse: which entry has
// a rank).
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import test from "node:test";
import {
  ComputeShuffledIndex,
  SHUFFLE_ROUNDS_MAINNET,
  shuffleList,
  unshuffleList,
} from "@chainsafe/swap-or-not-shuffle";
import { ranksOf } from "./programs.mjs";

const MOST_ENTRANTS = 1_000;
/** Each costs 90 hashes: draws of up to so many entrants rank by rank, of larger ones about so many ranks. */
const ALL_ALONE_UP_TO = 300;
const SOME_ALONE = 30;
const MILLION = 1_000_000;
const SAMPLES = 10_000;

const digest = (text) => createHash("sha256").update(text).digest();
const identity = (count) => Uint32Array.from({ length: count }, (_, at) => at);

test("it has as many rounds as ours", () => {
  assert.equal(SHUFFLE_ROUNDS_MAINNET, 90);
});

test("every rank of every draw of 1 to 1,000 entrants is equal, and every rank is there once", () => {
  const counts = Array.from({ length: MOST_ENTRANTS }, (_, at) => at + 1);
  const seeds = counts.map((count) => digest(`draw of ${count}`));
  const ours = ranksOf(counts.map((count, at) => `${seeds[at].toString("hex")} ${count}`));
  assert.equal(ours.length, counts.length);
  for (const [at, count] of counts.entries()) {
    const ranks = ours[at];
    const list = unshuffleList(identity(count), seeds[at], SHUFFLE_ROUNDS_MAINNET);
    assert.deepEqual(ranks, [...list], `${count} entrants`);
    const entryOfRank = shuffleList(identity(count), seeds[at], SHUFFLE_ROUNDS_MAINNET);
    assert.ok(
      ranks.every((rank, entry) => entryOfRank[rank] === entry),
      `${count} entrants, the inverse`,
    );
    assert.equal(new Set(ranks).size, count);
    assert.equal(Math.max(...ranks), count - 1);
  }
});

test("ranks computed alone are equal: all of the smaller draws, of the larger ones some from everywhere", () => {
  const draws = Array.from({ length: MOST_ENTRANTS }, (_, at) => {
    const count = at + 1;
    const step = count <= ALL_ALONE_UP_TO ? 1 : Math.floor(count / SOME_ALONE);
    const entries = Array.from({ length: Math.ceil(count / step) }, (_, nth) => nth * step);
    return { count, seed: digest(`draw of ${count}`), entries };
  });
  const ours = ranksOf(
    draws.map(({ seed, count, entries }) => `${seed.toString("hex")} ${count} ${entries.join(" ")}`),
  );
  for (const [at, { seed, count, entries }] of draws.entries()) {
    const theirs = new ComputeShuffledIndex(seed, count, SHUFFLE_ROUNDS_MAINNET);
    assert.deepEqual(
      ours[at],
      entries.map((entry) => theirs.get(entry)),
      `${count} entrants`,
    );
  }
});

test("10,000 ranks of a draw of a million are equal", () => {
  const seed = digest("draw of a million");
  // 7,919 and 1,000,000 have no factor in common: no entry twice.
  const entries = Array.from({ length: SAMPLES }, (_, at) => (at * 7_919) % MILLION);
  const [ours] = ranksOf([`${seed.toString("hex")} ${MILLION} ${entries.join(" ")}`]);
  const list = unshuffleList(identity(MILLION), seed, SHUFFLE_ROUNDS_MAINNET);
  assert.deepEqual(
    ours,
    entries.map((entry) => list[entry]),
  );
  const one = new ComputeShuffledIndex(seed, MILLION, SHUFFLE_ROUNDS_MAINNET);
  assert.deepEqual(
    ours.slice(0, 100),
    entries.slice(0, 100).map((entry) => one.get(entry)),
  );
});

test("who comes after the draw keeps the entry number as rank", () => {
  assert.deepEqual(ranksOf([`${digest("late").toString("hex")} 10 10 11 4000000000`]), [[10, 11, 4_000_000_000]]);
});
