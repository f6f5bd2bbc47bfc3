//! How often children report: whoever reported within the last seconds shares the plan, so that a coordinator with a
//! hundred and thirty children of which ten are awake hears each of them as often as one with ten.
//!
//! A child keeps to the interval of its last answer. When many wake at once, the first of them are told of fewer than there
//! are; they come back once, after the shortest interval, and are told of all: one interval later the plan holds. Each adds
//! a jitter of up to an eighth, which only makes it rarer.

use crate::children::Children;
use crate::limits::{COORDINATOR_REQUESTS_PER_SECOND, MAX_CHILDREN, SHORTEST_SYNC};
use crate::units::{Millis, UnixMillis};

/// A child that was heard within this time is awake: longer than the longest interval between the reports of one that has
/// something to say, and than the second in which an edge reads a board.
const AWAKE: Millis = Millis(2_000);

const _: () = assert!(AWAKE.0 > 2 * interval(MAX_CHILDREN as u64).0);

/// The time between two reports of each of so many.
const fn interval(awake: u64) -> Millis {
    let shared = (awake * 1_000).div_ceil(COORDINATOR_REQUESTS_PER_SECOND);
    match shared > SHORTEST_SYNC.0 {
        true => Millis(shared),
        false => SHORTEST_SYNC,
    }
}

/// How many of these were heard lately. By a clock that was set back, all were.
fn awake(heard: impl Iterator<Item = UnixMillis>, now: UnixMillis) -> u64 {
    heard.filter(|at| now.since(*at) <= AWAKE).count() as u64
}

/// How long children wait between reports, so that all together stay within the plan.
pub(crate) fn pace(children: &Children, now: UnixMillis) -> Millis {
    let heard = children.values().map(|child| child.heard);
    interval(awake(heard, now))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::collection::{btree_set, vec};
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    const T: UnixMillis = UnixMillis(1_800_000_000_000);

    /// Children that report as they are told.
    #[derive(Default)]
    struct Parent {
        heard: BTreeMap<u16, UnixMillis>,
        told: BTreeMap<u16, Millis>,
    }

    impl Parent {
        fn report(&mut self, child: u16, now: UnixMillis) -> Millis {
            self.heard.insert(child, now);
            let pace = interval(awake(self.heard.values().copied(), now));
            self.told.insert(child, pace);
            pace
        }

        /// Requests in 1,000 seconds that these plan, by what each was last told.
        fn planned(&self, children: impl IntoIterator<Item = u16>) -> u64 {
            let planned = |child| 1_000_000u64.div_ceil(self.told[&child].0);
            children.into_iter().map(planned).sum()
        }
    }

    proptest! {
        #[test]
        fn whoever_reports_the_plan_is_kept_once_all_who_are_awake_were_told(
            before in vec((0u16..130, 0u64..3_000), 0..300),
            awake in btree_set(0u16..130, 1..131),
            shift in 0usize..130,
        ) {
            let mut parent = Parent::default();
            let mut now = T;
            for (child, gap) in before {
                now = now.plus(Millis(gap));
                parent.report(child, now);
            }
            for _ in 0..2 {
                let mut round: Vec<u16> = awake.iter().copied().collect();
                let turn = shift % round.len();
                round.rotate_left(turn);
                for child in round {
                    now = now.plus(Millis(1));
                    parent.report(child, now);
                }
            }
            // Each child's share of a request in 1,000 s is rounded up.
            prop_assert!(parent.planned(awake.iter().copied()) <= 500_000 + 130);
        }

        #[test]
        fn a_hundred_and_thirty_that_wake_at_once_are_within_the_plan_one_interval_later(
            offsets in vec(0u64..40, 130),
            jitters in vec(0u64..33, 130),
        ) {
            let mut parent = Parent::default();
            let mut due: BTreeMap<(u64, u16), ()> = offsets
                .iter()
                .enumerate()
                .map(|(child, offset)| ((*offset, child as u16), ()))
                .collect();
            let mut requests = Vec::new();
            while let Some(((at, child), ())) = due.pop_first() {
                if at > 5_000 {
                    break;
                }
                requests.push(at);
                let pace = parent.report(child, T.plus(Millis(at)));
                let jitter = jitters[usize::from(child)] * pace.0 / 264;
                due.insert((at + pace.0 + jitter, child), ());
            }
            let settled = 40 + 50 + 260;
            for from in (settled..4_000).step_by(50) {
                let count = requests.iter().filter(|at| (from..from + 1_000).contains(*at)).count();
                prop_assert!(count <= 500 + 20, "{count} requests in the second from {from} ms");
            }
            let burst = requests.iter().filter(|at| **at < settled).count();
            prop_assert!(burst <= 3 * 130, "{burst} requests before");
        }
    }

    #[test]
    fn a_few_report_as_often_as_anybody_may_and_all_of_them_every_260_ms() {
        for (awake, millis) in [(0, 50), (1, 50), (25, 50), (26, 52), (50, 100), (130, 260)] {
            assert_eq!(interval(awake), Millis(millis), "{awake} awake");
        }
    }

    #[test]
    fn who_sleeps_takes_nothing_from_who_is_awake() {
        let mut parent = Parent::default();
        for child in 0..130 {
            parent.report(child, T);
        }
        assert_eq!(parent.report(7, T.plus(Millis(1_000))), Millis(260));
        assert_eq!(parent.report(7, T.plus(Millis(2_001))), SHORTEST_SYNC);
    }
}
