// The worker beside the queue page that does a permit's work: puzzle after puzzle, by the same code as the edge checks
// with, as WebAssembly, or in plain JavaScript where there is none. WASM stands before it.

const NOT_FOUND = 0xffffffff;
/** Counters that one call tries. */
const STEP = 1 << 14;

/** `search(seed, index, bits, from)`: the first counter of STEP that solves a puzzle, or NOT_FOUND. */
async function engine() {
  try {
    const bytes = Uint8Array.from(atob(WASM), (letter) => letter.charCodeAt(0));
    const { instance } = await WebAssembly.instantiate(bytes);
    const { solve } = instance.exports;
    return (seed, index, bits, from) => solve(...seed, index, bits, from, STEP) >>> 0;
  } catch {
    return plainSearch;
  }
}

const primes = [];
for (let n = 2; primes.length < 64; n += 1) if (primes.every((prime) => n % prime)) primes.push(n);
/** The first 32 bits of the fraction of a root: where SHA-256 (FIPS 180-4) has its constants from. */
const fraction = (root) => Math.floor((root - Math.floor(root)) * 2 ** 32) | 0;
const ROUNDS = primes.map((prime) => fraction(Math.cbrt(prime)));
const INITIAL = primes.slice(0, 8).map((prime) => fraction(Math.sqrt(prime)));
const PREFIX = "anteroom/pow/v1";
const BLOCK_BYTES = 64;
const turned = (word, by) => (word >>> by) | (word << (32 - by));

/** The block of a puzzle, padded, without its counter. */
function blockOf(seed, index) {
  const block = new DataView(new ArrayBuffer(BLOCK_BYTES));
  for (let at = 0; at < PREFIX.length; at += 1) block.setUint8(at, PREFIX.charCodeAt(at));
  for (const [at, word] of seed.entries()) block.setUint32(PREFIX.length + 4 * at, word);
  const counterAt = PREFIX.length + 33;
  block.setUint8(counterAt - 1, index);
  block.setUint8(counterAt + 4, 0x80);
  block.setUint32(BLOCK_BYTES - 4, 8 * (counterAt + 4));
  return { block, counterAt };
}

const schedule = new Int32Array(64);

/** The first word of the hash of one block. */
function firstWord(block) {
  for (let at = 0; at < 16; at += 1) schedule[at] = block.getInt32(4 * at);
  for (let at = 16; at < 64; at += 1) {
    const [early, late] = [schedule[at - 15], schedule[at - 2]];
    const small = turned(early, 7) ^ turned(early, 18) ^ (early >>> 3);
    const large = turned(late, 17) ^ turned(late, 19) ^ (late >>> 10);
    schedule[at] = (schedule[at - 16] + small + schedule[at - 7] + large) | 0;
  }
  let [a, b, c, d, e, f, g, h] = INITIAL;
  for (let at = 0; at < 64; at += 1) {
    const one =
      (h + (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) + ((e & f) ^ (~e & g)) + ROUNDS[at] + schedule[at]) | 0;
    const two = ((turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + one) | 0, c, b, a, (one + two) | 0];
  }
  return (a + INITIAL[0]) | 0;
}

function plainSearch(seed, index, bits, from) {
  const { block, counterAt } = blockOf(seed, index);
  for (let counter = from; counter < from + STEP; counter += 1) {
    block.setUint32(counterAt, counter);
    if (Math.clz32(firstWord(block)) >= bits) return counter;
  }
  return NOT_FOUND;
}

/** Asked: `{ seed, bits, puzzles }`. Tells `{ index, counter }` for each puzzle as it is solved. */
addEventListener("message", async ({ data: { seed, bits, puzzles } }) => {
  const search = await engine();
  for (const index of puzzles) {
    let counter = NOT_FOUND;
    for (let from = 0; counter === NOT_FOUND; from += STEP) counter = search(seed, index, bits, from);
    postMessage({ index, counter });
  }
});
