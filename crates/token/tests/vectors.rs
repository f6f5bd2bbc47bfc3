//! The published vectors in `tests/vectors/`: generated from the table in `cases`, pinned byte for byte, and checked
//! against the crate, natively and as WebAssembly. Who verifies tokens with other software reads the same files.
//!
//! `WRITE_VECTORS=1 cargo test -p anteroom-token --test vectors` writes them anew; a difference in a token that is
//! taken breaks every visitor's cookies and every origin, and needs a new version of the claims.

mod cases;
mod forge;

use cases::Case;
use forge::{KINDS, ROOTS, SCOPE, encode, public_key};
use serde_json::{Value, json};

const FILES: [(&str, &str); 3] = [
    ("keys.json", include_str!("vectors/keys.json")),
    ("valid.json", include_str!("vectors/valid.json")),
    ("refusals.json", include_str!("vectors/refusals.json")),
];

fn file(name: &str) -> &'static str {
    FILES
        .iter()
        .find(|file| file.0 == name)
        .expect("one of the vector files")
        .1
}

fn read(name: &str) -> Vec<Case> {
    serde_json::from_str(file(name)).expect("cases as JSON")
}

fn keys() -> Value {
    let mut derived = Vec::new();
    for kind in KINDS {
        for root in 0..ROOTS.len() {
            let info = kind.info(SCOPE.issuer, SCOPE.audience);
            let hex: String = info.iter().map(|byte| format!("{byte:02x}")).collect();
            let mut row = json!({
                "purpose": kind.purpose, "alg": kind.alg, "typ": kind.typ(), "root": ROOTS[root].0,
                "kid": kind.kid(root), "info_hex": hex, "key": encode(kind.key(root)),
            });
            if kind.alg == "EdDSA" {
                row["public_key"] = encode(public_key(&kind.key(root))).into();
            }
            derived.push(row);
        }
    }
    json!({
        "issuer": SCOPE.issuer, "event": SCOPE.event, "run": SCOPE.run, "audience": SCOPE.audience,
        "root_keys": ROOTS.map(|(id, bytes)| json!({"id": id, "key": encode(bytes)})),
        "derived_keys": derived,
    })
}

fn lines<T: serde::Serialize>(rows: &[T]) -> String {
    let rows: Vec<String> = rows
        .iter()
        .map(|row| serde_json::to_string(row).expect("plain data"))
        .collect();
    format!("[\n{}\n]\n", rows.join(",\n"))
}

#[cfg(not(target_arch = "wasm32"))]
#[test]
fn the_published_files_are_what_the_table_generates() {
    let (valid, refused): (Vec<Case>, Vec<Case>) = cases::all()
        .into_iter()
        .partition(|case| case.refusal.is_none());
    let generated = [
        (
            "keys.json",
            format!(
                "{}\n",
                serde_json::to_string_pretty(&keys()).expect("plain data")
            ),
        ),
        ("valid.json", lines(&valid)),
        ("refusals.json", lines(&refused)),
    ];
    for (name, text) in generated {
        if std::env::var_os("WRITE_VECTORS").is_some() {
            let path = format!("{}/tests/vectors/{name}", env!("CARGO_MANIFEST_DIR"));
            std::fs::write(path, text).expect("the vectors can be written");
        } else {
            assert!(
                file(name) == text,
                "{name} differs from what the table generates"
            );
        }
    }
}

#[cfg_attr(not(target_arch = "wasm32"), test)]
#[cfg_attr(target_arch = "wasm32", wasm_bindgen_test::wasm_bindgen_test)]
fn every_valid_token_is_taken() {
    let cases = read("valid.json");
    assert!(cases.len() >= 40, "only {} valid tokens", cases.len());
    for case in cases {
        assert_eq!(case.refusal, None, "{}", case.name);
        assert_eq!(
            case.verdict(),
            None,
            "{} {} {:?}: {}",
            case.purpose,
            case.alg,
            case.at,
            case.name
        );
    }
}

#[cfg_attr(not(target_arch = "wasm32"), test)]
#[cfg_attr(target_arch = "wasm32", wasm_bindgen_test::wasm_bindgen_test)]
fn every_refusal_is_for_the_reason_it_should_be() {
    let cases = read("refusals.json");
    assert!(cases.len() >= 1000, "only {} refusals", cases.len());
    for case in cases {
        assert!(case.refusal.is_some(), "{}", case.name);
        assert_eq!(
            case.verdict(),
            case.refusal,
            "{} {} {:?}: {}",
            case.purpose,
            case.alg,
            case.at,
            case.name
        );
    }
}

#[cfg_attr(not(target_arch = "wasm32"), test)]
#[cfg_attr(target_arch = "wasm32", wasm_bindgen_test::wasm_bindgen_test)]
fn the_names_of_cases_tell_them_apart() {
    let mut names: Vec<String> = read("valid.json")
        .into_iter()
        .chain(read("refusals.json"))
        .map(|case| format!("{} {} {:?} {}", case.purpose, case.alg, case.at, case.name))
        .collect();
    names.sort_unstable();
    for pair in names.windows(2) {
        assert_ne!(pair[0], pair[1]);
    }
}
