// The built Worker: what wrangler.toml names is in it, and it keeps its budgets.
import assert from "node:assert/strict";
import http from "node:http";
import test, { after, before } from "node:test";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { buildDir, wranglerFile } from "../../scripts/paths.mjs";
import { startServer } from "../../scripts/server.mjs";
import { modulesOf } from "../../scripts/workerd-config.mjs";
import { eventsOf, frontPath, readWranglerConfig } from "../../scripts/wrangler-config.mjs";

const MAX_WORKER_BYTES = 1_000_000;
const MAX_PAGE_BYTES = 30_000;

const config = readWranglerConfig(wranglerFile);
let server;

/** What a browser asks when somebody opens an address: without the headers that a script's request has. */
function navigate(address) {
  return new Promise((resolve, reject) => {
    const headers = { accept: "text/html", "accept-language": "en" };
    const request = http.get(address, { headers }, async (response) => {
      resolve({ headers: response.headers, page: Buffer.concat(await response.toArray()) });
    });
    request.on("error", reject);
  });
}

before(async () => {
  server = await startServer({ withShop: false });
});
after(() => server?.stop());

test("every class that wrangler.toml names is exported, and new to SQLite in a migration", () => {
  const [front, built] = ["main.js", "index.js"].map((file) =>
    String(modulesOf(buildDir).find(({ name }) => name === file).bytes),
  );
  const exported = built.match(/export\s*\{([^}]*)\}/)[1];
  const migrated = config.migrations.flatMap((migration) => migration.new_sqlite_classes ?? []);
  const named = config.durable_objects.bindings.map((binding) => binding.class_name);
  const isExported = (name) =>
    new RegExp(`\\b(as )?${name}\\b`).test(exported) && front.includes(`export const ${name} = `);
  assert.deepEqual(
    named.filter((name) => !isExported(name)),
    [],
  );
  assert.deepEqual([...named].sort(), [...migrated].sort());
});

test("the built module says, where src/main.js looks, whether it has panicked", () => {
  const script = String(modulesOf(buildDir).find(({ name }) => name === "index.js").bytes);
  assert.match(script, /globalThis\.__worker_init_state\s*=\s*\{\s*criticalError\s*:\s*(false|!1)\b/);
});

test("the Worker is smaller than 1 MB compressed", () => {
  const bytes = modulesOf(buildDir).reduce((sum, module) => sum + gzipSync(module.bytes).length, 0);
  assert.ok(bytes < MAX_WORKER_BYTES, `${bytes} bytes`);
});

test("the queue page of every event is smaller than 30 kB compressed", async () => {
  for (const { event } of eventsOf(config)) {
    const address = `${server.url}${frontPath({ vars: { EVENT_ONE: event } })}`;
    const { headers, page } = await navigate(address);
    assert.match(headers["content-type"] ?? "", /^text\/html/, address);
    assert.ok(gzipSync(page).length < MAX_PAGE_BYTES, `${event.id}: ${gzipSync(page).length} bytes with gzip`);
    assert.ok(brotliCompressSync(page).length < MAX_PAGE_BYTES);
  }
});
