//! **open-door**: an admitted visitor reaches the origin until the session's end, whatever is
//! unreachable; only a stop, the visitor's own other browser or the end itself turn it away.

use std::collections::BTreeMap;

use super::{Checker, Findings, Promise, Terms};
use crate::observation::{Away, Observation, VisitorId};

/// Remembers until when each session must be let through.
pub struct OpenDoor {
    terms: Terms,
    ends: BTreeMap<VisitorId, u64>,
    stopped: bool,
}

impl OpenDoor {
    /// A checker that has seen nothing.
    pub fn new(terms: Terms) -> Self {
        Self {
            terms,
            ends: BTreeMap::new(),
            stopped: false,
        }
    }

    fn turned_away(&mut self, at_ms: u64, visitor: VisitorId, why: Away, findings: &mut Findings) {
        let Some(ends) = self.ends.get(&visitor).copied() else {
            return;
        };
        let allowed = match why {
            Away::Stopped => self.stopped,
            Away::Elsewhere => true,
            Away::Over | Away::Unreachable => at_ms + self.terms.clock_slack_ms >= ends,
        };
        if !allowed {
            findings.broken(at_ms, Promise::OpenDoor, || {
                format!("visitor {visitor} was turned away ({why:?}), but may stay until {ends}")
            });
        }
        if why != Away::Stopped {
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
                self.ends.insert(visitor, ends_ms);
            }
            Observation::SessionTold {
                visitor, ends_ms, ..
            } => {
                if let Some(ends) = self.ends.get_mut(&visitor) {
                    *ends = ends_ms;
                }
            }
            Observation::SessionLeft { visitor } | Observation::LeftTold { visitor } => {
                self.ends.remove(&visitor);
            }
            Observation::TurnedAway { visitor, why } => {
                self.turned_away(at_ms, visitor, why, findings)
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
