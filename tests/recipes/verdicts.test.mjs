// T30, T31: one corpus of passes, good and bad, judged by every recipe for origins: the verdicts are the same everywhere.
// The corpus are the published vectors of crates/token, which hold every row of the token format for an origin, and ten
// thousand passes sealed as the edge seals them.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import path from "node:path";
import { after, before, test } from "node:test";
import { root } from "../../scripts/paths.mjs";
import { runOrThrow } from "../../scripts/processes.mjs";
import { jsonwebtoken, PUBLIC_KEY, passes, refusesToStart, SECRET_KEY, settingsFor, verdicts } from "./recipes.mjs";

const MINTED = 10_000;
/** The instant of the vectors, and of what is minted beside them. */
const NOW = 1_800_000_000;

const vectors = (name) =>
  JSON.parse(readFileSync(path.join(root, "crates", "token", "tests", "vectors", name), "utf8"));
const { derived_keys, issuer, audience, event } = vectors("keys.json");
const isForOrigins = ({ purpose, at }) => purpose === "pass" && at === "origin";
const corpus = [...vectors("valid.json"), ...vectors("refusals.json")].filter(isForOrigins);

const keysOf = (wanted) =>
  derived_keys
    .filter(({ purpose, alg }) => purpose === "pass" && alg === wanted)
    .map(({ kid, key: k, public_key: x }) => ({ kid, k, x, issuer, audience }));

let published;
const settings = { HS256: settingsFor({ keys: keysOf("HS256"), event }) };
before(async () => {
  const keys = keysOf("EdDSA").map(({ kid, x }) => ({ kty: "OKP", crv: "Ed25519", x, kid, alg: "EdDSA", use: "sig" }));
  published = createServer((_, response) => {
    published.asked = (published.asked ?? 0) + 1;
    response.writeHead(200, { "content-type": "application/jwk-set+json" }).end(JSON.stringify({ keys }));
  });
  await new Promise((resolve) => published.listen(0, "127.0.0.1", resolve));
  const jwks = `http://127.0.0.1:${published.address().port}/_wr/jwks.json`;
  settings.EdDSA = settingsFor({ keys: keysOf("EdDSA"), event, jwks });
});
after(() => published?.close());

const algorithms = { HS256: SECRET_KEY, EdDSA: PUBLIC_KEY };

for (const [alg, recipes] of Object.entries(algorithms)) {
  const rows = corpus.filter((row) => row.alg === alg);
  for (const [name, command] of Object.entries(recipes)) {
    test(`T31 T1-T25 ${name} judges every published ${alg} pass as it is labelled`, async () => {
      assert.ok(rows.filter(({ refusal }) => refusal === null).length >= 10);
      assert.ok(rows.length >= 300);
      const taken = await verdicts(command, settings[alg], rows);
      const wrong = rows.flatMap((row, at) =>
        taken[at] === (row.refusal === null) ? [] : [`${row.name}: ${taken[at]}`],
      );
      assert.deepEqual(wrong, []);
    });
  }
  test(`T30 ${MINTED} minted ${alg} passes are taken by all`, { timeout: 120_000 }, async () => {
    const minted = (await runOrThrow(passes, ["mint", String(MINTED), alg === "HS256" ? "hs256" : "ed25519"])).trim();
    const tokens = minted.split("\n");
    assert.equal(new Set(tokens).size, MINTED);
    const all = { ...recipes, ...(alg === "HS256" && { jsonwebtoken }) };
    for (const [name, command] of Object.entries(all)) {
      const taken = await verdicts(
        command,
        settings[alg],
        tokens.map((token) => ({ now: NOW, token })),
      );
      assert.equal(taken.filter(Boolean).length, MINTED, name);
    }
  });
}

test("T24 every flipped bit of a pass is refused by every recipe", async () => {
  for (const [alg, recipes] of Object.entries(algorithms)) {
    const { token } = corpus.find(({ name, alg: of }) => name === "as made" && of === alg);
    const flipped = [...token].flatMap((letter, at) =>
      Array.from({ length: 7 }, (_, bit) => {
        const other = String.fromCharCode(letter.charCodeAt(0) ^ (1 << bit));
        return { now: NOW, token: token.slice(0, at) + other + token.slice(at + 1) };
      }),
    );
    for (const [name, command] of Object.entries(recipes)) {
      const taken = await verdicts(command, settings[alg], [{ now: NOW, token }, ...flipped]);
      assert.deepEqual([taken[0], taken.lastIndexOf(true)], [true, 0], `${name} ${alg}`);
    }
  }
});

test("T18 T17 the second decides, the same one everywhere: an origin takes a pass for 30 s after it expired", async () => {
  const iat = 1_799_999_940;
  const exp = 1_800_000_120;
  const rows = [
    [iat - 31, false],
    [iat - 30, true],
    [iat - 29, true],
    [exp - 1, true],
    [exp, true],
    [exp + 29, true],
    [exp + 30, false],
    [exp + 31, false],
  ];
  for (const [alg, recipes] of Object.entries(algorithms)) {
    const { token } = corpus.find(({ name, alg: of }) => name === "as made" && of === alg);
    for (const [name, command] of Object.entries(recipes)) {
      const taken = await verdicts(
        command,
        settings[alg],
        rows.map(([now]) => ({ now, token })),
      );
      assert.deepEqual(
        rows.map(([now], at) => [now, taken[at]]),
        rows,
        `${name} ${alg}`,
      );
    }
  }
});

test("T6 an unknown key id costs no question: the published keys are kept", async () => {
  const unknown = corpus.filter(({ alg, refusal }) => alg === "EdDSA" && refusal === "unknown-key");
  assert.ok(unknown.length >= 4);
  const rows = Array.from({ length: 50 }, () => unknown).flat();
  for (const name of ["Node, jose", "Python, PyJWT"]) {
    const before = published.asked;
    await verdicts(PUBLIC_KEY[name], settings.EdDSA, rows);
    assert.ok(published.asked - before <= 1, `${name} asks ${published.asked - before} times`);
  }
});

test("T5 no recipe starts without its settings, or with a key that is too short, and none shows the key", async () => {
  const [{ kid, k: key }] = keysOf("HS256");
  const short = Buffer.alloc(31, 7).toString("base64url");
  for (const name of ["Node, jose", "Python, PyJWT", "PHP, hash_hmac", "Java, no library"]) {
    for (const change of [
      { WAITING_ROOM_KEYS: "" },
      { WAITING_ROOM_KEYS: kid },
      { WAITING_ROOM_KEYS: `${kid}:` },
      { WAITING_ROOM_KEYS: key },
      { WAITING_ROOM_KEYS: `${kid}:${short}` },
    ]) {
      const said = await refusesToStart(SECRET_KEY[name], { ...settings.HS256, ...change });
      assert.ok(said.length > 0 && !said.includes(short) && !said.includes(key), `${name}: ${said}`);
    }
  }
});
