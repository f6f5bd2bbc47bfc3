//! What visitors cost in rows written, with the real core: the figures of `docs/storage.md`.
//! Rows written are what the platform bills most, so that a change that raises one of them has to
//! be made on purpose.

use anteroom_queue::coordinator::command::Action;
use anteroom_queue::shard::command::ShardCommand;
use anteroom_queue::units::{Generation, KeyHash, Millis, PlaceIndex, ShardIndex};

use crate::fixtures::{Pair, T, claim, nonce, settings};

/// Rows of the shard and of the coordinator that `what` writes.
fn rows(pair: &mut Pair, what: impl FnOnce(&mut Pair)) -> (usize, usize) {
    let before = (pair.shard_rows.written, pair.coordinator_rows.written);
    what(pair);
    (
        pair.shard_rows.written - before.0,
        pair.coordinator_rows.written - before.1,
    )
}

/// `count` joins, `per_second` a second, until all have their numbers.
fn joins(pair: &mut Pair, count: u32, per_second: u64) {
    let first = pair.now;
    for number in 0..count {
        let due = first.plus(Millis(u64::from(number) * 1_000 / per_second));
        pair.run_for(due.since(pair.now));
        pair.join(number);
    }
    pair.run_for(Millis::from_seconds(1));
    assert_eq!(pair.replies(first).len(), count as usize);
}

/// A pair whose visitors 0, 1 and 2 are called.
fn called() -> Pair {
    let mut pair = Pair::in_touch();
    joins(&mut pair, 3, 500);
    pair.run_for(Millis::from_seconds(2));
    pair.read_board(9);
    pair.run_for(Millis::from_seconds(1));
    pair
}

fn admitted() -> Pair {
    let mut pair = called();
    pair.ask(0, claim(0, 0));
    pair.run_for(Millis::from_seconds(2));
    pair
}

const FIRST: (PlaceIndex, Generation) = (PlaceIndex(0), Generation(0));

#[test]
fn joins_share_rows_the_more_the_more_of_them_there_are() {
    // Joins a second, how many; rows of the shard and of the coordinator for a thousand, at most.
    let rows_per_thousand = [
        (1_500, 15_000, 14, 4),
        (500, 5_000, 22, 11),
        (20, 200, 2_000, 1_010),
    ];
    for (per_second, count, at_shard, at_coordinator) in rows_per_thousand {
        let mut pair = Pair::in_touch();
        let (shard, coordinator) = rows(&mut pair, |pair| joins(pair, count, per_second));
        let of_thousand = |rows: usize| rows * 1_000 / count as usize;
        let rows = (of_thousand(shard), of_thousand(coordinator));
        assert!(rows.0 <= at_shard, "{per_second}/s: {rows:?}");
        assert!(rows.1 <= at_coordinator, "{per_second}/s: {rows:?}");
    }
}

#[test]
fn an_admission_alone_is_three_rows() {
    let mut pair = called();
    let written = rows(&mut pair, |pair| {
        pair.ask(0, claim(0, 0));
        pair.run_for(Millis::from_seconds(2));
    });
    assert_eq!(written, (2, 1));
}

#[test]
fn renewing_and_looking_write_nothing() {
    let mut pair = admitted();
    let (index, generation) = FIRST;
    let written = rows(&mut pair, |pair| {
        for number in 10..20 {
            pair.ask(number, ShardCommand::Renew { index, generation });
            pair.ask(number, ShardCommand::Access { index, generation });
            pair.read_board(number);
            pair.run_for(Millis::from_seconds(1));
        }
    });
    assert_eq!(written, (0, 0));
}

#[test]
fn the_end_of_a_session_is_two_rows() {
    let mut pair = admitted();
    let (index, generation) = FIRST;
    let written = rows(&mut pair, |pair| {
        pair.ask(0, ShardCommand::Release { index, generation });
        pair.run_for(Millis::from_seconds(2));
    });
    assert_eq!(written, (1, 1));
}

/// Visitor 1 leaves.
fn leave(pair: &mut Pair) -> (usize, usize) {
    let leave = ShardCommand::Leave {
        index: PlaceIndex(1),
        nonce: nonce(1),
    };
    rows(pair, |pair| {
        pair.ask(1, leave);
        pair.run_for(Millis::from_seconds(2));
    })
}

#[test]
fn leaving_the_line_is_one_row() {
    let mut pair = Pair::in_touch();
    pair.operate(Action::Pause {
        reason: "lights".into(),
        next_update_at: Some(pair.now.plus(Millis::from_minutes(10))),
    });
    joins(&mut pair, 3, 500);
    pair.run_for(Millis::from_seconds(2));
    assert_eq!(leave(&mut pair), (1, 0));
}

/// The rows of each transaction of the coordinator that writes the draw of a line with so many
/// entrants, after the one that begins the run.
fn rows_of_a_draw(entrants: u32) -> Vec<usize> {
    let mut settings = settings();
    settings.lines[0].opens_at = Some(T.plus(Millis::from_seconds(30)));
    let mut pair = Pair::with(settings);
    pair.run_for(Millis(500));
    // So few a second that one shard is enough: the draw asks every shard that takes joins, and here is one.
    joins(&mut pair, entrants, 200);
    let begun = pair.coordinator_rows.transactions.len();
    pair.run_for(Millis::from_seconds(40));
    let written = &pair.coordinator_rows.transactions[begun..];
    let of_the_draw = |keys: &&Vec<String>| keys.iter().any(|key| key == "draw/0");
    written.iter().filter(of_the_draw).map(Vec::len).collect()
}

#[test]
fn a_draw_is_two_transactions_however_many_are_in_it() {
    for entrants in [1, 40, 2_000] {
        assert_eq!(rows_of_a_draw(entrants), [3, 5], "{entrants} entrants");
    }
}

#[test]
fn a_key_put_in_is_one_row_and_asking_again_none() {
    let mut pair = Pair::in_touch();
    let reserve = ShardCommand::Reserve {
        key: KeyHash([8; 16]),
        nonce: nonce(1),
        home: ShardIndex(0),
        uses: 1,
        replaces: None,
    };
    for expected in [(1, 0), (0, 0)] {
        let written = rows(&mut pair, |pair| {
            pair.ask(1, reserve.clone());
            pair.run_for(Millis::from_seconds(1));
        });
        assert_eq!(written, expected);
    }
}

#[test]
fn leaving_while_called_is_two_rows() {
    assert_eq!(leave(&mut called()), (1, 1));
}

#[test]
fn a_shared_code_costs_a_row_for_each_use_and_one_when_its_place_is_made() {
    let mut pair = Pair::in_touch();
    let (key, nonce) = (KeyHash([8; 16]), nonce(1));
    let reserve = ShardCommand::Reserve {
        key,
        nonce,
        home: ShardIndex(0),
        uses: 2,
        replaces: None,
    };
    let found = ShardCommand::HolderFound {
        key,
        nonce,
        made: true,
    };
    for (command, expected) in [
        (reserve.clone(), (1, 0)),
        (found.clone(), (1, 0)),
        (reserve, (0, 0)),
        (found, (0, 0)),
    ] {
        let written = rows(&mut pair, |pair| {
            pair.ask(1, command);
            pair.run_for(Millis::from_seconds(1));
        });
        assert_eq!(written, expected);
    }
}
