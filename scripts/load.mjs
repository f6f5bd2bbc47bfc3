// `npm run load`: visitors in an open loop against a running server, and checks of the promises from outside.
import { runRustProgram } from "./rust-program.mjs";

runRustProgram(import.meta.url, "anteroom-load", "tests/load/src/usage.txt");
