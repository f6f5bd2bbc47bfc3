//! Marks: what stands for a network, or for anything else that must not be told by its name, where it is counted outside
//! of the edge's own memory. A plain hash of an address is guessed back in seconds; this one needs the root key.

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use crate::derive::derive;
use crate::key_hash::push_field;
use crate::keys::{KEY_BYTES, Keyring};

/// Bytes of a mark: two things of one event never get the same.
pub const MARK_BYTES: usize = 16;

/// The first field of the derivation of the key: no token's key is derived so.
const LABEL: &str = "anteroom/mark/v1";

/// Makes the marks of one event's run, with the root key that seals. When the root key changes, counting begins anew.
pub(crate) struct Marks {
    key: [u8; KEY_BYTES],
}

impl Marks {
    pub(crate) fn new(keyring: &Keyring, issuer: &str, event: &str, run: u32) -> Self {
        let mut info = Vec::new();
        for field in [LABEL.as_bytes(), issuer.as_bytes(), event.as_bytes()] {
            push_field(&mut info, field);
        }
        push_field(&mut info, &run.to_be_bytes());
        Marks {
            key: derive(keyring.current(), &info),
        }
    }

    pub(crate) fn of(&self, what: &[u8]) -> [u8; MARK_BYTES] {
        let mut mac =
            Hmac::<Sha256>::new_from_slice(&self.key).expect("HMAC takes keys of any length");
        mac.update(what);
        let whole = mac.finalize().into_bytes();
        *whole.first_chunk().expect("a MAC is longer than a mark")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::RootKey;

    fn marks(key: u8, issuer: &str, event: &str, run: u32) -> Marks {
        let mut bytes = [key; KEY_BYTES];
        for (at, byte) in bytes.iter_mut().enumerate() {
            *byte = byte.wrapping_add((at as u8).wrapping_mul(37));
        }
        let root = RootKey::from_bytes("k1", bytes).unwrap();
        let keyring = Keyring::from_root_keys(root, None).unwrap();
        Marks::new(&keyring, issuer, event, run)
    }

    #[test]
    fn a_mark_is_the_same_for_the_same_thing_of_the_same_run_only() {
        let mark = marks(1, "live", "tour", 1).of(b"192.0.2.7");
        assert_eq!(mark, marks(1, "live", "tour", 1).of(b"192.0.2.7"));
        for other in [
            marks(1, "live", "tour", 1).of(b"192.0.2.8"),
            marks(2, "live", "tour", 1).of(b"192.0.2.7"),
            marks(1, "test", "tour", 1).of(b"192.0.2.7"),
            marks(1, "live", "tours", 1).of(b"192.0.2.7"),
            marks(1, "live", "tour", 2).of(b"192.0.2.7"),
        ] {
            assert_ne!(mark, other);
        }
    }
}
