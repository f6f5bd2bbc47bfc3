//! Proof of work: what a permit asks for before it may make a place.
//!
//! A permit with difficulty `d` sets [`PUZZLES`] puzzles. Puzzle `i` is solved by a 32-bit counter such that
//! SHA-256([`PREFIX`] ‖ seed ‖ `i` ‖ counter) begins with at least `d` zero bits; the seed is the permit's signature, so
//! that a solution belongs to one permit and nothing has to be stored to know it. Many small puzzles instead of one
//! large: the work of all of them together varies little, at 32 puzzles the slowest of a hundred takes about 1.5 times
//! the mean.
//!
//! [`Solution::holds`] is what the edge asks, before anybody else is asked anything; [`search`] is what the browser does.
//! It is no barrier against whoever pays for computers: it gives joins a price that grows with their number.

mod solution;
mod solver;

pub use solution::{Malformed, Solution};

/// Puzzles of one permit.
pub const PUZZLES: usize = 32;

/// What every hash begins with: no other use of SHA-256 here has the same input.
pub const PREFIX: &[u8; 15] = b"anteroom/pow/v1";

/// What the puzzles of a permit are made of: its signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seed(pub [u8; 32]);

/// Zero bits that each hash begins with: each more doubles the work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Difficulty(u8);

impl Difficulty {
    /// For everybody: 2^16 hashes for each puzzle on average, about half a second of a desktop's core for all.
    pub const BASE: Difficulty = Difficulty(16);
    /// So much more than [`BASE`](Self::BASE) is asked for at most: eight times the work.
    pub const MOST_MORE: u8 = 3;
    /// The least that can be asked for; only tests want so little.
    pub const LEAST_BITS: u8 = 1;
    /// The most that can be asked for: more is unbearable on a phone.
    pub const MOST_BITS: u8 = 24;

    /// `bits` zero bits; `None` outside of [`LEAST_BITS`](Self::LEAST_BITS) to [`MOST_BITS`](Self::MOST_BITS).
    pub const fn new(bits: u8) -> Option<Self> {
        match bits {
            Self::LEAST_BITS..=Self::MOST_BITS => Some(Difficulty(bits)),
            _ => None,
        }
    }

    /// Its zero bits.
    pub const fn bits(self) -> u8 {
        self.0
    }

    /// With `more` zero bits, at most [`MOST_MORE`](Self::MOST_MORE).
    pub const fn raised(self, more: u8) -> Self {
        let more = if more > Self::MOST_MORE {
            Self::MOST_MORE
        } else {
            more
        };
        let bits = self.0 + more;
        Difficulty(if bits > Self::MOST_BITS {
            Self::MOST_BITS
        } else {
            bits
        })
    }
}

/// Looks for the solution of puzzle `index` among the `tries` counters from `from` on.
pub fn search(
    seed: &Seed,
    index: u8,
    difficulty: Difficulty,
    from: u32,
    tries: u32,
) -> Option<u32> {
    let mut block = Block::of(seed, index);
    (from..from.saturating_add(tries))
        .find(|counter| block.zero_bits(*counter) >= difficulty.bits())
}

/// First words of the state of SHA-256 (FIPS 180-4, section 5.3.3).
const INITIAL: [u32; 8] = [
    0x6a09_e667,
    0xbb67_ae85,
    0x3c6e_f372,
    0xa54f_f53a,
    0x510e_527f,
    0x9b05_688c,
    0x1f83_d9ab,
    0x5be0_cd19,
];

const SEED_AT: usize = PREFIX.len();
const INDEX_AT: usize = SEED_AT + 32;
const COUNTER_AT: usize = INDEX_AT + 1;
const INPUT_BYTES: usize = COUNTER_AT + 4;
const LENGTH_AT: usize = 56;

// One block holds input, the end mark and the length, so a hash is one compression.
const _: () = assert!(INPUT_BYTES < LENGTH_AT);

/// The one block that is hashed for a puzzle, padded as SHA-256 pads it; only its counter changes.
struct Block([u8; 64]);

impl Block {
    fn of(seed: &Seed, index: u8) -> Self {
        let mut block = [0; 64];
        block[..SEED_AT].copy_from_slice(PREFIX);
        block[SEED_AT..INDEX_AT].copy_from_slice(&seed.0);
        block[INDEX_AT] = index;
        block[INPUT_BYTES] = 0x80;
        block[LENGTH_AT..].copy_from_slice(&(8 * INPUT_BYTES as u64).to_be_bytes());
        Block(block)
    }

    /// With how many zero bits the hash begins; more than 32 count as 32.
    fn zero_bits(&mut self, counter: u32) -> u8 {
        self.0[COUNTER_AT..INPUT_BYTES].copy_from_slice(&counter.to_be_bytes());
        let mut state = INITIAL;
        sha2::block_api::compress256(&mut state, &[self.0]);
        state[0].leading_zeros() as u8
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use sha2::{Digest, Sha256};

    fn by_definition(seed: &Seed, index: u8, counter: u32) -> u32 {
        let hash = Sha256::new()
            .chain_update(PREFIX)
            .chain_update(seed.0)
            .chain_update([index])
            .chain_update(counter.to_be_bytes())
            .finalize();
        let first = u32::from_be_bytes([hash[0], hash[1], hash[2], hash[3]]);
        first.leading_zeros()
    }

    proptest! {
        #[test]
        fn a_hash_is_that_of_the_definition(seed: [u8; 32], index: u8, counter: u32) {
            let seed = Seed(seed);
            let bits = Block::of(&seed, index).zero_bits(counter);
            prop_assert_eq!(u32::from(bits), by_definition(&seed, index, counter));
        }

        #[test]
        fn the_first_counter_that_solves_a_puzzle_is_found(seed: [u8; 32], index in 0..PUZZLES as u8) {
            let seed = Seed(seed);
            let difficulty = Difficulty::new(5).unwrap();
            let found = search(&seed, index, difficulty, 0, u32::MAX).unwrap();
            prop_assert!(by_definition(&seed, index, found) >= 5);
            prop_assert!((0..found).all(|counter| by_definition(&seed, index, counter) < 5));
            prop_assert_eq!(search(&seed, index, difficulty, 0, found), None);
        }
    }

    #[test]
    fn difficulty_has_bounds_and_rises_by_three_bits_at_most() {
        let bits = |bits| Difficulty::new(bits).map(Difficulty::bits);
        assert_eq!(
            [bits(0), bits(1), bits(24), bits(25)],
            [None, Some(1), Some(24), None]
        );
        for (more, expected) in [(0, 16), (1, 17), (3, 19), (4, 19), (255, 19)] {
            assert_eq!(Difficulty::BASE.raised(more).bits(), expected, "{more}");
        }
        assert_eq!(Difficulty::new(24).unwrap().raised(3).bits(), 24);
    }

    #[test]
    fn work_varies_little_the_slowest_of_a_hundred_takes_about_half_more_than_the_mean() {
        let difficulty = Difficulty::new(6).unwrap();
        let mut tries: Vec<u64> = (0..400_u16)
            .map(|permit| {
                let mut seed = [0; 32];
                seed[..2].copy_from_slice(&permit.to_be_bytes());
                let found = |index| search(&Seed(seed), index, difficulty, 0, u32::MAX).unwrap();
                (0..PUZZLES as u8)
                    .map(|index| u64::from(found(index)) + 1)
                    .sum()
            })
            .collect();
        tries.sort_unstable();
        let mean = tries.iter().sum::<u64>() / tries.len() as u64;
        assert!((1_850..2_250).contains(&mean), "32 × 2^6 = 2,048: {mean}");
        let p99 = tries[396];
        assert!(p99 * 10 < mean * 17, "{p99} of {mean}");
    }
}
