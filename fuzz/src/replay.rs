//! Every kept input holds still.

use std::fs;
use std::path::Path;

/// A corpus holds examples of what the parsers meet, not everything that a long run found.
const MAX_CORPORA_BYTES: u64 = 300_000;

fn inputs(target: &str) -> Vec<(String, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("corpus")
        .join(target);
    let files = fs::read_dir(&folder).expect("each target has a corpus");
    let mut inputs: Vec<(String, Vec<u8>)> = files
        .map(|file| {
            let path = file.expect("a folder can be read").path();
            let name = path.display().to_string();
            (name, fs::read(&path).expect("a file can be read"))
        })
        .collect();
    inputs.sort();
    inputs
}

fn replay(target: &str, check: fn(&[u8])) {
    let inputs = inputs(target);
    assert!(!inputs.is_empty(), "{target} has inputs");
    for (name, bytes) in inputs {
        // What fails says which file it was.
        let held = std::panic::catch_unwind(|| check(&bytes));
        assert!(held.is_ok(), "{name}");
    }
}

macro_rules! replays {
    ($($target:ident)*) => {
        $(
            #[test]
            fn $target() {
                replay(stringify!($target), crate::$target::check);
            }
        )*

        #[test]
        fn every_corpus_is_replayed_and_all_are_small() {
            let replayed = [$(stringify!($target)),*];
            let corpora = fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus"));
            let mut bytes = 0;
            for corpus in corpora.expect("corpora can be read") {
                let name = corpus.expect("a folder can be read").file_name();
                let name = name.to_str().expect("a target's name");
                assert!(replayed.contains(&name), "{name} is no target");
                bytes += inputs(name).iter().map(|(_, bytes)| bytes.len() as u64).sum::<u64>();
            }
            assert!(bytes <= MAX_CORPORA_BYTES, "{bytes} bytes of {MAX_CORPORA_BYTES}");
        }
    };
}

replays! {
    configuration
    cookie_header
    join_body
    path_rules
    solution
    stored_rows
    sync_message
    token
}
