//! What edges count of their own work with visitors: permits, work that did not hold, and the calls they made for them.

use serde::{Deserialize, Serialize};

/// The bounds of the times that calls are sorted by, in milliseconds; what took longer than the last comes after it. The
/// last is what a home has for a join, those before it where a visitor begins to notice.
pub const CALL_BOUNDS_MS: [u64; 4] = [50, 250, 1_000, 2_000];

/// What edges counted of their work with visitors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct HandlingCounts {
    /// Permits made, each with its challenge.
    pub permits: u64,
    /// Solutions that did not hold.
    pub work_refused: u64,
    /// Calls to a visitor's home without an answer in time.
    pub unreachable: u64,
    /// Calls to a visitor's home that the platform turned away, since it has too much to do.
    pub overloaded: u64,
    /// Calls that were answered, by how long it took: up to each of [`CALL_BOUNDS_MS`], and longer.
    pub calls: [u64; CALL_BOUNDS_MS.len() + 1],
    /// How long these took together, in milliseconds.
    pub calls_ms: u64,
}

impl HandlingCounts {
    /// Nothing was done.
    pub const NONE: Self = Self {
        permits: 0,
        work_refused: 0,
        unreachable: 0,
        overloaded: 0,
        calls: [0; CALL_BOUNDS_MS.len() + 1],
        calls_ms: 0,
    };

    /// Counts a call that was answered after `ms`.
    pub fn answered_after(&mut self, ms: u64) {
        let bucket = CALL_BOUNDS_MS.iter().position(|bound| ms <= *bound);
        self.calls[bucket.unwrap_or(CALL_BOUNDS_MS.len())] += 1;
        self.calls_ms += ms;
    }

    /// Takes up what another edge counted. Sums stop at their greatest value: what a stranger's bytes say is no reason to end.
    pub fn add(&mut self, more: HandlingCounts) {
        let add = |sum: &mut u64, more: u64| *sum = sum.saturating_add(more);
        add(&mut self.permits, more.permits);
        add(&mut self.work_refused, more.work_refused);
        add(&mut self.unreachable, more.unreachable);
        add(&mut self.overloaded, more.overloaded);
        for (sum, more) in self.calls.iter_mut().zip(more.calls) {
            add(sum, more);
        }
        add(&mut self.calls_ms, more.calls_ms);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_is_counted_by_the_first_bound_that_holds_it() {
        let mut counts = HandlingCounts::NONE;
        for ms in [0, 50, 51, 250, 1_000, 1_999, 2_000, 2_001, 60_000] {
            counts.answered_after(ms);
        }
        assert_eq!(counts.calls, [2, 2, 1, 2, 2]);
        assert_eq!(counts.calls_ms, 67_351);
        counts.add(HandlingCounts {
            permits: u64::MAX,
            ..counts
        });
        counts.add(HandlingCounts {
            permits: 1,
            ..HandlingCounts::NONE
        });
        assert_eq!((counts.permits, counts.calls), (u64::MAX, [4, 4, 2, 4, 4]));
    }
}
