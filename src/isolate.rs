//! What an isolate keeps between requests: per event the board and its counts. Plain data; borrowed only between two
//! waits, never across one.

use std::cell::RefCell;
use std::collections::BTreeMap;

use anteroom_config::Event;
use anteroom_durable_objects::wire::EdgeCounts;
use anteroom_queue::units::UnixMillis;

use crate::boards::{BoardCache, USABLE};
use crate::crawlers::Budget;
use crate::origin_evidence::Evidence;
use crate::renewed::Renewed;
use crate::stock::Heard;
use crate::turnstile;

/// What is kept of one event.
#[derive(Default)]
pub struct Kept {
    /// The board.
    pub board: BoardCache,
    /// What was counted since a shard was last told.
    pub counts: EdgeCounts,
    /// When that was.
    pub handed_in: UnixMillis,
    /// What the origin said is left to sell.
    pub stock: Heard,
    /// The budget of crawlers.
    pub crawlers: Budget,
    /// How the origin answers.
    pub origin: Evidence,
    /// The passes that homes have renewed of late.
    pub renewed: Renewed,
    /// What is known of the third party's widget.
    pub turnstile: turnstile::Kept,
}

impl Kept {
    /// Of an event of which nothing is known yet.
    fn of(event: &Event) -> Self {
        let regions = event.regions.shards.len() as u16;
        Self {
            board: BoardCache::of_shards(event.settings.planned_shards().max(regions)),
            ..Self::default()
        }
    }

    /// Whether something was counted and no shard has been told for this long: other answers of shards may have kept the
    /// board young, so that nobody had to read it.
    pub fn owes_counts(&self, now: UnixMillis) -> bool {
        let counted = self.counts != EdgeCounts::default();
        counted && now.since(self.handed_in) >= USABLE && !self.board.is_reading(now)
    }
}

thread_local! {
    static KEPT: RefCell<BTreeMap<&'static str, Kept>> = const { RefCell::new(BTreeMap::new()) };
}

/// Works on what is kept of `event`.
pub fn with<T>(event: &'static Event, work: impl FnOnce(&mut Kept) -> T) -> T {
    KEPT.with_borrow_mut(|kept| work(kept.entry(&event.id).or_insert_with(|| Kept::of(event))))
}

/// Counts something of `event`.
pub fn count(event: &'static Event, add: impl FnOnce(&mut EdgeCounts)) {
    with(event, |kept| add(&mut kept.counts));
}

#[cfg(test)]
mod tests {
    use super::*;
    use anteroom_queue::units::Millis;

    #[test]
    fn what_was_counted_is_told_within_two_seconds_however_young_the_board_is() {
        let now = UnixMillis(1_000_000);
        let mut kept = Kept {
            handed_in: now,
            ..Kept::default()
        };
        assert!(
            !kept.owes_counts(now.plus(Millis(60_000))),
            "nothing was counted"
        );
        kept.counts.requests = 1;
        assert!(!kept.owes_counts(now.plus(Millis(1_999))));
        assert!(kept.owes_counts(now.plus(Millis(2_000))));
        kept.board.begins(now.plus(Millis(2_000)));
        assert!(
            !kept.owes_counts(now.plus(Millis(2_100))),
            "it is on its way"
        );
    }
}
