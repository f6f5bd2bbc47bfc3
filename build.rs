//! The faces of the events, `static/events/<id>.json`, and their logos become tables of the Worker.
//! A face that would be refused when a deployment starts stops the build, in the same words.
//!
//! The browser's solver of challenges, `crates/challenge`, is built for WebAssembly and put into its script.
//!
//! What every visitor loads is made as small as it gets: the styles and the script of the queue page, and the strip.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anteroom_config::face::{self, FOLDER};
use base64ct::{Base64, Encoding};

fn main() -> ExitCode {
    println!("cargo::rerun-if-changed={FOLDER}");
    let mut problems = Vec::new();
    let tables = tables(&mut problems);
    for problem in &problems {
        println!("cargo::error={problem}");
    }
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo names OUT_DIR"));
    fs::write(out.join("faces.rs"), tables).expect("OUT_DIR is writable");
    fs::write(out.join("solver.js"), solver(&out)).expect("OUT_DIR is writable");
    println!("cargo::rerun-if-env-changed={ESBUILD}");
    for (name, source) in carried() {
        if let Err(problem) = minify(&out, name, &source) {
            problems.push(problem.clone());
            println!("cargo::error={problem}");
        }
    }
    if problems.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

/// `FACES` and `LOGOS` as Rust: each names a file that the compiler includes.
fn tables(problems: &mut Vec<String>) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(FOLDER);
    let (mut faces, mut logos) = (String::new(), String::new());
    let mut shown: Vec<String> = Vec::new();
    for path in files(&folder, problems) {
        let id = path.file_stem().unwrap_or_default().to_string_lossy();
        let Some(json) = noted(fs::read_to_string(&path), &path, problems) else {
            continue;
        };
        let face = match face::check(&id, &json) {
            Ok(face) => face,
            Err(found) => {
                problems.extend(found.iter().map(ToString::to_string));
                continue;
            }
        };
        faces += &format!("({id:?}, include_str!({path:?})),\n");
        let Some(logo) = face.logo.filter(|logo| !shown.contains(logo)) else {
            continue;
        };
        let path = folder.join(&logo);
        let Some(bytes) = noted(fs::read(&path), &path, problems) else {
            continue;
        };
        problems.extend(
            face::check_logo(&logo, &bytes)
                .err()
                .map(|found| found.to_string()),
        );
        logos += &format!("({logo:?}, include_bytes!({path:?})),\n");
        shown.push(logo);
    }
    format!(
        "/// Faces by the event's id.\npub static FACES: &[(&str, &str)] = &[\n{faces}];\n\n\
         /// Logos by the file's name.\npub static LOGOS: &[(&str, &[u8])] = &[\n{logos}];\n"
    )
}

/// The faces in the folder, in order of their names.
fn files(folder: &Path, problems: &mut Vec<String>) -> Vec<PathBuf> {
    let Some(entries) = noted(fs::read_dir(folder), folder, problems) else {
        return Vec::new();
    };
    let mut files: Vec<PathBuf> = entries
        .filter_map(|entry| noted(entry, folder, problems))
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|end| end == "json"))
        .collect();
    files.sort();
    files
}

/// What was read; or nothing, and the reason among the problems.
fn noted<T>(read: std::io::Result<T>, path: &Path, problems: &mut Vec<String>) -> Option<T> {
    let reason = |error| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        problems.push(format!("{FOLDER}/{name}: {error}"));
    };
    read.map_err(reason).ok()
}

const SOLVER: &str = "crates/challenge";
const SOLVER_SCRIPT: &str = "static/solver.js";
const SOLVER_TARGET: &str = "wasm32-unknown-unknown";

/// The solver's script, with its module before it. It is built in a folder of its own: the one of this build is locked.
fn solver(out: &Path) -> String {
    println!("cargo::rerun-if-changed={SOLVER}/src");
    println!("cargo::rerun-if-changed={SOLVER}/Cargo.toml");
    println!("cargo::rerun-if-changed={SOLVER_SCRIPT}");
    let folder = out.join("solver");
    let cargo = std::env::var_os("CARGO").expect("cargo names itself");
    let mut build = Command::new(cargo);
    build
        .args(["build", "--quiet", "--release", "--locked", "--lib"])
        .args(["--package", "anteroom-challenge", "--target", SOLVER_TARGET])
        .arg("--target-dir")
        .arg(&folder);
    // What wraps or flags this build is not meant for that one.
    for name in [
        "RUSTC_WRAPPER",
        "RUSTC_WORKSPACE_WRAPPER",
        "RUSTFLAGS",
        "CARGO_ENCODED_RUSTFLAGS",
        "CARGO_TARGET_DIR",
    ] {
        build.env_remove(name);
    }
    let status = build.status().expect("cargo can be started");
    assert!(
        status.success(),
        "{SOLVER} could not be built for {SOLVER_TARGET}"
    );
    let module = folder
        .join(SOLVER_TARGET)
        .join("release/anteroom_challenge.wasm");
    let module = fs::read(module).expect("the build wrote the module");
    let script = fs::read_to_string(SOLVER_SCRIPT).expect("the script is there");
    format!(
        "const WASM=\"{}\";\n{script}",
        Base64::encode_string(&module)
    )
}

/// Names another esbuild than npm's.
const ESBUILD: &str = "ESBUILD_BIN";
const ESBUILD_OF_NPM: &str = "node_modules/.bin/esbuild";
/// Scripts are written in this language, whatever newer one their sources are in: browsers speak it since 2020.
const LANGUAGE: &str = "es2020";

const PAGE_STYLES: [&str; 3] = ["colours.css", "queue.css", "parts.css"];
/// In the order in which they are read.
const PAGE_SCRIPT: [&str; 26] = [
    "js/fragment.js",
    "js/words.js",
    "js/scene.js",
    "js/fair.js",
    "js/lines.js",
    "js/notices.js",
    "js/room.js",
    "js/eta.js",
    "js/number.js",
    "js/announce.js",
    "js/pieces.js",
    "js/poll.js",
    "js/listening.js",
    "js/push.js",
    "js/lock.js",
    "js/work.js",
    "js/widget.js",
    "js/enter.js",
    "js/cookie.js",
    "js/extras.js",
    "js/handover.js",
    "js/draw.js",
    "js/join.js",
    "js/check.js",
    "js/turn.js",
    "js/main.js",
];
const STRIP: [&str; 2] = ["js/poll.js", "embed.js"];

/// The name of each file in `OUT_DIR`, and what becomes it. A script is one strict function around plain functions, so that
/// nothing in it becomes global; the strip's takes what the edge says of the events.
fn carried() -> [(&'static str, String); 3] {
    [
        ("page.css", together(&PAGE_STYLES)),
        (
            "page.js",
            format!("(()=>{{\"use strict\";\n{}}})();", together(&PAGE_SCRIPT)),
        ),
        (
            "strip.js",
            format!(
                "strip=(FRONTS,COLOURS)=>{{\"use strict\";\n{}}}",
                together(&STRIP)
            ),
        ),
    ]
}

fn together(files: &[&str]) -> String {
    let read = |name: &&str| {
        let path = format!("static/{name}");
        println!("cargo::rerun-if-changed={path}");
        fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
    };
    files.iter().map(read).collect()
}

/// Writes `source` to `OUT_DIR` as small as it gets, under `name`, whose ending says what it is.
fn minify(out: &Path, name: &str, source: &str) -> Result<(), String> {
    let esbuild = std::env::var_os(ESBUILD).map_or(PathBuf::from(ESBUILD_OF_NPM), PathBuf::from);
    let whole = out.join(format!("whole-{name}"));
    fs::write(&whole, source).expect("OUT_DIR is writable");
    let made = Command::new(&esbuild)
        .args(["--minify", "--charset=utf8", "--legal-comments=none"])
        .args(["--log-level=warning", "--color=false"])
        .arg(format!("--target={LANGUAGE}"))
        .arg(&whole)
        .arg(format!("--outfile={}", out.join(name).display()))
        .output()
        .map_err(|error| {
            let path = esbuild.display();
            format!("{name} is made by esbuild, {path}: {error}; npm installs it: npm run setup")
        })?;
    let said = String::from_utf8_lossy(&made.stderr).replace('\n', " ");
    match made.status.success() {
        true => Ok(()),
        false => Err(format!("{name} could not be made: {said}")),
    }
}
