//! One key for one purpose: HKDF-SHA256 from a root key.
//!
//! `key = HKDF-SHA256(input = root key, salt = none, info, 32 bytes)`, where `info` is five fields, each preceded by its
//! length as two bytes, most significant first: the label [`DERIVATION_LABEL`], the token's `typ`, its `alg`, the issuer,
//! and the audience (the event's host for passes, the event's id for enqueue tokens, empty for everything else). The lengths keep the borders: no two different lists of fields
//! give the same `info`.
//!
//! Because the pass key hangs on the audience, what one origin knows forges nothing for another, and the enqueue key of
//! one event invites to no other; because every key hangs on `typ`, a token of one purpose fails the MAC of every other,
//! even if a header were mistaken.

use base64ct::{Base64UrlUnpadded, Encoding};
use hkdf::Hkdf;
use sha2::{Digest, Sha256};

use crate::keys::{KEY_BYTES, RootKey};

/// The first field of every derivation. Changing it makes every token and every origin's key worthless.
pub const DERIVATION_LABEL: &str = "anteroom/token/v1";
/// Characters of the fingerprint in the id of a key that others hold: 48 bits, enough to tell the few keys of one deployment apart.
const FINGERPRINT_CHARS: usize = 8;

/// What a token is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// A signed leave to join.
    Permit,
    /// The proof of a place.
    Ticket,
    /// What the origin checks.
    Pass,
    /// What an operator steers with.
    Operator,
    /// An organizer's signed invitation.
    Enqueue,
    /// A look at the shop before the sale.
    Staff,
    /// An access code; no JWT, but its MAC has a key like one.
    Code,
    /// What a visitor with a place is asked to do.
    Check,
}

impl Purpose {
    /// The `typ` in the header.
    pub fn typ(self) -> &'static str {
        match self {
            Purpose::Permit => "wr-permit+jwt",
            Purpose::Ticket => "wr-ticket+jwt",
            Purpose::Pass => "wr-pass+jwt",
            Purpose::Operator => "wr-operator+jwt",
            Purpose::Enqueue => "wr-enqueue+jwt",
            Purpose::Staff => "wr-staff+jwt",
            Purpose::Code => "wr-code",
            Purpose::Check => "wr-check+jwt",
        }
    }

    /// Whether somebody outside the deployment is given the key, so that its id has to tell it from others.
    fn is_handed_out(self) -> bool {
        matches!(self, Purpose::Pass | Purpose::Enqueue)
    }
}

/// How passes are signed. Everything else is always HS256: only the edge reads it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PassAlgorithm {
    /// HMAC with SHA-256; the origin holds the key of its audience.
    #[default]
    Hs256,
    /// Ed25519; the origin holds a public key and can sign nothing.
    Ed25519,
}

impl PassAlgorithm {
    /// The `alg` in the header.
    pub fn alg(self) -> &'static str {
        match self {
            PassAlgorithm::Hs256 => "HS256",
            PassAlgorithm::Ed25519 => "EdDSA",
        }
    }
}

/// The `info` of a derivation. `audience` is the host for passes, the event's id for enqueue tokens, else empty.
pub(crate) fn derivation_info(
    purpose: Purpose,
    algorithm: PassAlgorithm,
    issuer: &str,
    audience: &str,
) -> Vec<u8> {
    let mut info = Vec::with_capacity(128);
    for field in [
        DERIVATION_LABEL,
        purpose.typ(),
        algorithm.alg(),
        issuer,
        audience,
    ] {
        let length = u16::try_from(field.len()).expect("a field of a derivation is short");
        info.extend_from_slice(&length.to_be_bytes());
        info.extend_from_slice(field.as_bytes());
    }
    info
}

pub(crate) fn derive(root: &RootKey, info: &[u8]) -> [u8; KEY_BYTES] {
    let mut key = [0; KEY_BYTES];
    Hkdf::<Sha256>::new(None, root.bytes())
        .expand(info, &mut key)
        .expect("one SHA-256 output is a valid length");
    key
}

/// The `kid` of a key: the root key's id. With keys that others are given it is followed by a dot and a fingerprint of
/// what the key is for, so that the keys of several audiences can stand in one key set.
pub(crate) fn key_id(purpose: Purpose, root: &RootKey, info: &[u8]) -> String {
    if !purpose.is_handed_out() {
        return root.id().to_owned();
    }
    let fingerprint = Base64UrlUnpadded::encode_string(&Sha256::digest(info));
    format!("{}.{}", root.id(), &fingerprint[..FINGERPRINT_CHARS])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_that_move_across_a_field_border_give_another_derivation() {
        let of = |issuer, audience| {
            derivation_info(Purpose::Pass, PassAlgorithm::Hs256, issuer, audience)
        };
        assert_ne!(of("ab", "c"), of("a", "bc"));
        assert_ne!(of("abc", ""), of("", "abc"));
    }

    #[test]
    fn every_purpose_algorithm_issuer_and_audience_has_its_own_key() {
        let root = RootKey::from_bytes("k1", crate::SAMPLE_KEY_CURRENT).unwrap();
        let purposes = [
            Purpose::Permit,
            Purpose::Ticket,
            Purpose::Pass,
            Purpose::Operator,
            Purpose::Enqueue,
            Purpose::Staff,
            Purpose::Code,
            Purpose::Check,
        ];
        let mut keys = Vec::new();
        for purpose in purposes {
            for algorithm in [PassAlgorithm::Hs256, PassAlgorithm::Ed25519] {
                for (issuer, audience) in [
                    ("live", "a.example"),
                    ("live", "b.example"),
                    ("staging", "a.example"),
                ] {
                    keys.push(derive(
                        &root,
                        &derivation_info(purpose, algorithm, issuer, audience),
                    ));
                }
            }
        }
        let count = keys.len();
        keys.sort_unstable();
        keys.dedup();
        assert_eq!(keys.len(), count);
    }
}
