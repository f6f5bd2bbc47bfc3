// `npm run load`: visitors in an open loop against a running server, and checks of the promises from outside.
import { runRustProgram } from "./rust-program.mjs";

await runRustProgram("anteroom-load", "tests/load/src/usage.txt", process.argv.slice(2));
