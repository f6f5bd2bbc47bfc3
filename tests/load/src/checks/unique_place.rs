//! **unique-place**: one place per permit; entry numbers unique, without gaps, never changing.

use std::collections::BTreeMap;

use crate::history::History;

/// Numbers given twice, numbers that changed and, when nobody else was there, numbers missing.
pub fn check(history: &History) -> Vec<String> {
    let mut broken = Vec::new();
    let mut owners: BTreeMap<(&str, u64), usize> = BTreeMap::new();
    for (index, visitor) in history.visitors.iter().enumerate() {
        let line = visitor
            .sightings
            .iter()
            .find(|sighting| !sighting.line.is_empty());
        let line = line.map_or("", |sighting| sighting.line.as_str());
        let joined = visitor.joins.iter().filter_map(|join| join.entry);
        let shown = visitor
            .sightings
            .iter()
            .filter_map(|sighting| sighting.entry);
        let mut entries: Vec<u64> = joined.chain(shown).collect();
        entries.sort_unstable();
        entries.dedup();
        if let [first, .., last] = entries.as_slice() {
            broken.push(format!(
                "visitor {index} had entry number {first} and also {last}"
            ));
        }
        for entry in entries {
            if let Some(other) = owners.insert((line, entry), index) {
                broken.push(format!(
                    "entry number {entry} belongs to visitor {other} and to visitor {index}"
                ));
            }
        }
    }
    broken.extend(gaps(history, owners.len() as u64));
    broken
}

/// Between the first and the last board every number was given to one of these visitors, or to a
/// join of theirs whose answer was lost.
fn gaps(history: &History, known: u64) -> Option<String> {
    let entries = |lines: &[(String, u64, u64, u64)]| lines.iter().map(|line| line.3).sum::<u64>();
    let (first, last) = (history.boards.first()?, history.boards.last()?);
    let given = entries(&last.lines).saturating_sub(entries(&first.lines));
    let unheard: u64 = history
        .visitors
        .iter()
        .filter(|visitor| visitor.joins.iter().all(|join| join.entry.is_none()))
        .map(|visitor| u64::from(visitor.unanswered_joins > 0 || !visitor.joins.is_empty()))
        .sum();
    let missing = given.saturating_sub(known + unheard);
    (history.alone && missing > 0)
        .then(|| format!("{missing} of {given} entry numbers belong to nobody"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks::examples::{at, joined, seen};
    use crate::history::{BoardSighting, State};

    fn board(entries: u64) -> BoardSighting {
        BoardSighting {
            sent: at(0),
            received: at(0),
            version: 1,
            age: None,
            lines: vec![("general".to_owned(), 0, 0, entries)],
        }
    }

    fn history(entries: &[u64]) -> History {
        History {
            visitors: entries.iter().map(|entry| joined(0, 1, *entry)).collect(),
            ..History::default()
        }
    }

    #[test]
    fn distinct_numbers_are_right() {
        assert!(check(&history(&[0, 1, 2])).is_empty());
    }

    #[test]
    fn a_number_given_twice_is_seen() {
        assert_eq!(check(&history(&[0, 1, 1])).len(), 1);
    }

    #[test]
    fn a_number_that_changes_is_seen_in_answers_and_in_repeated_joins() {
        let mut changed = history(&[0]);
        changed.visitors[0]
            .sightings
            .push(seen(5, 6, State::Waiting, 4, 0, 1));
        assert_eq!(check(&changed).len(), 1);
        let mut repeated = history(&[0]);
        repeated.visitors[0].joins.extend(joined(8, 9, 3).joins);
        assert_eq!(check(&repeated).len(), 1);
        let mut same = history(&[0]);
        same.visitors[0].joins.extend(joined(8, 9, 0).joins);
        assert!(check(&same).is_empty());
    }

    #[test]
    fn a_gap_is_seen_when_nobody_else_was_there() {
        let mut gap = history(&[5, 6, 8]);
        gap.boards = vec![board(5), board(9)];
        assert!(check(&gap).is_empty(), "someone else may have joined");
        gap.alone = true;
        assert_eq!(check(&gap).len(), 1);
        gap.visitors.push(Default::default());
        gap.visitors[3].unanswered_joins = 2;
        assert!(
            check(&gap).is_empty(),
            "the join without an answer may have it"
        );
    }
}
