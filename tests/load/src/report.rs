//! The figures of a run.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::checks::{self, Promise, Violation};
use crate::history::{End, History, Moment};
use crate::percentiles::percentile;

/// How many violations are told one by one; the figures count all.
const TOLD_VIOLATIONS: usize = 20;

/// What `--json` writes.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Figures {
    /// The joins.
    pub joins: Joins,
    /// Visitors who were admitted.
    pub admitted: u64,
    /// Visitors who left the queue.
    pub left: u64,
    /// Acknowledged visitors whose place was gone.
    pub lost: u64,
    /// The most sessions that were seen at the same time.
    pub active_max: u64,
    /// How often each promise was seen broken.
    pub violations: BTreeMap<&'static str, u64>,
}

/// How joining went.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Joins {
    /// Visitors with an acknowledged join.
    pub acknowledged: u64,
    /// From the first arrival to the last acknowledgement.
    pub per_second: f64,
    /// From when a join was due to its acknowledgement.
    pub p50_ms: f64,
    /// As `p50_ms`.
    pub p95_ms: f64,
    /// As `p50_ms`.
    pub p99_ms: f64,
}

/// The figures and what else there is to say.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// What `--json` writes.
    pub figures: Figures,
    /// Every breach of a promise.
    pub violations: Vec<Violation>,
    /// How many visitors ended how, in words.
    pub ends: Vec<(&'static str, u64)>,
    /// Visitors who wanted to enter and were still waiting at the deadline.
    pub unfinished: u64,
    /// Visitors who never got a place.
    pub not_joined: u64,
    /// Why the room did not answer when the run was over, if it did not.
    pub away: Option<String>,
    /// Requests that failed or were answered without use.
    pub failures: u64,
    /// Requests that were answered.
    pub answered: u64,
    /// How long the run took.
    pub seconds: f64,
}

impl Outcome {
    /// What came of a run that began to let visitors in at `start`.
    pub fn of(history: &History, start: Moment, end: Moment, answered: u64) -> Self {
        let violations = checks::check(history);
        let count = |wanted: End| {
            history
                .visitors
                .iter()
                .filter(|visitor| visitor.end == wanted)
                .count() as u64
        };
        let broken = |promise: Promise| {
            violations
                .iter()
                .filter(|violation| violation.promise == promise)
                .count() as u64
        };
        let figures = Figures {
            joins: joins(history, start),
            admitted: count(End::Admitted),
            left: count(End::Left),
            lost: count(End::Lost),
            active_max: checks::active_max(history),
            violations: Promise::OF_A_CROWD
                .into_iter()
                .map(|promise| (promise.name(), broken(promise)))
                .collect(),
        };
        Self {
            figures,
            violations,
            ends: vec![
                ("admitted", count(End::Admitted)),
                ("left", count(End::Left)),
                ("lapsed", count(End::Lapsed)),
                ("did not come back, place kept", count(End::Kept)),
                ("told that it is over", count(End::Over)),
                ("still waiting at the deadline", count(End::Unfinished)),
                ("never got a place", count(End::NotJoined)),
                ("lost", count(End::Lost)),
            ],
            unfinished: count(End::Unfinished),
            not_joined: count(End::NotJoined),
            away: None,
            failures: history
                .visitors
                .iter()
                .map(|visitor| u64::from(visitor.failures))
                .sum(),
            answered,
            seconds: end.since(start).as_secs_f64(),
        }
    }

    /// Whether all promises held, nobody was lost, everybody who wanted to got through, and the room was there to say so.
    pub fn passed(&self) -> bool {
        let somebody = self.figures.joins.acknowledged > 0 || self.figures.admitted > 0;
        let everybody = self.figures.lost + self.unfinished + self.not_joined == 0;
        self.violations.is_empty() && everybody && somebody && self.away.is_none()
    }
}

fn joins(history: &History, start: Moment) -> Joins {
    let took = history
        .visitors
        .iter()
        .filter_map(|visitor| visitor.join_took);
    let mut took_ms: Vec<f64> = took.map(|took| took.as_secs_f64() * 1_000.0).collect();
    took_ms.sort_unstable_by(f64::total_cmp);
    let first_acknowledgements = history
        .visitors
        .iter()
        .filter_map(|visitor| visitor.joins.first());
    let last = first_acknowledgements
        .map(|join| join.acknowledged)
        .max()
        .unwrap_or(start);
    let seconds = last.since(start).as_secs_f64();
    let rounded = |number: f64| (number * 10.0).round() / 10.0;
    Joins {
        acknowledged: took_ms.len() as u64,
        per_second: if seconds > 0.0 {
            rounded(took_ms.len() as f64 / seconds)
        } else {
            0.0
        },
        p50_ms: rounded(percentile(&took_ms, 50.0)),
        p95_ms: rounded(percentile(&took_ms, 95.0)),
        p99_ms: rounded(percentile(&took_ms, 99.0)),
    }
}

/// `passed`, or `FAILED` and why.
pub fn verdict(outcome: &Outcome) -> String {
    if outcome.passed() {
        return "passed".to_owned();
    }
    let mut reasons = Vec::new();
    if let Some(why) = &outcome.away {
        reasons.push(format!(
            "the room did not answer when the run was over: {why}"
        ));
    }
    let broken = outcome.figures.violations.iter();
    let broken: Vec<&str> = broken
        .filter(|(_, count)| **count > 0)
        .map(|(promise, _)| *promise)
        .collect();
    if !broken.is_empty() {
        reasons.push(format!("broken: {}", broken.join(", ")));
    }
    if outcome.figures.lost > 0 {
        reasons.push(format!("{} lost their place", outcome.figures.lost));
    }
    if outcome.unfinished > 0 {
        reasons.push(format!(
            "{} still waited at the deadline (--deadline-seconds gives them longer)",
            outcome.unfinished
        ));
    }
    if outcome.not_joined > 0 {
        reasons.push(format!("{} never got a place", outcome.not_joined));
    }
    if reasons.is_empty() {
        reasons.push("nobody got a place or came in".to_owned());
    }
    format!("FAILED: {}", reasons.join("; "))
}

/// Tells the outcome on standard output.
pub fn print(outcome: &Outcome) {
    let figures = &outcome.figures;
    let joins = &figures.joins;
    println!(
        "joins     {} acknowledged, {}/s, p50 {} ms, p95 {} ms, p99 {} ms",
        joins.acknowledged, joins.per_second, joins.p50_ms, joins.p95_ms, joins.p99_ms
    );
    let ends: Vec<String> = outcome
        .ends
        .iter()
        .filter(|(_, count)| *count > 0)
        .map(|(end, count)| format!("{count} {end}"))
        .collect();
    println!("visitors  {}", ends.join(", "));
    println!("sessions  at most {} at the same time", figures.active_max);
    println!(
        "requests  {} answered, {} failed, in {:.1} s",
        outcome.answered, outcome.failures, outcome.seconds
    );
    let broken: Vec<String> = figures
        .violations
        .iter()
        .map(|(promise, count)| format!("{promise} {count}"))
        .collect();
    println!("broken    {}", broken.join(", "));
    for violation in outcome.violations.iter().take(TOLD_VIOLATIONS) {
        println!("  {}: {}", violation.promise.name(), violation.seen);
    }
    if outcome.violations.len() > TOLD_VIOLATIONS {
        println!("  and {} more", outcome.violations.len() - TOLD_VIOLATIONS);
    }
    println!("{}", verdict(outcome));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_that_did_not_pass_says_why() {
        let still = Moment(0);
        let empty = Outcome::of(&History::default(), still, still, 0);
        assert_eq!(verdict(&empty), "FAILED: nobody got a place or came in");
        let mut passed = empty.clone();
        passed.figures.admitted = 5;
        assert_eq!(verdict(&passed), "passed");
        let mut waiting = passed.clone();
        waiting.unfinished = 35;
        assert!(verdict(&waiting).starts_with("FAILED: 35 still waited at the deadline"));
        let mut lost = waiting;
        lost.figures.lost = 2;
        assert!(verdict(&lost).starts_with("FAILED: 2 lost their place; 35 still waited"));
        let mut outside = passed.clone();
        outside.not_joined = 3;
        assert_eq!(verdict(&outside), "FAILED: 3 never got a place");
        let away = Outcome {
            away: Some("connection refused".to_owned()),
            ..passed
        };
        let said = "FAILED: the room did not answer when the run was over: connection refused";
        assert_eq!(verdict(&away), said);
    }
}
