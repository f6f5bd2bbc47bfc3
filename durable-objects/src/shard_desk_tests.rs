use anteroom_queue::coordinator::command::Action;
use anteroom_queue::shard::command::{Refused, ShardReply, VisitorState};
use anteroom_queue::units::EntryNumber;

use super::*;
use crate::fixtures::{Memory, Pair, T, claim, deferral, join, question, settings};
use crate::wire::ShardAnswer;

fn entry(reply: &ShardReply) -> Option<u64> {
    match reply {
        ShardReply::Place { place, .. } => place.entry.map(|EntryNumber(entry)| entry),
        _ => None,
    }
}

#[test]
fn a_join_is_answered_with_its_number_after_one_report() {
    let mut pair = Pair::in_touch();
    let asked = pair.now;
    pair.join(1);
    pair.run_for(Millis(200));
    let replies = pair.replies(asked);
    let (after, visitor, reply) = replies[0];
    assert_eq!((visitor, entry(&reply)), (1, Some(0)));
    assert!(matches!(reply, ShardReply::Place { new: true, .. }));
    assert!(after <= 60, "25 ms here, 20 ms there: {after} ms");
    assert_eq!(replies.len(), 1);
}

#[test]
fn joins_of_one_window_are_one_transaction_and_one_report() {
    let mut pair = Pair::in_touch();
    let (commits, reports) = (pair.shard_rows.commits, pair.reports.len());
    for visitor in 1..=100 {
        pair.join(visitor);
    }
    pair.run_for(Millis(60));
    let entries: Vec<_> = pair.replies(T).iter().map(|row| entry(&row.2)).collect();
    assert_eq!(entries, (0..100).map(Some).collect::<Vec<_>>());
    assert_eq!(
        pair.shard_rows.commits - commits,
        2,
        "the joins, their numbers"
    );
    assert_eq!(pair.reports.len() - reports, 1);
}

#[test]
fn the_same_permit_gets_the_same_place_whenever_it_asks() {
    let mut pair = Pair::in_touch();
    pair.join(1);
    pair.join(1);
    pair.run_for(Millis(200));
    pair.join(1);
    pair.run_for(Millis(200));
    let news: Vec<_> = pair
        .replies(T)
        .into_iter()
        .map(|(_, _, reply)| match reply {
            ShardReply::Place { place, new } => (place.entry, new),
            other => panic!("{other:?}"),
        })
        .collect();
    let number = Some(EntryNumber(0));
    assert_eq!(news, [(number, true), (number, false), (number, false)]);
}

#[test]
fn while_the_coordinator_is_away_a_join_is_provisional_after_two_seconds_and_numbered_later() {
    let mut pair = Pair::in_touch();
    pair.is_reachable = false;
    let asked = pair.now;
    pair.join(1);
    pair.run_for(Millis::from_seconds(10));
    let replies = pair.replies(asked);
    let [(after, 1, ShardReply::Place { place, new: true })] = replies[..] else {
        panic!("{replies:?}");
    };
    assert_eq!((after, place.state), (2_000, VisitorState::Provisional));
    pair.is_reachable = true;
    pair.run_for(Millis::from_seconds(15));
    pair.join(1);
    pair.run_for(Millis(50));
    let (_, _, numbered) = pair.replies(asked)[1];
    assert_eq!(entry(&numbered), Some(0));
}

#[test]
fn there_is_one_report_at_a_time_and_fewer_while_the_coordinator_is_away() {
    let mut pair = Pair::in_touch();
    pair.is_reachable = false;
    pair.join(1);
    pair.run_for(Millis::from_seconds(60));
    let reports = &pair.reports[1..];
    for two in reports.windows(2) {
        assert!(two[1].since(two[0]) > crate::uplink::SYNC_TIMEOUT);
    }
    assert!((14..=18).contains(&reports.len()), "{}", reports.len());
}

#[test]
fn a_shard_with_nothing_to_say_makes_no_report_and_has_nothing_due() {
    let mut pair = Pair::in_touch();
    pair.run_for(Millis::from_seconds(600));
    assert_eq!(pair.reports.len(), 1);
    let due = pair.shard.due(pair.now);
    assert_eq!((due.somebody, due.lasting), (None, None), "{due:?}");
}

#[test]
fn a_failed_write_lets_nothing_out() {
    let mut pair = Pair::in_touch();
    pair.join(1);
    let mut broken = Memory {
        is_broken: true,
        ..Memory::default()
    };
    let late = pair.now.plus(Millis(25));
    let failed = pair.shard.step(late, 0, &mut broken).unwrap_err();
    assert_eq!(failed, WriteFailed("disk full".into()));
}

#[test]
fn every_acknowledged_place_is_in_the_rows() {
    let mut pair = Pair::in_touch();
    for visitor in 1..=300 {
        pair.join(visitor);
        pair.run_for(Millis(3));
        let answered = pair.replies(T);
        if visitor % 50 != 0 || answered.is_empty() {
            continue;
        }
        pair.restart();
        pair.answers.clear();
        for (_, visitor, _) in &answered {
            pair.join(*visitor);
        }
        pair.run_for(Millis(200));
        let again = pair.replies(T);
        for (_, visitor, reply) in answered {
            let row = again.iter().find(|row| row.1 == visitor).unwrap();
            assert_eq!(entry(&row.2), entry(&reply), "visitor {visitor}");
            assert!(matches!(row.2, ShardReply::Place { new: false, .. }));
        }
    }
}

#[test]
fn a_claim_waits_for_its_grant() {
    let mut pair = Pair::in_touch();
    pair.join(1);
    pair.run_for(Millis::from_seconds(2));
    pair.read_board(2);
    pair.run_for(Millis(300));
    let asked = pair.now;
    pair.answers.clear();
    pair.ask(1, claim(1, 0));
    pair.run_for(Millis::from_seconds(2));
    let replies = pair.replies(asked);
    let [(after, 1, ShardReply::Session { first: true, .. })] = replies[..] else {
        panic!("{replies:?}");
    };
    assert!(after < CLAIM_BOUND, "{after} ms");
}

/// A grant takes one report: well below the second that a claim waits.
const CLAIM_BOUND: u64 = 250;

#[test]
fn a_claim_that_is_not_granted_is_pending_after_a_second() {
    let mut pair = Pair::in_touch();
    pair.join(1);
    pair.run_for(Millis::from_seconds(2));
    pair.read_board(2);
    pair.run_for(Millis(300));
    let pause = Action::Pause {
        reason: "fire drill".into(),
        next_update_at: Some(pair.now.plus(Millis::from_minutes(10))),
    };
    pair.operate(pause);
    let asked = pair.now;
    pair.answers.clear();
    pair.ask(1, claim(1, 0));
    pair.run_for(Millis::from_seconds(2));
    let replies = pair.replies(asked);
    let [(after, 1, ShardReply::Pending { place: Some(_) })] = replies[..] else {
        panic!("{replies:?}");
    };
    assert_eq!(after, 1_000, "patience counts from the arrival");
}

#[test]
fn a_shard_that_starts_anew_says_what_became_of_a_place_when_it_knows() {
    for is_reachable in [true, false] {
        let mut pair = Pair::in_touch();
        pair.join(1);
        pair.run_for(Millis::from_seconds(2));
        pair.restart();
        pair.is_reachable = is_reachable;
        let asked = pair.now;
        pair.ask(1, question(1, 0));
        pair.ask(2, deferral(1, 0));
        pair.run_for(Millis::from_seconds(2));
        let replies: Vec<_> = pair.replies(asked)[1..].to_vec();
        let [(question_after, 1, question), (deferral_after, 2, deferral)] = replies[..] else {
            panic!("{replies:?}");
        };
        let state = |reply| match reply {
            ShardReply::Place { place, .. } => Some((place.state, place.may_defer)),
            ShardReply::Pending { .. } => None,
            other => panic!("{other:?}"),
        };
        if is_reachable {
            assert!(question_after.max(deferral_after) <= 150, "{replies:?}");
            let called = VisitorState::Called;
            assert_eq!(state(question), Some((called, true)));
            assert_eq!(state(deferral), Some((called, false)));
        } else {
            assert_eq!((question_after, deferral_after), (500, 1_000));
            assert_eq!((state(question), state(deferral)), (None, None));
        }
    }
}

#[test]
fn a_refusal_is_answered_when_the_window_closes() {
    let mut pair = Pair::in_touch();
    let asked = pair.now;
    pair.ask(1, claim(1, 0));
    pair.run_for(Millis(100));
    let replies = pair.replies(asked);
    let [(25, 1, ShardReply::Refused { why, .. })] = replies[..] else {
        panic!("{replies:?}");
    };
    assert_eq!(why, Refused::Unknown);
}

fn boards(pair: &Pair, since: UnixMillis) -> Vec<(u64, u32, Option<u64>)> {
    pair.answers
        .iter()
        .filter(|(_, _, answer)| answer.body == ShardBody::Board)
        .map(|(at, to, answer)| (at.since(since).0, *to, answer.board_age_ms))
        .collect()
}

#[test]
fn a_fresh_board_is_read_from_memory_and_an_older_one_is_renewed_first() {
    let mut pair = Pair::in_touch();
    pair.read_board(1);
    pair.run_for(Millis(40));
    let first = boards(&pair, T);
    assert_eq!(first.len(), 1);
    assert!(first[0].2.unwrap() < 500, "{first:?}");
    assert_eq!(pair.reports.len(), 1, "no report for a fresh board");

    pair.run_for(Millis::from_seconds(5));
    let asked = pair.now;
    pair.answers.clear();
    pair.read_board(2);
    pair.read_board(3);
    pair.run_for(Millis(100));
    let later = boards(&pair, asked);
    assert_eq!(pair.reports.len(), 2, "one report for both");
    for (after, _, age) in &later {
        assert!(*after <= 30 && age.unwrap() <= 30, "{later:?}");
    }
    assert_eq!(later.len(), 2);
}

#[test]
fn while_the_coordinator_is_away_a_board_read_waits_a_quarter_of_a_second_at_most() {
    let mut pair = Pair::in_touch();
    pair.is_reachable = false;
    pair.run_for(Millis::from_seconds(5));
    let asked = pair.now;
    pair.read_board(1);
    pair.run_for(Millis::from_seconds(1));
    let [(250, 1, Some(age))] = boards(&pair, asked)[..] else {
        panic!("{:?}", boards(&pair, asked));
    };
    assert!((5_000..6_000).contains(&age), "{age}");
}

#[test]
fn while_a_report_is_put_off_a_board_read_is_answered_at_once() {
    let mut pair = Pair::in_touch();
    pair.is_reachable = false;
    for _ in 0..10 {
        pair.read_board(1);
        pair.run_for(Millis::from_seconds(4));
    }
    pair.read_board(1);
    pair.run_for(Millis::from_seconds(1));
    while pair.shard.uplink.is_under_way() {
        pair.run_for(Millis(10));
    }
    pair.answers.clear();
    let asked = pair.now;
    pair.read_board(2);
    assert_eq!(boards(&pair, asked)[0].0, 0);
}

#[test]
fn a_shard_that_never_heard_its_coordinator_says_so_after_a_second() {
    let mut pair = Pair::new();
    pair.is_reachable = false;
    pair.read_board(1);
    pair.run_for(Millis::from_seconds(2));
    assert_eq!(boards(&pair, T), [(1_000, 1, None)]);
}

#[test]
fn an_answer_of_another_run_is_not_taken() {
    let mut pair = Pair::in_touch();
    pair.is_reachable = false;
    pair.join(1);
    pair.run_for(Millis(30));
    let before = pair.shard_rows.rows.clone();
    let mut reply = pair.answer_to_a_report();
    reply.run = 2;
    let behind = Millis(0);
    pair.shard.hear(Ok(RelayAnswer { reply, behind }));
    let step = pair.shard.step(pair.now, 0, &mut pair.shard_rows).unwrap();
    assert!(step.answers.is_empty());
    assert_eq!(pair.shard_rows.rows, before);
}

#[test]
fn every_answer_carries_the_board_and_its_age() {
    let mut pair = Pair::in_touch();
    pair.join(1);
    pair.run_for(Millis(100));
    let ShardAnswer {
        board,
        board_age_ms,
        ..
    } = &pair.answers[0].2;
    assert_eq!(board.as_ref().unwrap().lines[0].entries, EntryNumber(1));
    assert!(board_age_ms.unwrap() < 100);
}

#[test]
fn only_visitors_commands_may_be_asked() {
    assert!(is_visitors(&join(1)));
    for own in [
        ShardCommand::Wake,
        ShardCommand::Look,
        ShardCommand::Configure {
            settings: settings(),
        },
    ] {
        assert!(!is_visitors(&own), "{own:?}");
    }
}

#[test]
fn nobody_waits_for_an_hour_when_the_clock_is_set_back_by_one() {
    let mut pair = Pair::in_touch();
    pair.join(1);
    pair.run_for(Millis(5));
    pair.now = UnixMillis(pair.now.0 - 3_600_000);
    let now = pair.now;
    let step = pair.shard.step(now, 0, &mut pair.shard_rows).unwrap();
    assert!(step.answers.is_empty() && step.report.is_none());
    pair.run_for(LATE_AFTER);
    assert_eq!(pair.replies(T).len(), 1);
}
