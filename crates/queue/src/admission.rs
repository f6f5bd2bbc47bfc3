//! The limits on admissions, exact at the instant of the grant.
//!
//! `per_minute` is a token bucket: it fills by `rate` units a millisecond, a grant costs
//! [`GRANT_UNITS`], and it holds one second of the rate (at least one grant). So the grants of
//! any window are at most rate × window + max(1, one second of the rate). `batch` counts the
//! grants of the present period. `max_active` compares the sessions.

use serde::{Deserialize, Serialize};

use crate::settings::Limits;
use crate::units::{Millis, UnixMillis};

/// What one grant costs: a rate of 1 a minute earns one unit a millisecond.
const GRANT_UNITS: u64 = 60_000;

/// What has been used of the limits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Admission {
    /// Units in the bucket at `filled_at`; `None`: never used, full.
    units: Option<u64>,
    filled_at: UnixMillis,
    /// The period that `batch_used` counts.
    period: u64,
    batch_used: u32,
}

impl Admission {
    /// How many may be granted now, with so many sessions active.
    pub(crate) fn allowance(&self, limits: &Limits, active: u64, now: UnixMillis) -> u64 {
        let by_active = limits
            .max_active
            .map(|most| u64::from(most).saturating_sub(active));
        let by_rate = limits
            .per_minute
            .map(|rate| self.units_at(rate, now) / GRANT_UNITS);
        let by_batch = limits.batch.map(|batch| {
            let used = if period_of(batch.every, now) == self.period {
                self.batch_used
            } else {
                0
            };
            u64::from(batch.size.saturating_sub(used))
        });
        [by_active, by_rate, by_batch]
            .into_iter()
            .flatten()
            .min()
            .unwrap_or(u64::MAX)
    }

    /// How long until the rate allows a grant, when it allows none now.
    pub(crate) fn next_grant_in(&self, limits: &Limits, now: UnixMillis) -> Option<Millis> {
        let rate = limits.per_minute?;
        let missing = GRANT_UNITS.saturating_sub(self.units_at(rate, now));
        (missing > 0).then(|| Millis(missing.div_ceil(u64::from(rate.max(1)))))
    }

    /// Notes `count` grants that [`Self::allowance`] allowed.
    pub(crate) fn spend(&mut self, limits: &Limits, count: u64, now: UnixMillis) {
        if let Some(rate) = limits.per_minute {
            let units = self.units_at(rate, now);
            let cost = count * GRANT_UNITS;
            assert!(cost <= units, "{count} grants spent with {units} units");
            self.units = Some(units - cost);
            self.filled_at = now;
        }
        if let Some(batch) = limits.batch {
            let period = period_of(batch.every, now);
            if period != self.period {
                (self.period, self.batch_used) = (period, 0);
            }
            self.batch_used += count as u32;
            assert!(
                self.batch_used <= batch.size,
                "{} of a batch of {}",
                self.batch_used,
                batch.size
            );
        }
    }

    /// Carries what has been used over to changed limits: past time earns the old rate, and what
    /// the present period has used counts in the one that a changed length makes of it.
    pub(crate) fn carry_over(&mut self, before: &Limits, after: &Limits, now: UnixMillis) {
        if let Some(rate) = before.per_minute {
            self.units = Some(self.units_at(rate, now));
        }
        self.filled_at = now;
        if let (Some(before), Some(after)) = (before.batch, after.batch)
            && before.every != after.every
        {
            if period_of(before.every, now) != self.period {
                self.batch_used = 0;
            }
            self.period = period_of(after.every, now);
        }
    }

    /// After a clock that was far ahead: the bucket fills from now on.
    pub(crate) fn bring_back(&mut self, now: UnixMillis) {
        self.filled_at = self.filled_at.min(now);
    }

    /// How many could be granted between now and `within` from now, sessions aside.
    pub(crate) fn outlook(&self, limits: &Limits, within: Millis, now: UnixMillis) -> u64 {
        let by_rate = limits
            .per_minute
            .map(|rate| (self.units_at(rate, now) + u64::from(rate) * within.0) / GRANT_UNITS);
        let by_batch = limits.batch.map(|batch| {
            let periods = period_of(batch.every, now.plus(within)) - period_of(batch.every, now);
            let open = Limits {
                max_active: None,
                per_minute: None,
                batch: Some(batch),
            };
            self.allowance(&open, 0, now) + periods * u64::from(batch.size)
        });
        [by_rate, by_batch]
            .into_iter()
            .flatten()
            .min()
            .unwrap_or(u64::MAX)
    }

    fn units_at(&self, rate: u32, now: UnixMillis) -> u64 {
        let most = GRANT_UNITS.max(u64::from(rate) * 1_000);
        let earned = u64::from(rate).saturating_mul(now.since(self.filled_at).0);
        self.units
            .map_or(most, |units| units.saturating_add(earned).min(most))
    }
}

/// Periods are counted from the epoch, so that they need no state and survive every restart.
fn period_of(every: Millis, now: UnixMillis) -> u64 {
    now.0 / every.0.max(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::Batch;

    fn per_minute(rate: u32) -> Limits {
        Limits {
            per_minute: Some(rate),
            ..Limits::default()
        }
    }

    /// Grants as fast as allowed, looked at every `step`; returns the instants.
    fn drain(limits: &Limits, step: u64, until: u64) -> Vec<u64> {
        let mut admission = Admission::default();
        let mut granted = Vec::new();
        for now in (1_000_000..1_000_000 + until).step_by(step as usize) {
            let count = admission.allowance(limits, 0, UnixMillis(now));
            admission.spend(limits, count, UnixMillis(now));
            granted.extend(std::iter::repeat_n(now, count as usize));
        }
        granted
    }

    #[test]
    fn no_window_admits_more_than_the_rate_and_one_second_of_it() {
        for (rate, step) in [
            (1, 7),
            (30, 50),
            (60, 1_000),
            (1_200, 130),
            (6_000, 50),
            (6_000, 30_000),
        ] {
            let granted = drain(&per_minute(rate), step, 180_000);
            let burst = (rate / 60).max(1) as u64;
            for (first, from) in granted.iter().enumerate() {
                for window in [1, 1_000, 10_000, 60_000] {
                    let count = granted[first..]
                        .iter()
                        .take_while(|at| **at <= from + window)
                        .count() as u64;
                    let most = u64::from(rate) * window / 60_000 + burst + 1;
                    assert!(
                        count <= most,
                        "rate {rate}: {count} in {window} ms, at most {most}"
                    );
                }
            }
        }
    }

    #[test]
    fn the_rate_is_reached() {
        assert!(drain(&per_minute(1_200), 50, 60_000).len() >= 1_200);
    }

    #[test]
    fn a_long_silence_earns_no_more_than_one_second() {
        let limits = per_minute(600);
        let mut admission = Admission::default();
        admission.spend(&limits, 10, UnixMillis(1_000));
        assert_eq!(admission.allowance(&limits, 0, UnixMillis(3_600_000)), 10);
    }

    #[test]
    fn a_batch_is_not_carried_over() {
        let limits = Limits {
            batch: Some(Batch {
                size: 5,
                every: Millis(10_000),
            }),
            ..Limits::default()
        };
        let mut admission = Admission::default();
        admission.spend(&limits, 2, UnixMillis(10_000));
        let left: Vec<u64> = [12_000, 19_999, 20_000, 55_000]
            .map(|now| admission.allowance(&limits, 0, UnixMillis(now)))
            .into();
        assert_eq!(left, [3, 3, 5, 5]);
    }

    #[test]
    fn a_lowered_limit_admits_nobody_until_it_has_drained() {
        let limits = Limits {
            max_active: Some(3),
            ..Limits::default()
        };
        let admission = Admission::default();
        let left: Vec<u64> = [5, 4, 3, 2]
            .map(|active| admission.allowance(&limits, active, UnixMillis(0)))
            .into();
        assert_eq!(left, [0, 0, 0, 1]);
    }

    #[test]
    fn a_changed_rate_earns_nothing_for_the_past() {
        let mut admission = Admission::default();
        admission.spend(&per_minute(60), 1, UnixMillis(0));
        admission.carry_over(&per_minute(60), &per_minute(6_000), UnixMillis(500));
        assert_eq!(
            admission.allowance(&per_minute(6_000), 0, UnixMillis(500)),
            0
        );
        assert_eq!(
            admission.allowance(&per_minute(6_000), 0, UnixMillis(505)),
            1
        );
    }

    #[test]
    fn a_changed_period_does_not_begin_with_a_fresh_batch() {
        let batch = |seconds| Limits {
            batch: Some(Batch {
                size: 5,
                every: Millis::from_seconds(seconds),
            }),
            ..Limits::default()
        };
        let (before, after) = (batch(60), batch(45));
        let mut admission = Admission::default();
        admission.spend(&before, 5, UnixMillis(61_000));
        admission.carry_over(&before, &after, UnixMillis(62_000));
        assert_eq!(admission.allowance(&after, 0, UnixMillis(62_000)), 0);
        assert_eq!(admission.allowance(&after, 0, UnixMillis(90_000)), 5);
    }
}
