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

/// Makes the marks of one event's run. Of two live root keys the one whose id comes first makes them, whichever of the two
/// seals: while keys are exchanged, a network stays the same network. When that key is gone, counting begins anew.
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
        let first = keyring.all().min_by_key(|root| root.id());
        Marks {
            key: derive(first.unwrap_or(keyring.current()), &info),
        }
    }

    /// The mark of several things together: where one ends and the next begins makes a difference.
    pub(crate) fn of_all(&self, parts: &[&[u8]]) -> [u8; MARK_BYTES] {
        let mut all = Vec::new();
        for part in parts {
            push_field(&mut all, part);
        }
        self.of(&all)
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
    use crate::{RootKey, SAMPLE_KEY_CURRENT, SAMPLE_KEY_PREVIOUS};

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
    fn exchanging_the_root_keys_changes_no_mark() {
        let root = |id: &str, key| RootKey::from_bytes(id, key).unwrap();
        let one = || root("k1", SAMPLE_KEY_CURRENT);
        let two = || root("k2", SAMPLE_KEY_PREVIOUS);
        let marks = [
            (one(), Some(two())),
            (two(), Some(one())),
            (one(), None),
            (two(), None),
        ]
        .map(|(current, previous)| {
            let keyring = Keyring::from_root_keys(current, previous).unwrap();
            Marks::new(&keyring, "live", "demo", 1).of(b"network")
        });
        assert!(marks[0] == marks[1] && marks[0] == marks[2] && marks[0] != marks[3]);
    }

    #[test]
    fn bytes_that_move_across_a_border_make_another_mark() {
        let marks = marks(1, "live", "tour", 1);
        assert_ne!(marks.of_all(&[b"ab", b"c"]), marks.of_all(&[b"a", b"bc"]));
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
