//! **monotone**: `called`, `lapsed` and the board's version only grow; a shown `ahead` never rises.

use std::collections::BTreeMap;

use crate::history::{History, Moment};

/// Values of one visitor or of the board that went the wrong way.
pub fn check(history: &History) -> Vec<String> {
    let mut broken = Vec::new();
    for (index, visitor) in history.visitors.iter().enumerate() {
        let who = format!("visitor {index}");
        let values =
            |value: fn(&crate::history::Sighting) -> Option<u64>| -> Vec<(Moment, Moment, u64)> {
                let with_value = |sighting| {
                    value(sighting).map(|value| (sighting.sent, sighting.received, value))
                };
                visitor.sightings.iter().filter_map(with_value).collect()
            };
        broken.extend(falls(
            &format!("{who}: board version"),
            values(|sighting| sighting.version),
        ));
        // What is ahead must not rise: what it lacks to the largest number must not fall.
        broken.extend(falls(
            &format!("{who}: {} minus ahead", u64::MAX),
            values(|sighting| sighting.ahead.map(|ahead| u64::MAX - ahead)),
        ));
    }
    let versions = history
        .boards
        .iter()
        .map(|board| (board.sent, board.received, board.version))
        .collect();
    broken.extend(falls("board: version", versions));
    broken.extend(watermarks_by_version(history));
    broken
}

/// The first value that is smaller than one whose answer was there before its request was sent.
fn falls(what: &str, mut values: Vec<(Moment, Moment, u64)>) -> Option<String> {
    values.sort_unstable_by_key(|(sent, _, _)| *sent);
    let mut received: Vec<(Moment, u64)> = values
        .iter()
        .map(|(_, received, value)| (*received, *value))
        .collect();
    received.sort_unstable();
    let mut earlier = received.iter().peekable();
    let mut largest = 0;
    values.iter().find_map(|(sent, _, value)| {
        while let Some((_, value)) = earlier.next_if(|(received, _)| received < sent) {
            largest = largest.max(*value);
        }
        (*value < largest).then(|| format!("{what} fell from {largest} to {value}"))
    })
}

/// Whoever shows it: a higher version has no lower watermark, and one version has one.
fn watermarks_by_version(history: &History) -> Vec<String> {
    let mut called: BTreeMap<&str, BTreeMap<u64, (u64, u64)>> = BTreeMap::new();
    let mut note = |line, version, watermark: u64| {
        let range = called
            .entry(line)
            .or_default()
            .entry(version)
            .or_insert((watermark, watermark));
        *range = (range.0.min(watermark), range.1.max(watermark));
    };
    for sighting in history
        .visitors
        .iter()
        .flat_map(|visitor| &visitor.sightings)
    {
        if let (Some(version), Some(watermark)) = (sighting.version, sighting.called) {
            note(sighting.line.as_str(), version, watermark);
        }
    }
    let mut broken = Vec::new();
    let mut lapsed_before: BTreeMap<&str, (u64, u64)> = BTreeMap::new();
    let mut boards: Vec<_> = history.boards.iter().collect();
    boards.sort_by_key(|board| board.version);
    for board in boards {
        for (line, watermark, lapsed, entries) in &board.lines {
            note(line, board.version, *watermark);
            let before = lapsed_before
                .insert(line, (*lapsed, *entries))
                .unwrap_or_default();
            if before.0 > *lapsed || before.1 > *entries {
                broken.push(format!(
                    "line {line:?}: lapsed or entries fell from {before:?} to {:?}",
                    (lapsed, entries)
                ));
            }
        }
    }
    for (line, versions) in called {
        let mut largest = 0;
        for (version, (least, most)) in versions {
            if least != most {
                broken.push(format!(
                    "line {line:?}: version {version} shows called at {least} and at {most}"
                ));
            }
            if least < largest {
                broken.push(format!(
                    "line {line:?}: called fell from {largest} to {least} at version {version}"
                ));
            }
            largest = largest.max(most);
        }
    }
    broken
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks::examples::{at, seen};
    use crate::history::{BoardSighting, Sighting, State, VisitorHistory};

    fn check_all(visitors: Vec<Vec<Sighting>>) -> usize {
        let visitors = visitors.into_iter().map(|sightings| VisitorHistory {
            sightings,
            ..VisitorHistory::default()
        });
        check(&History {
            visitors: visitors.collect(),
            ..History::default()
        })
        .len()
    }

    fn waiting(sent: u64, called: u64, version: u64) -> Sighting {
        seen(sent, sent + 5, State::Waiting, 100, called, version)
    }

    #[test]
    fn a_line_that_moves_forward_is_right() {
        assert_eq!(
            check_all(vec![
                vec![waiting(0, 1, 1), waiting(10, 5, 2), waiting(20, 5, 3)],
                vec![waiting(30, 1, 1)]
            ]),
            0
        );
    }

    #[test]
    fn ahead_that_rises_is_seen() {
        let mut later = waiting(10, 5, 2);
        later.ahead = Some(99);
        assert_eq!(check_all(vec![vec![waiting(0, 5, 2), later]]), 1);
    }

    #[test]
    fn a_version_that_falls_is_seen() {
        assert_eq!(
            check_all(vec![vec![waiting(0, 5, 2), waiting(10, 5, 1)]]),
            1
        );
    }

    #[test]
    fn answers_that_were_under_way_together_may_come_in_any_order() {
        let slow = seen(0, 50, State::Waiting, 100, 1, 1);
        assert_eq!(
            check_all(vec![vec![seen(5, 10, State::Waiting, 100, 4, 2), slow]]),
            0
        );
    }

    #[test]
    fn a_watermark_that_falls_or_differs_between_visitors_is_seen() {
        assert_eq!(
            check_all(vec![vec![waiting(0, 5, 2)], vec![waiting(0, 4, 3)]]),
            1
        );
        assert_eq!(
            check_all(vec![vec![waiting(0, 5, 2)], vec![waiting(0, 6, 2)]]),
            1
        );
    }

    #[test]
    fn a_board_that_goes_back_is_seen() {
        let board = |ms: u64, version: u64, called: u64, lapsed: u64, entries: u64| BoardSighting {
            sent: at(ms),
            received: at(ms + 1),
            version,
            age: None,
            lines: vec![("general".to_owned(), called, lapsed, entries)],
        };
        for (boards, count) in [
            (vec![board(0, 1, 1, 0, 5), board(10, 2, 2, 1, 6)], 0),
            (vec![board(0, 2, 1, 0, 5), board(10, 1, 1, 0, 5)], 1),
            (vec![board(0, 1, 1, 2, 5), board(10, 2, 1, 1, 5)], 1),
            (vec![board(0, 1, 1, 0, 5), board(10, 2, 1, 0, 4)], 1),
            (vec![board(0, 1, 2, 0, 5), board(10, 2, 1, 0, 5)], 1),
        ] {
            let history = History {
                boards,
                ..History::default()
            };
            assert_eq!(check(&history).len(), count, "{history:?}");
        }
    }
}
