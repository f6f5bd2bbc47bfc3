//! **brake**: no grant after a pause, stop, sold out or close is acknowledged; from 2 s after
//! that on, no first pass, until the operator lets go.

use super::{Checker, Findings, Promise};
use crate::observation::{Observation, Tally};

/// How long edges may still give out first passes after the acknowledgement.
const IN_FORCE_WITHIN_MS: u64 = 2_000;

/// Remembers whether a brake is on.
#[derive(Default)]
pub struct Brake {
    acknowledged_ms: Option<u64>,
    granted: u64,
}

impl Brake {
    fn counted(&mut self, at_ms: u64, tally: Tally, findings: &mut Findings) {
        if self.acknowledged_ms.is_some() && tally.granted > self.granted {
            let grants = tally.granted - self.granted;
            findings.broken(at_ms, Promise::Brake, || {
                format!("{grants} granted while the brake is on")
            });
        }
        self.granted = self.granted.max(tally.granted);
    }
}

impl Checker for Brake {
    fn see(&mut self, at_ms: u64, seen: &Observation, findings: &mut Findings) {
        match *seen {
            Observation::BrakeAcknowledged { .. } => {
                self.acknowledged_ms.get_or_insert(at_ms);
            }
            Observation::BrakeReleased => self.acknowledged_ms = None,
            Observation::Counted(tally) => self.counted(at_ms, tally, findings),
            Observation::FirstPass { visitor, .. } => {
                if let Some(since) = self.acknowledged_ms
                    && at_ms > since + IN_FORCE_WITHIN_MS
                {
                    findings.broken(at_ms, Promise::Brake, || {
                        format!(
                            "visitor {visitor} got a first pass {} ms after the brake",
                            at_ms - since
                        )
                    });
                }
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::histories::{broken, first_pass};
    use super::*;

    fn check(history: &[(u64, Observation)]) -> u64 {
        broken(&mut Brake::default(), Promise::Brake, history)
    }

    fn granted(granted: u64) -> Observation {
        Observation::Counted(Tally {
            granted,
            ..Tally::default()
        })
    }

    const BRAKE: Observation = Observation::BrakeAcknowledged { version: 2 };

    #[test]
    fn grants_before_the_brake_and_after_its_end_keep_the_promise() {
        let history = [
            (0, granted(1)),
            (1, BRAKE),
            (2_001, first_pass(0, 9_000)),
            (5_000, granted(1)),
            (6_000, Observation::BrakeReleased),
            (6_001, granted(2)),
            (9_001, first_pass(1, 9_000)),
        ];
        assert_eq!(check(&history), 0);
    }

    #[test]
    fn a_grant_or_a_late_first_pass_under_the_brake_breaks_it() {
        assert_eq!(check(&[(0, granted(1)), (1, BRAKE), (2, granted(2))]), 1);
        assert_eq!(check(&[(1, BRAKE), (2_002, first_pass(0, 9_000))]), 1);
    }
}
