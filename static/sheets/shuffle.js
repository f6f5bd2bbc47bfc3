// The draw's arithmetic, from the published numbers alone: the seed as the room defines it, the rank
// as Ethereum's consensus specification defines compute_shuffled_index (90 rounds over SHA-256), the
// round of the beacon as drand counts them.

const ROUNDS = 90;
const HASH_BYTES = 32;
/** drand's quicknet: its first round, how far rounds are apart, and how much later the named one is. */
const GENESIS_MS = 1_692_803_367_000;
const PERIOD_MS = 3_000;
const BEACON_DELAY_MS = 10_000;

const sha256 = async (bytes) => new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
const hexOf = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");

/** The bytes of lower-case hex; null for anything else. */
function bytesOf(hex) {
  if (typeof hex !== "string" || !/^([0-9a-f]{2})*$/.test(hex)) return null;
  return Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}

/** A whole number in `size` bytes, the most significant first. */
function bigEndian(value, size) {
  const bytes = new Uint8Array(size);
  let rest = BigInt(value);
  for (let at = size - 1; at >= 0; at -= 1) {
    bytes[at] = Number(rest & 255n);
    rest >>= 8n;
  }
  return bytes;
}

function joined(parts) {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** The seed of a line: SHA-256 over its fields, each preceded by its length in 4 bytes. */
async function seedOf({ label, event, run }, line) {
  const text = (value) => new TextEncoder().encode(value);
  const { draw } = line;
  const fields = [
    text(label),
    text(event),
    bigEndian(run, 4),
    text(line.id),
    bigEndian(draw.entrants, 8),
    bytesOf(draw.log_root),
    bytesOf(draw.secret),
    draw.beacon?.randomness ? bytesOf(draw.beacon.randomness) : new Uint8Array(),
  ];
  if (fields.includes(null)) return null;
  return hexOf(await sha256(joined(fields.flatMap((field) => [bigEndian(field.length, 4), field]))));
}

/** The rank of `entry`: drawn below `entrants`, the entry number itself from there on. */
async function rankOf(entry, entrants, seed_hex) {
  const seed = bytesOf(seed_hex);
  if (entry >= entrants) return entry;
  if (seed?.length !== HASH_BYTES) return null;
  let at = entry;
  const source = new Uint8Array(HASH_BYTES + 5);
  source.set(seed);
  const view = new DataView(source.buffer);
  for (let round = 0; round < ROUNDS; round += 1) {
    source[HASH_BYTES] = round;
    const first = await sha256(source.subarray(0, HASH_BYTES + 1));
    const pivot = Number(new DataView(first.buffer).getBigUint64(0, true) % BigInt(entrants));
    const flip = (pivot + entrants - at) % entrants;
    const position = Math.max(at, flip);
    view.setUint32(HASH_BYTES + 1, Math.floor(position / 256), true);
    const bits = await sha256(source);
    if ((bits[Math.floor((position % 256) / 8)] >> (position % 8)) & 1) at = flip;
  }
  return at;
}

/** The first round whose time is at least the delay after `fixed_ms`. */
const roundAfter = (fixed_ms) => Math.ceil((fixed_ms + BEACON_DELAY_MS - GENESIS_MS) / PERIOD_MS) + 1;

const isDrawn = (line) => Boolean(line?.draw?.secret && line.draw.seed);

/** What the published numbers of a line say of one another: `{ secret, round?, randomness?, seed }`, each true or false. */
async function checksOf(document, line) {
  const { draw } = line;
  const secret = bytesOf(draw.secret);
  const checks = { secret: secret !== null && hexOf(await sha256(secret)) === draw.commitment };
  if (draw.beacon) {
    checks.round = draw.beacon.round === roundAfter(Date.parse(draw.fixed_at));
    const signature = bytesOf(draw.beacon.signature);
    if (!draw.beacon.absent) {
      checks.randomness = signature !== null && hexOf(await sha256(signature)) === draw.beacon.randomness;
    }
  }
  checks.seed = (await seedOf(document, line)) === draw.seed;
  return checks;
}
