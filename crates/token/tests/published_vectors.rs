//! The published vectors are generated from the table in `cases` and pinned byte for byte.
//!
//! `WRITE_VECTORS=1 cargo test -p anteroom-token --test published_vectors` writes them anew; a difference in a token that
//! is taken breaks every visitor's cookies and every origin, and needs a new version of the claims.

#![cfg(not(target_arch = "wasm32"))]

mod case;
mod cases;
mod forge;

use case::Case;
use forge::{EVERY_KIND, ROOTS, SCOPE, encode, public_key};
use serde_json::{Value, json};

const FILES: [(&str, &str); 4] = [
    ("keys.json", include_str!("vectors/keys.json")),
    ("valid.json", include_str!("vectors/valid.json")),
    ("refusals.json", include_str!("vectors/refusals.json")),
    ("enqueue.json", include_str!("vectors/enqueue.json")),
];

fn file(name: &str) -> &'static str {
    FILES
        .iter()
        .find(|file| file.0 == name)
        .expect("one of the vector files")
        .1
}

fn keys() -> Value {
    let mut derived = Vec::new();
    for kind in EVERY_KIND {
        for (root, (id, _)) in ROOTS.iter().enumerate() {
            let info = kind.info(SCOPE.issuer, SCOPE.audience);
            let hex: String = info.iter().map(|byte| format!("{byte:02x}")).collect();
            let mut row = json!({
                "purpose": kind.purpose, "alg": kind.alg, "typ": kind.typ(), "root": id,
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
        ("enqueue.json", lines(&cases::of_enqueue_tokens())),
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

#[test]
fn the_crate_agrees_with_every_row_of_the_table() {
    for case in cases::all().into_iter().chain(cases::of_enqueue_tokens()) {
        assert_eq!(
            case.verdict(),
            case.refusal,
            "{} {}: {}",
            case.purpose,
            case.alg,
            case.name
        );
    }
}

#[test]
fn the_worked_example_of_the_documentation_is_a_vector() {
    let page = include_str!("../../../docs/tokens.md");
    for part in [
        forge::PASS.token().split('.').collect(),
        vec![forge::PASS.kid(0).as_str()],
    ]
    .concat()
    {
        assert!(page.contains(part), "{part}");
    }
    for (kind, key) in [
        (forge::PASS, forge::PASS.key(0)),
        (forge::PUBLIC_PASS, public_key(&forge::PUBLIC_PASS.key(0))),
    ] {
        assert!(
            page.contains(&encode(key)) && page.contains(&kind.kid(0)),
            "{kind:?}"
        );
        assert!(page.contains(&kind.header()) || kind.alg == "EdDSA");
    }
    assert!(page.contains(&forge::object(&forge::PASS.claims())));
}
