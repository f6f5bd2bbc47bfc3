//! How large what is stored and sent gets, with the real core: the figures of `docs/storage.md`.

use anteroom_queue::board::Board;
use anteroom_queue::coordinator::command::Action;
use anteroom_queue::draw::beacon::SIGNATURE_BYTES;
use anteroom_queue::limits::{LOG_PAGE_LINES, MAX_LINES, MAX_MESSAGE_BYTES};
use anteroom_queue::units::Millis;

use crate::fixtures::{Pair, T, settings};
use crate::wire::{self, EdgeCounts};

fn board_bytes(pair: &mut Pair) -> usize {
    pair.count(EdgeCounts::default());
    pair.run_for(Millis::from_seconds(1));
    let board: &Board = pair.shard_board();
    wire::encode(board).len()
}

#[test]
fn a_full_page_of_the_log_is_below_20_kb() {
    let mut pair = Pair::in_touch();
    for number in 0..70 {
        pair.join(number);
        pair.run_for(Millis(300));
    }
    let page = &pair.coordinator_rows.rows["log/0000000000"];
    let cuts = String::from_utf8_lossy(page);
    let lines = cuts.matches(r#""kind":"cut""#).count();
    assert!(lines > LOG_PAGE_LINES - 10, "{lines} cuts");
    assert!((16_000..20_000).contains(&page.len()), "{}", page.len());
}

#[test]
fn a_board_is_below_100_bytes_with_one_line_and_below_10_kb_with_all_and_the_longest_texts() {
    let small = board_bytes(&mut Pair::in_touch());
    assert!((30..100).contains(&small), "{small}");
    let mut drawn = settings();
    drawn.draw.beacon = true;
    drawn.lines = (0..MAX_LINES)
        .map(|number| {
            let mut line = drawn.lines[0].clone();
            line.id = format!("{number:a<40}");
            line.opens_at = Some(T.plus(Millis::from_seconds(20)));
            line
        })
        .collect();
    let mut pair = Pair::with(drawn);
    pair.run_for(Millis::from_seconds(1));
    let reason = "r".repeat(MAX_MESSAGE_BYTES);
    pair.operate(Action::Reschedule {
        line: None,
        opens_at: T.plus(Millis::from_seconds(30)),
        reason: reason.clone(),
    });
    let before = board_bytes(&mut pair);
    pair.run_for(Millis::from_seconds(60));
    let (_, round) = pair.rounds[0];
    let signature = vec![5; SIGNATURE_BYTES];
    pair.coordinator
        .hear_beacon(round, Some(signature), pair.now, 0);
    pair.run_for(Millis::from_seconds(1));
    pair.operate(Action::Pause {
        reason,
        next_update_at: Some(pair.now.plus(Millis::from_minutes(9))),
    });
    let after = board_bytes(&mut pair);
    assert!(
        (4_000..10_000).contains(&before) && after < 4_000,
        "{before} {after}"
    );
    let drawn = pair.shard_board().lines.iter();
    let drawn = drawn.filter(|line| line.draw.as_ref().is_some_and(|draw| draw.drawn.is_some()));
    assert_eq!(drawn.count(), MAX_LINES);
}
