//! What the log says about one line, up to the last of its records that was read.

use std::collections::BTreeMap;

use anteroom_queue::draw::Hash;

/// Which line of the log, and when it was written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    /// The line's number.
    pub n: u64,
    /// Unix milliseconds.
    pub at: u64,
}

impl Step {
    /// How findings name it.
    pub(crate) fn about(self) -> String {
        format!("log line {}", self.n)
    }
}

/// The write that fixed who is in a draw.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FixedRecord {
    /// The log line's number.
    pub n: u64,
    /// Unix milliseconds.
    pub at: u64,
    pub entrants: u64,
    pub root: Hash,
    pub round: Option<u64>,
}

/// The write that decided a draw.
#[derive(Clone, Debug)]
pub(crate) struct DrawnRecord {
    /// The log line's number.
    pub n: u64,
    pub secret: Hash,
    pub beacon: Option<Vec<u8>>,
    pub seed: Hash,
}

/// One cut.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CutRecord {
    /// The log line's number.
    pub n: u64,
    pub shard: u16,
    pub first_join: u64,
    pub count: u64,
}

/// How far a shard's joins of the line are numbered.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ShardHistory {
    /// Joins with an entry number.
    pub cut: u64,
    /// Joins that the shard had reported.
    pub joined: u64,
    /// The chain over the permits of those.
    pub chain: Hash,
}

/// One line of the queue.
#[derive(Clone, Debug, Default)]
pub(crate) struct History {
    pub id: String,
    pub commitment: Option<Hash>,
    /// Entry numbers given out.
    pub entries: u64,
    pub called: u64,
    /// The sum of all grants.
    pub granted: u64,
    /// What the last grant said that the sum is after its commit, and its instant.
    pub stated: Option<(u64, u64)>,
    /// First visits that were admitted in one step.
    pub admitted: u64,
    pub shards: BTreeMap<u16, ShardHistory>,
    /// By their first entry number.
    pub cuts: BTreeMap<u64, CutRecord>,
    pub fixed: Option<FixedRecord>,
    pub drawn: Option<DrawnRecord>,
}

impl History {
    pub(crate) fn new(id: String, commitment: Option<Hash>) -> Self {
        Self {
            id,
            commitment,
            ..Self::default()
        }
    }

    /// Whether turns may be offered: there is no draw, or it is decided.
    pub(crate) fn may_call(&self) -> bool {
        self.commitment.is_none() || self.drawn.is_some()
    }

    /// The cut that gave out an entry number, and that number's join at its shard.
    pub(crate) fn cut_of(&self, entry: u64) -> Option<(CutRecord, u64)> {
        let (first, cut) = self.cuts.range(..=entry).next_back()?;
        let within = entry - first;
        (within < cut.count).then(|| (*cut, cut.first_join + within))
    }
}
