//! The order within a line.

use crate::units::{EntryNumber, Rank};

/// The rank of an entry number: first come, first served.
pub fn rank_of(entry: EntryNumber) -> Rank {
    Rank(entry.0)
}
