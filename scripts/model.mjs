// `npm run model`: every state that a small waiting room can reach over a bad network, with the real core.
import { runRustProgram } from "./rust-program.mjs";

runRustProgram(import.meta.url, "model", "tests/model/src/usage.txt");
