//! What a history comes to, for a run in which things were done to the room: the promises, and that
//! everybody got through once it was over.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::checks::{self, Promise, Violation};
use crate::faults;
use crate::history::{End, History};

/// How many violations are told one by one; the counts have all.
const TOLD_VIOLATIONS: usize = 20;

/// The figures.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Verdict {
    /// Visitors.
    pub visitors: u64,
    /// Those with an acknowledged join.
    pub acknowledged: u64,
    /// Those who were admitted.
    pub admitted: u64,
    /// Those who wanted a place or their turn and had none when the run was over.
    pub unfinished: u64,
    /// Requests that got no answer, or none that was of use.
    pub failures: u64,
    /// Requests that the shop saw.
    pub arrivals: u64,
    /// The most sessions at the same time.
    pub active_max: u64,
    /// What was done to the room, and how often.
    pub faults: BTreeMap<String, u64>,
    /// How often each promise was seen broken.
    pub broken: BTreeMap<&'static str, u64>,
    /// What was seen, for each breach.
    #[serde(skip)]
    pub violations: Vec<Violation>,
}

impl Verdict {
    /// Holds a history against the promises.
    pub fn of(mut history: History) -> Self {
        faults::allow_for(&mut history);
        let violations = checks::check(&history);
        let mut broken: BTreeMap<&'static str, u64> = Promise::OF_A_CROWD
            .into_iter()
            .chain([Promise::Brake])
            .map(|promise| (promise.name(), 0))
            .collect();
        for violation in &violations {
            *broken.entry(violation.promise.name()).or_default() += 1;
        }
        let mut kinds = BTreeMap::new();
        for fault in &history.faults {
            *kinds.entry(fault.what.clone()).or_default() += 1;
        }
        let count = |wanted: &[End]| {
            let visitors = history.visitors.iter();
            visitors.filter(|seen| wanted.contains(&seen.end)).count() as u64
        };
        let joined = history
            .visitors
            .iter()
            .filter(|seen| !seen.joins.is_empty());
        Self {
            visitors: history.visitors.len() as u64,
            acknowledged: joined.count() as u64,
            admitted: count(&[End::Admitted]),
            unfinished: count(&[End::Unfinished, End::NotJoined]),
            failures: history
                .visitors
                .iter()
                .map(|seen| u64::from(seen.failures))
                .sum(),
            arrivals: history.arrivals.len() as u64,
            active_max: checks::active_max(&history),
            faults: kinds,
            broken,
            violations,
        }
    }

    /// Whether every promise held and everybody got through. A run without visitors shows nothing.
    pub fn passed(&self) -> bool {
        self.violations.is_empty() && self.unfinished == 0 && self.admitted > 0
    }

    /// The figures in words, and the first of what was broken.
    pub fn text(&self) -> String {
        let counts = |counts: &BTreeMap<_, u64>| -> String {
            let each = counts
                .iter()
                .map(|(name, count): (&String, &u64)| format!("{name} {count}"));
            each.collect::<Vec<_>>().join(", ")
        };
        let broken = self
            .broken
            .iter()
            .map(|(name, count)| ((*name).to_owned(), *count));
        let mut lines = vec![
            format!("faults    {}", counts(&self.faults)),
            format!(
                "visitors  {}: {} acknowledged, {} admitted, {} did not get through",
                self.visitors, self.acknowledged, self.admitted, self.unfinished
            ),
            format!(
                "requests  {} failed; {} reached the shop",
                self.failures, self.arrivals
            ),
            format!("sessions  at most {} at the same time", self.active_max),
            format!("broken    {}", counts(&broken.collect())),
        ];
        let told = self.violations.iter().take(TOLD_VIOLATIONS);
        lines.extend(
            told.map(|violation| format!("  {}: {}", violation.promise.name(), violation.seen)),
        );
        lines.push(if self.passed() { "passed" } else { "FAILED" }.to_owned());
        lines.join("\n")
    }
}
