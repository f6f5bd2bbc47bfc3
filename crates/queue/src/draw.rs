//! The draw: a permutation of the entry numbers that nobody could choose and anyone can compute.
//!
//! Three facts are published one after the other, each before the next exists: the [`commitment`]
//! to a secret when the line is created, the number of entrants with the root of the log when
//! joining for the draw is over, and then the secret with the randomness of a public [`beacon`].
//! The [seed](SeedFields::seed) hashes all of them; the rank of an entry is
//! `compute_shuffled_index(entry, N, seed)` exactly as Ethereum's consensus specification defines
//! it (90 rounds of swap-or-not over SHA-256,
//! <https://github.com/ethereum/consensus-specs/blob/dev/specs/phase0/beacon-chain.md#compute_shuffled_index>),
//! for which public vectors and independent implementations exist. `rank(i)` is **where entry `i`
//! goes**. Its inverse, which entry has rank `j`, is the same rounds backwards and is not needed.
//!
//! One rank costs at most 90 hashes of 37 bytes, whatever `N` is, so an edge computes a visitor's rank by
//! itself and no list of ranks is ever stored.

pub mod beacon;
pub mod hex;

use sha2::{Digest, Sha256};

use crate::units::{EntryNumber, Nonce, Rank, ShardIndex};

pub use beacon::{round_after, round_time};

/// A SHA-256 value: a secret, a commitment, a seed, a root, a link of a chain.
pub type Hash = [u8; 32];

/// What is hashed first in a seed: algorithm and version of the draw.
pub const SEED_LABEL: &str = "anteroom/draw/v1";
/// How the published draw names the permutation.
pub const ALGORITHM: &str = "swap-or-not-90/sha-256";
/// What is hashed first when a line's secret is derived from entropy.
const SECRET_LABEL: &str = "anteroom/draw-secret/v1";

/// SHUFFLE_ROUND_COUNT of the specification's mainnet preset.
pub const ROUNDS: usize = 90;
/// Positions decided by one hash: a bit each of its 256.
const POSITIONS_PER_HASH: u64 = 256;
/// Most entrants: the specification writes `position / 256` as 4 bytes, so up to 2^32 × 256.
pub const MOST_ENTRANTS: u64 = POSITIONS_PER_HASH << 32;
// `pivot + entrants` of one round must not overflow.
const _: () = assert!(MOST_ENTRANTS <= u64::MAX / 2);

/// What binds the operator to a secret before anybody joined: `SHA-256(secret)`.
pub fn commitment(secret: &Hash) -> Hash {
    Sha256::digest(secret).into()
}

/// The randomness of a beacon's round, as drand defines it: `SHA-256(signature)`.
pub fn randomness(signature: &[u8]) -> Hash {
    Sha256::digest(signature).into()
}

/// The secret of a line's draw, made from the entropy of the command that created the line.
pub fn secret_of(entropy: &[u8; 16], line: u8) -> Hash {
    let mut fields = Fields::labelled(SECRET_LABEL);
    fields.add(entropy);
    fields.add(&[line]);
    fields.hash()
}

/// The next link of the chain that a shard keeps over the permits it took for a line. The first
/// link follows 32 zero bytes.
pub fn chain(previous: &Hash, nonce: &Nonce) -> Hash {
    let mut hasher = Sha256::new();
    hasher.update(previous);
    hasher.update(nonce.0);
    hasher.finalize().into()
}

/// The next link of the chain that a relay keeps over the joins it took up for a line: those of a shard, up to its `joined`
/// first, over whose permits the shard's own chain is `chain`. The first link follows 32 zero bytes.
pub fn chain_of_shard(previous: &Hash, shard: ShardIndex, joined: u64, chain: &Hash) -> Hash {
    Sha256::new()
        .chain_update(previous)
        .chain_update(shard.0.to_be_bytes())
        .chain_update(joined.to_be_bytes())
        .chain_update(chain)
        .finalize()
        .into()
}

/// SHA-256 over fields, each preceded by its length as 4 bytes, most significant first.
pub(crate) struct Fields(Sha256);

impl Fields {
    /// Begins with a label that no other purpose uses.
    pub(crate) fn labelled(label: &str) -> Self {
        let mut fields = Self(Sha256::new());
        fields.add(label.as_bytes());
        fields
    }

    pub(crate) fn add(&mut self, field: &[u8]) {
        let length = u32::try_from(field.len()).expect("a hashed field has less than 4 GiB");
        self.0.update(length.to_be_bytes());
        self.0.update(field);
    }

    pub(crate) fn hash(self) -> Hash {
        self.0.finalize().into()
    }
}

/// Everything that the seed of a draw depends on.
#[derive(Clone, Copy)]
pub struct SeedFields<'a> {
    /// The event's id.
    pub event: &'a str,
    /// The event's run.
    pub run: u32,
    /// The line's id.
    pub line: &'a str,
    /// How many are in the draw: the entry numbers below this one.
    pub entrants: u64,
    /// The hash of the log's last line before the number of entrants was fixed.
    pub root: Hash,
    /// The secret that was committed to.
    pub secret: Hash,
    /// The beacon's randomness; none in a draw without a beacon.
    pub randomness: Option<Hash>,
}

/// Without the secret, which nobody may read before it is published.
impl core::fmt::Debug for SeedFields<'_> {
    fn fmt(&self, out: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        out.debug_struct("SeedFields")
            .field("event", &self.event)
            .field("run", &self.run)
            .field("line", &self.line)
            .field("entrants", &self.entrants)
            .finish_non_exhaustive()
    }
}

impl SeedFields<'_> {
    /// The seed of the permutation.
    pub fn seed(&self) -> Hash {
        let mut fields = Fields::labelled(SEED_LABEL);
        fields.add(self.event.as_bytes());
        fields.add(&self.run.to_be_bytes());
        fields.add(self.line.as_bytes());
        fields.add(&self.entrants.to_be_bytes());
        fields.add(&self.root);
        fields.add(&self.secret);
        fields.add(self.randomness.as_ref().map_or(&[], |hash| hash.as_slice()));
        fields.hash()
    }
}

/// The ranks of a decided draw, one at a time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ranks {
    seed: Hash,
    entrants: u64,
    /// Of each round, computed once: empty when nobody is in the draw.
    pivots: Vec<u64>,
}

impl Ranks {
    /// # Panics
    /// With more than [`MOST_ENTRANTS`].
    pub fn new(seed: Hash, entrants: u64) -> Self {
        assert!(
            entrants <= MOST_ENTRANTS,
            "a draw has at most 2^40 entrants, not {entrants}"
        );
        let rounds = if entrants == 0 { 0 } else { ROUNDS };
        let pivots = (0..rounds)
            .map(|round| pivot(&seed, round, entrants))
            .collect();
        Self {
            seed,
            entrants,
            pivots,
        }
    }

    /// The seed of the permutation.
    pub fn seed(&self) -> &Hash {
        &self.seed
    }

    /// How many are in the draw.
    pub fn entrants(&self) -> u64 {
        self.entrants
    }

    /// Where `entry` goes. Who came after the draw queues behind it in order of arrival.
    pub fn rank(&self, entry: EntryNumber) -> Rank {
        if entry.0 >= self.entrants {
            return Rank(entry.0);
        }
        let mut index = entry.0;
        for (round, pivot) in self.pivots.iter().enumerate() {
            let flip = mirrored(index, *pivot, self.entrants);
            let position = index.max(flip);
            if is_swapped(&source(&self.seed, round, position), position) {
                index = flip;
            }
        }
        Rank(index)
    }
}

/// The ranks of all entries of a draw, by entry number, with one hash for 256 positions: for tools
/// and simulations. Takes 8 bytes and about 90/256 of a hash for each entrant.
///
/// # Panics
/// With more than [`MOST_ENTRANTS`], or more than fit into memory.
pub fn all_ranks(seed: Hash, entrants: u64) -> Vec<u64> {
    let pivots = Ranks::new(seed, entrants).pivots;
    let mut ranks: Vec<u64> = (0..entrants).collect();
    // A round swaps pairs of positions. Last round first: then what stands at an entry is where
    // the remaining rounds take it.
    for (round, pivot) in pivots.iter().enumerate().rev() {
        let mut bits = [0; 32];
        let mut hashed = None;
        for position in 0..entrants {
            let flip = mirrored(position, *pivot, entrants);
            if flip >= position {
                continue;
            }
            let block = position / POSITIONS_PER_HASH;
            if hashed != Some(block) {
                bits = source(&seed, round, position);
                hashed = Some(block);
            }
            if is_swapped(&bits, position) {
                ranks.swap(position as usize, flip as usize);
            }
        }
    }
    ranks
}

fn pivot(seed: &Hash, round: usize, entrants: u64) -> u64 {
    let mut hashed = [0; 33];
    hashed[..32].copy_from_slice(seed);
    hashed[32] = round as u8;
    let digest: Hash = Sha256::digest(hashed).into();
    let (first, _) = digest.split_first_chunk::<8>().expect("32 bytes");
    u64::from_le_bytes(*first) % entrants
}

/// The position that may change places with `index` in a round: `(pivot + N - index) mod N`.
fn mirrored(index: u64, pivot: u64, entrants: u64) -> u64 {
    if index <= pivot {
        pivot - index
    } else {
        pivot + entrants - index
    }
}

/// The hash whose bits decide about the 256 positions around `position` in a round.
fn source(seed: &Hash, round: usize, position: u64) -> Hash {
    let mut hashed = [0; 37];
    hashed[..32].copy_from_slice(seed);
    hashed[32] = round as u8;
    hashed[33..].copy_from_slice(&((position / POSITIONS_PER_HASH) as u32).to_le_bytes());
    Sha256::digest(hashed).into()
}

fn is_swapped(source: &Hash, position: u64) -> bool {
    let bit = position % POSITIONS_PER_HASH;
    (source[(bit / 8) as usize] >> (bit % 8)) & 1 == 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_draw_without_entrants_changes_nobodys_rank() {
        let ranks = Ranks::new([7; 32], 0);
        assert_eq!(ranks.rank(EntryNumber(0)), Rank(0));
        assert_eq!(ranks.rank(EntryNumber(u64::MAX)), Rank(u64::MAX));
        assert!(all_ranks([7; 32], 0).is_empty());
    }

    #[test]
    fn who_comes_after_the_draw_queues_behind_it_in_order() {
        let ranks = Ranks::new([7; 32], 5);
        let mut drawn: Vec<u64> = (0..5)
            .map(|entry| ranks.rank(EntryNumber(entry)).0)
            .collect();
        drawn.sort_unstable();
        assert_eq!(drawn, [0, 1, 2, 3, 4]);
        assert_eq!(ranks.rank(EntryNumber(5)), Rank(5));
        assert_eq!(ranks.rank(EntryNumber(6)), Rank(6));
    }

    #[test]
    fn the_largest_draw_has_ranks_below_its_size() {
        let ranks = Ranks::new([1; 32], MOST_ENTRANTS);
        for entry in [0, 1, MOST_ENTRANTS / 2, MOST_ENTRANTS - 1] {
            assert!(ranks.rank(EntryNumber(entry)).0 < MOST_ENTRANTS);
        }
    }

    #[test]
    fn every_field_counts_in_the_seed_and_none_runs_into_the_next() {
        let fields = SeedFields {
            event: "world-tour",
            run: 1,
            line: "general",
            entrants: 1_000,
            root: [1; 32],
            secret: [2; 32],
            randomness: Some([3; 32]),
        };
        let mut seeds = vec![
            fields.seed(),
            SeedFields {
                event: "world-tou",
                line: "rgeneral",
                ..fields
            }
            .seed(),
            SeedFields {
                event: "world-tours",
                ..fields
            }
            .seed(),
            SeedFields { run: 2, ..fields }.seed(),
            SeedFields {
                line: "fans",
                ..fields
            }
            .seed(),
            SeedFields {
                entrants: 1_001,
                ..fields
            }
            .seed(),
            SeedFields {
                root: [9; 32],
                ..fields
            }
            .seed(),
            SeedFields {
                secret: [9; 32],
                ..fields
            }
            .seed(),
            SeedFields {
                randomness: Some([9; 32]),
                ..fields
            }
            .seed(),
            SeedFields {
                randomness: None,
                ..fields
            }
            .seed(),
        ];
        let made = seeds.len();
        seeds.sort_unstable();
        seeds.dedup();
        assert_eq!(seeds.len(), made);
    }

    #[test]
    fn lines_of_one_event_have_different_secrets() {
        assert_ne!(secret_of(&[5; 16], 0), secret_of(&[5; 16], 1));
        assert_ne!(secret_of(&[5; 16], 0), secret_of(&[6; 16], 0));
    }

    #[test]
    fn a_chain_depends_on_the_order_of_the_permits() {
        let (first, second) = (Nonce([1; 16]), Nonce([2; 16]));
        let forwards = chain(&chain(&[0; 32], &first), &second);
        let backwards = chain(&chain(&[0; 32], &second), &first);
        assert_ne!(forwards, backwards);
    }
}
