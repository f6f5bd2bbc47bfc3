// `npm run staff-pass`: a link for somebody of the organizer, to look at the shop before the sale.
import { command, configFileOf, readArguments, UsageError, wholeNumber } from "./command-line.mjs";
import { instant } from "./operating/instants.mjs";
import { DEFAULT_URL, reach, requireUrl } from "./operating/reach.mjs";
import { wranglerFile } from "./paths.mjs";
import { say } from "./progress.mjs";
import { setup } from "./setup.mjs";

const USAGE = `npm run staff-pass -- --event E --name N --minutes M [--url U] [--config FILE]
  --event E      the event
  --name N       whom it is for, as the log will show it: 1 to 64 plain letters, digits and signs
  --minutes M    how long it admits, 1 to 240
  --url U        the deployment, ${DEFAULT_URL} by default
  --config FILE  another wrangler.toml
Prints a link. Opening it does nothing, its button admits. Whoever has the link can use it until its time is over: send it
to one person. It takes nobody's place and is counted apart. The token for the operator API is OPERATOR_TOKEN of the
environment, or is made from the root keys (.dev.vars, or ROOT_KEY).`;

/** A rehearsal lasts four hours at most. */
const MAX_MINUTES = 240;
const MAX_NAME_LENGTH = 64;
/** Printable ASCII without quotation mark and backslash, as in every token. */
const NAME = /^[ !#-[\]-~]+$/;

async function main(words) {
  const { values } = readArguments(words, {
    config: { type: "string", default: wranglerFile },
    event: { type: "string" },
    name: { type: "string" },
    minutes: { type: "string" },
    url: { type: "string", default: DEFAULT_URL },
  });
  for (const name of ["event", "name", "minutes"]) {
    if (values[name] === undefined) throw new UsageError(`--${name} is missing`);
  }
  const { name } = values;
  if (!NAME.test(name) || name.length > MAX_NAME_LENGTH) {
    throw new UsageError(
      `--name is ${JSON.stringify(name)}, allowed are 1 to ${MAX_NAME_LENGTH} characters of ASCII without " and \\`,
    );
  }
  const minutes = wholeNumber(values.minutes, { name: "--minutes", from: 1, to: MAX_MINUTES });
  requireUrl(values.url);
  const configFile = configFileOf(values.config);
  await setup(["packages"]);
  const { api, zone } = await reach({ ...values, config: configFile });
  const { link, expires_at: expiresAt } = await api.staffPass({ name, minutes });
  if (typeof link !== "string")
    throw new Error(`${values.url} answered without a link: is its Worker older than this?`);
  say(`For ${name}, until ${instant(expiresAt, zone)}:`);
  process.stdout.write(`${link}\n`);
}

command(import.meta.url, USAGE, main);
