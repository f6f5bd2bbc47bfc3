//! A coordinator that is lost around the writes of a draw: before the first, between the two, after
//! the second; with the write or without it. What was stored is never replaced, and what was not
//! is done again.

use anteroom_queue::coordinator::rows::CoordinatorRow;
use anteroom_queue::shard::command::ShardReply;
use anteroom_queue::units::Millis;

use crate::stage::Stage;
use crate::table::*;

/// The steps of a raffle, each once carried out by everybody.
const STEPS: [fn(&mut Stage); 5] = [
    |stage| until(stage, OPENS),
    |stage| stage.sync(0),
    |stage| stage.sync(1),
    |stage| until(stage, OPENS.plus(Millis(3_000))),
    |stage| {
        if let Some((round, there)) = stage.coordinator.awaited_round() {
            stage.now = there;
            bring_round(stage, round);
        }
    },
];

fn restart(stage: &mut Stage) {
    stage.restore_coordinator();
    stage.restore_shard(0);
    stage.restore_shard(1);
}

fn finish(stage: &mut Stage) {
    for _ in 0..3 {
        stage.sync_all();
    }
    until(stage, stage.now.plus(Millis(3_000)));
    STEPS[4](stage);
    stage.sync_all();
}

#[test]
fn a_restart_at_any_step_leads_to_the_same_draw() {
    for beacon in [false, true] {
        for lost_after in 0..STEPS.len() {
            let mut kept = with_entrants(raffle(beacon), 9);
            let mut restored = kept.clone();
            for (number, step) in STEPS.iter().enumerate() {
                step(&mut kept);
                step(&mut restored);
                if number == lost_after {
                    restart(&mut restored);
                }
            }
            finish(&mut kept);
            finish(&mut restored);
            let (kept, restored) = (draw(&kept), draw(&restored));
            assert!(kept.drawn.is_some(), "{kept:?}");
            let who = |draw: &anteroom_queue::board::DrawBoard| {
                let fixed = draw.fixed.clone().expect("fixed");
                (draw.commitment, fixed.entrants, fixed.opened)
            };
            assert_eq!(who(&kept), who(&restored), "lost after step {lost_after}");
            if lost_after > 1 {
                assert_eq!(kept, restored, "lost after step {lost_after}");
            }
        }
    }
}

#[test]
fn a_write_that_was_lost_is_made_again_and_one_that_was_stored_stands() {
    for (survives, beacon) in [(false, false), (true, false), (false, true), (true, true)] {
        let mut stage = with_entrants(raffle(beacon), 5);
        until(&mut stage, OPENS);
        stage.sync(0);
        let before = stage.coordinator_rows.clone();
        let report = stage.report(1);
        stage.hear(report);
        let first = draw(&stage);
        assert!(first.fixed.is_some());
        if !survives {
            stage.coordinator_rows = before;
        }
        stage.restore_coordinator();
        stage.pass(Millis(1_000));
        finish(&mut stage);
        let decided = draw(&stage);
        assert!(decided.drawn.is_some());
        assert_eq!(decided.commitment, first.commitment);
        assert_eq!(
            decided.fixed == first.fixed,
            survives,
            "the write survived: {survives}"
        );
        assert_eq!(decided.fixed.map(|fixed| fixed.entrants), Some(5));
    }
}

/// A second life begins from what the first has stored and goes another way in time: more joins,
/// other entropy, a beacon that comes or does not.
#[test]
fn a_second_life_never_changes_what_the_first_has_stored() {
    let mut first = fixed(true, 6);
    let (round, there) = first
        .coordinator
        .awaited_round()
        .expect("a round is awaited");
    let fixed = draw(&first).fixed;
    let mut second = first.clone();
    second.restore_coordinator();
    for visitor in 100..120 {
        second.join(visitor, 0);
    }
    second.sync_all();
    second.now = there.plus(second.settings.draw.beacon_wait);
    wake(&mut second);
    assert_eq!(draw(&second).fixed, fixed);
    let decided = draw(&second);
    assert_eq!(decided.drawn.as_ref().expect("decided").beacon, None);
    second.restore_coordinator();
    bring_round(&mut second, round);
    second.sync_all();
    assert_eq!(draw(&second), decided);
    first.now = there;
    bring_round(&mut first, round);
    assert_eq!(draw(&first).fixed, fixed);
}

#[test]
fn the_draw_is_stored_three_times_whatever_its_size() {
    for count in [1, 40, 900] {
        let mut stage = with_entrants(raffle(false), count);
        let mut seen = Vec::new();
        let mut look = |stage: &Stage| {
            let rows = stage.coordinator_rows.values();
            let draw = rows.filter(|row| matches!(row, CoordinatorRow::Draw { .. }));
            let draw: Vec<CoordinatorRow> = draw.cloned().collect();
            if seen.last() != Some(&draw) {
                seen.push(draw);
            }
        };
        look(&stage);
        for step in STEPS {
            step(&mut stage);
            look(&stage);
        }
        finish(&mut stage);
        look(&stage);
        assert_eq!(seen.len(), 3, "made, fixed, decided");
    }
}

#[test]
fn the_number_of_an_entrant_whose_answer_was_lost_is_its_own_after_the_draw_too() {
    let mut stage = with_entrants(raffle(false), 4);
    stage.join(100, 1);
    let report = stage.report(1);
    let lost = stage.hear(report);
    let [cut] = lost.lines[0].cuts[..] else {
        panic!("one join is numbered: {lost:?}");
    };
    // The shard hears nothing more until the draw went on without it, and takes others meanwhile.
    for visitor in 101..110 {
        stage.join(visitor, 1);
    }
    until(&mut stage, OPENS);
    stage.sync(0);
    let grace = stage.settings.draw.grace;
    until(&mut stage, OPENS.plus(grace));
    assert_eq!(entrants(&stage), Some(5));
    stage.sync(1);
    let entry = |stage: &mut Stage, visitor| match stage.join(visitor, 1) {
        ShardReply::Place { place, .. } => place.entry,
        other => panic!("a place that there is answers {other:?}"),
    };
    assert_eq!(entry(&mut stage, 100), Some(cut.first_entry));
    for visitor in 101..110 {
        assert_ne!(entry(&mut stage, visitor), Some(cut.first_entry));
    }
}
