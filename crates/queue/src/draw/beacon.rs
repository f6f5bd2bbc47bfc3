//! The public beacon: rounds of randomness that appear at known times and that nobody, this
//! operator included, can know before.
//!
//! drand's League of Entropy publishes a signed round every few seconds
//! (<https://docs.drand.love/docs/specification/>). A draw names the round *before* it exists; its
//! randomness is SHA-256 of the round's signature. Here is only the arithmetic of rounds and times.

use super::Hash;
use crate::units::{Millis, UnixMillis};

/// From the write that fixes the number of entrants to the round that is used: longer than any
/// clock of ours is wrong, so that the round does not exist when it is named.
pub const BEACON_DELAY: Millis = Millis::from_seconds(10);

/// Which rounds a chain of beacons has, and when.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chain {
    /// The chain's name: the hash of its description.
    pub hash: Hash,
    /// When round 1 is published.
    pub genesis: UnixMillis,
    /// From one round to the next; at least 1 ms.
    pub period: Millis,
}

/// drand's `quicknet`: unchained, signatures of 48 bytes (`bls-unchained-g1-rfc9380`).
/// From <https://api.drand.sh/52db9ba70e0cc0f6eaf7803dd07447a1f5477735fd3f661792ba94600c84e971/info>.
pub const QUICKNET: Chain = Chain {
    hash: [
        0x52, 0xdb, 0x9b, 0xa7, 0x0e, 0x0c, 0xc0, 0xf6, 0xea, 0xf7, 0x80, 0x3d, 0xd0, 0x74, 0x47,
        0xa1, 0xf5, 0x47, 0x77, 0x35, 0xfd, 0x3f, 0x66, 0x17, 0x92, 0xba, 0x94, 0x60, 0x0c, 0x84,
        0xe9, 0x71,
    ],
    genesis: UnixMillis(1_692_803_367_000),
    period: Millis::from_seconds(3),
};

/// Bytes of a round's signature on [`QUICKNET`]: a compressed point of BLS12-381's G1.
pub const SIGNATURE_BYTES: usize = 48;

impl Chain {
    /// The first round whose time is at or after `at`.
    pub const fn round_after(&self, at: UnixMillis) -> u64 {
        at.since(self.genesis).0.div_ceil(self.period.0) + 1
    }

    /// When `round` is published. Rounds count from 1.
    pub const fn round_time(&self, round: u64) -> UnixMillis {
        self.genesis.plus(Millis(
            self.period.0.saturating_mul(round.saturating_sub(1)),
        ))
    }
}

/// The first round of [`QUICKNET`] whose time is at or after `at`.
pub const fn round_after(at: UnixMillis) -> u64 {
    QUICKNET.round_after(at)
}

/// When `round` of [`QUICKNET`] is published.
pub const fn round_time(round: u64) -> UnixMillis {
    QUICKNET.round_time(round)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_round_after_an_instant_is_the_first_that_is_not_before_it() {
        let genesis = QUICKNET.genesis.0;
        // (milliseconds after the genesis, round)
        let cases = [
            (0, 1),
            (1, 2),
            (2_999, 2),
            (3_000, 2),
            (3_001, 3),
            (6_000, 3),
        ];
        for (after, round) in cases {
            let at = UnixMillis(genesis + after);
            assert_eq!(round_after(at), round, "{after} ms after the genesis");
            assert!(round_time(round) >= at);
            assert!(round == 1 || round_time(round - 1) < at);
        }
        assert_eq!(round_after(UnixMillis(0)), 1);
    }

    #[test]
    fn a_round_that_is_far_away_has_a_time() {
        assert_eq!(
            round_time(1_000),
            UnixMillis(1_692_803_367_000 + 999 * 3_000)
        );
        assert_eq!(round_time(0), QUICKNET.genesis);
        assert_eq!(round_time(u64::MAX), UnixMillis(u64::MAX));
    }
}
