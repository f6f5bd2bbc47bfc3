//! **order**: acknowledged with its number before another join began means a smaller entry number;
//! nobody is called before someone of the same line with a smaller rank.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::history::{History, Moment};

/// How far a board may lag behind the turns that are already offered, beyond the age it says and
/// beyond the [`longest_trip`]: what the coordinator gathers into one commit, and clocks' grain.
const BOARD_LAG: Duration = Duration::from_millis(250);

/// Pairs of joins in the wrong order, and turns before their time.
pub fn check(history: &History) -> Vec<String> {
    let mut broken = joins(history);
    broken.extend(turns_of_the_uncalled(history));
    broken.extend(turns_before_the_watermark(history));
    broken
}

/// Acknowledged before another began, and yet a larger number.
fn joins(history: &History) -> Vec<String> {
    let mut broken = Vec::new();
    for (line, visitors) in by_line(history) {
        let mut acknowledged: Vec<(Moment, u64)> = Vec::new();
        let mut began: Vec<(Moment, u64)> = Vec::new();
        for visitor in visitors {
            let joins = &history.visitors[visitor].joins;
            let numbered = joins
                .iter()
                .filter_map(|join| join.entry.map(|entry| (join.acknowledged, entry)))
                .min();
            let Some((at, entry)) = numbered else {
                continue;
            };
            acknowledged.push((at, entry));
            began.extend(
                joins
                    .iter()
                    .map(|join| join.began)
                    .min()
                    .map(|began| (began, entry)),
            );
        }
        acknowledged.sort_unstable();
        began.sort_unstable();
        let mut earlier = acknowledged.iter().peekable();
        let mut largest: Option<u64> = None;
        for (began, entry) in began {
            while let Some((_, entry)) = earlier.next_if(|(acknowledged, _)| *acknowledged < began)
            {
                largest = largest.max(Some(*entry));
            }
            if let Some(largest) = largest.filter(|largest| *largest > entry) {
                broken.push(format!("line {line:?}: entry number {largest} was acknowledged before the join of {entry} began"));
            }
        }
    }
    broken
}

fn by_line(history: &History) -> BTreeMap<&str, Vec<usize>> {
    let mut lines: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (index, visitor) in history.visitors.iter().enumerate() {
        let line = visitor
            .sightings
            .iter()
            .find(|sighting| !sighting.line.is_empty());
        lines
            .entry(line.map_or("", |sighting| sighting.line.as_str()))
            .or_default()
            .push(index);
    }
    lines
}

/// Answers that contradict themselves: a turn at or beyond the watermark that they show.
fn turns_of_the_uncalled(history: &History) -> Vec<String> {
    let sightings = history
        .visitors
        .iter()
        .flat_map(|visitor| &visitor.sightings);
    let early = sightings.filter_map(|sighting| {
        let (rank, called) = (sighting.rank?, sighting.called?);
        (sighting.state == crate::history::State::Called && rank >= called)
            .then(|| format!("rank {rank} was told that it is called, with called at {called}"))
    });
    early.collect()
}

/// A turn was there, and a board made after that does not know of it.
fn turns_before_the_watermark(history: &History) -> Vec<String> {
    let mut turns: BTreeMap<&str, Vec<(Moment, u64)>> = BTreeMap::new();
    let mut boards: BTreeMap<&str, Vec<(Moment, u64)>> = BTreeMap::new();
    let lag = BOARD_LAG + longest_trip(history);
    let fresh = |sent: Moment, age: Duration| sent.minus(age).minus(lag);
    for sighting in history
        .visitors
        .iter()
        .flat_map(|visitor| &visitor.sightings)
    {
        if let (true, Some(rank)) = (sighting.state.has_turn(), sighting.rank) {
            turns
                .entry(&sighting.line)
                .or_default()
                .push((sighting.received, rank));
        }
        if let (Some(called), Some(age)) = (sighting.called, sighting.board_age) {
            boards
                .entry(&sighting.line)
                .or_default()
                .push((fresh(sighting.sent, age), called));
        }
    }
    for board in &history.boards {
        for (line, called, _, _) in &board.lines {
            let age = board.age.unwrap_or_default();
            boards
                .entry(line)
                .or_default()
                .push((fresh(board.sent, age), *called));
        }
    }
    let mut broken = Vec::new();
    for (line, mut turns) in turns {
        let mut boards = boards.remove(line).unwrap_or_default();
        turns.sort_unstable();
        boards.sort_unstable();
        let mut earlier = turns.iter().peekable();
        let mut furthest: Option<u64> = None;
        for (at, called) in boards {
            while let Some((_, rank)) = earlier.next_if(|(turn, _)| *turn < at) {
                furthest = furthest.max(Some(*rank));
            }
            if let Some(rank) = furthest.filter(|rank| *rank >= called) {
                broken.push(format!("line {line:?}: rank {rank} had its turn, and a later board shows called at {called}"));
                // The rest follows from the same turn.
                break;
            }
        }
    }
    broken
}

/// The longest that any answer took. A board's age counts from when a shard heard of it; how long
/// it was under way is not known, but in a room that is so busy, not longer than this.
fn longest_trip(history: &History) -> Duration {
    let sightings = history
        .visitors
        .iter()
        .flat_map(|visitor| &visitor.sightings);
    let answers = sightings.map(|sighting| sighting.received.since(sighting.sent));
    let boards = history
        .boards
        .iter()
        .map(|board| board.received.since(board.sent));
    answers.chain(boards).max().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks::examples::{at, joined, seen};
    use crate::history::{Join, State, VisitorHistory};

    fn history(visitors: Vec<VisitorHistory>) -> History {
        History {
            visitors,
            ..History::default()
        }
    }

    #[test]
    fn joins_under_way_at_the_same_time_may_get_any_order() {
        assert!(
            check(&history(vec![
                joined(0, 10, 1),
                joined(10, 20, 0),
                joined(5, 15, 2)
            ]))
            .is_empty()
        );
    }

    #[test]
    fn a_join_that_overtakes_an_acknowledged_one_is_seen() {
        assert_eq!(
            check(&history(vec![joined(0, 10, 1), joined(11, 20, 0)])).len(),
            1
        );
        let many = (0..100)
            .map(|n| joined(n * 10, n * 10 + 5, if n == 60 { 7 } else { n + 100 }))
            .collect();
        assert_eq!(check(&history(many)).len(), 1);
    }

    #[test]
    fn a_repeated_join_began_with_its_first_try() {
        let mut repeated = joined(0, 30, 0);
        repeated.joins[0].entry = None;
        repeated.joins.push(Join {
            began: at(40),
            acknowledged: at(50),
            entry: Some(0),
        });
        assert!(check(&history(vec![repeated, joined(10, 20, 1)])).is_empty());
    }

    #[test]
    fn a_turn_beyond_the_watermark_of_the_same_answer_is_seen() {
        let called = |rank: u64, called: u64| VisitorHistory {
            sightings: vec![seen(0, 1, State::Called, rank, called, 1)],
            ..VisitorHistory::default()
        };
        assert!(check(&history(vec![called(4, 5)])).is_empty());
        assert_eq!(check(&history(vec![called(5, 5)])).len(), 1);
    }

    #[test]
    fn a_turn_that_a_fresh_board_does_not_know_is_seen() {
        let turn = VisitorHistory {
            sightings: vec![seen(0, 10, State::Admitted, 8, 9, 3)],
            ..VisitorHistory::default()
        };
        let waiting = |sent: u64, age_ms: u64| {
            let mut sighting = seen(sent, sent + 5, State::Waiting, 6, 5, 2);
            sighting.board_age = Some(Duration::from_millis(age_ms));
            VisitorHistory {
                sightings: vec![sighting],
                ..VisitorHistory::default()
            }
        };
        assert!(
            check(&history(vec![turn.clone(), waiting(100, 0)])).is_empty(),
            "within the lag"
        );
        assert!(
            check(&history(vec![turn.clone(), waiting(2_000, 1_990)])).is_empty(),
            "an old board says so"
        );
        let slow = VisitorHistory {
            sightings: vec![seen(0, 1_500, State::Waiting, 9, 0, 1)],
            ..VisitorHistory::default()
        };
        let busy = history(vec![turn.clone(), waiting(2_000, 500), slow]);
        assert!(check(&busy).is_empty(), "a busy room's boards are late");
        assert_eq!(check(&history(vec![turn, waiting(2_000, 500)])).len(), 1);
    }
}
