// `npm run simulate`: the real core under a modelled network, deterministic from a seed.
import { runRustProgram } from "./rust-program.mjs";

await runRustProgram("simulation", "tests/simulation/src/usage.txt", process.argv.slice(2));
