//! Whom an object asks for a report, and when again: everybody at most once in [`POKE_AFTER`], until the report has come.

use std::collections::BTreeMap;

use anteroom_queue::units::{Millis, UnixMillis};

/// One child is asked for a report at most this often: it needs a few tenths to make one.
pub const POKE_AFTER: Millis = Millis(1_000);

/// Who was asked when.
#[derive(Debug)]
pub struct Pokes<K>(BTreeMap<K, UnixMillis>);

impl<K> Default for Pokes<K> {
    fn default() -> Self {
        Self(BTreeMap::new())
    }
}

impl<K: Ord + Copy> Pokes<K> {
    /// Of those who are wanted, whom to ask now.
    pub fn take(&mut self, mut wanted: Vec<K>, now: UnixMillis) -> Vec<K> {
        self.0.retain(|child, _| wanted.contains(child));
        wanted.retain(|child| self.at(*child, now) <= now);
        self.0.extend(wanted.iter().map(|child| (*child, now)));
        wanted
    }

    /// When the next of those who are wanted may be asked.
    pub fn next(&self, wanted: Vec<K>, now: UnixMillis) -> Option<UnixMillis> {
        let at = wanted.into_iter().map(|child| self.at(child, now));
        at.min()
    }

    /// When one may be asked; a last time in the future was before the clock was set back.
    fn at(&self, child: K, now: UnixMillis) -> UnixMillis {
        let last = self.0.get(&child).filter(|at| **at <= now);
        last.map_or(UnixMillis(0), |at| at.plus(POKE_AFTER))
    }
}
