//! Whole runs: promises hold, one seed decides everything, and a mistake in the shells is found.

use simulation::observation::Seen;
use simulation::plan::Plan;
use simulation::run::{run, run_with_a_neighbour, side_by_side};

#[test]
fn every_promise_holds_in_small_but_lively_worlds() {
    let mut lively = Seen::default();
    for seed in 0..20 {
        let course = run(seed, 150);
        let findings = &course.findings;
        assert_eq!(findings.total(), 0, "seed {seed}: {:?}", findings.first);
        lively.joins += course.seen.joins;
        lively.first_passes += course.seen.first_passes;
        lively.confirmed += course.seen.confirmed;
        lively.requests += course.seen.requests;
        lively.left += course.seen.left;
        lively.over += course.seen.over;
        lively.brakes += course.seen.brakes;
        lively.foreign += course.seen.foreign;
        lively.ranks += course.seen.ranks;
        lively.draws += course.seen.draws;
        lively.handed_over += course.seen.handed_over;
        lively.deferred += course.seen.deferred;
        lively.keyed += course.seen.keyed;
    }
    assert!(
        lively.joins > 1_000 && lively.first_passes > 800,
        "{lively:?}"
    );
    assert!(
        lively.confirmed > 10 && lively.requests > 4_000,
        "{lively:?}"
    );
    assert!(lively.left > 50 && lively.over > 400, "{lively:?}");
    assert!(lively.ranks > 500 && lively.draws > 3, "{lively:?}");
    assert!(
        lively.handed_over > 10 && lively.deferred > 10 && lively.keyed > 100,
        "{lively:?}"
    );
    assert!(lively.brakes > 5 && lively.foreign > 20, "{lively:?}");
}

#[test]
fn one_seed_decides_everything() {
    for seed in [3, 4] {
        let (first, second) = (run(seed, 120), run(seed, 120));
        assert_eq!(
            (first.trace, first.virtual_ms),
            (second.trace, second.virtual_ms)
        );
    }
    assert_ne!(run(3, 120).trace, run(4, 120).trace);
}

#[test]
fn an_event_goes_the_same_way_beside_another() {
    for seed in [5, 6] {
        let beside = run_with_a_neighbour(seed, 120);
        assert_eq!(
            beside.findings.total(),
            0,
            "seed {seed}: {:?}",
            beside.findings.first
        );
    }
}

#[test]
fn shells_that_answer_before_they_store_are_found_out() {
    let broken = |seed| {
        let mut plan = Plan::new(seed, 400);
        plan.answers_before_storing = true;
        plan.faults.crash_every_ms = 1_000;
        plan.faults.slow_write_ppm = 300_000;
        side_by_side(vec![plan]).remove(0).findings.total()
    };
    assert!((0..6).any(|seed| broken(seed) > 0));
}
