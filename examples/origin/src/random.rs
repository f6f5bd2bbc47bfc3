//! Names that nobody can guess.

use base64ct::{Base64UrlUnpadded, Encoding};

/// Characters of what [`unguessable`] gives: base64url of 16 bytes.
pub const UNGUESSABLE_CHARS: usize = 22;

/// 128 random bits as text: whoever was not told it does not find it.
pub fn unguessable() -> String {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).expect("the system has randomness");
    Base64UrlUnpadded::encode_string(&bytes)
}
