// A small draw as a room publishes it, made here from its description alone: hashes and log without any code of ours.
import { createHash } from "node:crypto";
import { unshuffleList } from "@chainsafe/swap-or-not-shuffle";

const ROUNDS = 90;
/** A draw names the first round at least this long after its entrants are fixed. */
const BEACON_DELAY_MS = 10_000;

const sha256 = (...parts) => parts.reduce((hash, part) => hash.update(part), createHash("sha256")).digest();
const hex = (bytes) => Buffer.from(bytes).toString("hex");

function number(value, bytes) {
  const buffer = Buffer.alloc(8);
  buffer.writeBigUInt64BE(BigInt(value));
  return buffer.subarray(8 - bytes);
}

/** SHA-256 over fields, each after its length as 4 bytes. */
const fields = (...parts) => sha256(...parts.flatMap((part) => [number(Buffer.byteLength(part), 4), part]));

/** The log's text and the hash of its last line. */
function logOf(event, run, records) {
  let head = fields("anteroom/log/v1", event, number(run, 4));
  const lines = records.map((record, at) => {
    const open = JSON.stringify({ n: at + 1, ...record }).slice(0, -1);
    head = sha256(head, open);
    return `${open},"hash":"${hex(head)}"}`;
  });
  return { text: `${lines.join("\n")}\n`, head };
}

const encoded = (value) => Buffer.from(JSON.stringify(value)).toString("base64url");

/** The ticket of an entry number, signed by nobody. */
function ticketOf({ event, run }, entry, rank) {
  const jti = Buffer.alloc(16, entry).toString("base64url");
  const place = { v: 1, iss: "live", evt: event, run, jti, home: 0, idx: entry, line: 0 };
  const claims = { ...place, ent: entry, rank, arr: 1_700_000_000, iat: 1_700_000_100, exp: 1_700_086_400 };
  const header = { alg: "HS256", typ: "wr-ticket+jwt", kid: "k1" };
  return `${encoded(header)}.${encoded(claims)}.${Buffer.alloc(32, 7).toString("base64url")}`;
}

/**
 * A draw of `entrants`, fixed at `fixedAt` (Unix ms). With a `beacon` its round decides, `cameNot` says that it stayed away.
 * The answer has `draw` (the document), `log` (text), and `ticketOf(entry)`.
 */
export function publishedDraw({ entrants = 200, fixedAt, beacon, cameNot = false }) {
  const [event, run, line] = ["world-tour", 2, "general"];
  const secret = sha256("a secret");
  const commitment = hex(sha256(secret));
  const at = fixedAt;
  const cut = {
    line,
    shard: 0,
    first_join: 0,
    count: entrants,
    first_entry: 0,
    joined: entrants,
    chain: hex(sha256("")),
  };
  const records = [
    { at: at - 2_000, kind: "begin", event, run, lines: [{ id: line, commitment }] },
    { at: at - 1_000, kind: "cut", ...cut },
  ];
  const { head: root } = logOf(event, run, records);
  const due = at + BEACON_DELAY_MS;
  const round = beacon ? Math.ceil((due / 1_000 - beacon.genesis) / beacon.period) + 1 : null;
  const signed = beacon && !cameNot ? beacon.round(round) : null;
  const randomness = signed ? Buffer.from(signed.randomness, "hex") : Buffer.alloc(0);
  const seed = fields("anteroom/draw/v1", event, number(run, 4), line, number(entrants, 8), root, secret, randomness);
  records.push({ at, kind: "fixed", line, entrants, root: hex(root), round });
  const signature = signed?.signature ?? null;
  records.push({ at: at + 30_000, kind: "drawn", line, secret: hex(secret), beacon: signature, seed: hex(seed) });
  const ranks = unshuffleList(
    Uint32Array.from({ length: entrants }, (_, each) => each),
    seed,
    ROUNDS,
  );
  const used = { signature, randomness: signed?.randomness ?? null, absent: cameNot };
  const draw = {
    ...{ commitment, entrants, log_root: hex(root), fixed_at: new Date(at).toISOString() },
    ...{ beacon: beacon ? { chain: beacon.chain, round, ...used } : null, secret: hex(secret), seed: hex(seed) },
  };
  return {
    draw: {
      ...{ event, run, algorithm: "swap-or-not-90/sha-256", label: "anteroom/draw/v1" },
      lines: [{ id: line, draw }],
    },
    log: logOf(event, run, records).text,
    ticketOf: (entry) => ticketOf({ event, run }, entry, ranks[entry]),
  };
}
