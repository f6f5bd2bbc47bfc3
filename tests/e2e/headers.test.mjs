// What every answer of the room says to browsers: all routes of docs/openapi.yaml, and the pages, problems and redirects at
// protected addresses.
import assert from "node:assert/strict";
import path from "node:path";
import { after, before, test } from "node:test";
import { Validator } from "@seriousme/openapi-schema-validator";
import { root } from "../../scripts/paths.mjs";
import { isCarefullyDressed } from "./harness/exchange.mjs";
import { startRoom } from "./harness/room.mjs";

const METHODS = ["get", "post", "patch", "put", "delete"];
/** An answer that never ends is looked at and left. */
const PATIENCE_MS = 10_000;

let room;
before(async () => {
  room = await startRoom({
    events: [
      { id: "demo" },
      { id: "framed", frame_ancestors: ["https://shop.example"], cors_origins: ["https://shop.example"] },
      { id: "walk-in", mode: "auto", bypass: ["/events/walk-in/open"] },
    ],
  });
});
after(() => room?.stop());

/** Every route: `{ method, path, isEndless }`, with the event in it. */
async function routes() {
  const validator = new Validator();
  await validator.validate(path.join(root, "docs", "openapi.yaml"));
  const all = Object.entries(validator.specification.paths).flatMap(([route, item]) =>
    METHODS.filter((method) => method in item).map((method) => ({
      method: method.toUpperCase(),
      path: route.replace("{event}", "demo"),
      isEndless: route.endsWith("/events"),
    })),
  );
  return all.filter((route) => route.path.startsWith("/_wr"));
}

/** Status and headers of what goes on until nobody listens. */
async function begun(address) {
  const response = await fetch(`${room.url}${address}`, { signal: AbortSignal.timeout(PATIENCE_MS) });
  const headers = Object.fromEntries(response.headers);
  await response.body?.cancel();
  return { status: response.status, headers, text: "" };
}

test("C14 every route says what browsers may do with its answer, whoever asks and whatever comes of it", async () => {
  const all = await routes();
  assert.ok(all.length >= 28, `${all.length} routes`);
  const fan = room.visitor();
  await fan.visit();
  await fan.join();
  const { headers: operator } = await room.operator();
  const succeeded = new Set();
  for (const { method, path: address, isEndless } of all) {
    const who = isEndless
      ? [() => begun(address)]
      : [
          () => room.ask(address, { method }),
          () => fan.script(method, address, method === "GET" ? undefined : {}),
          () => room.ask(address, { method, headers: operator }),
          () => room.ask(address, { method: "HEAD" }),
          () => room.ask(address, { method: "OPTIONS" }),
          () => room.ask(address, { method, headers: { accept: "text/html" } }),
          () => room.ask(address.replace("demo", "no-such-event"), { method }),
        ];
    for (const ask of who) {
      const answer = await ask();
      isCarefullyDressed(answer, `${method} ${address} -> ${answer.status}`);
      if (answer.status < 300) succeeded.add(`${method} ${address}`);
    }
  }
  const gets = all.filter(
    ({ method, path: address }) => method === "GET" && !/logo|access|metrics|calendar/.test(address),
  );
  for (const { path: address } of gets) assert.ok(succeeded.has(`GET ${address}`), `${address} was seen to succeed`);
});

test("C14 pages, problems and redirects at protected addresses are as careful, and so is what is refused before", async () => {
  const fan = room.visitor();
  const moved = room.visitor();
  await moved.visit();
  const answers = [
    ["the page", await fan.visit()],
    ["the page for HEAD", await fan.visit(fan.path, { method: "HEAD" })],
    ["the page after a POST", await fan.visit(fan.path, { method: "POST", form: { seat: "4" } })],
    ["the problem", await fan.shop()],
    [
      "a form's redirect",
      await moved.visit(`${moved.queue}/tickets`, {
        method: "POST",
        form: { permit: await moved.permit() },
        site: "same-origin",
      }),
    ],
    ["a path with NUL", await room.ask("/events/demo/%00")],
    ["another host", await room.ask("/events/demo/", { headers: { host: "other.example" } })],
    ["a long address", await room.ask(`/events/demo/${"x".repeat(17 * 1_024)}`)],
    ["many cookies", await room.ask("/events/demo/", { headers: { cookie: "a=b; ".repeat(14_000) } })],
    ["nothing", await room.ask("/_wr/nothing")],
    ["another method", await room.ask("/_wr/health", { method: "DELETE" })],
    ["TRACE", await room.ask("/events/demo/", { method: "TRACE" })],
  ];
  for (const [what, answer] of answers) isCarefullyDressed(answer, `${what}: ${answer.status}`);
  const [, redirect] = answers.find(([what]) => what.includes("redirect"));
  assert.equal(redirect.status, 303, redirect.text);
});

test("C14 a policy allows no inline script or style, WebAssembly only where the work is done, and frames only where it is configured", async () => {
  const page = await room.visitor().visit();
  const framed = await room.visitor({ event: "framed" }).visit();
  const solver = await room.ask("/_wr/solver.js");
  const policyOf = ({ headers }) => headers["content-security-policy"];
  assert.match(policyOf(page), /default-src 'none'.*frame-ancestors 'none'$/);
  assert.match(policyOf(framed), /frame-ancestors https:\/\/shop\.example$/);
  assert.equal(framed.headers["cross-origin-resource-policy"], "cross-origin");
  assert.equal(page.headers["cross-origin-resource-policy"], "same-origin");
  assert.doesNotMatch(policyOf(page), /wasm|unsafe/);
  assert.match(policyOf(solver), /script-src 'wasm-unsafe-eval'/);
  for (const sheet of ["handover", "staff"]) {
    const answer = await room.visitor().visit(`/_wr/queues/demo/${sheet}`);
    assert.equal(answer.headers["cross-origin-opener-policy"], "same-origin", sheet);
    assert.match(policyOf(answer), /frame-ancestors 'none'/, sheet);
  }
});

test("the shop's answers are the shop's own: the room adds none of its headers to them", async () => {
  const fan = await room.visitor({ event: "walk-in" }).walksIn();
  for (const answer of [await fan.visit(), await room.ask("/events/walk-in/open")]) {
    assert.equal(answer.headers["x-shop"], "1");
    for (const name of ["content-security-policy", "permissions-policy", "referrer-policy", "x-content-type-options"]) {
      assert.equal(answer.headers[name], undefined, name);
    }
  }
});
