//! The beacon's own proof: a BLS signature over the round's number.
//!
//! drand's scheme `bls-unchained-g1-rfc9380`: the public key is a point of BLS12-381's G2, the
//! signature one of G1, the message SHA-256 of the round's number as 8 bytes, most significant
//! first. Whoever can sign a round before its time must hold a threshold of the key's shares.

use anteroom_queue::draw::beacon::{Chain, QUICKNET};
use anteroom_queue::draw::{Hash, hex};
use anteroom_queue::units::{Millis, UnixMillis};
use drand_verify::{G2PubkeyRfc, Pubkey};

/// Bytes of a public key: a compressed point of G2.
pub const PUBLIC_KEY_BYTES: usize = 96;

/// quicknet's public key, from
/// <https://api.drand.sh/52db9ba70e0cc0f6eaf7803dd07447a1f5477735fd3f661792ba94600c84e971/info>.
const QUICKNET_KEY: &str = "83cf0f2896adee7eb8b5f01fcad3912212c437e0073e911fb90022d3e760183c\
                            8c4b450b6a0a6c3ac6a5776a2d1064510d1fec758c921cc22b0e17e63aaf4bcb\
                            5ed66304de9cf809bd274ca73bab4af5a6e9c76a4bc09e76eae8991ef5ece45a";

/// A chain of beacons and the key that signs its rounds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BeaconChain {
    /// Its name; none: any name is taken.
    pub hash: Option<Hash>,
    /// Which rounds it has, and when.
    pub rounds: Chain,
    /// The public key.
    pub key: [u8; PUBLIC_KEY_BYTES],
}

impl BeaconChain {
    /// drand's quicknet.
    pub fn quicknet() -> Self {
        let key = hex::bytes(QUICKNET_KEY).and_then(|bytes| bytes.try_into().ok());
        Self {
            hash: Some(QUICKNET.hash),
            rounds: QUICKNET,
            key: key.expect("96 bytes"),
        }
    }

    /// Another chain: its public key as text, when its first round was, and how often one comes.
    pub fn other(
        key: &str,
        genesis_seconds: u64,
        period_seconds: u64,
        hash: Option<Hash>,
    ) -> Result<Self, String> {
        let key = hex::bytes(key)
            .and_then(|bytes| bytes.try_into().ok())
            .ok_or_else(|| {
                format!(
                    "a beacon's key has {PUBLIC_KEY_BYTES} bytes, as lower-case hexadecimal digits"
                )
            })?;
        G2PubkeyRfc::from_fixed(key)
            .map_err(|_| "the beacon's key is no point of G2".to_owned())?;
        if period_seconds == 0 || period_seconds > MOST_SECONDS || genesis_seconds > MOST_SECONDS {
            return Err(format!(
                "a beacon's genesis and period have 1 to {MOST_SECONDS} seconds"
            ));
        }
        let rounds = Chain {
            hash: hash.unwrap_or_default(),
            genesis: UnixMillis(genesis_seconds * 1_000),
            period: Millis::from_seconds(period_seconds),
        };
        Ok(Self { hash, rounds, key })
    }

    /// Whether `signature` is the chain's for `round`.
    pub fn signed(&self, round: u64, signature: &[u8]) -> bool {
        let key = G2PubkeyRfc::from_fixed(self.key);
        key.is_ok_and(|key| key.verify(round, b"", signature).unwrap_or(false))
    }
}

/// The year 5138: no instant in milliseconds overflows.
const MOST_SECONDS: u64 = 100_000_000_000;

#[cfg(test)]
mod tests {
    use super::*;

    // From the tests and documentation of the crate drand-verify 0.6.2, which name
    // https://api3.drand.sh/<chain>/public/123, and of the Python package drand-verify 0.2.1.
    const ROUNDS: [(u64, &str); 2] = [
        (
            123,
            "b75c69d0b72a5d906e854e808ba7e2accb1542ac355ae486d591aa9d43765482e26cd02df835d3546d23c4b13e0dfc92",
        ),
        (
            657_413,
            "b713718a38ae728dfd477991af2822e08d2f305e47718cef9f7848ce4050e7be41076862b98fad56e91a6b85b89cd97b",
        ),
    ];
    /// The randomness that the second source gives for its round.
    const RANDOMNESS_657413: &str =
        "fc1873a13f3545aeade8401532ef5519920652eee6b0d2b19ca12643b87b3587";

    #[test]
    fn published_rounds_of_quicknet_are_signed_by_quicknet() {
        let chain = BeaconChain::quicknet();
        for (round, signature) in ROUNDS {
            let signature = hex::bytes(signature).expect("digits");
            assert!(chain.signed(round, &signature), "round {round}");
            assert!(!chain.signed(round + 1, &signature), "round {round}");
        }
        let signature = hex::bytes(ROUNDS[1].1).expect("digits");
        let randomness = anteroom_queue::draw::randomness(&signature);
        assert_eq!(hex::text(&randomness), RANDOMNESS_657413);
    }

    #[test]
    fn no_altered_signature_is_the_rounds() {
        let chain = BeaconChain::quicknet();
        let right = hex::bytes(ROUNDS[0].1).expect("digits");
        for at in 0..right.len() {
            let mut wrong = right.clone();
            wrong[at] ^= 1;
            assert!(!chain.signed(123, &wrong), "byte {at}");
        }
        for wrong in [
            &right[..47],
            &[],
            &[0; 48],
            &[right.as_slice(), &[0]].concat(),
        ] {
            assert!(!chain.signed(123, wrong));
        }
    }

    #[test]
    fn a_key_that_is_none_is_refused() {
        for key in ["", "00", &"00".repeat(96), &"ff".repeat(96)] {
            assert!(BeaconChain::other(key, 1, 1, None).is_err(), "{key}");
        }
        assert!(BeaconChain::other(QUICKNET_KEY, 1, 0, None).is_err());
        assert!(BeaconChain::other(QUICKNET_KEY, u64::MAX, 1, None).is_err());
        assert!(BeaconChain::other(QUICKNET_KEY, 1_692_803_367, 3, None).is_ok());
    }
}
