//! **order**: acknowledged with its number before another join began means a smaller number;
//! nobody is called before someone with a smaller rank.

use std::collections::BTreeMap;

use anteroom_queue::shard::command::VisitorState;

use super::{Checker, Findings, Promise, Terms};
use crate::observation::{LINES, Observation, PlaceSeen, VisitorId};

/// Board versions for which the highest called number is remembered.
const VERSIONS_KEPT: usize = 4_096;

/// No number, no rank yet.
const NONE: u32 = u32::MAX;

/// What is remembered of one line.
#[derive(Default)]
struct Line {
    /// One more than the highest number acknowledged so far.
    acknowledged: u32,
    /// By board version: one more than the highest rank shown as called up to that version.
    called: BTreeMap<u64, u64>,
    /// One more than the highest rank called in any count of the coordinator.
    watermark: u64,
}

/// Remembers, for each join, the highest numbers acknowledged before it began.
pub struct Order {
    floor: Vec<[u32; LINES]>,
    lines: [Line; LINES],
    rank_of: Vec<u32>,
    line_of: Vec<u8>,
    /// The coordinator's clock was far ahead.
    opened_early: bool,
}

impl Order {
    /// A checker that has seen nothing.
    pub fn new(terms: Terms) -> Self {
        let visitors = terms.visitors as usize;
        Self {
            floor: vec![[0; LINES]; visitors],
            lines: Default::default(),
            rank_of: vec![NONE; visitors],
            line_of: vec![0; visitors],
            opened_early: false,
        }
    }

    fn numbered(
        &mut self,
        at_ms: u64,
        visitor: VisitorId,
        place: PlaceSeen,
        findings: &mut Findings,
    ) {
        let Some(entry) = place.entry else { return };
        let line = usize::from(place.line);
        self.line_of[visitor as usize] = place.line;
        if let Some(rank) = place.rank {
            self.rank_of[visitor as usize] = rank as u32;
        }
        let floor = self.floor[visitor as usize][line];
        // A coordinator that takes an hour ahead for now opens the line before its time (which is not promised against): its
        // draw is made, and whoever still comes before the opening stands among those who missed it, in an order by lot.
        let by_lot = self.opened_early && place.missed_draw;
        if entry < u64::from(floor) && !by_lot {
            findings.broken(at_ms, Promise::Order, || {
                let before = floor - 1;
                format!("visitor {visitor} has number {entry}, but {before} was out before its join began")
            });
        }
        let acknowledged = &mut self.lines[line].acknowledged;
        *acknowledged = (*acknowledged).max(entry as u32 + 1);
    }

    fn shown(
        &mut self,
        at_ms: u64,
        version: u64,
        line: u8,
        ranks: (u64, u64),
        findings: &mut Findings,
    ) {
        let (rank, called) = ranks;
        let by_version = &mut self.lines[usize::from(line)].called;
        let high = by_version
            .range(..=version)
            .next_back()
            .map_or(0, |(_, high)| *high);
        if rank < called {
            by_version.insert(version, high.max(rank + 1));
            while by_version.len() > VERSIONS_KEPT {
                by_version.pop_first();
            }
        } else if rank + 1 < high {
            findings.broken(at_ms, Promise::Order, || {
                let high = high - 1;
                format!("{rank} still waits on board {version}, while {high} was called before")
            });
        }
    }

    fn entered(&self, at_ms: u64, visitor: VisitorId, findings: &mut Findings) {
        let rank = self.rank_of[visitor as usize];
        let line = self.line_of[visitor as usize];
        let watermark = self.lines[usize::from(line)].watermark;
        if rank != NONE && u64::from(rank) >= watermark {
            findings.broken(at_ms, Promise::Order, || {
                format!("rank {rank} of line {line} was let in, but only {watermark} were called")
            });
        }
    }
}

impl Checker for Order {
    fn see(&mut self, at_ms: u64, seen: &Observation, findings: &mut Findings) {
        match *seen {
            Observation::JoinBegan { visitor } => {
                let acknowledged = self.lines.each_ref().map(|line| line.acknowledged);
                self.floor[visitor as usize] = acknowledged;
            }
            Observation::PlaceTold { visitor, place } => {
                self.numbered(at_ms, visitor, place, findings);
                if matches!(place.state, VisitorState::Called | VisitorState::Admitted) {
                    self.entered(at_ms, visitor, findings);
                }
            }
            Observation::ClockLeapt { shard: None } => self.opened_early = true,
            Observation::RankShown { permit, rank } => self.rank_of[permit as usize] = rank as u32,
            Observation::Shown {
                version,
                line,
                rank,
                called,
                ..
            } => {
                self.shown(at_ms, version, line, (rank, called), findings);
            }
            Observation::Counted(tally) => {
                for (line, tally) in self.lines.iter_mut().zip(&tally.lines) {
                    line.watermark = line.watermark.max(tally.called);
                }
            }
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
            line: 0,
            rank: entry,
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
        let mut tally = Tally::default();
        tally.lines[0].called = 4;
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
