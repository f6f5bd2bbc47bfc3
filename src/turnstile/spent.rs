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
    kept: BTreeMap<TokenHash, Known>,
}

/// Whose a token is.
#[derive(Debug)]
struct Known {
    by: [u8; NONCE_BYTES],
    at: UnixMillis,
    /// It held; else the third party is being asked about it.
    held: bool,
}

impl Spent {
    /// Holds a token for a permit while the third party is asked about it, so that no other one is asked about it at the
    /// same time. `false`: it is another permit's.
    pub fn hold(&mut self, token: TokenHash, nonce: [u8; NONCE_BYTES], now: UnixMillis) -> bool {
        self.known(token, nonce, now).by == nonce
    }

    /// It held, for this permit.
    pub fn spend(&mut self, token: TokenHash, nonce: [u8; NONCE_BYTES], now: UnixMillis) {
        let known = self.known(token, nonce, now);
        known.held |= known.by == nonce;
    }

    /// It did not hold, or there was no answer.
    pub fn let_go(&mut self, token: TokenHash, nonce: [u8; NONCE_BYTES]) {
        let is_free = |known: &Known| known.by == nonce && !known.held;
        if self.kept.get(&token).is_some_and(is_free) {
            self.kept.remove(&token);
        }
    }

    fn known(&mut self, token: TokenHash, nonce: [u8; NONCE_BYTES], now: UnixMillis) -> &mut Known {
        if self.kept.len() >= MOST_KEPT {
            self.kept.retain(|_, known| now.since(known.at) < KEPT);
        }
        if self.kept.len() >= MOST_KEPT {
            self.kept.clear();
        }
        self.kept.entry(token).or_insert(Known {
            by: nonce,
            at: now,
            held: false,
        })
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
        assert!(spent.hold(token, mine, NOW));
        assert!(!spent.hold(token, theirs, NOW), "while it is asked about");
        spent.let_go(token, theirs);
        spent.let_go(token, mine);
        assert!(spent.hold(token, theirs, NOW), "it did not hold");
        spent.let_go(token, theirs);
        spent.spend(token, mine, NOW);
        spent.spend(token, theirs, NOW);
        spent.let_go(token, mine);
        assert!(spent.hold(token, mine, NOW), "a join that is sent again");
        assert!(!spent.hold(token, theirs, NOW));
        assert!(spent.hold(hash_of("another"), theirs, NOW));
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
