//! Who reports to whom. A run is a tree of at most three levels, and where each object stands in it follows from its
//! number alone: nothing about it is stored, and nothing ever moves when shards are added.
//!
//! The first [`DIRECT_SHARDS`] shards report to the coordinator. Every [`RELAY_CHILDREN`] shards behind them share a relay,
//! and relays report to the coordinator.

use serde::{Deserialize, Serialize};

use crate::limits::{DIRECT_SHARDS, MAX_CHILDREN, MAX_SHARDS, RELAY_CHILDREN};
use crate::units::{RelayIndex, ShardIndex};

/// An object that reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Node {
    /// A shard.
    Shard(ShardIndex),
    /// A relay.
    Relay(RelayIndex),
}

impl Node {
    /// The child of a coordinator that goes by `number` in reports, rows and the event log: shards by their own numbers,
    /// relays behind them.
    pub fn of_child(number: u16) -> Node {
        match number.checked_sub(DIRECT_SHARDS) {
            Some(relay) => Node::Relay(RelayIndex(relay)),
            None => Node::Shard(ShardIndex(number)),
        }
    }
}

/// The relay that a shard reports to; `None`: it reports to the coordinator.
pub fn relay_of(shard: ShardIndex) -> Option<RelayIndex> {
    let behind = shard.0.checked_sub(DIRECT_SHARDS)?;
    Some(RelayIndex(behind / RELAY_CHILDREN))
}

/// The shards that report to a relay, whether or not the run has them already.
pub fn shards_of(relay: RelayIndex) -> std::ops::Range<u16> {
    let first = DIRECT_SHARDS + relay.0 * RELAY_CHILDREN;
    first..first + RELAY_CHILDREN
}

/// The number by which a relay goes among the coordinator's children.
pub fn child_number(relay: RelayIndex) -> u16 {
    DIRECT_SHARDS + relay.0
}

/// The coordinator's child through which a shard reports.
pub fn child_of(shard: ShardIndex) -> u16 {
    relay_of(shard).map_or(shard.0, child_number)
}

const _: () =
    assert!(MAX_SHARDS == DIRECT_SHARDS + (MAX_CHILDREN - DIRECT_SHARDS) * RELAY_CHILDREN);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shard_has_one_parent_that_knows_it() {
        for shard in 0..MAX_SHARDS {
            let child = child_of(ShardIndex(shard));
            assert!(child < MAX_CHILDREN, "shard {shard}");
            match Node::of_child(child) {
                Node::Shard(itself) => assert_eq!(itself, ShardIndex(shard)),
                Node::Relay(relay) => assert!(shards_of(relay).contains(&shard), "shard {shard}"),
            }
        }
    }

    #[test]
    fn shards_of_before_there_were_relays_keep_their_parent() {
        assert_eq!(relay_of(ShardIndex(49)), None);
        assert_eq!(relay_of(ShardIndex(50)), Some(RelayIndex(0)));
        assert_eq!(relay_of(ShardIndex(130)), Some(RelayIndex(1)));
    }
}
