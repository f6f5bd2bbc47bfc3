//! The faces of the events, `static/events/<id>.json`, and their logos become tables of the Worker.
//! A face that would be refused when a deployment starts stops the build, in the same words.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anteroom_config::face::{self, FOLDER};

fn main() -> ExitCode {
    println!("cargo::rerun-if-changed={FOLDER}");
    let mut problems = Vec::new();
    let tables = tables(&mut problems);
    for problem in &problems {
        println!("cargo::error={problem}");
    }
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo names OUT_DIR"));
    fs::write(out.join("faces.rs"), tables).expect("OUT_DIR is writable");
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
