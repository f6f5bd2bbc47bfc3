// A folder has one owner at a time, and a killed one holds nobody up.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import test, { afterEach, beforeEach } from "node:test";
import { leaveFolder, takeFolder, takeTurn } from "../../scripts/owners.mjs";
import { root } from "../../scripts/paths.mjs";

const PATIENCE = { timeout: 30_000 };

let folder;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "anteroom-owner-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const ownerFile = () => path.join(folder, "owner.pid");

/** Another process that has taken the folder; `end(signal)` resolves when it is gone. */
async function otherOwner() {
  const text = `
    import { takeFolder } from "./scripts/owners.mjs";
    console.log(takeFolder(${JSON.stringify(folder)}));
    setTimeout(() => {}, 60_000);`;
  const child = spawn(process.execPath, ["--input-type=module", "--eval", text], { cwd: root });
  const [said] = await once(child.stdout, "data");
  assert.equal(String(said).trim(), "null");
  const end = async (signal) => {
    child.kill(signal);
    await once(child, "exit");
  };
  return { pid: child.pid, end };
}

test("who takes a free folder has it, is told so, and gives it up", () => {
  assert.equal(takeFolder(folder), null);
  assert.equal(takeFolder(folder), process.pid, "also to itself it is taken");
  assert.deepEqual(readdirSync(folder), ["owner.pid"], "nothing else is left there");
  leaveFolder(folder);
  assert.equal(takeFolder(folder), null);
});

test("a folder of a living process is not to be had, of a killed one it is", PATIENCE, async () => {
  const other = await otherOwner();
  assert.equal(takeFolder(folder), other.pid);
  leaveFolder(folder);
  assert.equal(takeFolder(folder), other.pid, "who does not have it cannot give it up");
  await other.end("SIGKILL");
  assert.equal(takeFolder(folder), null);
});

test("another program with the number of a process that is gone has nothing", PATIENCE, async () => {
  const other = await otherOwner();
  const [pid, run] = readFileSync(ownerFile(), "utf8").split(" ");
  for (const text of [`${pid} ${run}0`, pid, "", "nobody"]) {
    writeFileSync(ownerFile(), text);
    assert.equal(takeFolder(folder), null, text);
  }
  await other.end("SIGTERM");
});

/** Rounds in which three come in the same instant. */
const ROUNDS = 40;

test("of several that find a killed one's folder in the same instant one has it", PATIENCE, async () => {
  const text = `
    import { takeFolder } from "./scripts/owners.mjs";
    process.on("message", ({ folder, at }) => {
      while (Date.now() < at);
      process.send(takeFolder(folder));
    });
    process.send("up");`;
  const args = ["--input-type=module", "--eval", text];
  const comers = Array.from({ length: 3 }, () =>
    spawn(process.execPath, args, { cwd: root, stdio: ["ignore", "inherit", "inherit", "ipc"] }),
  );
  const said = () => Promise.all(comers.map((comer) => once(comer, "message")));
  try {
    await said();
    for (let round = 0; round < ROUNDS; round += 1) {
      writeFileSync(ownerFile(), "999999999 1");
      const answers = said();
      for (const comer of comers) comer.send({ folder, at: Date.now() + 5 });
      const owners = (await answers).map(([owner]) => owner);
      const [mine] = comers.filter((_, index) => owners[index] === null);
      assert.deepEqual(
        owners.filter((owner) => owner !== null),
        [mine.pid, mine.pid],
        `round ${round}`,
      );
      assert.deepEqual(readdirSync(folder), ["owner.pid"]);
    }
  } finally {
    for (const comer of comers) comer.kill();
  }
});

test("who has to wait says at once for whom, and goes on when that one is gone", PATIENCE, async () => {
  const other = await otherOwner();
  const said = [];
  const turn = takeTurn(folder, "setup", (line) => said.push(line));
  assert.deepEqual(said, [`Another setup is at work in this folder, process ${other.pid}; waiting for it.`]);
  await other.end("SIGKILL");
  await turn;
  assert.equal(takeFolder(folder), process.pid);
  assert.equal(said.length, 1);
});
