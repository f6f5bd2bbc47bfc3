use super::*;
use proptest::collection::{btree_set, vec};
use proptest::prelude::*;
use std::collections::BTreeMap;

const T: UnixMillis = UnixMillis(1_800_000_000_000);

/// Children that report as they are told.
#[derive(Default)]
struct Parent {
    children: Children,
    told: BTreeMap<u16, Millis>,
}

impl Parent {
    /// So many joined at the child since its last report.
    fn report(&mut self, child: u16, joins: u64, now: UnixMillis) -> Millis {
        let known = self.children.entry(child);
        let known = known.or_insert_with(|| Child::of_lines(1));
        known.heard = now;
        known.reports.add(1, now);
        if joins > 0 {
            known.load.add(joins, now);
        }
        let pace = pace(&self.children, &self.children[&child], now);
        self.told.insert(child, pace);
        pace
    }

    /// Requests in 1,000 seconds that these plan, by what each was last told.
    fn planned(&self, children: impl IntoIterator<Item = u16>) -> u64 {
        let planned = |child| 1_000_000u64.div_ceil(self.told[&child].0);
        children.into_iter().map(planned).sum()
    }
}

/// A child that wants to report this often, from then on with joins as often as it may.
#[derive(Clone, Copy, Debug)]
struct Wants {
    first: u64,
    every: u64,
    busy_from: u64,
    jitter: u64,
}

/// When these report, up to `end`.
fn reports(children: &[Wants], end: u64) -> Vec<u64> {
    let mut parent = Parent::default();
    let first = (0..)
        .zip(children)
        .map(|(child, wants)| (wants.first, child));
    let mut due: BTreeMap<(u64, u16), ()> = first.map(|due| (due, ())).collect();
    let mut seen = Vec::new();
    while let Some(((at, child), ())) = due.pop_first() {
        if at > end {
            break;
        }
        seen.push(at);
        let wants = children[usize::from(child)];
        let is_busy = at >= wants.busy_from;
        let pace = parent.report(child, u64::from(is_busy), T.plus(Millis(at)));
        let soonest = pace.0 + wants.jitter * pace.0 / 264;
        let next = match is_busy {
            true => soonest,
            // Joins come: it reports as soon as it may.
            false => soonest.max(wants.every.min(wants.busy_from.saturating_sub(at))),
        };
        due.insert((at + next, child), ());
    }
    seen
}

/// The most of these within a second that begins at `from` or later.
fn most_in_a_second(seen: &[u64], from: u64, end: u64) -> usize {
    let within = |start: u64| {
        seen.iter()
            .filter(move |at| (start..start + 1_000).contains(*at))
    };
    let starts = (from..=end - 1_000).step_by(50);
    starts.map(|start| within(start).count()).max().unwrap_or(0)
}

proptest! {
    #[test]
    fn whoever_reports_the_plan_is_kept_once_all_who_are_awake_were_told(
        before in vec((0u16..130, 0u64..3_000), 0..300),
        awake in btree_set(0u16..130, 1..131),
        joins in 0u64..2,
        shift in 0usize..130,
    ) {
        let mut parent = Parent::default();
        let mut now = T;
        for (child, gap) in before {
            now = now.plus(Millis(gap));
            parent.report(child, joins, now);
        }
        for _ in 0..2 {
            let mut round: Vec<u16> = awake.iter().copied().collect();
            let turn = shift % round.len();
            round.rotate_left(turn);
            for child in round {
                now = now.plus(Millis(1));
                parent.report(child, joins, now);
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
        let wants = |(first, jitter)| Wants { first, every: 0, busy_from: 0, jitter };
        let children: Vec<Wants> = offsets.into_iter().zip(jitters).map(wants).collect();
        let seen = reports(&children, 5_000);
        let settled = 40 + 50 + 260;
        let most = most_in_a_second(&seen, settled, 5_000);
        prop_assert!(most <= 500 + 20, "{most} requests in a second");
        let burst = seen.iter().filter(|at| **at < settled).count();
        prop_assert!(burst <= 3 * 130, "{burst} requests before");
    }
}

proptest! {
    // Each is a run of twelve seconds.
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn busy_children_use_what_quiet_ones_leave_and_all_together_keep_the_plan(
        quiet in vec((0u64..1_000, 200u64..1_200, 0u64..33), 0..120),
        busy in vec((0u64..1_000, 0u64..33), 1..11),
        turned in 0usize..120,
    ) {
        const TURNS: u64 = 6_000;
        let of_quiet = (0..).zip(quiet).map(|(number, (first, every, jitter))| {
            let busy_from = if number < turned { TURNS } else { u64::MAX };
            Wants { first, every, busy_from, jitter }
        });
        let of_busy = busy.into_iter().map(|(first, jitter)| Wants { first, every: 0, busy_from: 0, jitter });
        let children: Vec<Wants> = of_quiet.chain(of_busy).collect();
        let seen = reports(&children, 12_000);
        let most = most_in_a_second(&seen, 3_000, TURNS);
        prop_assert!(most <= 500 + 20, "{most} requests in a second");
        let most = most_in_a_second(&seen, TURNS - 1_000, 12_000);
        prop_assert!(most <= 700, "{most} in a second in which {turned} turn busy");
        let most = most_in_a_second(&seen, TURNS + 2_500, 12_000);
        prop_assert!(most <= 500 + 20, "{most} in a second after that");
    }
}

#[test]
fn a_few_report_as_often_as_anybody_may_and_all_of_them_every_260_ms() {
    for (busy, millis) in [(0, 50), (1, 50), (25, 50), (26, 52), (50, 100), (130, 260)] {
        let awake = Awake {
            busy,
            ..Awake::default()
        };
        assert_eq!(awake.interval(true), Millis(millis), "{busy} are busy");
    }
}

#[test]
fn quiet_children_have_a_part_of_the_plan_and_busy_ones_what_those_leave_of_it() {
    for (busy, quiet, quiet_reports, of_busy, of_quiet) in [
        (0, 130, 300, 50, 434),
        (6, 124, 290, 50, 414),
        (30, 50, 50, 67, 167),
        (30, 50, 10_000, 150, 167),
        (65, 65, 130, 176, 260),
        (129, 1, 1, 259, 260),
    ] {
        let awake = Awake {
            busy,
            quiet,
            quiet_reports,
        };
        let told = (awake.interval(true), awake.interval(false));
        let expected = (Millis(of_busy), Millis(of_quiet));
        assert_eq!(told, expected, "{awake:?}");
    }
}

#[test]
fn who_sleeps_takes_nothing_from_who_is_awake() {
    let mut parent = Parent::default();
    for child in 0..130 {
        parent.report(child, 1, T);
    }
    assert_eq!(parent.report(7, 1, T.plus(Millis(1_000))), Millis(260));
    assert_eq!(parent.report(7, 1, T.plus(Millis(2_001))), SHORTEST_SYNC);
}
