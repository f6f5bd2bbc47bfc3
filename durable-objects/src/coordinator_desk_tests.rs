use anteroom_queue::coordinator::command::CoordinatorReply;
use anteroom_queue::shard::Shard;
use anteroom_queue::sync::SyncRequest;

use anteroom_queue::coordinator::command::Action;

use super::*;
use crate::fixtures::{Memory, T, coordinator_known, join, open, settings, shard_known};
use crate::storage::read_all;
use crate::wire::EdgeCounts;
use anteroom_queue::units::ShardIndex;

fn desk() -> (CoordinatorDesk<u32>, Memory) {
    let mut rows = Memory::default();
    let coordinator = open(&mut rows, &coordinator_known(), &settings(), T);
    (CoordinatorDesk::new(coordinator), rows)
}

/// The report of a shard with so many joins.
fn report(shard: u16, joins: u32) -> SyncRequest {
    let known = crate::opening::Known {
        shard: Some(shard),
        ..shard_known()
    };
    let mut core: Shard = open(&mut Memory::default(), &known, &settings(), T);
    for number in 0..joins {
        core.apply(join(number), T);
    }
    core.report(T)
}

fn sync(report: SyncRequest) -> CoordinatorAsk {
    let counts = EdgeCounts {
        requests: 3,
        ..EdgeCounts::default()
    };
    CoordinatorAsk::Sync(report, counts)
}

fn entries(bytes: &[u8]) -> u64 {
    match wire::decode(bytes).unwrap() {
        CoordinatorReply::Synced(reply) => reply.lines[0].cuts.iter().map(|cut| cut.count).sum(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn wrong_operator_tokens_are_counted_at_once_and_nothing_is_stored_of_them() {
    let (mut desk, rows) = desk();
    let commits = rows.commits;
    for (more, count, last_at) in [
        (0, 0, None),
        (3, 3, Some(T)),
        (200, 203, Some(T)),
        (0, 203, Some(T)),
    ] {
        let told = desk.ask(CoordinatorAsk::WrongTokens { more }, [1; 16], 7, T, &rows);
        let expected = wire::encode(&WrongTokens { count, last_at });
        assert_eq!(told, Taken::Answered(7, expected));
    }
    assert_eq!(rows.commits, commits);
}

#[test]
fn the_reports_of_one_window_are_one_transaction() {
    let (mut desk, mut rows) = desk();
    let commits = rows.commits;
    for shard in 0..2 {
        let late = T.plus(Millis(u64::from(shard)));
        let ask = sync(report(shard, 5));
        assert_eq!(
            desk.ask(ask, [1; 16], u32::from(shard), late, &rows),
            Taken::Waits
        );
    }
    assert!(
        desk.step(T.plus(Millis(19)), &mut rows)
            .unwrap()
            .answers
            .is_empty()
    );
    let answers = desk.step(T.plus(Millis(20)), &mut rows).unwrap().answers;
    assert_eq!(rows.commits - commits, 1);
    let answered: Vec<_> = answers
        .iter()
        .map(|(to, bytes)| (*to, entries(bytes)))
        .collect();
    assert_eq!(answered, [(0, 5), (1, 5)]);
}

#[test]
fn a_report_that_changes_nothing_writes_nothing() {
    let (mut desk, mut rows) = desk();
    let mut commits = Vec::new();
    for second in 0..4 {
        let now = T.plus(Millis::from_seconds(second));
        desk.ask(sync(report(0, 0)), [1; 16], 0, now, &rows);
        desk.step(now.plus(WINDOW), &mut rows).unwrap();
        commits.push(rows.commits);
    }
    assert_eq!(commits[1], commits[3], "{commits:?}");
}

#[test]
fn a_failed_write_lets_no_answer_out() {
    let (mut desk, mut rows) = desk();
    desk.ask(sync(report(0, 5)), [1; 16], 0, T, &rows);
    rows.is_broken = true;
    let failed = desk.step(T.plus(WINDOW), &mut rows).unwrap_err();
    assert_eq!(failed, WriteFailed("disk full".into()));
}

#[test]
fn what_the_edges_counted_adds_up() {
    let (mut desk, rows) = desk();
    for _ in 0..2 {
        desk.ask(sync(report(0, 0)), [1; 16], 0, T, &rows);
    }
    let Taken::Answered(9, bytes) = desk.ask(CoordinatorAsk::Count, [1; 16], 9, T, &rows) else {
        panic!("counts are answered at once");
    };
    let totals: EdgeTotals = wire::decode(&bytes).unwrap();
    assert_eq!(totals.requests, 6);
}

#[test]
fn what_came_of_the_widget_is_told_apart_and_adds_up_too() {
    let (mut desk, rows) = desk();
    let turnstile = TurnstileCounts {
        passed: 2,
        silent_at: T,
        ..TurnstileCounts::default()
    };
    for counts in [
        EdgeCounts {
            turnstile,
            ..EdgeCounts::default()
        },
        EdgeCounts::default(),
        EdgeCounts {
            turnstile,
            ..EdgeCounts::default()
        },
    ] {
        let bytes = wire::encode(&CoordinatorAsk::report(report(0, 0), counts));
        let ask = wire::decode(&bytes).unwrap();
        assert_eq!(desk.ask(ask, [1; 16], 0, T, &rows), Taken::Waits);
    }
    let told = desk.ask(CoordinatorAsk::Turnstile, [1; 16], 9, T, &rows);
    let expected = TurnstileCounts {
        passed: 4,
        ..turnstile
    };
    assert_eq!(told, Taken::Answered(9, wire::encode(&expected)));
}

#[test]
fn what_edges_did_for_visitors_adds_up_and_is_told_with_the_waits() {
    let (mut desk, mut rows) = desk();
    let mut handling = HandlingCounts::NONE;
    handling.answered_after(70);
    let counts = EdgeCounts {
        handling,
        ..EdgeCounts::default()
    };
    for _ in 0..2 {
        let bytes = wire::encode(&CoordinatorAsk::report(report(0, 0), counts));
        let ask = wire::decode(&bytes).unwrap();
        assert_eq!(desk.ask(ask, [1; 16], 0, T, &rows), Taken::Waits);
    }
    desk.step(T.plus(WINDOW), &mut rows).unwrap();
    let Taken::Answered(9, bytes) = desk.ask(CoordinatorAsk::Vitals, [1; 16], 9, T, &rows) else {
        panic!("counts are answered at once");
    };
    let vitals: Vitals = wire::decode(&bytes).unwrap();
    assert_eq!(vitals.handling.calls, [0, 2, 0, 0, 0]);
    assert_eq!(vitals.came_true, [None], "one line, and no wait is over");
}

#[test]
fn whose_report_is_missing_is_told_at_once() {
    let (mut desk, mut rows) = desk();
    let silent = |desk: &mut CoordinatorDesk<u32>, now, rows: &Memory| {
        let Taken::Answered(9, bytes) = desk.ask(CoordinatorAsk::Silent, [1; 16], 9, now, rows)
        else {
            panic!("a count is answered at once");
        };
        wire::decode::<u16>(&bytes).unwrap()
    };
    let ask = CoordinatorAsk::report(report(0, 3), EdgeCounts::default());
    assert_eq!(desk.ask(ask, [1; 16], 0, T, &rows), Taken::Waits);
    desk.step(T.plus(WINDOW), &mut rows).unwrap();
    assert_eq!(silent(&mut desk, T.plus(WINDOW), &rows), 0);
    assert_eq!(
        silent(&mut desk, T.plus(Millis::from_seconds(20)), &rows),
        1
    );
}

/// D9, and a roll-back: versions of before there were roles could read neither.
#[test]
fn what_an_operator_was_refused_is_told_apart_and_stands_in_the_log_but_in_no_other_row() {
    let (mut desk, mut rows) = desk();
    let refused = Action::Refused { what: "off".into() };
    for (action, by) in [(Action::Off, "kim"), (refused.clone(), "ann")] {
        let by = by.to_owned();
        let ask = CoordinatorAsk::Operate { action, by };
        assert_eq!(desk.ask(ask, [1; 16], 7, T, &rows), Taken::Waits);
    }
    let answers = desk.step(T.plus(WINDOW), &mut rows).unwrap().answers;
    for (_, bytes) in answers {
        let CoordinatorReply::State { noted, .. } = wire::decode(&bytes).unwrap() else {
            panic!("an action is answered with the state");
        };
        let done: Vec<_> = noted.into_iter().map(|noted| noted.action).collect();
        assert_eq!(done, [Action::Off]);
    }
    let Taken::Answered(9, bytes) = desk.ask(CoordinatorAsk::Refusals, [1; 16], 9, T, &rows) else {
        panic!("refusals are answered at once");
    };
    let told: wire::Refusals = wire::decode(&bytes).unwrap();
    let of_ann: Vec<_> = told
        .into_iter()
        .map(|noted| (noted.by, noted.action))
        .collect();
    assert_eq!(of_ann, [("ann".to_owned(), refused)]);
    let (_, stored) = read_all::<CoordinatorRow>(rows.read()).unwrap().unwrap();
    let noted = stored.iter().find_map(|row| match row {
        CoordinatorRow::Noted(noted) => Some(noted.len()),
        _ => None,
    });
    assert_eq!(noted, Some(1));
    let log = log_lines(&rows, 0).unwrap().lines.join("\n");
    assert!(log.contains(r#""by":"ann""#), "{log}");
}

#[test]
fn when_too_many_wait_the_next_is_turned_away_and_nothing_is_done() {
    let (mut desk, rows) = desk();
    for _ in 0..MAX_WAITING {
        assert_eq!(
            desk.ask(CoordinatorAsk::Observe, [1; 16], 0, T, &rows),
            Taken::Waits
        );
    }
    let turned_away = desk.ask(sync(report(0, 0)), [1; 16], 7, T, &rows);
    assert_eq!(turned_away, Taken::Busy(7));
    assert_eq!(desk.totals, EdgeTotals::default());
}

#[test]
fn a_window_does_not_outlast_a_clock_that_is_set_back() {
    let (mut desk, mut rows) = desk();
    desk.ask(sync(report(0, 5)), [1; 16], 0, T, &rows);
    let answers = desk
        .step(UnixMillis(T.0 - 3_600_000), &mut rows)
        .unwrap()
        .answers;
    assert_eq!(answers.len(), 1);
}

#[test]
fn shards_are_woken_two_minutes_before_an_opening_although_nobody_asks() {
    let opens_at = T.plus(Millis::from_minutes(60));
    let mut settings = settings();
    settings.lines[0].opens_at = Some(opens_at);
    settings.expected_visitors = 12 * 8_000;
    let mut rows = Memory::default();
    let coordinator = open(&mut rows, &coordinator_known(), &settings, T);
    let mut desk: CoordinatorDesk<u32> = CoordinatorDesk::new(coordinator);
    assert!(desk.step(T, &mut rows).unwrap().pokes.is_empty());
    let mut woken = Vec::new();
    let mut now = T;
    while now < opens_at {
        now = desk.due(now).lasting.expect("the opening is ahead");
        if now >= opens_at {
            break;
        }
        assert!(now >= opens_at.minus(Millis::from_minutes(2)), "{now:?}");
        for child in desk.step(now, &mut rows).unwrap().pokes {
            woken.push((now, child));
        }
    }
    let shards: Vec<Node> = woken.iter().map(|(_, child)| *child).collect();
    let all = (0..12).map(|shard| Node::Shard(ShardIndex(shard)));
    assert_eq!(shards, all.collect::<Vec<_>>());
    let (first, last) = (woken[0].0, woken[11].0);
    assert!(last.since(first) >= Millis(200), "five at once");
}
