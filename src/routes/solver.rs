//! `GET /_wr/solver.js`: the worker beside the queue page that does a permit's work. One script for everybody; its address
//! names its version, so it is kept for good.

use std::sync::LazyLock;

use sha2::{Digest, Sha256};

use crate::answer::Answer;

const SCRIPT: &str = include_str!(concat!(env!("OUT_DIR"), "/solver.js"));
/// A worker's own policy holds in it: the page itself needs no leave for WebAssembly.
const POLICY: &str = "default-src 'none'; script-src 'wasm-unsafe-eval'; frame-ancestors 'none'";

static VERSION: LazyLock<String> = LazyLock::new(|| {
    let hash = Sha256::digest(SCRIPT);
    hash[..4].iter().map(|byte| format!("{byte:02x}")).collect()
});

/// The script.
pub fn answer() -> Answer {
    Answer::text(200, "text/javascript; charset=utf-8", SCRIPT.to_owned())
        .with("cache-control", "public, max-age=31536000, immutable")
        .with("content-security-policy", POLICY)
}

/// Where it is, below `prefix`.
pub fn address(prefix: &str) -> String {
    format!("{prefix}/solver.js?v={}", *VERSION)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of the script as it is sent: WebAssembly in base64, and the plain way.
    const MOST_BYTES: usize = 24 * 1024;

    #[test]
    fn the_script_brings_its_module_along_and_is_small() {
        assert!(
            SCRIPT.starts_with("const WASM=\"AGFzbQ"),
            "the module's magic bytes"
        );
        assert!(SCRIPT.len() < MOST_BYTES, "{} bytes", SCRIPT.len());
        assert!(address("/_wr").starts_with("/_wr/solver.js?v="));
    }
}
