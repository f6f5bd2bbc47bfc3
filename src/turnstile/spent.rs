//! Tokens that held, and for which permit: another permit cannot use them, whatever the third party says. It is the second
//! of two locks. The first is that a token is about one permit, which makes one place; that one needs no memory, and holds
//! in every isolate.

use std::collections::BTreeMap;

use anteroom_queue::units::{Millis, UnixMillis};
use anteroom_token::NONCE_BYTES;
use sha2::{Digest, Sha256};

/// So many are kept at most, about 200 kB; with more, those that no longer hold are forgotten, then all.
const MOST_KEPT: usize = 4_096;
/// A token holds for so long by its own time: see [`super::verdict::LONGEST_AGE`]; the rest is for clocks that differ.
const KEPT: Millis = Millis(600_000);
const _: () = assert!(KEPT.0 > super::verdict::LONGEST_AGE.0 + super::verdict::MOST_AHEAD.0);

/// A token, as far as it is kept.
pub type TokenHash = [u8; 16];

/// The tokens that held.
#[derive(Debug, Default)]
pub struct Spent {
    kept: BTreeMap<TokenHash, ([u8; NONCE_BYTES], UnixMillis)>,
}

impl Spent {
    /// Whether another permit has used this token.
    pub fn is_anothers(&self, token: TokenHash, nonce: [u8; NONCE_BYTES]) -> bool {
        self.kept.get(&token).is_some_and(|(by, _)| *by != nonce)
    }

    /// It held, for this permit.
    pub fn spend(&mut self, token: TokenHash, nonce: [u8; NONCE_BYTES], now: UnixMillis) {
        if self.kept.len() >= MOST_KEPT {
            self.kept.retain(|_, (_, at)| now.since(*at) < KEPT);
        }
        if self.kept.len() >= MOST_KEPT {
            self.kept.clear();
        }
        self.kept.entry(token).or_insert((nonce, now));
    }
}

/// What is kept of a token.
pub fn hash_of(token: &str) -> TokenHash {
    let hash = Sha256::digest(token.as_bytes());
    core::array::from_fn(|at| hash[at])
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: UnixMillis = UnixMillis(1_000_000);

    // P15.
    #[test]
    fn a_token_that_held_is_one_permits_for_good() {
        let mut spent = Spent::default();
        let (mine, theirs) = ([1; 16], [2; 16]);
        let token = hash_of("a token");
        assert!(!spent.is_anothers(token, mine));
        spent.spend(token, mine, NOW);
        spent.spend(token, theirs, NOW);
        assert!(!spent.is_anothers(token, mine), "a join that is sent again");
        assert!(spent.is_anothers(token, theirs));
        assert!(!spent.is_anothers(hash_of("another"), theirs));
    }

    #[test]
    fn what_is_kept_has_an_end() {
        let mut spent = Spent::default();
        for number in 0..3 * MOST_KEPT {
            spent.spend(hash_of(&number.to_string()), [1; 16], NOW);
        }
        assert!(spent.kept.len() <= MOST_KEPT);
    }
}
