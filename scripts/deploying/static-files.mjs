// What the deployment serves without its Worker. Every visitor of an event that asks for work loads the script that does it,
// and a request to the Worker is paid for, one for a static file is not:
// <https://developers.cloudflare.com/workers/static-assets/billing-and-limitations/>. Where there are no static files the
// Worker answers the same.
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";

/** Headers that a static file is given by the platform itself, or that are of one connection. */
const NOT_TAKEN = ["connection", "content-encoding", "content-length", "content-type", "date", "transfer-encoding"];

/**
 * Writes the solver as the Worker answers it (`{ text, headers }`) below `folder`, with its headers in the platform's own
 * file of them: <https://developers.cloudflare.com/workers/static-assets/headers/>. Answers the folder of static files.
 */
export function writeStaticFiles(folder, prefix, { text, headers }) {
  const files = path.join(folder, "static");
  rmSync(files, { recursive: true, force: true });
  const address = `${prefix}/solver.js`;
  mkdirSync(path.join(files, path.dirname(address)), { recursive: true });
  writeFileSync(path.join(files, address), text);
  const kept = [...headers].filter(([name]) => !NOT_TAKEN.includes(name));
  const lines = kept.map(([name, value]) => `  ${name}: ${value}\n`);
  writeFileSync(path.join(files, "_headers"), `${address}\n${lines.join("")}`);
  return files;
}
