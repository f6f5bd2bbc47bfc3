//! One kind of fault at a time, as bad as it can be: every promise holds all the same. What is named `D…` is a row of the
//! list of distributed faults that this waiting room has to stand.

use anteroom_queue::coordinator::command::{Action, Change};
use anteroom_queue::settings::Limits;
use anteroom_queue::units::Millis;
use simulation::injected::Fault;
use simulation::plan::{Alarms, Faults, MINUTE_MS, Plan, START, Step};
use simulation::run::{Course, run_alone};

const VISITORS: u32 = 80;

/// Worlds of each test.
const SEEDS: std::ops::Range<u64> = 0..2;

/// Worlds in which only this fails.
fn only(faults: Faults) -> impl Fn(u64) -> Plan {
    move |seed| {
        let mut plan = Plan::new(seed, VISITORS);
        plan.faults = faults;
        plan.long_outages = false;
        plan
    }
}

/// Every promise holds in these worlds; the runs.
fn holds(seeds: std::ops::Range<u64>, plan: impl Fn(u64) -> Plan) -> Vec<Course> {
    let runs = seeds.map(|seed| {
        let course = run_alone(plan(seed));
        assert_eq!(
            course.findings.total(),
            0,
            "seed {seed}: {:?}",
            course.findings.first
        );
        course
    });
    runs.collect()
}

fn injected(courses: &[Course], fault: Fault) -> u64 {
    courses.iter().map(|course| course.injected.of(fault)).sum()
}

fn admitted(courses: &[Course]) -> u64 {
    courses.iter().map(|course| course.seen.first_passes).sum()
}

// D1.
#[test]
fn objects_that_are_evicted_whenever_nobody_waits_for_them_keep_every_promise() {
    let faults = Faults {
        evict_ppm: 1_000_000,
        ..Faults::default()
    };
    let courses = holds(SEEDS, only(faults));
    assert!(injected(&courses, Fault::Evicted) > 300);
    assert!(admitted(&courses) > 30);
}

// D1.
#[test]
fn objects_that_lose_every_tenth_step_before_it_is_written_keep_every_promise() {
    let faults = Faults {
        crash_ppm: 100_000,
        ..Faults::default()
    };
    let courses = holds(SEEDS, only(faults));
    assert!(injected(&courses, Fault::CrashedInStep) > 100);
}

// D2.
#[test]
fn who_asks_again_after_an_answer_was_lost_has_the_same_place() {
    let faults = Faults {
        reply_lost_ppm: 300_000,
        write_lies_ppm: 100_000,
        ..Faults::default()
    };
    let courses = holds(SEEDS, only(faults));
    assert!(
        injected(&courses, Fault::ReplyLost) > 100 && injected(&courses, Fault::WriteLied) > 100
    );
}

#[test]
fn what_was_not_stored_was_not_promised() {
    let faults = Faults {
        write_fails_ppm: 100_000,
        ..Faults::default()
    };
    assert!(injected(&holds(SEEDS, only(faults)), Fault::WriteFailed) > 100);
}

// D4.
#[test]
fn alarms_that_are_late_early_or_doubled_admit_nobody_twice_and_nobody_too_soon() {
    for alarms in [
        Alarms::Mixed(1_000_000),
        Alarms::Late(10 * MINUTE_MS),
        Alarms::Twice,
    ] {
        let courses = holds(
            SEEDS,
            only(Faults {
                alarms,
                ..Faults::default()
            }),
        );
        assert!(admitted(&courses) > 30, "{alarms:?}");
    }
}

// D5.
#[test]
fn an_alarm_that_fails_seven_times_is_set_again_by_whoever_asks_next() {
    let faults = Faults {
        alarms: Alarms::Fail,
        ..Faults::default()
    };
    let courses = holds(0..4, only(faults));
    assert!(
        injected(&courses, Fault::AlarmFailed) >= 7 && injected(&courses, Fault::AlarmGone) >= 1
    );
    assert!(admitted(&courses) > 60);
}

/// A world in which nothing fails, with one limit and what the operator does about it.
fn steered(seed: u64, most: u32, steps: Vec<(u64, Action)>) -> Plan {
    let mut plan = only(Faults::default())(seed);
    plan.settings.limits = Limits {
        max_active: Some(most),
        ..Limits::default()
    };
    let ends = plan.steps.split_off(
        plan.steps
            .partition_point(|step| step.at_ms < plan.quiet_at_ms),
    );
    plan.steps = steps
        .into_iter()
        .map(|(at_ms, action)| Step { at_ms, action })
        .collect();
    plan.steps.extend(ends);
    plan
}

fn retuned(most: u32) -> Action {
    Action::Retune {
        max_active: Some(Change::To(most)),
        per_minute: None,
        batch: None,
    }
}

// D16.
#[test]
fn a_limit_lowered_below_those_inside_admits_nobody_until_they_are_fewer_and_one_raised_tenfold_holds()
 {
    let steps = || vec![(2 * MINUTE_MS, retuned(2)), (3 * MINUTE_MS, retuned(200))];
    let courses = holds(SEEDS, |seed| steered(seed, 20, steps()));
    assert!(injected(&courses, Fault::Retuned) >= 2 * 2);
}

// D17.
#[test]
fn a_brake_is_exact_however_pauses_and_resumes_race_joins_and_alarms() {
    let pause = || Action::Pause {
        reason: "a till is down".to_owned(),
        next_update_at: Some(START.plus(Millis::from_minutes(24 * 60))),
    };
    let steps = || {
        let both = (0..200).flat_map(|step| {
            let at_ms = 20_000 + step * 700;
            [(at_ms, pause()), (at_ms + 300, Action::Resume)]
        });
        both.collect()
    };
    let courses = holds(SEEDS, |seed| steered(seed, 20, steps()));
    assert!(courses.iter().all(|course| course.seen.brakes >= 200));
    assert!(injected(&courses, Fault::OperatorRaced) > 300);
}

// D21.
#[test]
fn everybody_comes_back_after_a_minute_without_any_object_and_no_object_is_asked_too_much() {
    let mut plan = only(Faults::default())(4);
    let visitors = 1_500;
    plan = Plan {
        faults: plan.faults,
        ..Plan::new(plan.seed, visitors)
    };
    plan.long_outages = false;
    plan.disasters.blackout = Some((2 * MINUTE_MS, 3 * MINUTE_MS));
    let course = run_alone(plan);
    assert_eq!(course.findings.total(), 0, "{:?}", course.findings.first);
    assert_eq!(course.injected.of(Fault::AllHidden), 1);
    let (shard, coordinator) = (
        course.measures.busiest_shard,
        course.measures.busiest_coordinator,
    );
    assert!(
        shard <= 1_000 && coordinator <= 500,
        "{shard} and {coordinator} a second"
    );
}

// D24.
#[test]
fn one_seed_decides_everything_also_where_everything_fails() {
    for seed in [7, 8] {
        let run = || run_alone(Plan::faulty(seed, VISITORS));
        let (first, second) = (run(), run());
        assert_eq!(
            (first.trace, first.virtual_ms),
            (second.trace, second.virtual_ms)
        );
        assert_eq!(first.injected, second.injected);
    }
    assert_ne!(
        run_alone(Plan::faulty(7, VISITORS)).trace,
        run_alone(Plan::faulty(8, VISITORS)).trace
    );
}

#[test]
fn every_promise_holds_in_worlds_in_which_everything_fails() {
    let courses = holds(100..106, |seed| Plan::faulty(seed, VISITORS));
    for fault in [
        Fault::Twin,
        Fault::ClockBack,
        Fault::RegionCutOff,
        Fault::Configured,
        Fault::Deployed,
    ] {
        assert!(injected(&courses, fault) > 0, "{fault:?}");
    }
}
