//! The result of a call: for people as lines, for programs as JSON.

use serde_json::{Value, json};

use crate::chance::mixed;
use crate::checkers::{Findings, PROMISES};
use crate::injected::Injected;
use crate::measures::Measures;
use crate::run::Course;

/// Violations told in full for one seed.
const TOLD: usize = 5;

/// Milliseconds of an hour.
const HOUR_MS: f64 = 3_600_000.0;

/// The sum of several runs.
#[derive(Clone, Debug, Default)]
pub struct Report {
    seeds: u64,
    visitors: u64,
    virtual_ms: u64,
    trace: u64,
    findings: Findings,
    injected: Injected,
    measures: Measures,
    turns_lost: u64,
}

impl Report {
    /// Adds a run of so many visitors.
    pub fn add(&mut self, course: &Course, visitors: u32) {
        self.seeds += 1;
        self.visitors += u64::from(visitors);
        self.virtual_ms += course.virtual_ms;
        self.injected.add(&course.injected);
        self.measures.add(&course.measures);
        self.turns_lost += course.seen.turns_lost;
        self.trace = if self.seeds == 1 {
            course.trace
        } else {
            mixed(self.trace.rotate_left(1) ^ course.trace)
        };
        for (promise, count) in &course.findings.counts {
            *self.findings.counts.entry(*promise).or_default() += count;
        }
    }

    /// Violations in all.
    pub fn violations(&self) -> u64 {
        self.findings.total()
    }

    /// The result in a sentence; `kept` says whether the raffles kept their numbers.
    pub fn told(&self, kept: bool) -> String {
        let ran = format!(
            "{} with {} visitors in all, {:.2} hours of virtual time",
            if self.seeds == 1 {
                "1 run".to_owned()
            } else {
                format!("{} runs", self.seeds)
            },
            self.visitors,
            self.virtual_ms as f64 / HOUR_MS
        );
        let broken: Vec<String> = self
            .findings
            .counts
            .iter()
            .map(|(promise, count)| format!("{promise} {count}"))
            .collect();
        match (broken.is_empty(), kept) {
            (true, true) => format!("{ran}: every promise held"),
            (true, false) => format!("{ran}: a raffle did not keep its numbers"),
            _ => format!("{ran}: BROKEN: {}", broken.join(", ")),
        }
    }

    /// The faults that were injected and what was measured, in a sentence each.
    pub fn told_of_faults(&self) -> String {
        let (faults, told) = (self.injected.total(), self.injected.told());
        format!("{faults} faults: {told}\n{}", self.measures.told())
    }

    /// The result as JSON.
    pub fn json(&self, wall_s: f64, peak_rss_mb: u64) -> Value {
        let violations: serde_json::Map<String, Value> = PROMISES
            .iter()
            .map(|(promise, name)| {
                (
                    (*name).to_owned(),
                    json!(self.findings.counts.get(promise).copied().unwrap_or(0)),
                )
            })
            .collect();
        json!({
            "seeds": self.seeds,
            "visitors": self.visitors,
            "measures": self.measures.json(),
            "turns_lost_behind_outages": self.turns_lost,
            "faults": self.injected.json(),
            "virtual_hours": (self.virtual_ms as f64 / HOUR_MS * 100.0).round() / 100.0,
            "wall_s": (wall_s * 100.0).round() / 100.0,
            "peak_rss_mb": peak_rss_mb,
            "violations": violations,
            "trace_hash": format!("{:016x}", self.trace),
        })
    }
}

/// What is told of a run with violations: the seed, the promises, the first of them, and how to
/// see it again.
pub fn told(course: &Course, visitors: u32, profile: &str) -> String {
    let mut lines = vec![format!(
        "seed {}: {} violations",
        course.seed,
        course.findings.total()
    )];
    for (promise, count) in &course.findings.counts {
        lines.push(format!("  {promise}: {count}"));
    }
    for violation in course.findings.first.iter().take(TOLD) {
        let seconds = violation.at_ms as f64 / 1_000.0;
        lines.push(format!(
            "  at {seconds:.3} s, {}: {}",
            violation.promise, violation.what
        ));
    }
    lines.push(format!(
        "  replay: npm run simulate --{profile} --visitors {visitors} --seed {}",
        course.seed
    ));
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checkers::Promise;
    use crate::checkers::fair_draw::DrawCounts;
    use crate::observation::Seen;

    fn course() -> Course {
        let mut findings = Findings::default();
        findings.broken(1_500, Promise::Cap, || "3 are inside, allowed 2".to_owned());
        Course {
            seed: 9,
            virtual_ms: 3_600_000,
            trace: 0xab,
            findings,
            seen: Seen::default(),
            measures: Measures::default(),
            injected: Injected::default(),
            draw: DrawCounts::default(),
            log_lines: 0,
            people_first: 0,
        }
    }

    #[test]
    fn a_violation_is_told_with_seed_promise_event_and_replay() {
        let told = told(&course(), 100, " --profile faults");
        for part in [
            "seed 9",
            "cap: 1",
            "at 1.500 s, cap: 3 are inside",
            "-- --profile faults --visitors 100 --seed 9",
        ] {
            assert!(told.contains(part), "{told}");
        }
    }

    #[test]
    fn the_result_is_a_sentence_that_counts_every_run() {
        let mut report = Report::default();
        report.add(&course(), 100);
        let broken = report.told(true);
        assert_eq!(
            broken,
            "1 run with 100 visitors in all, 1.00 hours of virtual time: BROKEN: cap 1"
        );
        let kept = Report::default();
        assert!(kept.told(true).ends_with(": every promise held"));
        assert!(kept.told(false).ends_with("did not keep its numbers"));
    }

    #[test]
    fn the_json_names_every_promise() {
        let mut report = Report::default();
        report.add(&course(), 100);
        let json = report.json(1.0, 50);
        assert_eq!(json["violations"]["cap"], 1);
        assert_eq!(json["violations"]["no-lost-place"], 0);
        assert_eq!(
            json["violations"].as_object().map(serde_json::Map::len),
            Some(PROMISES.len())
        );
        assert_eq!(
            (&json["virtual_hours"], &json["trace_hash"]),
            (&json!(1.0), &json!("00000000000000ab"))
        );
    }
}
