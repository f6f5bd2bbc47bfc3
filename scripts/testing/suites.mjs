// The suites of `npm test`, in the order in which they run: what is quick and often wrong first.
//
// `commands` are run one after another and all are run; `needs` names setup steps; `provides` asks for a browser, Python,
// or what origins run on. A command is `{ label, program, args, env }`, and `countsTests` if it has to report at least one
// test; any other is a check, and one by itself.
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { NATIVE_SELECTION, npmBinary, root, targetDir, toolNode } from "../paths.mjs";
import { buildTools } from "../setup/build-tools.mjs";
import { filesBelow } from "../stamps.mjs";

const WASM_TARGET = "wasm32-unknown-unknown";
const WORKER_PACKAGES = ["anteroom", "anteroom-durable-objects"];
/**
 * What has to be shown on every run of the tests: few worlds with a crowd, many in which everything fails, sales of a million
 * with relays, also after an outage and from cold, every small one.
 */
const SIMULATIONS = [
  ["simulation", "simulation", ["--seeds", "10", "--visitors", "10000"]],
  ["simulation of faults", "simulation", ["--profile", "faults", "--seeds", "150"]],
  ["a sale of a million", "simulation", ["--profile", "megasale"]],
  ["a million come back", "simulation", ["--profile", "outage"]],
  ["seventy times the plan", "simulation", ["--profile", "surge"]],
  ["model", "model", ["--small"]],
];

const cargoEnv = { CARGO_TARGET_DIR: targetDir, CARGO_TERM_COLOR: "never", RUST_BACKTRACE: "0" };

const cargo = (label, args, env = {}) => ({ label, program: "cargo", args, env: { ...cargoEnv, ...env } });
const cargoTest = (label, args, env) => ({ ...cargo(label, ["test", ...args], env), countsTests: true });

/** Node's own test runner over the test files of a folder. */
function nodeTests(folder, concurrency = 1) {
  const files = filesBelow(folder).filter((name) => name.endsWith(".test.mjs"));
  const options = ["--test", "--test-reporter=tap", `--test-concurrency=${concurrency}`];
  return { label: folder, program: toolNode(), args: [...options, ...files], files, countsTests: true };
}

/** The packages that also have tests for Node under WebAssembly: those that list wasm-bindgen-test. */
function wasmTestedPackages() {
  const crates = readdirSync(path.join(root, "crates")).map((name) => path.join("crates", name));
  return [".", "durable-objects", ...crates].flatMap((folder) => {
    const manifest = readFileSync(path.join(root, folder, "Cargo.toml"), "utf8");
    const isTested = /^wasm-bindgen-test\b/m.test(manifest) && folder !== ".";
    return isTested ? [manifest.match(/^name = "([^"]+)"/m)[1]] : [];
  });
}

const packages = (names) => names.flatMap((name) => ["--package", name]);
const biome = (...args) => ({ label: `biome ${args[0]}`, program: npmBinary("biome"), args });

export const suites = [
  {
    name: "formatting",
    needs: ["packages", "rust"],
    commands: () => [
      cargo("cargo fmt", ["fmt", "--all", "--", "--check", "--color", "never"]),
      biome("format", "--max-diagnostics=20", "."),
    ],
  },
  {
    name: "rust",
    // The edge's build script makes the page small with npm's esbuild.
    needs: ["packages", "rust"],
    commands: () => [cargoTest("cargo test", [...NATIVE_SELECTION, "--no-fail-fast", "--quiet"])],
  },
  {
    name: "lints",
    needs: ["packages", "rust"],
    commands: () => [
      cargo("clippy", ["clippy", "--quiet", ...NATIVE_SELECTION, "--all-targets", "--", "-D", "warnings"]),
      // In the profile of the Worker, whose macros and build scripts are compiled already.
      cargo("clippy for WebAssembly", [
        ...["clippy", "--quiet", "--release", "--target", WASM_TARGET, ...packages(WORKER_PACKAGES)],
        ...["--", "-D", "warnings"],
      ]),
      biome("lint", "--error-on-warnings", "."),
    ],
  },
  {
    name: "docs",
    needs: ["packages", "rust"],
    commands: () => [
      cargo("cargo doc", ["doc", "--quiet", "--workspace", "--no-deps"], { RUSTDOCFLAGS: "-D warnings" }),
      { label: "openapi.yaml", program: process.execPath, args: ["scripts/testing/openapi.mjs"] },
    ],
  },
  {
    name: "wasm",
    needs: ["packages", "rust", "tools"],
    commands: () => {
      const runner = { CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUNNER: buildTools().wasmTestRunner };
      return wasmTestedPackages().map((name) =>
        cargoTest(`wasm-bindgen-test of ${name}`, ["--target", WASM_TARGET, "--package", name], runner),
      );
    },
  },
  {
    name: "tokens",
    needs: ["packages", "rust", "keysTool"],
    provides: ["python"],
    commands: ({ PYTHON }) => [
      { label: "jose", program: toolNode(), args: ["tests/tokens/verify-with-jose.mjs"] },
      { label: "PyJWT", program: PYTHON, args: ["tests/tokens/verify_with_pyjwt.py"] },
      nodeTests("tests/tokens"),
    ],
  },
  {
    name: "recipes",
    needs: ["packages", "rust", "tools", "keys", "keysTool", "shop", "worker"],
    provides: ["python", "origins"],
    commands: () => [
      cargo("passes", ["build", "--quiet", ...NATIVE_SELECTION, "--example", "passes"]),
      nodeTests("tests/recipes"),
    ],
  },
  {
    name: "alerts",
    needs: ["packages"],
    provides: ["promtool"],
    commands: ({ PROMTOOL }) => [
      { label: "promtool check rules", program: PROMTOOL, args: ["check", "rules", "docs/alerts.yml"] },
      { label: "promtool test rules", program: PROMTOOL, args: ["test", "rules", "tests/alerts/alerts.yml"] },
      nodeTests("tests/alerts"),
    ],
  },
  {
    name: "draw",
    needs: ["packages", "rust"],
    commands: () => [
      cargo("verify-draw", ["build", "--quiet", ...NATIVE_SELECTION, "--bin", "verify-draw", "--example", "ranks"]),
      nodeTests("tests/draw"),
    ],
  },
  {
    name: "scripts",
    needs: ["packages", "rust", "tools", "keys", "keysTool", "pathsTool", "shop", "worker"],
    commands: () => [nodeTests("tests/scripts")],
  },
  {
    name: "tidy",
    needs: ["packages", "rust", "tools", "keys", "worker"],
    commands: () => [nodeTests("tests/tidy")],
  },
  {
    name: "simulation",
    needs: ["rust"],
    commands: () => {
      const program = (name) => ["run", "--quiet", "--profile", "native", "--package", name, "--"];
      return SIMULATIONS.map(([label, name, args]) => cargo(label, [...program(name), ...args]));
    },
  },
  {
    name: "e2e",
    needs: ["packages", "rust", "tools", "keys", "keysTool", "shop", "worker"],
    commands: () => [
      cargo("verify-draw", ["build", "--quiet", ...NATIVE_SELECTION, "--bin", "verify-draw"]),
      nodeTests("tests/e2e", 2),
    ],
  },
  {
    name: "faults",
    needs: ["packages", "rust", "tools", "keys", "keysTool", "worker"],
    commands: () => [
      cargo("the crowd", ["build", "--quiet", "--profile", "native", "--package", "anteroom-load"]),
      nodeTests("tests/faults"),
    ],
  },
  {
    name: "cost",
    needs: ["packages", "rust", "tools", "keys", "keysTool", "worker"],
    commands: () => [nodeTests("tests/cost")],
  },
  {
    name: "api",
    needs: ["packages", "rust", "tools", "keys", "keysTool", "worker"],
    provides: ["python"],
    commands: () => [nodeTests("tests/api")],
  },
  {
    name: "page",
    needs: ["packages", "rust", "tools", "keys", "keysTool", "shop", "worker"],
    provides: ["browser"],
    commands: () => [nodeTests("tests/page")],
  },
  {
    name: "extras",
    needs: ["packages", "rust", "tools", "keys", "keysTool", "shop", "worker"],
    provides: ["browser"],
    commands: () => [nodeTests("tests/extras")],
  },
];
