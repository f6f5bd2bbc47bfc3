//! **schedule**: each step of a line (pre-queue, drawing, fixed, drawn, open) happens once, and at
//! the first message after its time at the latest, whatever alarms do.

use super::{Checker, Findings, Promise, Terms};
use crate::observation::{LINES, LineTally, Observation, Step, Tally};

/// Remembers how far every line has come.
pub struct Schedule {
    prequeue_ms: Option<u64>,
    steps: [Step; LINES],
    /// The coordinator's clock leapt ahead: what it began too early it leaves when its clock is right again.
    leapt: bool,
}

impl Schedule {
    /// A checker that has seen nothing.
    pub fn new(terms: Terms) -> Self {
        Self {
            prequeue_ms: terms.prequeue_ms,
            steps: [Step::Before; LINES],
            leapt: false,
        }
    }

    /// The step that is overdue at the coordinator's clock.
    fn overdue(&self, clock_ms: u64, line: &LineTally) -> Option<&'static str> {
        let past = |at: Option<u64>| at.is_some_and(|at| clock_ms >= at);
        match line.step {
            Step::Before | Step::Prequeue if past(line.opens_ms) => Some("the opening"),
            Step::Before if past(self.prequeue_ms.or(Some(0))) => Some("the pre-queue"),
            Step::Fixed if past(line.reveal_ms) => Some("the draw"),
            _ => None,
        }
    }

    fn counted(&mut self, at_ms: u64, tally: &Tally, findings: &mut Findings) {
        for (position, line) in tally.lines.iter().enumerate() {
            // A line that the operator has ended shows nothing of the schedule.
            if line.ended {
                continue;
            }
            if let Some(step) = self.overdue(tally.clock_ms, line) {
                findings.broken(at_ms, Promise::Schedule, || {
                    format!(
                        "line {position} at {}: {step} is overdue: {line:?}",
                        tally.clock_ms
                    )
                });
            }
            let before = self.steps[position];
            // Who has seen the pre-queue may see it again when the opening is moved; nothing else
            // goes back.
            if line.step < before && !(self.leapt && before <= Step::Drawing) {
                findings.broken(at_ms, Promise::Schedule, || {
                    format!(
                        "line {position} went from {before:?} back to {:?}",
                        line.step
                    )
                });
            }
            self.steps[position] = before.max(line.step);
        }
    }
}

impl Checker for Schedule {
    fn see(&mut self, at_ms: u64, seen: &Observation, findings: &mut Findings) {
        match seen {
            Observation::Counted(tally) => self.counted(at_ms, tally, findings),
            Observation::ClockLeapt { shard: None } => self.leapt = true,
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::histories::{TERMS, broken};
    use super::*;

    fn at(clock_ms: u64, step: Step) -> (u64, Observation) {
        let mut tally = Tally {
            clock_ms,
            ..Tally::default()
        };
        tally.lines = [LineTally {
            step: Step::Open,
            ..LineTally::default()
        }; LINES];
        tally.lines[0] = LineTally {
            step,
            opens_ms: Some(100),
            reveal_ms: Some(300),
            ..LineTally::default()
        };
        (clock_ms, Observation::Counted(tally))
    }

    fn check(history: &[(u64, Observation)]) -> u64 {
        let terms = Terms {
            prequeue_ms: Some(10),
            ..TERMS
        };
        broken(&mut Schedule::new(terms), Promise::Schedule, history)
    }

    #[test]
    fn steps_at_or_before_the_first_message_after_their_time_keep_the_promise() {
        let history = [
            at(9, Step::Before),
            at(10, Step::Prequeue),
            at(100, Step::Drawing),
            at(150, Step::Fixed),
            at(300, Step::Open),
        ];
        assert_eq!(check(&history), 0);
    }

    #[test]
    fn a_step_that_is_overdue_or_made_twice_breaks_it() {
        for late in [
            at(10, Step::Before),
            at(100, Step::Prequeue),
            at(300, Step::Fixed),
        ] {
            assert_eq!(check(&[late]), 1, "{late:?}");
        }
        assert_eq!(check(&[at(200, Step::Fixed), at(201, Step::Drawing)]), 1);
        assert_eq!(check(&[at(299, Step::Open), at(299, Step::Fixed)]), 1);
    }

    #[test]
    fn what_a_clock_that_leapt_began_may_be_left_but_nothing_that_is_fixed() {
        let leapt = (0, Observation::ClockLeapt { shard: None });
        let back = |from, to| check(&[leapt, at(99, from), at(99, to)]);
        assert_eq!(back(Step::Drawing, Step::Prequeue), 0);
        assert_eq!(back(Step::Fixed, Step::Drawing), 1);
    }
}
