//! Deadlines are data: at which instant which place has to be looked at again.
//!
//! An entry is a reminder, not a verdict. When it is due, the owner works out from the place
//! what is due and sets the next reminder; so a deadline that moves later needs no removal.

use std::collections::BTreeSet;

use crate::units::{PlaceIndex, UnixMillis};

/// The reminders of a shard, earliest first.
#[derive(Clone, Debug, Default)]
pub(crate) struct Deadlines {
    due: BTreeSet<(UnixMillis, PlaceIndex)>,
}

impl Deadlines {
    /// Look at `place` at `at`.
    pub(crate) fn remind(&mut self, at: UnixMillis, place: PlaceIndex) {
        self.due.insert((at, place));
    }

    /// The next place whose reminder is due by `now`, taken out.
    pub(crate) fn pop_due(&mut self, now: UnixMillis) -> Option<PlaceIndex> {
        let first = *self.due.first()?;
        (first.0 <= now).then(|| {
            self.due.remove(&first);
            first.1
        })
    }

    /// The earliest reminder.
    pub(crate) fn next(&self) -> Option<UnixMillis> {
        self.due.first().map(|(at, _)| *at)
    }
}
