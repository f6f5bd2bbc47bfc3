//! **no-lost-place**: an acknowledged join ends in exactly one of admitted, left, lapsed, or the
//! end of the run.

use anteroom_queue::shard::command::{Refused, VisitorState};

use super::{Checker, Findings, Promise, Terms};
use crate::observation::{Observation, VisitorId};

/// Remembers who was acknowledged, and how it ended.
pub struct NoLostPlace {
    acknowledged: Vec<bool>,
    audited: Vec<bool>,
}

impl NoLostPlace {
    /// A checker that has seen nothing.
    pub fn new(terms: Terms) -> Self {
        let nobody = vec![false; terms.visitors as usize];
        Self {
            acknowledged: nobody.clone(),
            audited: nobody,
        }
    }

    fn lost(&self, at_ms: u64, visitor: VisitorId, how: &str, findings: &mut Findings) {
        if self.acknowledged[visitor as usize] {
            findings.broken(at_ms, Promise::NoLostPlace, || {
                format!("visitor {visitor} was acknowledged and {how}")
            });
        }
    }
}

impl Checker for NoLostPlace {
    fn see(&mut self, at_ms: u64, seen: &Observation, findings: &mut Findings) {
        match *seen {
            // A first visit that is let in at once has no join to lose.
            Observation::PlaceTold { visitor, place } if place.is_joined() => {
                self.acknowledged[visitor as usize] = true;
            }
            Observation::RefusalTold {
                visitor,
                why: Refused::Unknown | Refused::PermitExpired,
            } => {
                self.lost(at_ms, visitor, "is not known any more", findings);
            }
            Observation::Audited { visitor, place } => {
                self.audited[visitor as usize] = true;
                match place {
                    None => self.lost(at_ms, visitor, "has no place at the end", findings),
                    Some(place) if place.state == VisitorState::Provisional => {
                        self.lost(at_ms, visitor, "has no number at the end", findings);
                    }
                    Some(_) => {}
                }
            }
            Observation::AuditOver { .. } => {
                for visitor in 0..self.audited.len() {
                    if !self.audited[visitor] {
                        self.lost(
                            at_ms,
                            visitor as u32,
                            "could not be asked at the end",
                            findings,
                        );
                    }
                }
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use anteroom_queue::shard::command::VisitorState::{Ended, Provisional, Waiting};

    use super::super::histories::{TERMS, broken, place, told};
    use super::*;

    fn check(history: &[(u64, Observation)]) -> u64 {
        broken(&mut NoLostPlace::new(TERMS), Promise::NoLostPlace, history)
    }

    #[test]
    fn a_place_that_is_there_at_the_end_keeps_the_promise() {
        let history = [
            (0, told(0, 0, Waiting)),
            (
                1,
                Observation::Audited {
                    visitor: 0,
                    place: Some(place(0, Some(0), Ended)),
                },
            ),
            (
                1,
                Observation::Audited {
                    visitor: 1,
                    place: None,
                },
            ),
            (
                2,
                Observation::AuditOver {
                    entries: [1, 0, 0],
                    active: 0,
                },
            ),
        ];
        assert_eq!(check(&history), 0);
    }

    #[test]
    fn a_place_that_is_unknown_gone_unnumbered_or_never_asked_about_breaks_it() {
        let endings = [
            Observation::RefusalTold {
                visitor: 0,
                why: Refused::Unknown,
            },
            Observation::Audited {
                visitor: 0,
                place: None,
            },
            Observation::Audited {
                visitor: 0,
                place: Some(place(0, None, Provisional)),
            },
            Observation::AuditOver {
                entries: [1, 0, 0],
                active: 0,
            },
        ];
        for ending in endings {
            assert_eq!(
                check(&[(0, told(0, 0, Waiting)), (1, ending)]),
                1,
                "{ending:?}"
            );
        }
    }
}
