//! When an object may report, as in the shells: one report at a time, at the pace that the parent sets and up to an eighth
//! more, and after a failure not for a while.

use anteroom_queue::units::Millis;

use crate::chance::Chance;

/// The pause after a first report that was not answered; it doubles with each further one, up to the longest.
const FIRST_PAUSE_MS: u64 = 100;
const LONGEST_PAUSE_MS: u64 = 1_000;

/// The way to the parent.
#[derive(Clone, Copy, Debug, Default)]
pub struct Uplink {
    under_way: Option<u64>,
    not_before: u64,
    wanted: Option<u64>,
    failures: u32,
}

impl Uplink {
    /// News is wanted whether or not there is something to say.
    pub fn want(&mut self, now: u64) {
        self.wanted.get_or_insert(now);
    }

    /// Whether a report is on its way.
    pub const fn is_under_way(&self) -> bool {
        self.under_way.is_some()
    }

    /// When the next report may leave.
    pub const fn not_before(&self) -> u64 {
        self.not_before
    }

    /// When the next one is due, if the core wants one at `wanted`.
    pub fn due(&self, wanted: Option<u64>) -> Option<u64> {
        let at = wanted.into_iter().chain(self.wanted).min()?;
        (!self.is_under_way()).then(|| at.max(self.not_before))
    }

    /// A report leaves.
    pub fn starts(&mut self, now: u64) {
        assert!(!self.is_under_way(), "a second report beside one under way");
        (self.under_way, self.wanted) = (Some(now), None);
    }

    /// It was answered; how long that took.
    pub fn succeeded(&mut self, pace: Millis, now: u64, chance: &mut Chance) -> u64 {
        let left = self.under_way.take().expect("an answer to no report");
        self.failures = 0;
        self.not_before = left + pace.0 + chance.within(0..pace.0 / 8 + 1);
        now - left
    }

    /// It was not.
    pub fn failed(&mut self, now: u64, chance: &mut Chance) {
        self.under_way = None;
        let half = LONGEST_PAUSE_MS.min(FIRST_PAUSE_MS << self.failures.min(16)) / 2;
        self.failures += 1;
        self.not_before = now + half + chance.within(0..half + 1);
    }
}
