//! Whether a board says that a line makes no new place, and is young enough to refuse anybody on it. What phases and modes
//! mean for joins is the board's own rule, the one that homes use too.

use anteroom_config::Event;
use anteroom_queue::board::Board;
use anteroom_queue::limits::{BRAKE_AGE, PATIENT_SYNC};
use anteroom_queue::shard::command::Refused;
use anteroom_queue::units::{LineIndex, Millis};

use crate::line_choice::Key;

/// Why a line makes no new place any more, by a board that is young enough to be sure of it. An idle home may not have
/// heard of the sale's end; a permit that has made a place finds it there all the same, like one that has expired.
pub fn over(board: &Board, age: Millis, line: LineIndex) -> Option<Refused> {
    let why = board.refuses_joins(line).filter(|_| age <= BRAKE_AGE)?;
    (why != Refused::NotYet).then_some(why)
}

/// A shared code is not used for a place that cannot be made yet. As at a home, an older board refuses nobody.
pub fn not_yet(board: &Board, age: Millis, line: LineIndex, key: &Key) -> Option<Refused> {
    let is_sure = key.uses > 1 && age <= PATIENT_SYNC;
    board
        .refuses_joins(line)
        .filter(|why| is_sure && *why == Refused::NotYet)
}

/// Whether the configuration names the lines that the run has. If it does not, a line's position says nothing: the run
/// keeps its lines, and no new place is made before the configuration is put right or names a new run.
pub fn has_lines_of(event: &Event, board: &Board) -> bool {
    let configured = event.settings.lines.iter().map(|line| line.id.as_str());
    configured.eq(board.lines.iter().map(|line| line.id.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;
    use anteroom_queue::board::Phase;
    use anteroom_queue::settings::Mode;
    use anteroom_queue::units::KeyHash;
    use serde_json::json;

    #[test]
    fn only_a_young_board_that_says_the_sale_is_over_keeps_a_join_away() {
        let rows = [
            (Phase::Soldout, 2_000, Some(Refused::SoldOut)),
            (Phase::Closed, 0, Some(Refused::Closed)),
            (Phase::Closed, 2_001, None),
            (Phase::Before, 0, None),
            (Phase::Paused, 0, None),
            (Phase::Open, 0, None),
        ];
        for (phase, age, why) in rows {
            let found = over(&samples::board(phase), Millis(age), LineIndex(0));
            assert_eq!(found, why, "{phase:?} {age}");
        }
        let closed = Board {
            mode: Mode::Closed,
            ..samples::board(Phase::Open)
        };
        assert_eq!(
            over(&closed, Millis(0), LineIndex(0)),
            Some(Refused::Closed)
        );
    }

    #[test]
    fn only_the_lines_of_the_run_in_their_order_are_its_lines() {
        let board = samples::board(Phase::Open);
        for (lines, same) in [
            (json!([{ "id": "general" }]), true),
            (json!([{ "id": "fans" }]), false),
            (json!([{ "id": "general" }, { "id": "fans" }]), false),
            (json!([{ "id": "fans" }, { "id": "general" }]), false),
        ] {
            let room = samples::room(lines.clone());
            assert_eq!(has_lines_of(room.event, &board), same, "{lines}");
        }
    }

    #[test]
    fn a_shared_code_is_not_used_before_its_line_takes_joins() {
        let key = |uses| Key {
            hash: KeyHash([1; 16]),
            uses,
            is_code: true,
        };
        for (phase, age, uses, refused) in [
            (Phase::Before, 500, 2, true),
            (Phase::Before, 501, 2, false),
            (Phase::Before, 0, 1, false),
            (Phase::Prequeue, 0, 2, false),
            (Phase::Soldout, 0, 2, false),
        ] {
            let found = not_yet(
                &samples::board(phase),
                Millis(age),
                LineIndex(0),
                &key(uses),
            );
            assert_eq!(found.is_some(), refused, "{phase:?} {age} {uses}");
        }
    }
}
