//! For how long a run is kept: its days count from its end.

use super::*;

#[test]
fn only_the_operator_ends_a_run_and_it_is_forgotten_when_it_was_kept_long_enough() {
    let mut stage = stage();
    let keep = stage.settings.keep;
    let closed = Settings {
        mode: Mode::Closed,
        ..stage.settings.clone()
    };
    configure(&mut stage, closed.clone());
    stage.sync_all();
    stage.pass(and_a_minute(keep));
    assert!(
        !stage.coordinator.is_to_be_forgotten(stage.now),
        "closed by configuration"
    );
    stage.sync(0);
    assert!(!stage.shards[0].is_to_be_forgotten(stage.now));
    stage.operate(Action::Close);
    stage.sync_all();
    stage.pass(keep);
    assert!(stage.coordinator.is_to_be_forgotten(stage.now));
    stage.sync(0);
    assert!(stage.shards[0].is_to_be_forgotten(stage.now));
}

#[test]
fn a_run_is_kept_while_its_mode_is_off_and_its_days_count_from_when_it_leaves_that_mode() {
    for (ends, is_off_first) in [(Action::Soldout, false), (Action::Close, true)] {
        let mut stage = stage();
        let keep = stage.settings.keep;
        let actions = match is_off_first {
            true => [Action::Off, ends],
            false => [ends, Action::Off],
        };
        for action in actions {
            stage.operate(action);
            stage.sync_all();
        }
        is_kept(&mut stage, and_a_minute(keep));
        // Opened and ended again.
        stage.operate(Action::Open);
        stage.operate(Action::Soldout);
        stage.sync_all();
        is_kept(&mut stage, Millis(keep.0 - MINUTE.0));
        is_over_after(&mut stage, MINUTE);
    }
}

#[test]
fn the_days_of_a_run_that_ended_while_it_was_configured_as_off_count_from_another_mode_on() {
    let mut stage = stage();
    let keep = stage.settings.keep;
    let settings = stage.settings.clone();
    let off = Settings {
        mode: Mode::Off,
        ..settings.clone()
    };
    stage.operate(Action::Close);
    stage.pass(Millis(keep.0 - MINUTE.0));
    stage.settings = off.clone();
    configure(&mut stage, off);
    is_kept(&mut stage, and_a_minute(keep));
    stage.settings = settings.clone();
    configure(&mut stage, settings);
    stage.sync_all();
    is_kept(&mut stage, Millis(keep.0 - MINUTE.0));
    is_over_after(&mut stage, MINUTE);
}

/// Whether coordinator and shard are to delete everything after so much time, asked as they are and
/// after a restart.
fn forgotten_after(stage: &mut Stage, time: Millis) -> bool {
    stage.pass(time);
    let forgets = |stage: &mut Stage| {
        let coordinator = stage.coordinator.is_to_be_forgotten(stage.now);
        stage.sync(0);
        let shard = stage.shards[0].is_to_be_forgotten(stage.now);
        assert_eq!(coordinator, shard);
        shard
    };
    let mut anew = stage.clone();
    anew.restore_coordinator();
    anew.restore_shard(0);
    let is_forgotten = forgets(stage);
    assert_eq!(forgets(&mut anew), is_forgotten, "after a restart");
    is_forgotten
}

fn is_kept(stage: &mut Stage, time: Millis) {
    assert!(!forgotten_after(stage, time));
}

fn is_over_after(stage: &mut Stage, time: Millis) {
    assert!(forgotten_after(stage, time));
}

fn and_a_minute(keep: Millis) -> Millis {
    Millis(keep.0 + MINUTE.0)
}

#[test]
fn a_shard_that_slept_through_a_reopening_forgets_nothing() {
    let mut stage = stage();
    stage.join(0, 0);
    stage.operate(Action::Close);
    stage.sync_all();
    stage.operate(Action::Open);
    stage.pass(and_a_minute(stage.settings.keep));
    let shard = &stage.shards[0];
    assert!(!shard.is_to_be_forgotten(stage.now), "it asks first");
    assert!(
        shard
            .next_report(stage.now)
            .is_some_and(|at| at <= stage.now)
    );
    stage.sync(0);
    assert!(!stage.shards[0].is_to_be_forgotten(stage.now));
}

#[test]
fn a_shard_forgets_a_run_once_it_has_heard_again_that_it_is_over() {
    let mut stage = stage();
    stage.operate(Action::Soldout);
    stage.sync_all();
    stage.pass(and_a_minute(stage.settings.keep));
    stage.sync(0);
    assert!(stage.shards[0].is_to_be_forgotten(stage.now));
}
