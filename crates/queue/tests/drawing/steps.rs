//! The steps one after the other: at the opening, after the grace, with the beacon and without it.

use anteroom_queue::board::Phase;
use anteroom_queue::coordinator::command::{Action, CoordinatorCommand, Entropy};
use anteroom_queue::draw::all_ranks;
use anteroom_queue::shard::command::ShardReply;
use anteroom_queue::units::{Millis, UnixMillis};

use crate::stage::Stage;
use crate::table::*;

fn place(stage: &mut Stage, visitor: u64) -> (Option<u64>, Option<u64>, bool) {
    match stage.ask(visitor) {
        ShardReply::Place { place, .. } => (
            place.entry.map(|entry| entry.0),
            place.rank.map(|rank| rank.0),
            place.missed_draw,
        ),
        other => panic!("visitor {visitor} is answered {other:?}"),
    }
}

fn drawn_after(stage: &mut Stage, time: Millis) {
    until(stage, stage.now.plus(time));
    assert!(draw(stage).drawn.is_some(), "decided");
    stage.sync_all();
}

#[test]
fn a_draw_of_any_size_gives_every_rank_once() {
    for count in [0, 1, 2, 57] {
        let mut stage = fixed(false, count);
        assert_eq!(phase(&stage), Phase::Drawing);
        drawn_after(&mut stage, Millis(2_000));
        assert_eq!(phase(&stage), Phase::Open, "{count} entrants");
        let ranks = all_ranks(draw(&stage).drawn.expect("decided").seed, count);
        for visitor in 0..count {
            let (entry, rank, missed) = place(&mut stage, visitor);
            let entry = entry.expect("numbered");
            assert_eq!((rank, missed), (Some(ranks[entry as usize]), false));
        }
        let (late, shard) = (1_000, 0);
        stage.join(late, shard);
        stage.sync_all();
        assert_eq!(place(&mut stage, late), (Some(count), Some(count), false));
    }
}

#[test]
fn every_step_is_made_at_the_first_message_after_its_time_however_late_that_is() {
    for late in [0, 1, 10 * 60_000] {
        let mut stage = with_entrants(raffle(false), 3);
        until(&mut stage, OPENS.plus(Millis(late)));
        assert_eq!(phase(&stage), Phase::Drawing);
        until(&mut stage, OPENS.plus(Millis(late + 59_999)));
        assert_eq!(entrants(&stage), None, "the grace is not over");
        until(&mut stage, OPENS.plus(Millis(late + 60_000)));
        assert_eq!(entrants(&stage), Some(3));
        let fixed = draw(&stage);
        until(&mut stage, OPENS.plus(Millis(late + 60_000 + 2_000)));
        assert_eq!(draw(&stage).fixed, fixed.fixed);
        assert_eq!(phase(&stage), Phase::Open);
        let decided = draw(&stage);
        for _ in 0..3 {
            wake(&mut stage);
        }
        assert_eq!(draw(&stage), decided, "once");
    }
}

#[test]
fn a_shard_heard_within_the_grace_is_in_the_draw_and_one_heard_later_is_behind_it() {
    for (heard_after, is_in) in [(59_999, true), (60_001, false)] {
        let mut stage = with_entrants(raffle(false), 4);
        stage.join(100, 1);
        until(&mut stage, OPENS);
        stage.sync(0);
        stage.join(101, 0);
        until(&mut stage, OPENS.plus(Millis(heard_after)));
        stage.sync_all();
        let n = entrants(&stage).expect("the draw is fixed");
        assert_eq!(n, if is_in { 5 } else { 4 });
        drawn_after(&mut stage, Millis(4_500));
        stage.sync_all();
        stage.pass(Millis(2_500));
        stage.sync_all();
        stage.sync_all();
        let (entry, _, missed) = place(&mut stage, 100);
        assert_eq!((entry < Some(n), missed), (is_in, !is_in));
        let (entry, rank, missed) = place(&mut stage, 101);
        assert_eq!(
            (entry >= Some(n), entry == rank, missed),
            (true, true, false)
        );
    }
}

#[test]
fn without_its_round_a_draw_goes_on_after_the_wait_and_says_so() {
    let mut stage = fixed(true, 3);
    let (round, there) = stage
        .coordinator
        .awaited_round()
        .expect("a round is awaited");
    assert!(there >= stage.now.plus(Millis(10_000)));
    let wait = stage.settings.draw.beacon_wait;
    until(&mut stage, UnixMillis(there.plus(wait).0 - 1));
    assert_eq!(phase(&stage), Phase::Drawing);
    until(&mut stage, there.plus(wait));
    let decided = draw(&stage);
    assert_eq!(decided.drawn.as_ref().expect("decided").beacon, None);
    bring_round(&mut stage, round);
    assert_eq!(
        draw(&stage),
        decided,
        "the round that comes after all changes nothing"
    );
}

#[test]
fn two_lines_with_different_openings_are_drawn_each_at_its_own() {
    let mut settings = raffle(false);
    let later = OPENS.plus(Millis(300_000));
    settings.lines = vec![line("general", Some(later)), line("fans", Some(OPENS))];
    let mut stage = Stage::new(settings, 2);
    until(&mut stage, OPENS);
    stage.sync_all();
    until(&mut stage, OPENS.plus(Millis(2_000)));
    let phases = |stage: &Stage| -> Vec<Phase> {
        let lines = stage.coordinator.board().lines.iter();
        lines.map(|line| line.phase).collect()
    };
    assert_eq!(phases(&stage), [Phase::Prequeue, Phase::Open]);
    until(&mut stage, later);
    stage.sync_all();
    until(&mut stage, later.plus(Millis(2_000)));
    assert_eq!(phases(&stage), [Phase::Open, Phase::Open]);
}

#[test]
fn pause_and_stop_do_not_hold_the_draw_up_and_an_end_does() {
    let reason = || "a till is down".to_owned();
    let next_update_at = Some(OPENS.plus(Millis(3_600_000)));
    let pause = Action::Pause {
        reason: reason(),
        next_update_at,
    };
    let stop = Action::Stop {
        reason: reason(),
        next_update_at,
    };
    let cases = [
        (pause, true, Phase::Paused),
        (stop, true, Phase::Open),
        (Action::Soldout, false, Phase::Soldout),
        (Action::Close, false, Phase::Closed),
    ];
    for (action, is_fixed, after) in cases {
        let mut stage = with_entrants(raffle(false), 3);
        until(&mut stage, OPENS);
        act(&mut stage, action.clone());
        stage.sync_all();
        until(&mut stage, OPENS.plus(Millis(70_000)));
        assert_eq!(entrants(&stage).is_some(), is_fixed, "{action:?}");
        until(&mut stage, OPENS.plus(Millis(75_000)));
        assert_eq!(phase(&stage), after, "{action:?}");
        for back in [Action::Resume, Action::Open] {
            act(&mut stage, back);
        }
        stage.sync_all();
        let grace_over = stage.now.plus(Millis(60_000));
        until(&mut stage, grace_over);
        until(&mut stage, grace_over.plus(Millis(2_000)));
        assert_eq!(
            (phase(&stage), entrants(&stage)),
            (Phase::Open, Some(3)),
            "{action:?}"
        );
    }
}

#[test]
fn an_opening_that_moves_by_operator_or_configuration_moves_the_draw_and_keeps_its_commitment() {
    let later = OPENS.plus(Millis(120_000));
    let by_operator: fn(&mut Stage, UnixMillis) = |stage, later| {
        act(stage, move_opening(None, later, "rain"));
    };
    let by_configuration: fn(&mut Stage, UnixMillis) = |stage, later| {
        let mut settings = stage.settings.clone();
        settings.lines[0].opens_at = Some(later);
        let entropy = Entropy([9; 16]);
        stage.at_coordinator(CoordinatorCommand::Configure { settings, entropy });
    };
    for moves in [by_operator, by_configuration] {
        let mut stage = with_entrants(raffle(false), 3);
        let before = draw(&stage);
        moves(&mut stage, later);
        until(&mut stage, OPENS);
        assert_eq!(
            (phase(&stage), draw(&stage)),
            (Phase::Prequeue, before.clone())
        );
        stage.sync_all();
        until(&mut stage, later);
        stage.sync_all();
        assert_eq!(entrants(&stage), Some(3));
        assert_eq!(draw(&stage).commitment, before.commitment);
    }
}

/// A shard that has not heard of an opening brought forward reports all its joins; those that came
/// after it are not in the draw.
#[test]
fn who_came_after_an_opening_that_was_brought_forward_is_not_in_the_draw() {
    let mut stage = with_entrants(raffle(false), 2);
    let earlier = UnixMillis(OPENS.0 - 30_000);
    act(&mut stage, move_opening(None, earlier, "the hall is ready"));
    stage.join(50, 1);
    until(&mut stage, earlier.plus(Millis(5_000)));
    stage.join(51, 1);
    stage.sync_all();
    stage.sync_all();
    assert_eq!(entrants(&stage), Some(3));
    let (entry, _, _) = place(&mut stage, 51);
    assert!(entry.is_none_or(|entry| entry >= 3), "{entry:?}");
}
