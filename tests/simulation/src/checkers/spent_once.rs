//! **spent-once**: a permit gives one place and one session. Once the session was over it gives
//! no other, and the first pass of one generation is first once.

use super::{Checker, Findings, Promise, Terms};
use crate::observation::{Observation, VisitorId};

#[derive(Clone, Copy, Default)]
struct Spent {
    over: bool,
    /// One more than the place that the last new session belonged to.
    place: u32,
    /// One more than the last generation that was said to be new.
    generation: u32,
}

/// Remembers whose session is over.
pub struct SpentOnce {
    spent: Vec<Spent>,
}

impl SpentOnce {
    /// A checker that has seen nothing.
    pub fn new(terms: Terms) -> Self {
        Self {
            spent: vec![Spent::default(); terms.visitors as usize],
        }
    }

    fn session(
        &mut self,
        at_ms: u64,
        visitor: VisitorId,
        (index, generation): (u32, u32),
        first: bool,
        findings: &mut Findings,
    ) {
        let spent = &mut self.spent[visitor as usize];
        if spent.over {
            findings.broken(at_ms, Promise::SpentOnce, || {
                format!("visitor {visitor} was let in again after the session was over")
            });
        }
        if first && index + 1 == spent.place && generation < spent.generation {
            findings.broken(at_ms, Promise::SpentOnce, || {
                format!("visitor {visitor} got pass {generation} as new a second time")
            });
        }
        if first {
            (spent.place, spent.generation) = (index + 1, generation + 1);
        }
    }
}

impl Checker for SpentOnce {
    fn see(&mut self, at_ms: u64, seen: &Observation, findings: &mut Findings) {
        match *seen {
            Observation::SessionTold {
                visitor,
                index,
                generation,
                first,
                ..
            } => {
                self.session(at_ms, visitor, (index, generation), first, findings);
            }
            Observation::SessionOverTold { visitor } | Observation::LeftTold { visitor } => {
                self.spent[visitor as usize].over = true;
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::histories::{TERMS, broken};
    use super::*;

    fn check(history: &[Observation]) -> u64 {
        let history: Vec<_> = history.iter().map(|seen| (0, *seen)).collect();
        broken(&mut SpentOnce::new(TERMS), Promise::SpentOnce, &history)
    }

    fn session(generation: u32, first: bool) -> Observation {
        Observation::SessionTold {
            visitor: 1,
            index: 4,
            generation,
            ends_ms: 9,
            first,
        }
    }

    #[test]
    fn renewals_and_another_browser_keep_the_promise() {
        assert_eq!(
            check(&[
                session(1, true),
                session(1, false),
                session(2, true),
                session(2, false)
            ]),
            0
        );
    }

    #[test]
    fn a_session_after_its_end_and_a_first_pass_twice_break_it() {
        for over in [
            Observation::SessionOverTold { visitor: 1 },
            Observation::LeftTold { visitor: 1 },
        ] {
            assert_eq!(check(&[session(1, true), over, session(1, false)]), 1);
        }
        assert_eq!(check(&[session(1, true), session(1, true)]), 1);
    }
}
