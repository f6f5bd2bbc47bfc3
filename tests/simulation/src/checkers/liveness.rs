//! **liveness**: once faults stop and there is room, the head of the line is granted within two
//! sync intervals of its claim, and everybody who does the right thing is served.

use std::collections::BTreeMap;

use super::cap::Window;
use super::{Checker, Findings, Promise, Terms};
use crate::observation::{Observation, Tally, VisitorId};
use crate::plan::MINUTE_MS;

/// Remembers since when somebody could have been granted and was not.
pub struct Liveness {
    terms: Terms,
    quiet: bool,
    room_for_all: bool,
    granted: u64,
    window: Window,
    rate: Option<u32>,
    /// At its own clock, since when the coordinator has the rate.
    rate_since_ms: u64,
    idle_since: Option<u64>,
    claims: BTreeMap<VisitorId, u64>,
}

impl Liveness {
    /// A checker that has seen nothing.
    pub fn new(terms: Terms) -> Self {
        Self {
            terms,
            quiet: false,
            room_for_all: false,
            granted: 0,
            window: Window::default(),
            rate: None,
            rate_since_ms: 0,
            idle_since: None,
            claims: BTreeMap::new(),
        }
    }

    fn counted(&mut self, at_ms: u64, tally: Tally, findings: &mut Findings) {
        let grants = tally.granted.saturating_sub(self.granted);
        self.granted = tally.granted;
        let limits = tally.limits;
        let before = std::mem::replace(&mut self.rate, limits.per_minute);
        if before != limits.per_minute {
            self.rate_since_ms = tally.clock_ms;
        }
        if let (Some(from), Some(to)) = (before, limits.per_minute)
            && from != to
        {
            self.window.change(from, to, tally.clock_ms);
        }
        match limits.per_minute {
            Some(rate) if grants > 0 => {
                self.window.add(rate, grants, tally.clock_ms);
            }
            Some(_) => {}
            None => self.window = Window::default(),
        }
        // Within a batch's period there is no telling from outside when the next one begins.
        let room = tally.open
            && limits.batch.is_none()
            && limits
                .max_active
                .is_none_or(|limit| tally.active < u64::from(limit))
            && limits.per_minute.is_none_or(|rate| {
                // What higher rates earned within milliseconds is not seen to the millisecond from outside.
                let whole = MINUTE_MS / u64::from(rate.max(1));
                tally.clock_ms.saturating_sub(self.rate_since_ms) > whole
                    && self.window.has_room(rate, tally.clock_ms)
            });
        if !self.quiet || !room || tally.pending == 0 || grants > 0 {
            self.idle_since = None;
            return;
        }
        let since = *self.idle_since.get_or_insert(at_ms);
        if at_ms - since > self.terms.grant_within_ms {
            self.idle_since = Some(at_ms);
            findings.broken(at_ms, Promise::Liveness, || {
                format!(
                    "{} claims waited {} ms although there was room",
                    tally.pending,
                    at_ms - since
                )
            });
        }
    }

    fn let_in(&mut self, at_ms: u64, visitor: VisitorId, findings: &mut Findings) {
        if let Some(since) = self.claims.remove(&visitor)
            && at_ms - since > self.terms.grant_within_ms
        {
            findings.broken(at_ms, Promise::Liveness, || {
                format!(
                    "visitor {visitor} claimed {} ms before the grant",
                    at_ms - since
                )
            });
        }
    }
}

impl Checker for Liveness {
    fn see(&mut self, at_ms: u64, seen: &Observation, findings: &mut Findings) {
        match *seen {
            Observation::FaultsOver => self.quiet = true,
            Observation::RoomForAll => self.room_for_all = true,
            Observation::Counted(tally) => self.counted(at_ms, tally, findings),
            Observation::ClaimBegan { visitor } if self.quiet && self.room_for_all => {
                self.claims.entry(visitor).or_insert(at_ms);
            }
            Observation::SessionTold { visitor, .. } => self.let_in(at_ms, visitor, findings),
            Observation::SessionLeft { visitor }
            | Observation::RefusalTold { visitor, .. }
            | Observation::LeftTold { visitor } => {
                self.claims.remove(&visitor);
            }
            Observation::Unserved { visitor } => {
                findings.broken(at_ms, Promise::Liveness, || {
                    format!("visitor {visitor} did everything right and was never let in")
                });
            }
            Observation::AuditOver { active, .. } => {
                for visitor in std::mem::take(&mut self.claims).into_keys() {
                    findings.broken(at_ms, Promise::Liveness, || {
                        format!("visitor {visitor} claimed and was never answered")
                    });
                }
                if active > 0 {
                    findings.broken(at_ms, Promise::Liveness, || {
                        format!("{active} sessions still count after all of them must have ended")
                    });
                }
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::histories::{TERMS, broken};
    use super::*;
    use crate::observation::LimitsSeen;

    fn check(history: &[(u64, Observation)]) -> u64 {
        broken(&mut Liveness::new(TERMS), Promise::Liveness, history)
    }

    fn counted(at_ms: u64, granted: u64, active: u64) -> (u64, Observation) {
        let limits = LimitsSeen {
            max_active: Some(2),
            ..LimitsSeen::default()
        };
        let tally = Tally {
            clock_ms: at_ms,
            granted,
            active,
            pending: 1,
            open: true,
            limits,
            ..Tally::default()
        };
        (at_ms, Observation::Counted(tally))
    }

    const QUIET: (u64, Observation) = (0, Observation::FaultsOver);

    #[test]
    fn a_claim_that_waits_for_room_keeps_the_promise() {
        assert_eq!(
            check(&[
                QUIET,
                counted(0, 2, 2),
                counted(9_000, 2, 2),
                counted(9_001, 3, 2)
            ]),
            0
        );
    }

    #[test]
    fn a_claim_that_waits_although_there_is_room_breaks_it() {
        assert_eq!(
            check(&[
                QUIET,
                counted(0, 2, 1),
                counted(1, 2, 1),
                counted(1_002, 2, 1)
            ]),
            1
        );
        assert_eq!(
            check(&[counted(0, 2, 1), counted(1, 2, 1), counted(1_002, 2, 1)]),
            0
        );
    }

    #[test]
    fn a_slow_grant_an_unanswered_claim_an_unserved_visitor_and_a_lost_slot_break_it() {
        let claimed = (5, Observation::ClaimBegan { visitor: 1 });
        let room = (1, Observation::RoomForAll);
        let session = Observation::SessionTold {
            visitor: 1,
            home: 0,
            line: 0,
            asked_ms: 5,
            index: 4,
            generation: 1,
            ends_ms: 99,
        };
        let entries = [1, 0, 0];
        let over = |active| (9_999, Observation::AuditOver { entries, active });
        assert_eq!(check(&[QUIET, room, claimed, (1_005, session), over(0)]), 0);
        assert_eq!(check(&[QUIET, room, claimed, (1_006, session), over(0)]), 1);
        assert_eq!(check(&[QUIET, room, claimed, over(0)]), 1);
        assert_eq!(check(&[(0, Observation::Unserved { visitor: 1 })]), 1);
        assert_eq!(check(&[over(1)]), 1);
    }
}
