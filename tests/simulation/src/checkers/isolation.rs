//! **isolation**: what happens to one event changes nothing for another. A report of another run
//! is refused; and a run gives the same trace whether or not another event runs beside it.

use super::{Checker, Findings, Promise};
use crate::observation::Observation;

/// Watches for reports that belong elsewhere.
pub struct Isolation;

impl Checker for Isolation {
    fn see(&mut self, at_ms: u64, seen: &Observation, findings: &mut Findings) {
        if let Observation::ForeignReport { refused: false } = seen {
            findings.broken(at_ms, Promise::Isolation, || {
                "a report of another run was taken in".to_owned()
            });
        }
    }
}

/// Compares the trace of an event alone with its trace beside another one.
pub fn compare(alone: u64, beside: u64, findings: &mut Findings) {
    if alone != beside {
        findings.broken(0, Promise::Isolation, || {
            format!("the trace is {alone:016x} alone and {beside:016x} beside another event")
        });
    }
}

#[cfg(test)]
mod tests {
    use super::super::histories::broken;
    use super::*;

    #[test]
    fn a_foreign_report_must_be_refused() {
        let reported = |refused| [(0, Observation::ForeignReport { refused })];
        assert_eq!(
            broken(&mut Isolation, Promise::Isolation, &reported(true)),
            0
        );
        assert_eq!(
            broken(&mut Isolation, Promise::Isolation, &reported(false)),
            1
        );
    }

    #[test]
    fn a_neighbour_must_not_change_the_trace() {
        let mut findings = Findings::default();
        compare(1, 1, &mut findings);
        assert_eq!(findings.total(), 0);
        compare(1, 2, &mut findings);
        assert_eq!(findings.counts[&Promise::Isolation], 1);
    }
}
