//! What an isolate keeps between requests: per event the board and its counts. Plain data; borrowed only between two
//! waits, never across one.

use std::cell::RefCell;
use std::collections::BTreeMap;

use anteroom_config::Event;
use anteroom_durable_objects::wire::EdgeCounts;

use crate::boards::BoardCache;
use crate::stock::Heard;

/// What is kept of one event.
#[derive(Default)]
pub struct Kept {
    /// The board.
    pub board: BoardCache,
    /// What was counted since a shard was last told.
    pub counts: EdgeCounts,
    /// What the origin said is left to sell.
    pub stock: Heard,
}

thread_local! {
    static KEPT: RefCell<BTreeMap<&'static str, Kept>> = const { RefCell::new(BTreeMap::new()) };
}

/// Works on what is kept of `event`.
pub fn with<T>(event: &'static Event, work: impl FnOnce(&mut Kept) -> T) -> T {
    KEPT.with_borrow_mut(|kept| work(kept.entry(&event.id).or_default()))
}

/// Counts something of `event`.
pub fn count(event: &'static Event, add: impl FnOnce(&mut EdgeCounts)) {
    with(event, |kept| add(&mut kept.counts));
}
