//! In which region of the world a shard is: a fixed function of its number and of how many regions the event names, so that
//! the coordinator, the relays and every edge agree on it without a word.
//!
//! Shards that report to the coordinator itself take turns. Behind them the relays do, so that all shards of a relay are in
//! one region and a region that is lost takes whole relays along, never a part of each.

use crate::limits::DIRECT_SHARDS;
use crate::tree::child_of;
use crate::units::ShardIndex;

/// The region of a shard, by its position among so many regions; zero regions count as one.
pub fn region_of(shard: ShardIndex, regions: usize) -> usize {
    region_of_child(child_of(shard), regions)
}

/// The region of a coordinator's child: of a shard its own, of a relay that of its shards.
pub fn region_of_child(number: u16, regions: usize) -> usize {
    usize::from(number.checked_sub(DIRECT_SHARDS).unwrap_or(number)) % regions.max(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::MAX_SHARDS;
    use crate::tree::{child_number, relay_of};

    #[test]
    fn the_shards_of_a_relay_share_its_region_and_the_others_take_turns() {
        for (shard, regions, region) in [
            (0, 0, 0),
            (7, 1, 0),
            (0, 3, 0),
            (1, 3, 1),
            (49, 3, 1),
            (50, 3, 0),
            (129, 3, 0),
            (130, 3, 1),
            (210, 3, 2),
            (290, 3, 0),
        ] {
            assert_eq!(
                region_of(ShardIndex(shard), regions),
                region,
                "shard {shard} of {regions} regions"
            );
        }
    }

    #[test]
    fn a_child_is_in_the_region_of_the_shards_that_report_through_it() {
        for shard in 0..MAX_SHARDS {
            let child = match relay_of(ShardIndex(shard)) {
                None => shard,
                Some(relay) => child_number(relay),
            };
            for regions in 0..=9 {
                assert_eq!(
                    region_of_child(child, regions),
                    region_of(ShardIndex(shard), regions)
                );
            }
        }
    }
}
