// What a place takes on disk: joins of one shard on a real workerd, and the files that it leaves.
import { readdirSync, statSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { runOrThrow } from "../../scripts/processes.mjs";
import { startRoom } from "../e2e/harness/room.mjs";
import { native } from "./crowd.mjs";

/** As many as one shard is planned for. */
const PLACES = 8_000;
const PER_SECOND = 400;

/** Bytes a place in the shard's file, once what stands in its write-ahead log is taken in. */
export async function placesOnDisk() {
  const room = await startRoom({ events: [{ id: "demo", expected_visitors: 1_000, admission: { max_active: 1 } }] });
  try {
    const words = ["--url", room.url, "--event", "demo", "--joins-only", "--alone", "--visitors", PLACES];
    await runOrThrow(native("anteroom-load"), [...words, "--arrivals-per-second", PER_SECOND].map(String));
    const entries = (await room.board()).lines[0].entries;
    if (entries !== PLACES) throw new Error(`${entries} of ${PLACES} joined`);
    await room.kill9();
    const objects = path.join(room.stateDir, "objects");
    const shards = readdirSync(objects).find((name) => name.includes("Shard"));
    const files = readdirSync(path.join(objects, shards)).filter((name) => /^[0-9a-f]{64}\.sqlite$/.test(name));
    const sizes = files.map((name) => {
      const file = path.join(objects, shards, name);
      const database = new DatabaseSync(file);
      database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
      database.close();
      return statSync(file).size;
    });
    return { places: PLACES, bytes: sizes.reduce((sum, size) => sum + size, 0), files: files.length };
  } finally {
    await room.stop();
  }
}
