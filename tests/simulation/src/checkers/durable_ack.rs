//! **durable-ack**: what was told stays true, whatever is evicted or crashes afterwards: a number
//! stays a number, left stays left, an ended session stays ended, an acknowledged brake is on
//! every board from its version on.

use std::collections::BTreeMap;

use anteroom_queue::shard::command::{Refused, VisitorState};

use super::{Checker, Findings, Promise, Terms};
use crate::observation::{Observation, VisitorId};

/// How far a place has come, as told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Told {
    Nothing,
    Stored,
    Numbered,
    LetIn,
    Ended,
    Left,
}

/// Remembers the last thing each visitor was told that cannot be taken back, and since when.
pub struct DurableAck {
    told: Vec<(Told, u64)>,
    /// Until when an offer stands that was made to stand longer.
    stands_until_ms: BTreeMap<VisitorId, u64>,
    /// When the question left that was answered with a session.
    asked_ms: BTreeMap<VisitorId, u64>,
    clock_slack_ms: u64,
}

impl DurableAck {
    /// A checker that has seen nothing.
    pub fn new(terms: Terms) -> Self {
        Self {
            told: vec![(Told::Nothing, 0); terms.visitors as usize],
            stands_until_ms: BTreeMap::new(),
            asked_ms: BTreeMap::new(),
            clock_slack_ms: terms.clock_slack_ms,
        }
    }

    /// What was asked before the last word was told may be answered as of then.
    fn told(
        &mut self,
        at_ms: u64,
        asked_ms: u64,
        visitor: VisitorId,
        now: Told,
        findings: &mut Findings,
    ) {
        let (before, told_ms) = self.told[visitor as usize];
        let takes_back = match before {
            Told::Nothing | Told::Stored => false,
            // A grant that nobody fetched may be given back; one that was told may not.
            Told::Numbered => now == Told::Stored,
            Told::LetIn => now < Told::LetIn,
            Told::Ended | Told::Left => now < Told::Ended,
        };
        if takes_back && asked_ms > told_ms {
            findings.broken(at_ms, Promise::DurableAck, || {
                format!("visitor {visitor} was told {before:?} and then {now:?}")
            });
        }
        if now > before {
            self.told[visitor as usize] = (now, at_ms);
        }
    }

    fn lapsed(&self, at_ms: u64, visitor: VisitorId, findings: &mut Findings) {
        let until = self.stands_until_ms.get(&visitor).copied();
        if until.is_some_and(|until| at_ms + self.clock_slack_ms < until) {
            findings.broken(at_ms, Promise::DurableAck, || {
                format!("the offer of visitor {visitor} was to stand until {until:?} and lapsed")
            });
        }
    }
}

const fn stage(state: VisitorState) -> Told {
    match state {
        VisitorState::Provisional => Told::Stored,
        VisitorState::Waiting
        | VisitorState::Called
        | VisitorState::Pending
        | VisitorState::Lapsed => Told::Numbered,
        VisitorState::Admitted | VisitorState::Elsewhere => Told::LetIn,
        VisitorState::Ended => Told::Ended,
        VisitorState::Left => Told::Left,
    }
}

impl Checker for DurableAck {
    fn see(&mut self, at_ms: u64, seen: &Observation, findings: &mut Findings) {
        match *seen {
            Observation::PlaceTold { visitor, place }
            | Observation::Audited {
                visitor,
                place: Some(place),
            } => {
                // A place described as admitted is not yet a pass in the visitor's hand; one of a first visit has no
                // number, and leaves nothing behind if it is not taken up.
                let known = self.told[visitor as usize].0;
                let now = match (place.state, stage(place.state), place.entry) {
                    (VisitorState::Pending, _, None) | (_, Told::LetIn, None) => known,
                    (_, Told::LetIn, Some(_)) => known.max(Told::Numbered),
                    (_, now, _) => now,
                };
                self.told(at_ms, place.asked_ms, visitor, now, findings);
                if place.state == VisitorState::Lapsed {
                    self.lapsed(at_ms, visitor, findings);
                }
            }
            Observation::RefusalTold {
                visitor,
                why: Refused::Lapsed,
            } => self.lapsed(at_ms, visitor, findings),
            Observation::Deferred { visitor, until_ms } => {
                self.stands_until_ms.insert(visitor, until_ms);
            }
            Observation::SessionTold {
                visitor, asked_ms, ..
            } => {
                self.asked_ms.insert(visitor, asked_ms);
            }
            // Another device of the member may have left since this one asked.
            Observation::FirstPass {
                visitor,
                confirmed: true,
                ..
            } => {
                let asked_ms = self.asked_ms.get(&visitor).copied().unwrap_or(at_ms);
                self.told(at_ms, asked_ms, visitor, Told::LetIn, findings);
            }
            Observation::Confirmed { visitor, .. } => {
                self.told(at_ms, at_ms, visitor, Told::LetIn, findings);
            }
            Observation::SessionOverTold { visitor } => {
                self.told(at_ms, at_ms, visitor, Told::Ended, findings)
            }
            Observation::LeftTold { visitor } => {
                self.told(at_ms, at_ms, visitor, Told::Left, findings)
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use anteroom_queue::shard::command::VisitorState::{
        Admitted, Ended, Left, Pending, Provisional, Waiting,
    };

    use super::super::histories::{TERMS, broken, first_pass, place, told};
    use super::*;

    fn check(history: &[Observation]) -> u64 {
        let history: Vec<_> = history.iter().map(|seen| (0, *seen)).collect();
        broken(&mut DurableAck::new(TERMS), Promise::DurableAck, &history)
    }

    const UNNUMBERED: Observation = Observation::PlaceTold {
        visitor: 1,
        place: place(1, None, Provisional),
    };

    #[test]
    fn a_place_that_moves_forward_keeps_the_promise() {
        let over = Observation::SessionOverTold { visitor: 1 };
        let way = [
            UNNUMBERED,
            told(1, 4, Waiting),
            first_pass(1, 9),
            told(1, 4, Admitted),
            over,
            told(1, 4, Ended),
        ];
        assert_eq!(check(&way), 0);
        for state in [Pending, Admitted] {
            let first_visit = Observation::PlaceTold {
                visitor: 1,
                place: place(1, None, state),
            };
            assert_eq!(check(&[first_visit, UNNUMBERED]), 0);
        }
        assert_eq!(check(&[told(1, 4, Admitted), UNNUMBERED]), 1);
    }

    #[test]
    fn a_word_taken_back_breaks_it() {
        let left = Observation::LeftTold { visitor: 1 };
        let over = Observation::SessionOverTold { visitor: 1 };
        let taken_back = [
            [told(1, 4, Waiting), UNNUMBERED],
            [told(1, 4, Pending), UNNUMBERED],
            [first_pass(1, 9), told(1, 4, Waiting)],
            [over, told(1, 4, Waiting)],
            [told(1, 4, Left), told(1, 4, Waiting)],
            [left, told(1, 4, Waiting)],
        ];
        for history in taken_back {
            assert_eq!(check(&history), 1, "{history:?}");
        }
    }

    #[test]
    fn a_first_pass_that_was_asked_for_before_another_device_left_keeps_the_promise() {
        let told = |asked_ms| Observation::SessionTold {
            visitor: 1,
            home: 0,
            line: 0,
            asked_ms,
            index: 4,
            generation: 1,
            ends_ms: 99,
        };
        let check = |asked_ms| {
            let left = (5, Observation::LeftTold { visitor: 1 });
            let history = [left, (6, told(asked_ms)), (6, first_pass(1, 99))];
            broken(&mut DurableAck::new(TERMS), Promise::DurableAck, &history)
        };
        assert_eq!((check(4), check(6)), (0, 1));
    }

    #[test]
    fn an_offer_that_lapses_before_the_end_of_its_deferral_breaks_it() {
        let deferred = Observation::Deferred {
            visitor: 1,
            until_ms: 1,
        };
        let lapsed = Observation::RefusalTold {
            visitor: 1,
            why: Refused::Lapsed,
        };
        let early = [(0, deferred), (0, lapsed)];
        let late = [(0, deferred), (1, lapsed)];
        let broken =
            |history: &[_]| broken(&mut DurableAck::new(TERMS), Promise::DurableAck, history);
        assert_eq!((broken(&early), broken(&late)), (1, 0));
    }
}
