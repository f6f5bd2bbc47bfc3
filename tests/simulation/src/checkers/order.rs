//! **order**: acknowledged with its number before another join began means a smaller number;
//! nobody is called before someone with a smaller rank.

use std::collections::BTreeMap;

use anteroom_queue::shard::command::VisitorState;

use super::{Checker, Findings, Promise, Terms};
use crate::observation::{Observation, VisitorId};

/// Board versions for which the highest called number is remembered.
const VERSIONS_KEPT: usize = 4_096;

/// Remembers, for each join, the highest number acknowledged before it began.
pub struct Order {
    /// One more than that number.
    floor: Vec<u32>,
    /// One more than the highest number acknowledged so far.
    acknowledged: u32,
    /// By board version: one more than the highest number shown as called up to that version.
    called: BTreeMap<u64, u64>,
    /// One more than the highest number called in any count of the coordinator.
    watermark: u64,
    entry_of: Vec<u32>,
}

impl Order {
    /// A checker that has seen nothing.
    pub fn new(terms: Terms) -> Self {
        Self {
            floor: vec![0; terms.visitors as usize],
            acknowledged: 0,
            called: BTreeMap::new(),
            watermark: 0,
            entry_of: vec![u32::MAX; terms.visitors as usize],
        }
    }

    fn numbered(&mut self, at_ms: u64, visitor: VisitorId, entry: u64, findings: &mut Findings) {
        self.entry_of[visitor as usize] = entry as u32;
        let floor = self.floor[visitor as usize];
        if entry < u64::from(floor) {
            findings.broken(at_ms, Promise::Order, || {
                let before = floor - 1;
                format!("visitor {visitor} has number {entry}, but {before} was out before its join began")
            });
        }
        self.acknowledged = self.acknowledged.max(entry as u32 + 1);
    }

    fn shown(
        &mut self,
        at_ms: u64,
        version: u64,
        entry: u64,
        called: u64,
        findings: &mut Findings,
    ) {
        if entry < called {
            let before = self
                .called
                .range(..=version)
                .next_back()
                .map_or(0, |(_, high)| *high);
            self.called.insert(version, before.max(entry + 1));
            while self.called.len() > VERSIONS_KEPT {
                self.called.pop_first();
            }
        } else if let Some((_, high)) = self.called.range(..=version).next_back()
            && entry + 1 < *high
        {
            let high = *high - 1;
            findings.broken(at_ms, Promise::Order, || {
                format!("{entry} still waits on board {version}, while {high} was called before")
            });
        }
    }

    fn entered(&self, at_ms: u64, visitor: VisitorId, findings: &mut Findings) {
        let entry = self.entry_of[visitor as usize];
        if entry != u32::MAX && u64::from(entry) >= self.watermark {
            let watermark = self.watermark;
            findings.broken(at_ms, Promise::Order, || {
                format!("{entry} was let in, but only {watermark} were called")
            });
        }
    }
}

impl Checker for Order {
    fn see(&mut self, at_ms: u64, seen: &Observation, findings: &mut Findings) {
        match *seen {
            Observation::JoinBegan { visitor } => self.floor[visitor as usize] = self.acknowledged,
            Observation::PlaceTold { visitor, place } => {
                if let Some(entry) = place.entry {
                    self.numbered(at_ms, visitor, entry, findings);
                }
                if matches!(place.state, VisitorState::Called | VisitorState::Admitted) {
                    self.entered(at_ms, visitor, findings);
                }
            }
            Observation::Shown {
                version,
                entry,
                called,
                ..
            } => {
                self.shown(at_ms, version, entry, called, findings);
            }
            Observation::Counted(tally) => self.watermark = self.watermark.max(tally.called),
            Observation::FirstPass { visitor, .. } => self.entered(at_ms, visitor, findings),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use anteroom_queue::shard::command::VisitorState::Waiting;

    use super::super::histories::{TERMS, broken, first_pass, told};
    use super::*;
    use crate::observation::Tally;

    fn check(history: &[(u64, Observation)]) -> u64 {
        broken(&mut Order::new(TERMS), Promise::Order, history)
    }

    fn began(visitor: u32) -> Observation {
        Observation::JoinBegan { visitor }
    }

    fn shown(version: u64, entry: u64, called: u64) -> Observation {
        Observation::Shown {
            visitor: 0,
            version,
            entry,
            called,
        }
    }

    #[test]
    fn joins_under_way_together_may_come_in_any_order() {
        let history = [
            (0, began(0)),
            (0, began(1)),
            (5, told(1, 0, Waiting)),
            (9, told(0, 1, Waiting)),
        ];
        assert_eq!(check(&history), 0);
    }

    #[test]
    fn a_join_that_began_after_an_acknowledged_one_and_gets_a_smaller_number_breaks_it() {
        let history = [
            (0, began(0)),
            (5, told(0, 1, Waiting)),
            (6, began(1)),
            (9, told(1, 0, Waiting)),
        ];
        assert_eq!(check(&history), 1);
    }

    #[test]
    fn a_smaller_number_that_still_waits_on_a_newer_board_breaks_it() {
        assert_eq!(check(&[(0, shown(3, 7, 8)), (1, shown(4, 6, 6))]), 1);
        assert_eq!(check(&[(0, shown(3, 7, 8)), (1, shown(2, 6, 6))]), 0);
    }

    #[test]
    fn someone_let_in_beyond_the_watermark_breaks_it() {
        let tally = Tally {
            called: 4,
            ..Tally::default()
        };
        let counted = (0, Observation::Counted(tally));
        assert_eq!(
            check(&[counted, (0, told(0, 3, Waiting)), (1, first_pass(0, 9))]),
            0
        );
        assert_eq!(
            check(&[counted, (0, told(0, 4, Waiting)), (1, first_pass(0, 9))]),
            1
        );
    }
}
