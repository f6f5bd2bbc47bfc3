//! Offers of a place's own and brakes: what stands still, what is not known, what is not told.

use anteroom_queue::coordinator::command::CoordinatorCommand;
use anteroom_queue::shard::command::PlaceView;

use super::*;

const MINUTE: Millis = Millis::from_minutes(1);

fn view(stage: &Stage) -> PlaceView {
    let view = stage.shards[0].view(PlaceIndex(0), stage.now);
    view.expect("a place")
}

fn stop() -> Action {
    Action::Stop {
        reason: "a till is down".to_owned(),
        next_update_at: Some(UnixMillis(1_900_000_000_000)),
    }
}

fn nothing_left(left: u64) -> Action {
    Action::Stock { left }
}

/// One visitor is called for two of the five minutes of the hold.
fn called() -> Stage {
    let mut stage = stage();
    stage.join(0, 0);
    stage.live(Millis::from_minutes(2));
    assert_eq!(view(&stage).state, VisitorState::Called);
    stage
}

/// For how long the offer of the visitor stands from now on, in seconds.
fn stands_for(stage: &mut Stage) -> u64 {
    let mut ahead = stage.clone();
    let mut seconds = 0;
    while view(&ahead).state == VisitorState::Called && seconds < 3_600 {
        ahead.live(Millis(1_000));
        seconds += 1;
    }
    seconds
}

#[test]
fn an_offer_that_is_deferred_while_the_line_stands_still_stands_hold_and_five_minutes_after_it() {
    for (brake, release) in [
        (pause(), Action::Resume),
        (stop(), Action::Resume),
        (nothing_left(0), nothing_left(9)),
    ] {
        for restart in [None, Some(0), Some(1)] {
            let mut stage = called();
            stage.operate(brake.clone());
            stage.live(Millis::from_minutes(20));
            match restart {
                Some(0) => stage.restore_shard(0),
                Some(_) => stage.restore_coordinator(),
                None => {}
            }
            stage.live(Millis(1_000));
            let told = stage.at_shard(0, defer(0));
            let ShardReply::Place { place, .. } = told else {
                panic!("a deferral is answered {told:?}");
            };
            let seen = (place.state, place.offer_until, place.may_defer);
            assert_eq!(seen, (VisitorState::Called, None, false), "{brake:?}");
            stage.live(Millis::from_minutes(10));
            assert_eq!(view(&stage).offer_until, None, "the clock stands");
            stage.operate(release.clone());
            stage.live(Millis(1_000));
            let seconds = stands_for(&mut stage);
            assert!(
                (8 * 60 - 2..=8 * 60 + 2).contains(&seconds),
                "{seconds} s after {brake:?}, {restart:?}"
            );
        }
    }
}

#[test]
fn an_end_is_told_only_while_the_clock_of_offers_runs() {
    let mut stage = called();
    assert!(view(&stage).offer_until.is_some());
    stage.operate(pause());
    stage.live(Millis(1_000));
    assert_eq!(view(&stage).offer_until, None, "of everybody's hold");
    stage.operate(Action::Resume);
    stage.live(Millis(1_000));
    assert!(view(&stage).offer_until.is_some_and(|at| at > stage.now));
}

#[test]
fn a_deferral_counts_from_now_when_the_end_that_was_told_is_over() {
    let mut stage = called();
    // Nobody reports: the hold runs on by a minute at most, and the shard's board says less.
    stage.pass(Millis::from_minutes(15));
    let told = stage.at_shard(0, defer(0));
    let ShardReply::Place { place, .. } = told else {
        panic!("a deferral is answered {told:?}");
    };
    let until = place.offer_until.expect("an offer with an end");
    assert_eq!(until, stage.now.plus(Millis::from_minutes(5)));
    assert_eq!(place.state, VisitorState::Called);
}

#[test]
fn an_offer_is_over_only_by_a_board_that_was_heard_after_its_end() {
    let mut stage = deferred_late();
    for _ in 0..7 {
        stage.pass(MINUTE);
        stage.at_coordinator(CoordinatorCommand::Wake);
    }
    assert_eq!(state(&mut stage, 0).0, VisitorState::Called, "not heard");
    stage.sync(0);
    assert_eq!(state(&mut stage, 0).0, VisitorState::Lapsed);
}

#[test]
fn a_brake_of_which_a_shard_hears_when_it_is_over_takes_no_offer_whatever_braked() {
    let close = |line: &str| Action::CloseLine {
        line: line.to_owned(),
    };
    let open = Action::OpenLine {
        line: "general".to_owned(),
    };
    for (brake, release) in [
        (pause(), Action::Resume),
        (nothing_left(0), nothing_left(9)),
        (Action::Soldout, Action::Open),
        (Action::Close, Action::Open),
        (close("general"), open),
    ] {
        let mut stage = deferred_late();
        stage.operate(brake.clone());
        for _ in 0..20 {
            stage.pass(MINUTE);
            stage.at_coordinator(CoordinatorCommand::Wake);
        }
        stage.operate(release);
        stage.live(Millis(1_000));
        assert_eq!(view(&stage).state, VisitorState::Called, "{brake:?}");
    }
}

#[test]
fn nobody_is_refused_a_deferral_by_a_shard_that_knows_nothing_yet() {
    let mut stage = called();
    stage.restore_shard(0);
    let told = stage.at_shard(0, defer(0));
    assert!(matches!(told, ShardReply::Pending { .. }), "{told:?}");
    assert!(stage.shards[0].next_report(stage.now).is_some());
    stage.sync(0);
    let told = stage.at_shard(0, defer(0));
    assert!(matches!(told, ShardReply::Place { .. }), "{told:?}");
}

#[test]
fn nobody_is_told_to_wait_by_a_shard_that_does_not_know_whom_the_line_has_called() {
    for lapses in [false, true] {
        let mut stage = called();
        if lapses {
            stage.live(Millis::from_minutes(4));
        }
        stage.restore_shard(0);
        let told = stage.ask(0);
        assert!(matches!(told, ShardReply::Pending { .. }), "{told:?}");
        stage.sync(0);
        let known = match lapses {
            true => VisitorState::Lapsed,
            false => VisitorState::Called,
        };
        assert_eq!(state(&mut stage, 0).0, known);
    }
}

#[test]
fn an_offer_without_an_end_needs_no_deferral() {
    let mut endless = settings(Limits {
        max_active: Some(1),
        ..Limits::default()
    });
    endless.hold = Millis(0);
    let mut stage = Stage::new(endless, 1);
    stage.join(0, 0);
    stage.live(Millis(1_000));
    assert_eq!(state(&mut stage, 0), (VisitorState::Called, false));
    let told = stage.at_shard(0, defer(0));
    assert!(matches!(told, ShardReply::Place { .. }), "{told:?}");
    stage.live(Millis::from_minutes(60));
    assert_eq!(state(&mut stage, 0).0, VisitorState::Called);
}

#[test]
fn a_claim_taken_back_while_the_line_stands_still_leaves_one_hold_after_it() {
    let mut stage = called();
    stage.claim(0, 0);
    stage.operate(pause());
    stage.live(Millis::from_minutes(20));
    assert_eq!(view(&stage).state, VisitorState::Called, "taken back");
    stage.operate(Action::Resume);
    stage.live(Millis(1_000));
    let seconds = stands_for(&mut stage);
    assert!((298..=302).contains(&seconds), "{seconds} s");
}
