//! Time that does not run backwards.
//!
//! The platform's clock stands still within a request and may step. Instants a little below the
//! highest one seen (up to [`CLOCK_TOLERANCE`]) are read as that highest one, so that a small step
//! back and forth gives nobody extra time. A larger step back means that the higher reading was
//! wrong, and the clock is believed again.

use crate::limits::CLOCK_TOLERANCE;
use crate::units::UnixMillis;

/// The highest instant seen.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Clock {
    high: UnixMillis,
}

impl Clock {
    /// A clock that has already seen `high`.
    pub(crate) const fn at(high: UnixMillis) -> Self {
        Self { high }
    }

    /// The highest instant seen.
    pub(crate) const fn high(self) -> UnixMillis {
        self.high
    }

    /// Whether `now` shows that the highest instant seen was wrong: whatever was noted at it has to
    /// be brought back to the present.
    pub(crate) fn was_wrong(self, now: UnixMillis) -> bool {
        self.high.since(now) > CLOCK_TOLERANCE
    }

    /// What to take for the present when the platform says `now`.
    pub(crate) fn observe(&mut self, now: UnixMillis) -> UnixMillis {
        if now < self.high && !self.was_wrong(now) {
            return self.high;
        }
        self.high = now;
        now
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_step_back_is_read_as_standing_still() {
        let mut clock = Clock::default();
        let seen: Vec<u64> = [10_000, 12_000, 8_000, 7_000, 12_001]
            .into_iter()
            .map(|now| clock.observe(UnixMillis(now)).0)
            .collect();
        assert_eq!(seen, [10_000, 12_000, 12_000, 12_000, 12_001]);
    }

    #[test]
    fn a_large_step_back_is_believed() {
        let mut clock = Clock::at(UnixMillis(3_600_000));
        assert_eq!(clock.observe(UnixMillis(10_000)), UnixMillis(10_000));
    }
}
