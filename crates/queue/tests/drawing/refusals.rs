//! What an operator or a beacon may not do, and what is said then.

use anteroom_queue::coordinator::command::{CoordinatorCommand, CoordinatorReply};
use anteroom_queue::units::{Millis, UnixMillis};

use crate::stage::{START, Stage};
use crate::table::*;

fn refusal(reply: CoordinatorReply) -> String {
    match reply {
        CoordinatorReply::Refused(why) => why,
        other => panic!("not refused: {other:?}"),
    }
}

fn in_seconds(seconds: u64) -> UnixMillis {
    START.plus(Millis::from_seconds(seconds))
}

#[test]
fn an_opening_that_cannot_be_moved_so_is_refused_with_its_field() {
    let cases = [
        (
            Some("balcony"),
            in_seconds(90),
            "rain",
            "line is balcony; there are: general",
        ),
        (None, in_seconds(9), "rain", "10 s from now at least"),
        (
            None,
            in_seconds(400 * 86_400),
            "rain",
            "at most 366 days later",
        ),
        (None, in_seconds(90), "  ", "reason is empty"),
    ];
    for (line, opens_at, reason, part) in cases {
        let mut stage = with_entrants(raffle(false), 2);
        let before = stage.coordinator.board().clone();
        let why = refusal(act(&mut stage, move_opening(line, opens_at, reason)));
        assert!(why.contains(part), "{why}");
        assert_eq!(
            *stage.coordinator.board(),
            before,
            "a refusal changes nothing"
        );
    }
}

#[test]
fn once_the_drawing_has_begun_the_opening_stands() {
    let mut drawing = with_entrants(raffle(false), 2);
    until(&mut drawing, OPENS);
    let mut decided = fixed(false, 2);
    until(&mut decided, OPENS.plus(Millis(2_000)));
    for mut stage in [drawing, fixed(true, 2), decided] {
        let later = OPENS.plus(Millis(60_000));
        for line in [None, Some("general")] {
            let why = refusal(act(&mut stage, move_opening(line, later, "rain")));
            assert!(why.contains("cannot be moved any more"), "{why}");
        }
    }
}

#[test]
fn a_signature_of_another_length_is_refused() {
    let mut stage = fixed(true, 3);
    let (round, _) = stage
        .coordinator
        .awaited_round()
        .expect("a round is awaited");
    for length in [0, 47, 49, 96] {
        let signature = vec![5; length];
        let command = CoordinatorCommand::Beacon { round, signature };
        let why = refusal(stage.at_coordinator(command));
        assert!(
            why.contains(&format!("{length} bytes; 48 are wanted")),
            "{why}"
        );
    }
    assert!(draw(&stage).drawn.is_none());
}

#[test]
fn another_round_than_the_one_that_was_named_decides_nothing() {
    let mut stage: Stage = fixed(true, 3);
    let (round, _) = stage
        .coordinator
        .awaited_round()
        .expect("a round is awaited");
    for other in [0, round - 1, round + 1, u64::MAX] {
        bring_round(&mut stage, other);
        assert!(draw(&stage).drawn.is_none(), "round {other}");
    }
    bring_round(&mut stage, round);
    assert_eq!(
        draw(&stage).drawn.expect("drawn").beacon,
        Some(SIGNATURE.to_vec())
    );
}
