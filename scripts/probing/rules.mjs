// Which rule decides about an address, said by the edge's own code (crates/config) in a small program.
import { spawn } from "node:child_process";
import { pathsBinary } from "../setup/paths-tool.mjs";
import { withShopAddress } from "../wrangler-config.mjs";

/** Stands for the demo shop where only paths matter. */
const ANY_ORIGIN = "http://127.0.0.1:9";

/** The path of an address as the edge gets it: the platform parses addresses by the URL standard. */
export function pathAtTheEdge(spelled) {
  const address = /^https?:\/\//.test(spelled) ? spelled : `http://host${spelled}`;
  return URL.canParse(address) ? new URL(address).pathname : spelled;
}

/** What is done with each `{ host, path }`: `[{ verdict, event, readings }]`. A refused configuration rejects. */
export async function explained(config, asked) {
  const { vars: variables } = withShopAddress(config, ANY_ORIGIN);
  const question = JSON.stringify({ variables, asked });
  const { code, output, complaint } = await ask(question);
  if (code !== 0) throw new Error(`the configuration is refused:\n${complaint.trim()}`);
  return JSON.parse(output);
}

function ask(question) {
  return new Promise((resolve, reject) => {
    const child = spawn(pathsBinary, [], { stdio: ["pipe", "pipe", "pipe"] });
    let output = "";
    let complaint = "";
    child.stdout.setEncoding("utf8").on("data", (text) => {
      output += text;
    });
    child.stderr.setEncoding("utf8").on("data", (text) => {
      complaint += text;
    });
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, output, complaint }));
    child.stdin.end(question);
  });
}

const SAID = {
  own: "an address of the room itself",
  protected: "protected: it takes a pass",
  bypass: "bypassed: it goes on without a pass",
  open: "no event's: it goes on to the shop without a pass",
  "other-host": "refused with 421: the host has no event",
  refused: "refused with 400: servers read it in ways that are too different",
};

/** The lines that tell a person about one address. */
export function explanation(url, path, { verdict, event, readings }) {
  const rulesOf = ({ protected_by: protecting, bypassed_by: bypassing }) => [
    ...protecting.map((rule) => `paths of ${rule}`),
    ...bypassing.map((rule) => `bypass of ${rule}`),
  ];
  const reading = (each) => `    ${each.reading}  ${rulesOf(each).join("; ") || "no rule"}`;
  const why = {
    protected: "  since at least one reading is in paths, and not all are in bypass",
    bypass: "  since every reading is in bypass",
    open: "  since no reading is in paths",
  }[verdict];
  const cause = readings.length === 0 && verdict === "refused" ? "  since a control character is in it" : why;
  return [
    url,
    `  ${SAID[verdict]}${event ? ` (event ${event})` : ""}`,
    `  path at the edge: ${path}`,
    ...(readings.length > 0 ? ["  read as:", ...readings.map(reading)] : []),
    ...(cause ? [cause] : []),
  ];
}
