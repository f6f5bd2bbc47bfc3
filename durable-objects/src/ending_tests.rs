//! The end of a run: when its objects delete what they hold, and when they do not.

use anteroom_queue::coordinator::command::Action;
use anteroom_queue::shard::command::ShardReply;
use anteroom_queue::units::{Millis, UnixMillis};

use crate::coordinator_desk::CoordinatorDesk;
use crate::fixtures::{Memory, Pair, attempt, coordinator_known, open, settings, shard_known};
use crate::meta::{DAY, Meta};
use crate::opening::who;
use crate::storage::{Store, read_all};
use crate::wire::EdgeCounts;

/// A pair whose operator has closed the sale, and when.
fn closed() -> (Pair, UnixMillis) {
    let mut pair = Pair::in_touch();
    pair.join(1);
    pair.run_for(Millis::from_seconds(1));
    pair.operate(Action::Close);
    pair.count(EdgeCounts::default());
    pair.run_for(Millis::from_seconds(1));
    let ended = pair.shard_board().ended_at.unwrap();
    (pair, ended)
}

/// Whether the coordinator and the shard are to be deleted soon after `now`, at which an alarm
/// wakes both from sleep.
fn forgets(pair: &mut Pair, now: UnixMillis) -> (bool, bool) {
    pair.now = now;
    pair.restart();
    let mut is_shard_forgotten = false;
    for _ in 0..10_000 {
        pair.run_for(Millis(1));
        is_shard_forgotten |= pair.shard.is_to_be_forgotten(pair.now);
    }
    (pair.is_coordinator_forgotten, is_shard_forgotten)
}

#[test]
fn a_run_is_deleted_when_its_time_is_over_and_not_before_however_often_the_alarm_comes() {
    let (mut pair, ended) = closed();
    let over = ended.plus(settings().keep);
    for early in [
        ended.plus(DAY),
        ended.plus(DAY),
        UnixMillis(over.0 - 11_000),
    ] {
        assert_eq!(forgets(&mut pair, early), (false, false), "{early:?}");
    }
    for due in [pair.coordinator.due(pair.now), pair.shard.due(pair.now)] {
        assert!(due.lasting.is_some_and(|at| at <= over), "{due:?}");
    }
    assert_eq!(forgets(&mut pair, over), (true, true));
    assert_eq!(forgets(&mut pair, over.plus(DAY)), (true, true), "late");
}

#[test]
fn a_shard_whose_coordinator_still_says_that_the_run_is_over_is_deleted() {
    let (mut pair, ended) = closed();
    pair.now = ended.plus(settings().keep);
    pair.restart();
    let mut longer = settings();
    longer.keep = Millis(longer.keep.0 + DAY.0);
    let rows = &mut pair.coordinator_rows;
    let kept_longer = open(rows, &coordinator_known(), &longer, pair.now);
    pair.coordinator = CoordinatorDesk::new(kept_longer);
    assert!(!pair.shard.is_to_be_forgotten(pair.now), "it has to ask");
    pair.run_for(Millis::from_seconds(1));
    assert!(!pair.is_coordinator_forgotten && pair.shard.is_to_be_forgotten(pair.now));
}

/// How the operator takes back the end of a run.
fn open_again(pair: &mut Pair) {
    pair.operate(Action::Open);
    pair.run_for(Millis::from_seconds(1));
}

#[test]
fn a_run_that_goes_on_is_not_deleted_by_the_alarms_of_its_end_whether_or_not_a_shard_has_heard() {
    for has_heard in [true, false] {
        let (mut pair, ended) = closed();
        let over = ended.plus(settings().keep);
        // An hour before the time is over; a shard that is not asked anything sleeps.
        pair.now = UnixMillis(over.0 - 3_600_000);
        open_again(&mut pair);
        if has_heard {
            pair.count(EdgeCounts::default());
            pair.run_for(Millis::from_seconds(1));
        }
        assert_eq!(pair.shard_board().ended_at.is_none(), has_heard);
        for alarm in [over, over.plus(DAY)] {
            assert_eq!(forgets(&mut pair, alarm), (false, false), "{has_heard}");
        }
        assert_eq!(pair.shard_board().ended_at, None);
    }
}

#[test]
fn a_shard_that_cannot_ask_whether_the_run_is_still_over_keeps_everything() {
    let (mut pair, ended) = closed();
    open_again(&mut pair);
    pair.is_reachable = false;
    let over = ended.plus(settings().keep);
    assert_eq!(forgets(&mut pair, over), (false, false));
    pair.is_reachable = true;
    assert_eq!(forgets(&mut pair, over.plus(DAY)), (false, false));
}

fn stored_meta(rows: &Memory) -> Meta {
    let stored = read_all::<anteroom_queue::shard::rows::ShardRow>(rows.read());
    stored.unwrap().unwrap().0
}

#[test]
fn of_a_deleted_run_only_its_name_is_left_and_it_does_not_begin_again() {
    let (mut pair, ended) = closed();
    let over = ended.plus(settings().keep);
    let meta = stored_meta(&pair.shard_rows);
    pair.shard_rows.forget(&meta.forgotten(over)).unwrap();
    assert_eq!(pair.shard_rows.rows.len(), 1);
    let meta = stored_meta(&pair.shard_rows);
    for caller in [Some(shard_known()), None] {
        let refusal = who(Some(&meta), caller.as_ref()).unwrap_err();
        assert_eq!(refusal.text(), "run: 1 is over and was deleted");
    }
}

/// A shard that begins after its coordinator was deleted: `stored` is what it holds of the run.
fn begins_late(stored: Memory) -> Pair {
    let (mut pair, ended) = closed();
    pair.now = ended.plus(settings().keep);
    pair.run_for(Millis(1));
    assert!(pair.is_coordinator_forgotten);
    pair.shard_rows = stored;
    pair.restart();
    pair
}

#[test]
fn no_place_is_acknowledged_in_a_deleted_run_by_a_shard_that_begins_after_that() {
    let mut pair = begins_late(Memory::default());
    let asked = pair.now;
    pair.join(7);
    pair.ask(8, attempt(8));
    pair.read_board(9);
    for _ in 0..200 {
        pair.run_for(Millis(1));
        if pair.shard.is_to_be_forgotten(pair.now) {
            break;
        }
    }
    assert!(pair.shard.is_to_be_forgotten(pair.now));
    let mut told = pair.answers.iter().filter(|(at, ..)| *at >= asked);
    assert!(
        told.next().is_none(),
        "the join, the first visit and the read end with the shard"
    );
    let meta = stored_meta(&pair.shard_rows);
    pair.shard_rows.forget(&meta.forgotten(pair.now)).unwrap();
    let refusal = who(Some(&stored_meta(&pair.shard_rows)), Some(&shard_known())).unwrap_err();
    assert_eq!(refusal.text(), "run: 1 is over and was deleted");
}

#[test]
fn a_shard_that_never_heard_of_the_end_is_deleted_when_its_coordinator_was() {
    let mut unheard = Pair::in_touch();
    unheard.join(1);
    unheard.run_for(Millis::from_seconds(1));
    let mut pair = begins_late(unheard.shard_rows.clone());
    assert!(!pair.shard.is_to_be_forgotten(pair.now), "it has to ask");
    pair.run_for(Millis::from_seconds(1));
    assert!(pair.shard.is_to_be_forgotten(pair.now));
}

#[test]
fn while_nobody_knows_that_the_run_was_deleted_a_join_is_kept_and_goes_with_it() {
    let mut pair = begins_late(Memory::default());
    pair.is_reachable = false;
    let asked = pair.now;
    pair.join(7);
    pair.run_for(Millis::from_seconds(3));
    let replies = pair.replies(asked);
    assert!(
        matches!(replies[..], [.., (2_000, 7, ShardReply::Place { .. })]),
        "{replies:?}"
    );
    pair.is_reachable = true;
    pair.run_for(Millis::from_seconds(10));
    assert!(pair.shard.is_to_be_forgotten(pair.now));
}
