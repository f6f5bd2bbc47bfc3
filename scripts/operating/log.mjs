// The whole event log into a file, as the room hands it out: page by page, one JSON object a line.
import { createWriteStream } from "node:fs";
import { once } from "node:events";
import { counted } from "../counted.mjs";

/** A page has a line at least: more pages than this are a mistake of the room's. */
const MOST_PAGES = 1_000_000;

/** Writes every line to `file` (`"-"`: standard output) and answers what was done, or nothing for standard output. */
export async function writeLog(api, file) {
  const out = file === "-" ? process.stdout : await opened(file);
  let lines = 0;
  for (let [after, pages] = [0, 0]; after !== null; pages += 1) {
    if (pages >= MOST_PAGES) throw new Error(`the log has no end after ${MOST_PAGES} pages`);
    const { text, next } = await api.logPage(after);
    if (next !== null && next <= after) throw new Error(`the log goes on at line ${next}, behind line ${after}`);
    lines += text.split("\n").length - 1;
    if (!out.write(text)) await once(out, "drain");
    after = next;
  }
  if (file === "-") return null;
  out.end();
  await once(out, "finish");
  return `${counted(lines, "line")} in ${file}`;
}

async function opened(file) {
  const out = createWriteStream(file);
  await once(out, "open").catch((error) => {
    throw new Error(`--out ${file} cannot be written: ${error.code ?? error.message}`);
  });
  return out;
}
