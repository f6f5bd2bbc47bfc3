// Origins that run the recipes as they stand: each a small server of its own on loopback.
import assert from "node:assert/strict";
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect as connectTls } from "node:tls";
import { tmpdir } from "node:os";
import path from "node:path";
import { freePort } from "../../scripts/ports.mjs";
import { root, toolNode } from "../../scripts/paths.mjs";
import { startGroup, stopGroup } from "../../scripts/processes.mjs";
import { exchange, until } from "../e2e/harness/exchange.mjs";
import { java } from "./recipes.mjs";

const { PYTHON, PHP, NGINX } = process.env;
const START_PATIENCE_MS = 30_000;

const folder = path.join(root, "examples", "verify");
const recipe = (name) => path.join(folder, name);

/** What PHP's own server runs behind the recipe, and nginx in front of. */
const SHOP = '<?php header("Cache-Control: no-store"); echo "the shop\\n";\n';

/** Servers that check a pass by themselves. `scratch` is a folder for what they need. */
const COMMANDS = {
  "Node, jose": (port) => [toolNode(), recipe("verify.mjs"), port],
  "Python, PyJWT": (port) => [PYTHON, recipe("verify.py"), port],
  "PHP, hash_hmac": (port, scratch) => {
    writeFileSync(path.join(scratch, "index.php"), SHOP);
    return [PHP, "-n", "-d", `auto_prepend_file=${recipe("verify.php")}`, "-S", `127.0.0.1:${port}`, "-t", scratch];
  },
  "Java, no library": (port) => [java, recipe("Verify.java"), port],
};
const PUBLIC_COMMANDS = {
  "Node, jose, Ed25519": (port) => [toolNode(), recipe("verify-ed25519.mjs"), port],
  "Python, PyJWT, Ed25519": (port) => [PYTHON, recipe("verify_ed25519.py"), port],
};

/** Starts the origins that hold a key; `[{ name, url, stop }]`. */
export const startOrigins = (env) => startAll(COMMANDS, env);
/** Starts the origins that fetch the published key. */
export const startPublicOrigins = (env) => startAll(PUBLIC_COMMANDS, env);

const startAll = (commands, env) =>
  Promise.all(Object.entries(commands).map(([name, command]) => startOrigin(name, command, env)));

async function startOrigin(name, command, env) {
  const scratch = mkdtempSync(path.join(tmpdir(), "anteroom-origin-"));
  const port = String(await freePort());
  const [program, ...args] = await command(port, scratch);
  const child = startGroup(program, args, { cwd: folder, env: { ...process.env, ...env } });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text) => {
      output = (output + text).slice(-4_000);
    });
  }
  const stop = async () => {
    await stopGroup(child);
    rmSync(scratch, { recursive: true, force: true });
  };
  const url = `http://127.0.0.1:${port}`;
  const answers = () => exchange(url).catch((error) => ({ status: 0, text: `${error.message}\n${output}` }));
  await until(answers, ({ status }) => status !== 0, { within_ms: START_PATIENCE_MS, what: name }).catch(
    async (error) => {
      await stop();
      throw error;
    },
  );
  return { name, url, stop };
}

/**
 * Starts nginx with the recipe, in front of `shopUrl`, asking `room`, or whoever is at `roomUrl`. Of the file only the
 * addresses are changed, and whose certificate is trusted.
 */
export async function startNginx(room, shopUrl, { roomUrl = room.url } = {}) {
  const command = async (port, scratch) => {
    const { host } = new URL(roomUrl);
    writeFileSync(path.join(scratch, "room.pem"), await certificateOf(room));
    const changes = {
      "server 127.0.0.1:3000;": `server ${new URL(shopUrl).host};`,
      "server tickets.example.com:443;": `server ${host};`,
      "listen 127.0.0.1:8080;": `listen 127.0.0.1:${port};`,
      "proxy_ssl_name tickets.example.com;": `proxy_ssl_name localhost;`,
      "proxy_set_header Host tickets.example.com;": `proxy_set_header Host ${host};`,
      "/etc/ssl/certs/ca-certificates.crt": path.join(scratch, "room.pem"),
    };
    let text = readFileSync(recipe("nginx.conf"), "utf8");
    for (const [from, to] of Object.entries(changes)) {
      assert.equal(text.split(from).length, 2, `nginx.conf says once: ${from}`);
      text = text.replace(from, to);
    }
    const file = path.join(scratch, "nginx.conf");
    // What it buffers lies beside its file, and a worker that has given up root's rights must reach it.
    chmodSync(scratch, 0o755);
    const own = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((kind) => `${kind}_temp_path ${kind};`);
    writeFileSync(file, text.replace("http {", `http {\n${own.join("\n")}`));
    return [NGINX, "-p", `${scratch}/`, "-c", file, "-e", "stderr", "-g", "daemon off;"];
  };
  return startOrigin("nginx, auth_request", command, {});
}

/** The certificate that the room shows, as PEM. */
function certificateOf(room) {
  const { hostname, port } = new URL(room.url);
  return new Promise((resolve, reject) => {
    const socket = connectTls({ host: hostname, port, rejectUnauthorized: false }, () => {
      const { raw } = socket.getPeerCertificate();
      socket.destroy();
      resolve(`-----BEGIN CERTIFICATE-----\n${raw.toString("base64")}\n-----END CERTIFICATE-----\n`);
    });
    socket.once("error", reject);
  });
}
