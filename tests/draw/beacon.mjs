// A beacon on loopback that works as drand's quicknet does, with a key of its own: rounds come when their time does.
//
// Signatures are BLS12-381 with points of G1 (`bls-unchained-g1-rfc9380`): over SHA-256 of the round's number as 8 bytes,
// most significant first. https://docs.drand.love/dev-guide/API%20Documentation%20v1/API-endpoints
import { createHash, randomBytes } from "node:crypto";
import { createServer } from "node:http";
import { bls12_381 } from "@noble/curves/bls12-381.js";

const bls = bls12_381.shortSignatures;
const DOMAIN = "BLS_SIG_BLS12381G1_XMD:SHA-256_SSWU_RO_NUL_";
const SEED_BYTES = 48;
const QUICKNET = { genesis: 1_692_803_367, period: 3 };

const sha256 = (...parts) => parts.reduce((hash, part) => hash.update(part), createHash("sha256")).digest();
const hex = (bytes) => Buffer.from(bytes).toString("hex");

function bigEndian(value, bytes) {
  const buffer = Buffer.alloc(8);
  buffer.writeBigUInt64BE(BigInt(value));
  return buffer.subarray(8 - bytes);
}

/** The name of a chain, as drand makes it of what describes it. */
function chainHash({ period, genesis, key, groupHash, id }) {
  return hex(sha256(bigEndian(period, 4), bigEndian(genesis, 8), key, groupHash, id));
}

/**
 * Starts a beacon. `period` and `genesis` are seconds, quicknet's if left out; `chain` gives it another name than its own.
 *
 * The answer has `url`, `chain` and `key` (hexadecimal), `period`, `genesis`; `roundAt(ms)` and `timeOf(round)` (ms);
 * `round(number)`, which signs any round, also one whose time has not come; `answers = false` makes it fail; `stop()`.
 */
export async function startBeacon({ period = QUICKNET.period, genesis = QUICKNET.genesis, chain, port = 0 } = {}) {
  const { secretKey, publicKey } = bls.keygen(randomBytes(SEED_BYTES));
  const key = publicKey.toBytes(true);
  const groupHash = sha256("a group of one");
  const id = "loopback";
  const name = chain ?? chainHash({ period, genesis, key, groupHash, id });

  const beacon = { chain: name, key: hex(key), period, genesis, answers: true };
  beacon.timeOf = (round) => (genesis + (round - 1) * period) * 1_000;
  beacon.roundAt = (ms) => Math.floor((ms / 1_000 - genesis) / period) + 1;
  beacon.round = (round) => {
    const point = bls.hash(sha256(bigEndian(round, 8)), DOMAIN);
    const signature = bls.sign(point, secretKey).toBytes(true);
    return { round, randomness: hex(sha256(signature)), signature: hex(signature) };
  };

  const info = {
    ...{ public_key: beacon.key, period, genesis_time: genesis, genesis_seed: hex(groupHash) },
    ...{ chain_hash: name, scheme: "bls-unchained-g1-rfc9380", beacon_id: id },
  };
  const server = createServer((request, response) => {
    const [status, document] = beacon.answers ? answerTo(request.url, beacon, info) : [503, { error: "not now" }];
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(document));
  });
  await new Promise((resolve, reject) => {
    server.on("error", reject);
    server.listen(port, "127.0.0.1", resolve);
  });
  beacon.url = `http://127.0.0.1:${server.address().port}`;
  beacon.stop = () => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  };
  return beacon;
}

function answerTo(url, beacon, info) {
  const [, chain, what, word] = url.split("?")[0].split("/");
  if (chain !== beacon.chain) return [404, { error: "unknown chain" }];
  if (what === "info" && word === undefined) return [200, info];
  const last = beacon.roundAt(Date.now());
  const round = word === "latest" ? last : Number(word);
  if (what !== "public" || !Number.isSafeInteger(round) || round < 1) return [404, { error: "no such round" }];
  // Too early: a round does not exist before its time.
  if (round > last) return [425, { error: "the round is in the future" }];
  return [200, beacon.round(round)];
}
