// The lines of an event as wrangler.toml has them. The Worker checks them whole; here only what a command asks for.
import { UsageError } from "./command-line.mjs";

/** The ids of the lines with that access. */
export function linesWith(event, access) {
  const lines = Array.isArray(event.lines) ? event.lines : [];
  return lines.filter((line) => line?.access === access).map((line) => line.id);
}

/** The line with that id and access; a wrong one is answered with those that there are. */
export function lineNamed(event, access, id) {
  const ids = linesWith(event, access);
  if (ids.includes(id)) return id;
  const known = ids.length > 0 ? `there are: ${ids.join(", ")}` : "there is none";
  throw new UsageError(
    `--line is ${JSON.stringify(id ?? "")}, allowed is a line of ${event.id} with access = "${access}"; ${known}`,
  );
}
