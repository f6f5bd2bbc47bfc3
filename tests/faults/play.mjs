// The scenes by their names: each says what goes wrong and how long visitors have to come for it.
import * as builds from "./scenes/builds.mjs";
import * as freeze from "./scenes/freeze.mjs";
import * as kills from "./scenes/kills.mjs";
import * as origin from "./scenes/origin.mjs";
import * as storage from "./scenes/storage.mjs";
import { underFaults } from "./stage.mjs";

const scenes = { kills, freeze, storage, origin, builds };

/** Plays one scene; answers `{ title, passed, figures, text }`. */
export async function playScene(name, options) {
  const { title, goesWrong, seconds, settings = () => ({}) } = scenes[name];
  const { folder, perSecond } = options;
  const run = { folder, perSecond, seconds: seconds(options), ...(await settings(options)) };
  const verdict = await underFaults(name, (stage) => goesWrong(stage, options), run);
  return { title, ...verdict };
}
