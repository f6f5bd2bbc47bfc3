//! What page and API tell of a board beyond its plain members: the draw of a line, and which line
//! concerns a visitor who has no place yet.

use anteroom_queue::board::{Board, LineBoard, Phase};
use anteroom_queue::settings::DrawSettings;
use anteroom_queue::units::Millis;

use super::view::{Beacon, Draw};

/// From the write that fixes the entrants to the beacon's round: rounds that nobody knows yet then.
const ROUND_AHEAD: Millis = Millis(10_000);

/// The draw of a line; `None`: first come, first served.
pub fn draw(line: &LineBoard, settings: &DrawSettings) -> Option<Draw> {
    let draw = line.draw.as_ref()?;
    let named = match &draw.fixed {
        Some(fixed) => fixed.round.is_some(),
        None => settings.beacon,
    };
    let beacon = match &draw.drawn {
        _ if !named => Beacon::None,
        None => Beacon::Expected,
        Some(drawn) if drawn.beacon.is_some() => Beacon::Here,
        Some(_) => Beacon::Absent,
    };
    let wait = match named {
        true => Millis(ROUND_AHEAD.0 + settings.beacon_wait.0),
        false => Millis(0),
    };
    Some(Draw {
        entrants: draw
            .fixed
            .as_ref()
            .map_or(line.entries.0, |fixed| fixed.entrants),
        drawn: draw.drawn.is_some(),
        beacon,
        at_most: Millis(settings.grace.0 + wait.0),
    })
}

/// The position of the line that a visitor without a place is shown: the first for everyone that
/// takes joins, else the first for everyone, else the first. `everyone` says of each line whether
/// it takes no code.
pub fn line_to_join(board: Option<&Board>, everyone: &[bool]) -> usize {
    let takes_joins = |at: usize| {
        let line = board.and_then(|board| board.lines.get(at));
        line.is_some_and(|line| {
            !matches!(line.phase, Phase::Before | Phase::Soldout | Phase::Closed)
        })
    };
    let mut candidates = (0..everyone.len()).filter(|at| everyone[*at]);
    let first = candidates.clone().next().unwrap_or(0);
    candidates.find(|at| takes_joins(*at)).unwrap_or(first)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;
    use anteroom_queue::board::{DrawBoard, Drawn, Fixed};
    use anteroom_queue::units::{EntryNumber, UnixMillis};

    const SETTINGS: DrawSettings = DrawSettings {
        grace: Millis(60_000),
        beacon: true,
        beacon_wait: Millis(600_000),
    };

    /// A line with a draw: fixed with this round, drawn with this signature.
    fn line(fixed: Option<Option<u64>>, drawn: Option<bool>) -> LineBoard {
        let mut line = samples::board(Phase::Drawing).lines.remove(0);
        line.entries = EntryNumber(14);
        line.draw = Some(DrawBoard {
            commitment: [1; 32],
            fixed: fixed.map(|round| Fixed {
                entrants: 12,
                root: [2; 32],
                at: UnixMillis(5),
                opened: UnixMillis(4),
                round,
            }),
            drawn: drawn.map(|came| Drawn {
                secret: [3; 32],
                beacon: came.then(|| vec![4; 48]),
                seed: [5; 32],
            }),
        });
        line
    }

    #[test]
    fn it_is_told_whether_a_beacon_takes_part_and_what_became_of_it() {
        let rows = [
            (None, None, Beacon::Expected, 14),
            (Some(Some(7)), None, Beacon::Expected, 12),
            (Some(Some(7)), Some(true), Beacon::Here, 12),
            (Some(Some(7)), Some(false), Beacon::Absent, 12),
            (Some(None), None, Beacon::None, 12),
            (Some(None), Some(false), Beacon::None, 12),
        ];
        for (fixed, drawn, beacon, entrants) in rows {
            let found = draw(&line(fixed, drawn), &SETTINGS).unwrap();
            assert_eq!(
                (found.beacon, found.entrants),
                (beacon, entrants),
                "{fixed:?} {drawn:?}"
            );
        }
        let without = DrawSettings {
            beacon: false,
            ..SETTINGS
        };
        let found = draw(&line(None, None), &without).unwrap();
        assert_eq!(
            (found.beacon, found.at_most),
            (Beacon::None, Millis(60_000))
        );
        assert_eq!(draw(&samples::board(Phase::Open).lines[0], &SETTINGS), None);
    }

    #[test]
    fn who_has_no_place_sees_the_first_line_for_everyone_that_takes_joins() {
        let mut board = samples::board(Phase::Before);
        for phase in [Phase::Open, Phase::Prequeue] {
            let mut line = board.lines[0].clone();
            line.phase = phase;
            board.lines.push(line);
        }
        for (everyone, expected) in [
            ([true, true, true], 1),
            ([true, false, true], 2),
            ([true, false, false], 0),
            ([false, false, true], 2),
            ([false, false, false], 0),
        ] {
            assert_eq!(
                line_to_join(Some(&board), &everyone),
                expected,
                "{everyone:?}"
            );
        }
        assert_eq!(line_to_join(None, &[false, true]), 1);
    }
}
