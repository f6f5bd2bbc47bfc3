//! **spent-once**: a permit gives one place and one session, a hand-over goes to one browser, and a
//! code lets no more places in than it is good for. Once a session was over its permit gives no
//! other.

use std::collections::{BTreeMap, BTreeSet};

use super::{Checker, Findings, Promise, Terms};
use crate::observation::{Observation, VisitorId};

/// Not over yet.
const NEVER: u64 = u64::MAX;

/// Remembers whose session is over, and who used what.
pub struct SpentOnce {
    /// When it was told that the session of a permit is over.
    over_ms: Vec<u64>,
    takers: BTreeMap<u32, (VisitorId, u8)>,
    /// The code behind a permit, and how many places it is good for.
    codes: BTreeMap<VisitorId, (u32, u16)>,
    let_in: BTreeMap<u32, BTreeSet<VisitorId>>,
}

impl SpentOnce {
    /// A checker that has seen nothing.
    pub fn new(terms: Terms) -> Self {
        Self {
            over_ms: vec![NEVER; terms.visitors as usize],
            takers: BTreeMap::new(),
            codes: BTreeMap::new(),
            let_in: BTreeMap::new(),
        }
    }

    fn taken(&mut self, at_ms: u64, code: u32, taker: (VisitorId, u8), findings: &mut Findings) {
        let first = *self.takers.entry(code).or_insert(taker);
        if first != taker {
            findings.broken(at_ms, Promise::SpentOnce, || {
                format!("hand-over {code} went to {first:?} and to {taker:?}")
            });
        }
    }

    /// A code, unlike a member key, is used up by those who were let in with it.
    fn session(&mut self, at_ms: u64, permit: VisitorId, findings: &mut Findings) {
        let Some((code, uses)) = self.codes.get(&permit).copied() else {
            return;
        };
        let let_in = self.let_in.entry(code).or_default();
        if let_in.insert(permit) && let_in.len() > usize::from(uses) {
            findings.broken(at_ms, Promise::SpentOnce, || {
                format!("code {code}, good for {uses}, let in {let_in:?}")
            });
        }
    }
}

impl Checker for SpentOnce {
    fn see(&mut self, at_ms: u64, seen: &Observation, findings: &mut Findings) {
        match *seen {
            Observation::SessionTold {
                visitor, asked_ms, ..
            } => {
                // What was asked before the end was told may still be on its way.
                if asked_ms > self.over_ms[visitor as usize] {
                    findings.broken(at_ms, Promise::SpentOnce, || {
                        format!("visitor {visitor} was let in again after the session was over")
                    });
                }
                self.session(at_ms, visitor, findings);
            }
            Observation::PlaceTold { visitor, place } => {
                if let Some(code) = place.key.filter(|key| key.spends) {
                    self.codes.insert(visitor, (code.number, code.uses));
                }
            }
            Observation::HandedOver {
                permit,
                code,
                browser,
            } => self.taken(at_ms, code, (permit, browser), findings),
            Observation::SessionOverTold { visitor } | Observation::LeftTold { visitor } => {
                let over_ms = &mut self.over_ms[visitor as usize];
                *over_ms = at_ms.min(*over_ms);
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use anteroom_queue::shard::command::VisitorState;

    use super::super::histories::{TERMS, broken, place};
    use super::*;
    use crate::observation::{KeySeen, PlaceSeen};

    fn check(history: &[Observation]) -> u64 {
        let history: Vec<_> = (0..).zip(history.iter().copied()).collect();
        broken(&mut SpentOnce::new(TERMS), Promise::SpentOnce, &history)
    }

    fn session(generation: u32) -> Observation {
        Observation::SessionTold {
            visitor: 1,
            home: 0,
            line: 0,
            asked_ms: 2,
            index: 4,
            generation,
            ends_ms: 9,
        }
    }

    #[test]
    fn renewals_and_another_browser_keep_the_promise() {
        assert_eq!(check(&[session(1), session(1), session(2)]), 0);
    }

    #[test]
    fn a_session_after_its_end_breaks_it() {
        for over in [
            Observation::SessionOverTold { visitor: 1 },
            Observation::LeftTold { visitor: 1 },
        ] {
            assert_eq!(check(&[session(1), over, session(1)]), 1);
        }
    }

    #[test]
    fn a_code_that_lets_in_more_than_it_is_good_for_breaks_it() {
        let told = |visitor| Observation::PlaceTold {
            visitor,
            place: PlaceSeen {
                key: Some(KeySeen {
                    number: 9,
                    uses: 2,
                    spends: true,
                }),
                ..place(visitor, Some(u64::from(visitor)), VisitorState::Waiting)
            },
        };
        let enters = |visitor| Observation::SessionTold {
            visitor,
            home: 0,
            line: 0,
            asked_ms: 2,
            index: visitor,
            generation: 0,
            ends_ms: 9,
        };
        let two = [told(0), told(1), enters(0), enters(1), enters(0)];
        assert_eq!(check(&two), 0);
        let three = [told(0), told(1), told(2), enters(0), enters(1), enters(2)];
        assert_eq!(check(&three), 1);
    }

    #[test]
    fn a_hand_over_that_goes_to_two_browsers_breaks_it() {
        let taken = |browser| Observation::HandedOver {
            permit: 1,
            code: 1,
            browser,
        };
        assert_eq!(check(&[taken(2), taken(2)]), 0);
        assert_eq!(check(&[taken(2), taken(3)]), 1);
    }
}
