//! **spent-once**: a permit gives one place and one session. Once the session was over it gives
//! no other.

use super::{Checker, Findings, Promise, Terms};
use crate::observation::Observation;

/// Remembers whose session is over.
pub struct SpentOnce {
    over: Vec<bool>,
}

impl SpentOnce {
    /// A checker that has seen nothing.
    pub fn new(terms: Terms) -> Self {
        Self {
            over: vec![false; terms.visitors as usize],
        }
    }
}

impl Checker for SpentOnce {
    fn see(&mut self, at_ms: u64, seen: &Observation, findings: &mut Findings) {
        match *seen {
            Observation::SessionTold { visitor, .. } if self.over[visitor as usize] => {
                findings.broken(at_ms, Promise::SpentOnce, || {
                    format!("visitor {visitor} was let in again after the session was over")
                });
            }
            Observation::SessionOverTold { visitor } | Observation::LeftTold { visitor } => {
                self.over[visitor as usize] = true;
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

    fn session(generation: u32) -> Observation {
        Observation::SessionTold {
            visitor: 1,
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
}
