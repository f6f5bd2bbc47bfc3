//! Draws in a world that fails: late, doubled and lost alarms, crashes around every write, regions
//! that are cut off over the opening; and many events at the same second.

use simulation::plan::{Alarms, Beacon, MINUTE_MS, Plan};
use simulation::run::{Course, run_alone, side_by_side};

/// When a raffle opens.
const OPENS_MS: u64 = 10 * MINUTE_MS;

const VISITORS: u32 = 150;

fn raffle(seed: u64, beacon: Beacon) -> Plan {
    let mut plan = Plan::raffle(seed, VISITORS, beacon);
    plan.edges = 3;
    plan
}

/// Every promise holds, and the draw took its two writes.
fn drawn(plan: Plan, told: &str) -> Course {
    let course = side_by_side(vec![plan]).remove(0);
    let findings = &course.findings;
    assert_eq!(findings.total(), 0, "{told}: {:?}", findings.first);
    assert_eq!(course.draw.writes, 2, "{told}");
    assert!(course.draw.entrants > u64::from(VISITORS / 2), "{told}");
    course
}

#[test]
fn every_step_happens_once_whether_alarms_are_late_doubled_or_lost() {
    let alarms = [Alarms::Late(10 * MINUTE_MS), Alarms::Twice, Alarms::Lost];
    for alarms in alarms {
        for beacon in [Beacon::InTime, Beacon::Never] {
            let mut plan = raffle(5, beacon);
            plan.faults.alarms = alarms;
            drawn(plan, &format!("{alarms:?}, beacon {beacon:?}"));
        }
    }
}

#[test]
fn a_coordinator_that_crashes_around_any_write_of_the_draw_makes_it_once() {
    // From the opening over both writes: the first comes within a second or two, the round that it
    // names 10 to 13 s later.
    let early = (0..3_000).step_by(600);
    let late = (10_000..15_000).step_by(1_000);
    for after_ms in early.chain(late) {
        for survives in [false, true] {
            let mut plan = raffle(6, Beacon::InTime);
            plan.crashes_at = vec![(OPENS_MS + after_ms, survives)];
            drawn(
                plan,
                &format!("{after_ms} ms after the opening, {survives}"),
            );
        }
    }
}

#[test]
fn a_region_cut_off_over_the_opening_is_in_the_draw_if_it_is_heard_within_the_grace() {
    let cut_off = |for_ms: u64| {
        let mut plan = raffle(7, Beacon::InTime);
        plan.cut_off = vec![(0, OPENS_MS - MINUTE_MS, OPENS_MS + for_ms)];
        drawn(plan, &format!("cut off for {for_ms} ms"))
            .draw
            .entrants
    };
    let (in_time, too_late) = (cut_off(40_000), cut_off(90_000));
    assert!(too_late < in_time, "{too_late} and {in_time} entrants");
}

#[test]
fn fourteen_events_that_open_at_the_same_second_do_not_disturb_one_another() {
    let plans = |count: u64| -> Vec<Plan> {
        let beacon = |seed| {
            if seed % 2 == 0 {
                Beacon::InTime
            } else {
                Beacon::Never
            }
        };
        (0..count)
            .map(|seed| Plan::raffle(seed, 120, beacon(seed)))
            .collect()
    };
    let beside = side_by_side(plans(14));
    for (course, plan) in beside.iter().zip(plans(14)) {
        let seed = plan.seed;
        assert_eq!(
            course.findings.total(),
            0,
            "seed {seed}: {:?}",
            course.findings.first
        );
        let alone = run_alone(plan);
        assert_eq!(
            (course.trace, course.draw),
            (alone.trace, alone.draw),
            "seed {seed}"
        );
    }
}
