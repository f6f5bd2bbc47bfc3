//! How often children report: whoever reported within the last seconds shares the plan, so that a coordinator with a
//! hundred and thirty children of which ten are awake hears each of them as often as one with ten.
//!
//! Joins and tries wait for the reports of their shard and of its relay. News for those who listen, claims and ends can wait a
//! little. So of the plan the *quiet* children, to which nobody came lately, get a part, and the *busy* ones all that the
//! quiet ones really leave: fifty relays whose shards only listen hardly slow down the few behind which joins come.
//!
//! A child keeps to the interval of its last answer. When many wake at once, the first of them are told of fewer than there
//! are; they come back once, after the shortest interval, and are told of all: one interval later the plan holds. Each adds
//! a jitter of up to an eighth, which only makes it rarer.

use crate::child::Child;
use crate::children::Children;
use crate::limits::{COORDINATOR_REQUESTS_PER_SECOND, MAX_CHILDREN, SHORTEST_SYNC};
use crate::load::looked_at;
use crate::units::{Millis, UnixMillis};

/// A child that was heard within this time is awake: longer than the longest interval between the reports of one that has
/// something to say, and than the second in which an edge reads a board.
const AWAKE: Millis = Millis(2_000);

/// Of the plan, what quiet children get together at most. With all of them quiet each reports every 433 ms, which with a
/// word's second and the way to the page is below the two seconds in which a page knows of a brake.
const QUIET_PER_SECOND: u64 = COORDINATOR_REQUESTS_PER_SECOND * 3 / 5;

const _: () = assert!(AWAKE.0 > 2 * interval(MAX_CHILDREN as u64, QUIET_PER_SECOND).0);

/// The time between two reports of each of so many that share so many reports a second.
const fn interval(sharing: u64, per_second: u64) -> Millis {
    let shared = (sharing * 1_000).div_ceil(per_second);
    match shared > SHORTEST_SYNC.0 {
        true => Millis(shared),
        false => SHORTEST_SYNC,
    }
}

/// Those that were heard lately.
#[derive(Clone, Copy, Debug, Default)]
struct Awake {
    busy: u64,
    quiet: u64,
    /// Reports a second of the quiet ones.
    quiet_reports: u64,
}

impl Awake {
    /// By a clock that was set back, all were heard lately.
    fn of(children: &Children, now: UnixMillis) -> Self {
        let mut awake = Self::default();
        let mut reports = 0;
        for child in children.values() {
            if now.since(child.heard) > AWAKE {
                continue;
            }
            if child.is_busy(now) {
                awake.busy += 1;
            } else {
                awake.quiet += 1;
                reports += child.reports.counted(now);
            }
        }
        awake.quiet_reports = (reports * 1_000).div_ceil(looked_at(now).0);
        awake
    }

    /// How long one of them waits between two reports.
    fn interval(self, is_busy: bool) -> Millis {
        let equal = interval(self.busy + self.quiet, COORDINATOR_REQUESTS_PER_SECOND);
        let of_quiet = equal.max(interval(self.quiet, QUIET_PER_SECOND));
        if !is_busy {
            return of_quiet;
        }
        let most = self.quiet * 1_000 / of_quiet.0;
        let left = COORDINATOR_REQUESTS_PER_SECOND - self.quiet_reports.min(most);
        interval(self.busy, left)
    }
}

/// How long this child waits between reports, so that all together stay within the plan.
pub(crate) fn pace(children: &Children, child: &Child, now: UnixMillis) -> Millis {
    Awake::of(children, now).interval(child.is_busy(now))
}

#[cfg(test)]
#[path = "pacing_tests.rs"]
mod tests;
