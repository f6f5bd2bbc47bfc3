use anteroom_queue::shard::command::PlaceView;
use anteroom_queue::units::{ClaimId, EntryNumber, LineIndex, Nonce, PlaceIndex};

use super::*;

const T: UnixMillis = UnixMillis(1_000_000);

fn after(millis: u64) -> UnixMillis {
    T.plus(Millis(millis))
}

fn join() -> ShardCommand {
    ShardCommand::Join {
        nonce: Nonce([1; 16]),
        line: LineIndex(0),
        permit_expired: false,
        arrived: None,
    }
}

fn attempt() -> ShardCommand {
    ShardCommand::Try {
        nonce: Nonce([2; 16]),
        line: LineIndex(0),
        claim: ClaimId([3; 16]),
    }
}

fn claim() -> ShardCommand {
    ShardCommand::Claim {
        index: PlaceIndex(0),
        nonce: Nonce([1; 16]),
        claim: ClaimId([3; 16]),
    }
}

fn place(state: VisitorState, new: bool) -> ShardReply {
    ShardReply::Place {
        place: PlaceView {
            index: PlaceIndex(0),
            line: LineIndex(0),
            entry: (state != VisitorState::Provisional).then_some(EntryNumber(7)),
            rank: None,
            arrived: T,
            state,
            offer_until: None,
            session_ends: None,
            may_defer: false,
            was_admitted: false,
            missed_draw: false,
        },
        new,
    }
}

const PENDING: ShardReply = ShardReply::Pending { place: None };

/// A gather in which `command` was applied once at `T` with `reply`.
fn applied(command: ShardCommand, reply: ShardReply) -> (Gather<u8>, Option<(u8, ShardReply)>) {
    let mut gather = Gather::default();
    gather.take(command, 1, T).unwrap();
    let asked = gather.close().pop().unwrap();
    let answer = gather.settle(asked, reply);
    (gather, answer)
}

#[test]
fn a_window_closes_25_ms_after_its_first_command_and_later_if_a_report_is_to_be_waited_for() {
    let mut gather = Gather::default();
    assert_eq!(gather.closes(Report::NotBefore(T)), None);
    gather.take(claim(), 1, T).unwrap();
    gather.take(join(), 2, after(20)).unwrap();
    let rows = [
        (Report::NotBefore(UnixMillis(0)), 25),
        (Report::NotBefore(T), 25),
        (Report::NotBefore(after(7)), 7),
        (Report::NotBefore(after(56)), 56),
        (Report::NotBefore(after(5_000)), 100),
        (Report::UnderWay, 100),
    ];
    for (report, closes) in rows {
        assert_eq!(gather.closes(report), Some(after(closes)), "{report:?}");
    }
    assert_eq!(gather.close().len(), 2);
    assert_eq!(gather.closes(Report::UnderWay), None);
}

#[test]
fn a_join_arrives_when_it_comes_in_or_when_it_first_did() {
    for (brought, arrives) in [
        (None, T),
        (Some(UnixMillis(T.0 - 7_000)), UnixMillis(T.0 - 7_000)),
        (Some(after(7_000)), T),
    ] {
        let mut gather = Gather::default();
        let mut command = join();
        if let ShardCommand::Join { arrived, .. } = &mut command {
            *arrived = brought;
        }
        gather.take(command, 1, T).unwrap();
        let asked = gather.close().pop().unwrap();
        let ShardCommand::Join { arrived, .. } = asked.command else {
            panic!("{asked:?}");
        };
        assert_eq!(arrived, Some(arrives), "{brought:?}");
    }
}

#[test]
fn what_the_coordinator_decides_stays_and_everything_else_is_answered() {
    use VisitorState::{Provisional, Waiting};
    let refused = ShardReply::Refused {
        why: Refused::NotCalled,
        place: None,
    };
    let rows = [
        (join(), place(Provisional, true), true),
        (join(), place(Waiting, true), false),
        (claim(), PENDING, true),
        (claim(), refused, false),
        (attempt(), PENDING, true),
        (attempt(), refused, false),
    ];
    for (command, reply, stays) in rows {
        let what = format!("{command:?} {reply:?}");
        let (gather, answer) = applied(command, reply);
        assert_eq!(answer.is_none(), stays, "{what}");
        assert_eq!(gather.patience_ends().is_some(), stays, "{what}");
    }
}

#[test]
fn a_join_that_made_its_place_says_so_also_when_its_number_comes_later() {
    let (mut gather, answer) = applied(join(), place(VisitorState::Provisional, true));
    assert_eq!(answer, None);
    let asked = gather.reconsider().pop().unwrap();
    let numbered = gather.settle(asked, place(VisitorState::Waiting, false));
    assert_eq!(numbered, Some((1, place(VisitorState::Waiting, true))));
}

#[test]
fn out_of_patience_a_join_is_provisional_a_claim_pending_and_a_try_has_no_room() {
    let provisional = place(VisitorState::Provisional, true);
    let no_room = ShardReply::Refused {
        why: Refused::NoRoom,
        place: None,
    };
    let rows = [
        (join(), provisional, 2_000, provisional),
        (attempt(), PENDING, 1_500, no_room),
        (claim(), PENDING, 1_000, PENDING),
    ];
    for (command, reply, patience, told) in rows {
        let (mut gather, _) = applied(command, reply);
        assert_eq!(gather.patience_ends(), Some(after(patience)));
        assert_eq!(gather.out_of_patience(after(patience - 1)), []);
        assert_eq!(gather.out_of_patience(after(patience)), [(1, told)]);
        assert_eq!(gather.patience_ends(), None);
    }
}

#[test]
fn a_full_gather_gives_the_visitor_back_and_keeps_the_others() {
    let mut gather = Gather::default();
    for count in 0..MAX_WAITING {
        gather.take(claim(), count, T).unwrap();
    }
    assert_eq!(gather.take(claim(), MAX_WAITING, T), Err(MAX_WAITING));
    assert_eq!(gather.close().len(), MAX_WAITING);
}

#[test]
fn a_window_of_joins_alone_stays_open_for_longer_than_any_other() {
    let mut gather = Gather::default();
    let far = Report::NotBefore(after(1_000));
    gather.take(join(), 1, T).unwrap();
    assert_eq!(gather.closes(far), Some(T.plus(LONGEST_WINDOW_OF_JOINS)));
    assert_eq!(gather.closes(Report::UnderWay), gather.closes(far));
    gather.take(claim(), 2, T).unwrap();
    assert_eq!(gather.closes(far), Some(T.plus(LONGEST_WINDOW)));
    gather.close();
    gather.take(join(), 3, T).unwrap();
    assert_eq!(gather.closes(far), Some(T.plus(LONGEST_WINDOW_OF_JOINS)));
}

#[test]
fn the_more_joins_a_report_brings_the_later_the_next_one_leaves() {
    for (joins, pace) in [
        (0, 0),
        (1, 4),
        (30, 120),
        (49, 196),
        (51, 200),
        (5_000, 200),
    ] {
        let mut gather = Gather::default();
        gather.take(claim(), 0, T).unwrap();
        for to in 1..=joins {
            gather.take(join(), to, T).unwrap();
        }
        for asked in gather.close() {
            let reply = match asked.command {
                ShardCommand::Join { .. } => place(VisitorState::Provisional, true),
                _ => ShardReply::Pending { place: None },
            };
            assert!(gather.settle(asked, reply).is_none());
        }
        gather.report_leaves();
        assert_eq!(gather.pace(), Millis(pace), "{joins} joins");
    }
}

#[test]
fn a_full_group_waits_for_no_window_but_for_the_parent() {
    let mut gather = Gather::default();
    for _ in 0..FULL_GROUP - 1 {
        gather.take(join(), 1, T).unwrap();
    }
    assert!(!gather.is_full());
    gather.take(join(), 1, T).unwrap();
    assert!(gather.is_full());
    assert_eq!(gather.closes(Report::NotBefore(T)), Some(T));
    assert_eq!(gather.closes(Report::NotBefore(after(40))), Some(after(40)));
    gather.report_leaves();
    assert!(!gather.is_full());
}
