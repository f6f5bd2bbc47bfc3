use anteroom_queue::coordinator::command::Action;
use anteroom_queue::settings::Limits;

use super::*;
use crate::fixtures::Pair;

/// A shard at which `count` pages listen, some time after they were told for the first time.
fn listened_to(count: usize) -> Pair {
    let mut pair = Pair::in_touch();
    pair.shard.listeners().are(count);
    pair.run_for(Millis(2_000));
    pair.words.clear();
    pair.reports.clear();
    pair
}

fn board() -> Board {
    Pair::in_touch().shard.board().unwrap().clone()
}

#[test]
fn without_listeners_nothing_is_said_and_no_news_is_wanted() {
    let pair = listened_to(0);
    assert_eq!((pair.words.len(), pair.reports.len()), (0, 0));
}

#[test]
fn with_listeners_news_is_had_once_a_second_and_silence_is_broken_after_eight() {
    let mut pair = listened_to(1);
    let begun = pair.now;
    pair.run_for(Millis::from_seconds(30));
    assert!(
        (28..=31).contains(&pair.reports.len()),
        "{:?}",
        pair.reports.len()
    );
    let said: Vec<u64> = pair.words.iter().map(|(at, _)| at.since(begun).0).collect();
    assert_eq!(said.len(), 3, "{said:?}");
    assert!(said[1] - said[0] == SILENCE.0, "{said:?}");
}

#[test]
fn a_pause_is_said_within_two_seconds_and_asks_for_a_look() {
    let mut pair = listened_to(3);
    let settled = |word: &serde_json::Value| word["settled"].as_u64().unwrap();
    let known = pair.shard.board().unwrap().version;
    let begun = pair.now;
    pair.operate(Action::Pause {
        reason: "a till is down".to_owned(),
        next_update_at: Some(UnixMillis(1_900_000_000_000)),
    });
    pair.run_for(Millis(2_000));
    let (at, word) = &pair.words[0];
    assert!(at.since(begun) <= Millis(1_300), "{at:?}");
    assert_eq!(word["lines"][0]["phase"], "paused");
    assert!(
        settled(word) > known,
        "the reason is not in the word: {word}"
    );
}

#[test]
fn a_brake_presses_and_numbers_alone_settle_nothing_anew() {
    let mut board = board();
    let mut listeners = Listeners::default();
    listeners.are(2);
    let t = UnixMillis(1_000_000);
    assert_eq!(listeners.due(Some(&board), t), Some(t), "the first at once");
    let word = |listeners: &mut Listeners, board: &Board| -> serde_json::Value {
        let word = listeners.word(7, board, Millis(40), t);
        assert_eq!(listeners.due(Some(board), t), None, "one at a time");
        listeners.heard_it(t);
        serde_json::from_str(&word).unwrap()
    };
    let first = word(&mut listeners, &board);
    assert_eq!(listeners.due(Some(&board), t), Some(t.plus(SILENCE)));

    board.version += 1;
    board.lines[0].entries = EntryNumber(board.lines[0].entries.0 + 9);
    board.lines[0].called = Rank(5);
    assert_eq!(listeners.due(Some(&board), t), Some(t.plus(AT_MOST_EVERY)));
    board.stop = true;
    assert_eq!(listeners.due(Some(&board), t), Some(t.plus(PRESSING_AFTER)));
    let stopped = word(&mut listeners, &board);
    assert_eq!(
        (&stopped["run"], &stopped["age_ms"]),
        (&7.into(), &40.into())
    );
    board.stop = false;
    let second = word(&mut listeners, &board);
    assert_eq!(second["settled"], first["settled"].as_u64().unwrap() + 1);
    assert_eq!(second["lines"][0]["called"], 5);

    board.version += 1;
    board.message = Some("Doors open at seven.".to_owned());
    assert_eq!(word(&mut listeners, &board)["settled"], board.version);
    let back = UnixMillis(t.0 - 1);
    assert_eq!(
        listeners.due(Some(&board), back),
        Some(back),
        "the clock was set back"
    );
    listeners.are(0);
    assert_eq!(listeners.due(Some(&board), t), None);
}

#[test]
fn the_next_round_begins_a_second_after_the_last_one_or_when_that_is_over() {
    for (took, next) in [(700, 1_000), (1_400, 1_400)] {
        let mut board = board();
        let mut listeners = Listeners::default();
        listeners.are(MOST_SOCKETS);
        let t = UnixMillis(1_000_000);
        listeners.word(1, &board, Millis(0), t);
        board.version += 1;
        let over = t.plus(Millis(took));
        assert_eq!(listeners.due(Some(&board), over), None);
        listeners.heard_it(over);
        let due = listeners.due(Some(&board), over);
        assert_eq!(due, Some(t.plus(Millis(next))), "after {took} ms");
    }
}

#[test]
fn each_slice_of_a_round_is_told_what_is_known_by_then_and_a_brake_begins_the_round_anew() {
    let mut board = board();
    let mut listeners = Listeners::default();
    listeners.are(MOST_SOCKETS);
    let t = UnixMillis(1_000_000);
    let read = |word: &str| -> serde_json::Value { serde_json::from_str(word).unwrap() };
    listeners.word(1, &board, Millis(0), t);
    listeners.heard_it(t);
    listeners.word(1, &board, Millis(0), t.plus(Millis(1_000)));
    board.version += 1;
    listeners.called_are(300);
    let next = listeners.next(1, &board, Millis(0), t.plus(Millis(1_100)));
    let word = read(&next.word);
    assert_eq!(
        (next.anew, &word["version"]),
        (false, &board.version.into())
    );
    assert_eq!(
        word["turn_within_ms"], 1_000,
        "of all who are new since the last round"
    );
    board.stop = true;
    let next = listeners.next(1, &board, Millis(0), t.plus(Millis(1_200)));
    assert!(next.anew && read(&next.word)["stop"] == true);
    let next = listeners.next(1, &board, Millis(0), t.plus(Millis(1_300)));
    assert!(!next.anew, "once for each brake");
    board.version += 1;
    let over = t.plus(Millis(1_900));
    listeners.heard_it(over);
    assert_eq!(
        listeners.due(Some(&board), over),
        Some(t.plus(Millis(2_200))),
        "who was told first learns of the news in the next round"
    );
}

#[test]
fn whose_turn_has_come_is_spread_by_how_many_there_are_at_each_shard() {
    let board = board();
    let mut listeners = Listeners::default();
    listeners.are(1);
    let mut turn_within = |called| -> u64 {
        listeners.called_are(called);
        let word = listeners.word(1, &board, Millis(0), UnixMillis(1));
        listeners.heard_it(UnixMillis(1));
        let word: serde_json::Value = serde_json::from_str(&word).unwrap();
        word["turn_within_ms"].as_u64().unwrap()
    };
    assert_eq!(turn_within(1_000), 0, "nobody knows how many are new");
    assert_eq!(turn_within(1_001), 3);
    assert_eq!(turn_within(1_301), 1_000);
    assert_eq!(turn_within(90_000), 26_666);
}

#[test]
fn a_sale_that_is_over_keeps_nobody_awake() {
    let mut board = board();
    let mut listeners = Listeners::default();
    listeners.come();
    let t = UnixMillis(1_000_000);
    let mut wanted = |phase| {
        board.lines[0].phase = phase;
        listeners.want_news(Some(&board), Some(Millis(400)), t)
    };
    assert_eq!(wanted(Phase::Paused), Some(t.plus(Millis(600))));
    assert_eq!(wanted(Phase::Soldout), Some(t.plus(Millis(59_600))));
    listeners.go();
    listeners.go();
    assert_eq!(listeners.want_news(None, None, t), None);
}

#[test]
fn a_limit_or_another_shard_is_nobodys_business_who_waits() {
    let mut board = board();
    let mut listeners = Listeners::default();
    let since = listeners.settled_since(&board);
    board.version += 1;
    board.limits = Limits {
        per_minute: Some(7),
        ..Limits::default()
    };
    board.shards += 1;
    board.room = !board.room;
    assert_eq!(listeners.settled_since(&board), since);
}

#[test]
fn who_asks_and_who_comes_back_is_spread_by_how_many_there_are() {
    let mut board = board();
    let mut listeners = Listeners::default();
    let mut spreads = |waiting, here| -> (u64, u64) {
        board.lines[0].entries = EntryNumber(waiting);
        listeners.are(here);
        let word = listeners.greeting(1, &board, Millis(0), UnixMillis(1));
        let word: serde_json::Value = serde_json::from_str(&word).unwrap();
        let of = |name: &str| word[name].as_u64().unwrap();
        (of("ask_within_ms"), of("return_within_ms"))
    };
    assert_eq!(spreads(0, 1), (1_000, 1_000));
    assert_eq!(spreads(50_000, 3_000), (1_500, 10_000));
    assert_eq!(spreads(50_000_000, MOST_SOCKETS), (10_000, 26_666));
}

#[test]
fn a_shard_has_room_for_so_many_sockets() {
    let mut pair = Pair::in_touch();
    pair.shard.listeners().are(MOST_SOCKETS - 1);
    assert!(
        pair.shard
            .greet(pair.now)
            .is_some_and(|word| word.is_some())
    );
    pair.shard.listeners().come();
    assert_eq!(pair.shard.greet(pair.now), None);
}

#[test]
fn a_listener_who_comes_before_the_board_is_told_as_soon_as_there_is_one() {
    let mut pair = Pair::new();
    assert_eq!(pair.shard.greet(pair.now), Some(None));
    pair.shard.listeners().come();
    pair.run_for(Millis(500));
    assert_eq!(pair.words.len(), 1);
}
