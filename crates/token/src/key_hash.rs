//! What a home stores instead of a member key, a code or a hand-over code: the first 16 bytes of a SHA-256.
//!
//! ```text
//! hash = first 16 bytes of SHA-256(field(label) field(…) …)
//! member      "anteroom/key/v1" "member" ""   the key
//! code        "anteroom/key/v1" "code"   line the twenty characters
//! hand-over   "anteroom/handover/v1"          the twenty characters
//! field(bytes) = their length as 4 bytes, most significant first, then the bytes
//! ```
//!
//! Stored rows hang on these bytes: whoever changes them lets every member and every code of a running sale in again.

use sha2::{Digest, Sha256};

/// Bytes of a hash of a key: 128 bits, as many as a place's nonce has.
pub const KEY_HASH_BYTES: usize = 16;
/// The first field of a hash of a member key or a code.
const KEY_LABEL: &str = "anteroom/key/v1";
/// The first field of a hash of a hand-over code.
const HANDOVER_LABEL: &str = "anteroom/handover/v1";

/// The hash of a member key.
pub fn member_key_hash(key: &str) -> [u8; KEY_HASH_BYTES] {
    hash(&[KEY_LABEL, "member", "", key])
}

pub(crate) fn code_hash(line: &str, text: &str) -> [u8; KEY_HASH_BYTES] {
    hash(&[KEY_LABEL, "code", line, text])
}

pub(crate) fn handover_hash(text: &str) -> [u8; KEY_HASH_BYTES] {
    hash(&[HANDOVER_LABEL, text])
}

/// Appends a field with its length, so that bytes which move across a border give other bytes.
pub(crate) fn push_field(bytes: &mut Vec<u8>, field: &[u8]) {
    let length = u32::try_from(field.len()).expect("a field is short");
    bytes.extend_from_slice(&length.to_be_bytes());
    bytes.extend_from_slice(field);
}

fn hash(fields: &[&str]) -> [u8; KEY_HASH_BYTES] {
    let mut bytes = Vec::new();
    for field in fields {
        push_field(&mut bytes, field.as_bytes());
    }
    let whole = Sha256::digest(&bytes);
    whole[..KEY_HASH_BYTES]
        .try_into()
        .expect("a SHA-256 has 32 bytes")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hex(bytes: &[u8]) -> String {
        bytes.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// Stored at the homes: whoever changes these lets every member and every code in again.
    #[test]
    fn hashes_are_the_documented_bytes() {
        for (hash, documented) in [
            (
                member_key_hash("member-7"),
                "0550b27ebfe9834db94c878773b71316",
            ),
            (
                code_hash("fans", "0123456789ABCDEFGHJK"),
                "aeeae453ae6058484b1ecd1ceca907e3",
            ),
            (
                handover_hash("0123456789ABCDEFGHJK"),
                "03f10505edbf5a91fb2e136c5c1afda0",
            ),
        ] {
            assert_eq!(hex(&hash), documented);
        }
    }

    #[test]
    fn a_member_a_code_and_a_handover_of_the_same_text_are_three_things() {
        let hashes = [
            member_key_hash("same"),
            code_hash("", "same"),
            code_hash("same", ""),
            handover_hash("same"),
        ];
        for (at, one) in hashes.iter().enumerate() {
            assert!(!hashes[..at].contains(one));
        }
    }
}
