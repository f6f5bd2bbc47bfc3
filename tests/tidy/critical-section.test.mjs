// D23: between reading a state and storing what follows from it nothing is awaited. What holds state is synchronous: the
// core, and in the objects the desks and all that they are made of. Only around them is anything awaited.
import assert from "node:assert/strict";
import test from "node:test";
import { textOf, withEnding } from "./repository.mjs";

/** Those files of the objects that wait for the platform; every other file of theirs is part of the section. */
const AROUND = [
  "call",
  "caller",
  "carried",
  "coordinator_object",
  "drand",
  "instance",
  "object",
  "platform",
  "poking",
  "pump",
  "relay_object",
  "shard_object",
  "sockets",
];

const isAround = (name) => AROUND.some((file) => name === `durable-objects/src/${file}.rs`);

/** The lines of a text, without comments, in which something is awaited or a function says that it may. */
const awaits = (text) => text.split("\n").filter((line) => /\.await\b|\basync\b/.test(line.replace(/\/\/.*$/, "")));

const inSection = withEnding(".rs").filter(
  (name) => /^(durable-objects\/src|crates\/queue\/src)\//.test(name) && !isAround(name),
);

test("D23 nothing is awaited where state is read and stored", () => {
  assert.ok(inSection.length > 60, `${inSection.length} files`);
  const broken = inSection.flatMap((name) => awaits(textOf(name)).map((line) => `${name}: ${line.trim()}`));
  assert.deepEqual(broken, []);
});

test("an await that is placed there is found", () => {
  const desk = textOf("durable-objects/src/shard_desk.rs");
  assert.equal(awaits(desk).length, 0);
  assert.equal(awaits(desk.replace("self.commit(store)?;", "self.commit(store).await?;")).length, 1);
});

test("every file around the section is there and waits", () => {
  const idle = AROUND.filter((file) => awaits(textOf(`durable-objects/src/${file}.rs`)).length === 0);
  assert.deepEqual(idle, []);
});
