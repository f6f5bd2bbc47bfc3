// `npm run model`: every state that a small waiting room can reach over a bad network, with the real core.
import { runRustProgram } from "./rust-program.mjs";

await runRustProgram("model", "tests/model/src/usage.txt", process.argv.slice(2));
