//! **open-door**: an admitted visitor reaches the origin until the session's end, whatever is
//! unreachable; only a stop, the visitor's own other browser or the end itself turn it away. Nothing tells a home that
//! its clock leapt an hour ahead: it ends its sessions by it.

use std::collections::{BTreeMap, BTreeSet};

use anteroom_queue::shard::command::Refused;

use super::{Checker, Findings, Promise, Terms};
use crate::observation::{Away, Observation, VisitorId};

/// Remembers until when each session must be let through.
pub struct OpenDoor {
    terms: Terms,
    ends: BTreeMap<VisitorId, u64>,
    homes: BTreeMap<VisitorId, u16>,
    /// When what each was told last was asked for, and when each was told of having left.
    asked: BTreeMap<VisitorId, u64>,
    left: BTreeMap<VisitorId, u64>,
    /// Shards whose clock leapt: they end sessions by it.
    leapt: BTreeSet<u16>,
    stopped: bool,
    /// Who met a stop and has not reached the origin since: no pass was renewed, so an edge may take the visitor for
    /// idle while the home cannot be reached.
    met_stop: BTreeSet<VisitorId>,
}

impl OpenDoor {
    /// A checker that has seen nothing.
    pub fn new(terms: Terms) -> Self {
        Self {
            terms,
            ends: BTreeMap::new(),
            homes: BTreeMap::new(),
            asked: BTreeMap::new(),
            left: BTreeMap::new(),
            leapt: BTreeSet::new(),
            stopped: false,
            met_stop: BTreeSet::new(),
        }
    }

    fn is_at_leapt(&self, visitor: VisitorId) -> bool {
        let home = self.homes.get(&visitor);
        home.is_some_and(|home| self.leapt.contains(home))
    }

    fn turned_away(&mut self, at_ms: u64, visitor: VisitorId, why: Away, findings: &mut Findings) {
        let Some(ends) = self.ends.get(&visitor).copied() else {
            return;
        };
        let allowed = match why {
            Away::Stopped => self.stopped,
            Away::Elsewhere => true,
            Away::Unreachable if self.met_stop.contains(&visitor) => true,
            Away::Over if self.is_at_leapt(visitor) => true,
            Away::Over | Away::Unreachable => at_ms + self.terms.clock_slack_ms >= ends,
        };
        if !allowed {
            findings.broken(at_ms, Promise::OpenDoor, || {
                format!("visitor {visitor} was turned away ({why:?}), but may stay until {ends}")
            });
        }
        if why == Away::Stopped {
            self.met_stop.insert(visitor);
        } else {
            self.ends.remove(&visitor);
        }
    }
}

impl Checker for OpenDoor {
    fn see(&mut self, at_ms: u64, seen: &Observation, findings: &mut Findings) {
        match *seen {
            // An unconfirmed pass holds for its first request only; then the session counts.
            Observation::FirstPass {
                visitor,
                ends_ms,
                confirmed: true,
                ..
            }
            | Observation::Confirmed { visitor, ends_ms } => {
                // Another device's answer may have been under way as the place was left.
                let (asked, left) = (self.asked.get(&visitor), self.left.get(&visitor));
                if left.is_none_or(|left| asked.is_some_and(|asked| asked > left)) {
                    self.ends.insert(visitor, ends_ms);
                }
            }
            Observation::SessionTold {
                visitor,
                ends_ms,
                home,
                asked_ms,
                ..
            } => {
                self.asked.insert(visitor, asked_ms);
                self.homes.insert(visitor, home);
                if let Some(ends) = self.ends.get_mut(&visitor) {
                    *ends = ends_ms;
                }
            }
            Observation::OriginReached { visitor } => {
                self.met_stop.remove(&visitor);
            }
            // A device of the visitor's own has left: another may hear of it before that one does.
            Observation::SessionLeft { visitor }
            | Observation::LeftTold { visitor }
            | Observation::RefusalTold {
                visitor,
                why: Refused::Left,
            } => {
                self.left.insert(visitor, at_ms);
                self.ends.remove(&visitor);
            }
            Observation::TurnedAway { visitor, why } => {
                self.turned_away(at_ms, visitor, why, findings)
            }
            Observation::ClockLeapt { shard: Some(shard) } => {
                self.leapt.insert(shard);
            }
            Observation::BrakeSent { stop: true } => self.stopped = true,
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::histories::{TERMS, broken, first_pass};
    use super::*;

    fn check(history: &[(u64, Observation)]) -> u64 {
        broken(&mut OpenDoor::new(TERMS), Promise::OpenDoor, history)
    }

    fn away(why: Away) -> Observation {
        Observation::TurnedAway { visitor: 1, why }
    }

    #[test]
    fn turned_away_at_the_end_elsewhere_or_by_a_stop_keeps_the_promise() {
        assert_eq!(
            check(&[(0, first_pass(1, 100)), (100, away(Away::Over))]),
            0
        );
        assert_eq!(
            check(&[(0, first_pass(1, 100)), (50, away(Away::Elsewhere))]),
            0
        );
        let stop = Observation::BrakeSent { stop: true };
        assert_eq!(
            check(&[
                (0, first_pass(1, 100)),
                (10, stop),
                (50, away(Away::Stopped))
            ]),
            0
        );
    }

    #[test]
    fn who_is_told_that_the_place_was_left_stays_no_longer() {
        let refused = |why| Observation::RefusalTold { visitor: 1, why };
        for (why, violations) in [(Refused::Left, 0), (Refused::NotCalled, 1)] {
            let history = [
                (0, first_pass(1, 100)),
                (40, refused(why)),
                (50, away(Away::Over)),
            ];
            assert_eq!(check(&history), violations, "{why:?}");
        }
    }

    #[test]
    fn a_pass_that_was_asked_for_before_the_place_was_left_is_nobodys_right() {
        for (asked_ms, violations) in [(30, 0), (50, 1)] {
            let told = Observation::SessionTold {
                visitor: 1,
                home: 0,
                line: 0,
                asked_ms,
                index: 0,
                generation: 1,
                ends_ms: 100,
            };
            let history = [
                (0, first_pass(1, 100)),
                (40, Observation::LeftTold { visitor: 1 }),
                (60, told),
                (60, first_pass(1, 100)),
                (70, away(Away::Over)),
            ];
            assert_eq!(check(&history), violations, "asked at {asked_ms}");
        }
    }

    #[test]
    fn a_home_whose_clock_leapt_ends_its_own_sessions_early_and_no_others() {
        let told = |home| Observation::SessionTold {
            visitor: 1,
            home,
            line: 0,
            asked_ms: 0,
            index: 0,
            generation: 1,
            ends_ms: 100,
        };
        let leapt = Observation::ClockLeapt { shard: Some(0) };
        let check = |home, why| {
            let history = [
                (0, told(home)),
                (0, first_pass(1, 100)),
                (1, leapt),
                (50, away(why)),
            ];
            check(&history)
        };
        assert_eq!(check(0, Away::Over), 0);
        assert_eq!(check(0, Away::Unreachable), 1);
        assert_eq!(check(1, Away::Over), 1);
    }

    #[test]
    fn after_a_stop_a_home_that_cannot_be_reached_may_keep_a_visitor_out_once_more() {
        let stop = (10, Observation::BrakeSent { stop: true });
        let begin = [(0, first_pass(1, 100)), stop, (50, away(Away::Stopped))];
        let after = |more: &[(u64, Observation)]| check(&[&begin[..], more].concat());
        let reached = (60, Observation::OriginReached { visitor: 1 });
        assert_eq!(after(&[(60, away(Away::Unreachable))]), 0);
        assert_eq!(after(&[reached, (70, away(Away::Unreachable))]), 1);
    }

    #[test]
    fn turned_away_before_the_end_breaks_it() {
        for why in [Away::Over, Away::Unreachable, Away::Stopped] {
            assert_eq!(
                check(&[(0, first_pass(1, 100)), (99, away(why))]),
                1,
                "{why:?}"
            );
        }
    }
}
