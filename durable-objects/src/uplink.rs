//! When a shard may report to its coordinator: one report at a time, not before the pace that the
//! coordinator asked for, and with growing pauses while it cannot be reached.
//!
//! Pure bookkeeping; the shard object sends the report and says what came of it.

use anteroom_queue::units::{Millis, UnixMillis};

use crate::gather::Report;

/// A report not answered within this time has failed: longer than the 2 s after which joins are
/// acknowledged without it, so that a slow answer is still used.
pub const SYNC_TIMEOUT: Millis = Millis(3_000);

/// The pause after a first failure; it doubles with each further one.
const FIRST_PAUSE: Millis = Millis(100);

/// The longest pause while a parent cannot be reached: whoever joins meanwhile waits for it to be found, and eighty children
/// that knock once a second are a sixth of what it is planned for.
const LONGEST_AWAY: Millis = Millis(1_000);

/// The longest pause of all.
pub const LONGEST_PAUSE: Millis = Millis(5_000);

/// The pause after a coordinator said that it has too much to do: never at once.
const OVERLOAD_PAUSE: Millis = Millis(2_000);

/// The longest pause that a coordinator may ask for.
const LONGEST_PACE: Millis = Millis(60_000);

const _: () = assert!(OVERLOAD_PAUSE.0 <= LONGEST_PAUSE.0);

/// Why a report was not answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SyncFailed {
    /// No answer: away, broken off, or too slow.
    Unreachable(String),
    /// The platform says that the coordinator has too much to do.
    Overloaded,
    /// The coordinator does not take the report (another run, another protocol).
    Refused(String),
    /// The coordinator was deleted, because the run's time is over.
    Forgotten,
}

/// The state of the way to the coordinator.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Uplink {
    /// When the report under way left.
    under_way: Option<UnixMillis>,
    /// When the last one left that was answered.
    left: UnixMillis,
    /// From when on the parent takes another.
    allowed_from: UnixMillis,
    not_before: UnixMillis,
    failures: u32,
    wanted: Option<UnixMillis>,
}

impl Uplink {
    /// Somebody waits for fresher news, whether or not there is something to report.
    pub fn want(&mut self, now: UnixMillis) {
        self.wanted.get_or_insert(now);
    }

    /// The clock was set back to `now`: everything counts from there.
    pub fn start_clock_anew(&mut self, now: UnixMillis) {
        self.under_way = self.under_way.map(|_| now);
        self.wanted = self.wanted.map(|_| now);
        (self.left, self.allowed_from, self.not_before) = (now, now, now);
    }

    /// Whether a report is on its way.
    pub fn is_under_way(&self) -> bool {
        self.under_way.is_some()
    }

    /// Whether a report can leave.
    pub fn report(&self) -> Report {
        if self.is_under_way() {
            Report::UnderWay
        } else {
            Report::NotBefore(self.not_before)
        }
    }

    /// When the next report is due, if the core wants one at `next_report`.
    pub fn due(&self, next_report: Option<UnixMillis>) -> Option<UnixMillis> {
        if self.is_under_way() {
            return None;
        }
        let wanted = match (next_report, self.wanted) {
            (Some(report), Some(news)) => Some(report.min(news)),
            (report, news) => report.or(news),
        };
        wanted.map(|at| at.max(self.not_before))
    }

    /// A report leaves.
    pub fn starts(&mut self, now: UnixMillis) {
        assert!(!self.is_under_way(), "a second report beside one under way");
        self.under_way = Some(now);
        self.wanted = None;
    }

    /// The report was answered; the pace counts from when it left. `dice` moves the next one by up to an eighth of the pace, so that
    /// the shards of a run do not stay in the order in which they once began.
    pub fn succeeded(&mut self, pace: Millis, dice: u32) {
        let left = self.under_way.take().expect("an answer to no report");
        self.failures = 0;
        let pace = Millis(pace.0.min(LONGEST_PACE.0));
        self.left = left;
        self.allowed_from = left.plus(with_jitter(pace, dice));
        self.not_before = self.allowed_from;
    }

    /// The next report leaves so long after the last one, though the parent would take it sooner.
    pub fn rests(&mut self, pace: Millis, dice: u32) {
        let rested = self.left.plus(with_jitter(pace, dice));
        self.not_before = self.not_before.max(rested);
    }

    /// The next report leaves as soon as the parent takes it.
    pub fn rests_no_more(&mut self) {
        self.not_before = self.allowed_from;
    }

    /// The report was not answered: the next may leave after half to all of a pause that doubles.
    pub fn failed(&mut self, now: UnixMillis, why: &SyncFailed, dice: u32) {
        self.under_way = None;
        let pause = match why {
            SyncFailed::Unreachable(_) => {
                let doubled = FIRST_PAUSE.0.saturating_mul(1 << self.failures.min(16));
                Millis(doubled.min(LONGEST_AWAY.0))
            }
            SyncFailed::Overloaded => {
                Millis(OVERLOAD_PAUSE.0.saturating_mul(1 << self.failures.min(16)))
            }
            SyncFailed::Refused(_) | SyncFailed::Forgotten => LONGEST_PAUSE,
        };
        self.failures = self.failures.saturating_add(1);
        let half = Millis(pause.0.min(LONGEST_PAUSE.0) / 2);
        self.allowed_from = now.plus(Millis(half.0 + share(half, dice).0));
        self.not_before = self.allowed_from;
    }
}

fn with_jitter(pace: Millis, dice: u32) -> Millis {
    Millis(pace.0 + share(Millis(pace.0 / 8), dice).0)
}

/// `dice` out of 2³² of `whole`.
pub fn share(whole: Millis, dice: u32) -> Millis {
    Millis(((u128::from(whole.0) * u128::from(dice)) >> 32) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    const T: UnixMillis = UnixMillis(1_000_000);
    const HALF: u32 = 1 << 31;

    fn after(millis: u64) -> UnixMillis {
        T.plus(Millis(millis))
    }

    fn away() -> SyncFailed {
        SyncFailed::Unreachable("away".into())
    }

    #[test]
    fn with_nothing_to_say_and_nobody_asking_no_report_is_due() {
        assert_eq!(Uplink::default().due(None), None);
    }

    #[test]
    fn a_report_leaves_when_the_core_or_a_reader_wants_it_whichever_is_first() {
        let mut uplink = Uplink::default();
        assert_eq!(uplink.due(Some(after(70))), Some(after(70)));
        uplink.want(after(10));
        uplink.want(after(40));
        assert_eq!(uplink.due(Some(after(70))), Some(after(10)));
        assert_eq!(uplink.due(None), Some(after(10)));
        uplink.starts(T);
        uplink.succeeded(Millis(0), 0);
        assert_eq!(uplink.due(None), None);
    }

    #[test]
    fn there_is_one_report_at_a_time() {
        let mut uplink = Uplink::default();
        uplink.starts(T);
        uplink.want(T);
        assert_eq!(uplink.due(Some(T)), None);
        uplink.succeeded(Millis(0), 0);
        assert_eq!(uplink.due(Some(T)), Some(T));
    }

    #[test]
    fn the_coordinators_pace_is_kept_with_up_to_an_eighth_more() {
        for (dice, due) in [(0, 80), (HALF, 85), (u32::MAX, 89)] {
            let mut uplink = Uplink::default();
            uplink.starts(T);
            uplink.succeeded(Millis(80), dice);
            uplink.want(T);
            assert_eq!(uplink.due(Some(T)), Some(after(due)), "dice {dice}");
        }
    }

    #[test]
    fn a_shard_may_rest_for_longer_than_its_parent_asks_for_and_no_shorter() {
        for (rest, due) in [(0, 80), (80, 80), (200, 200)] {
            let mut uplink = Uplink::default();
            uplink.want(T);
            uplink.starts(T);
            uplink.succeeded(Millis(80), 0);
            uplink.rests(Millis(rest), 0);
            assert_eq!(uplink.due(Some(T)), Some(after(due)), "rests {rest} ms");
            uplink.rests_no_more();
            assert_eq!(uplink.due(Some(T)), Some(after(80)), "rests {rest} ms");
        }
    }

    #[test]
    fn failures_lengthen_the_pause_up_to_a_second_and_success_ends_it() {
        let mut uplink = Uplink::default();
        let mut pauses = Vec::new();
        for _ in 0..9 {
            uplink.starts(T);
            uplink.failed(T, &away(), 0);
            pauses.push(uplink.due(Some(T)).unwrap().since(T).0);
        }
        assert_eq!(pauses, [50, 100, 200, 400, 500, 500, 500, 500, 500]);
        uplink.starts(T);
        uplink.succeeded(Millis(50), 0);
        assert_eq!(uplink.due(Some(T)), Some(after(50)));
        uplink.starts(T);
        uplink.failed(T, &away(), 0);
        assert_eq!(uplink.due(Some(T)), Some(after(50)));
    }

    #[test]
    fn the_pause_is_spread_so_that_shards_do_not_return_together() {
        let mut uplink = Uplink::default();
        uplink.starts(T);
        uplink.failed(T, &away(), HALF);
        assert_eq!(uplink.due(Some(T)), Some(after(75)));
    }

    #[test]
    fn an_overloaded_coordinator_is_left_alone_for_a_second_at_least() {
        for dice in [0, HALF, u32::MAX] {
            let mut uplink = Uplink::default();
            uplink.starts(T);
            uplink.failed(T, &SyncFailed::Overloaded, dice);
            assert!(uplink.due(Some(T)).unwrap() >= after(1_000), "dice {dice}");
        }
    }

    #[test]
    fn many_failures_do_not_overflow_the_pause() {
        let mut uplink = Uplink::default();
        for _ in 0..100 {
            uplink.starts(T);
            uplink.failed(T, &SyncFailed::Overloaded, u32::MAX);
        }
        assert!(uplink.due(Some(T)).unwrap() <= after(LONGEST_PAUSE.0));
    }
}
