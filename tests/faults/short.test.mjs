// Short runs of the live faults, for every run of the tests; `npm run faults` has the long ones.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, test } from "node:test";
import { playScene } from "./play.mjs";

const folder = mkdtempSync(path.join(tmpdir(), "anteroom-faults-"));
after(() => rmSync(folder, { recursive: true, force: true }));

const SHORT = { folder, perSecond: 6, kills: 3, everySeconds: 2, lastsSeconds: 2, betweenSeconds: 2 };

async function played(name, kinds) {
  const { passed, figures, text } = await playScene(name, SHORT);
  assert.ok(passed, text);
  assert.deepEqual(figures.faults, kinds);
  assert.equal(figures.acknowledged, figures.visitors, "everybody has joined");
  assert.ok(figures.arrivals >= figures.admitted && figures.admitted > 0, text);
}

test("visitors who are admitted while the room is killed three times lose nothing, and none slips through", () =>
  played("kills", { kill: 3 }));

test("a disk that is full, then a folder that cannot be written: whoever was acknowledged has the place afterwards", () =>
  played("storage", { full: 1, "full-and-killed": 1, unwritable: 1 }));
