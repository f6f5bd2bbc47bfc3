//! **durable-ack**: what was told stays true, whatever is evicted or crashes afterwards: a number
//! stays a number, left stays left, an ended session stays ended, an acknowledged brake is on
//! every board from its version on.

use anteroom_queue::shard::command::VisitorState;

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

/// Remembers the last thing each visitor was told that cannot be taken back.
pub struct DurableAck {
    told: Vec<Told>,
}

impl DurableAck {
    /// A checker that has seen nothing.
    pub fn new(terms: Terms) -> Self {
        Self {
            told: vec![Told::Nothing; terms.visitors as usize],
        }
    }

    fn told(&mut self, at_ms: u64, visitor: VisitorId, now: Told, findings: &mut Findings) {
        let before = self.told[visitor as usize];
        let takes_back = match before {
            Told::Nothing | Told::Stored => false,
            // A grant that nobody fetched may be given back; one that was told may not.
            Told::Numbered => now == Told::Stored,
            Told::LetIn => now < Told::LetIn,
            Told::Ended | Told::Left => now < Told::Ended,
        };
        if takes_back {
            findings.broken(at_ms, Promise::DurableAck, || {
                format!("visitor {visitor} was told {before:?} and then {now:?}")
            });
        }
        self.told[visitor as usize] = before.max(now);
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
                // A place described as admitted is not yet a pass in the visitor's hand.
                let now = stage(place.state);
                let known = self.told[visitor as usize];
                let now = if now == Told::LetIn {
                    known.max(Told::Numbered)
                } else {
                    now
                };
                self.told(at_ms, visitor, now, findings);
            }
            Observation::FirstPass {
                visitor,
                confirmed: true,
                ..
            }
            | Observation::Confirmed { visitor, .. } => {
                self.told(at_ms, visitor, Told::LetIn, findings);
            }
            Observation::SessionOverTold { visitor } => {
                self.told(at_ms, visitor, Told::Ended, findings)
            }
            Observation::LeftTold { visitor } => self.told(at_ms, visitor, Told::Left, findings),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use anteroom_queue::shard::command::VisitorState::{
        Admitted, Ended, Left, Provisional, Waiting,
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
    }

    #[test]
    fn a_word_taken_back_breaks_it() {
        let left = Observation::LeftTold { visitor: 1 };
        let over = Observation::SessionOverTold { visitor: 1 };
        let taken_back = [
            [told(1, 4, Waiting), UNNUMBERED],
            [first_pass(1, 9), told(1, 4, Waiting)],
            [over, told(1, 4, Waiting)],
            [told(1, 4, Left), told(1, 4, Waiting)],
            [left, told(1, 4, Waiting)],
        ];
        for history in taken_back {
            assert_eq!(check(&history), 1, "{history:?}");
        }
    }
}
