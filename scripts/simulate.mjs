// `npm run simulate`: the real core under a modelled network, deterministic from a seed.
import { runRustProgram } from "./rust-program.mjs";

runRustProgram(import.meta.url, "simulation", "tests/simulation/src/usage.txt");
