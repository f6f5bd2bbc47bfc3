//! **unique-place**: one place per permit, one live place per member key, no more live places per
//! code than it is good for; entry numbers of a line unique, without gaps, never changing.

use std::collections::BTreeMap;

use super::{Checker, Findings, Promise, Terms};
use crate::observation::{KeySeen, LINES, Observation, PlaceSeen, VisitorId};

const NONE: u32 = u32::MAX;

#[derive(Clone, Copy)]
struct Known {
    home: u16,
    index: u32,
    entry: u32,
}

/// Remembers every visitor's place and every entry number's visitor.
pub struct UniquePlace {
    known: Vec<Known>,
    owner_of_entry: [Vec<u32>; LINES],
    owner_of_place: BTreeMap<u16, Vec<u32>>,
    /// By key or code: the permits whose places live as far as is known, and those that are over.
    keys: BTreeMap<u32, Vec<(VisitorId, bool)>>,
}

impl UniquePlace {
    /// A checker that has seen nothing.
    pub fn new(terms: Terms) -> Self {
        let nothing = Known {
            home: 0,
            index: NONE,
            entry: NONE,
        };
        Self {
            known: vec![nothing; terms.visitors as usize],
            owner_of_entry: Default::default(),
            owner_of_place: BTreeMap::new(),
            keys: BTreeMap::new(),
        }
    }

    fn place(&mut self, at_ms: u64, visitor: VisitorId, place: PlaceSeen, findings: &mut Findings) {
        let known = &mut self.known[visitor as usize];
        if known.index == NONE {
            known.home = place.home;
            known.index = place.index;
            let owners = self.owner_of_place.entry(place.home).or_default();
            if let Some(other) = own(owners, u64::from(place.index), visitor) {
                findings.broken(at_ms, Promise::UniquePlace, || {
                    format!("visitors {other} and {visitor} were both told of place {place:?}")
                });
            }
        } else if (known.home, known.index) != (place.home, place.index) {
            let (home, index) = (known.home, known.index);
            findings.broken(at_ms, Promise::UniquePlace, || {
                format!("visitor {visitor} had place {index} at {home} and now has {place:?}")
            });
        }
        let Some(entry) = place.entry else { return };
        if known.entry == NONE {
            known.entry = entry as u32;
            if let Some(other) = own(
                &mut self.owner_of_entry[usize::from(place.line)],
                entry,
                visitor,
            ) {
                findings.broken(at_ms, Promise::UniquePlace, || {
                    format!("visitors {other} and {visitor} both have entry number {entry}")
                });
            }
        } else if u64::from(known.entry) != entry {
            let before = known.entry;
            findings.broken(at_ms, Promise::UniquePlace, || {
                format!("visitor {visitor} had entry number {before} and now has {entry}")
            });
        }
    }

    /// A place that is over stays over.
    fn keyed(&mut self, at_ms: u64, permit: VisitorId, place: PlaceSeen, findings: &mut Findings) {
        let Some(KeySeen {
            number: key, uses, ..
        }) = place.key
        else {
            return;
        };
        let places = self.keys.entry(key).or_default();
        match places.iter_mut().find(|(known, _)| *known == permit) {
            Some((_, lives)) => *lives &= !place.is_over(),
            None => places.push((permit, !place.is_over())),
        }
        let live = places.iter().filter(|(_, lives)| *lives).count();
        if live > usize::from(uses) {
            findings.broken(at_ms, Promise::UniquePlace, || {
                format!("{live} live places under key {key}, which is good for {uses}: {places:?}")
            });
        }
    }

    fn audit(&self, at_ms: u64, line: usize, entries: u64, findings: &mut Findings) {
        let owners = &self.owner_of_entry[line];
        let owned = |entry: u64| {
            owners
                .get(entry as usize)
                .is_some_and(|owner| *owner != NONE)
        };
        for entry in (0..entries).filter(|entry| !owned(*entry)) {
            findings.broken(at_ms, Promise::UniquePlace, || {
                format!("line {line}: nobody has entry number {entry} of {entries}")
            });
        }
        for entry in (entries..owners.len() as u64).filter(|entry| owned(*entry)) {
            findings.broken(at_ms, Promise::UniquePlace, || {
                format!(
                    "line {line}: somebody has entry number {entry}, only {entries} are given out"
                )
            });
        }
    }
}

/// Enters `visitor` as the owner of `number`; the owner before, if it is another one.
fn own(owners: &mut Vec<u32>, number: u64, visitor: VisitorId) -> Option<VisitorId> {
    let number = number as usize;
    if owners.len() <= number {
        owners.resize(number + 1, NONE);
    }
    let before = std::mem::replace(&mut owners[number], visitor);
    (before != NONE && before != visitor).then_some(before)
}

impl Checker for UniquePlace {
    fn see(&mut self, at_ms: u64, seen: &Observation, findings: &mut Findings) {
        match *seen {
            Observation::PlaceTold { visitor, place }
            | Observation::Audited {
                visitor,
                place: Some(place),
            } => {
                if place.is_joined() {
                    self.place(at_ms, visitor, place, findings);
                }
                self.keyed(at_ms, visitor, place, findings);
            }
            Observation::AuditOver { entries, .. } => {
                for (line, entries) in entries.into_iter().enumerate() {
                    self.audit(at_ms, line, entries, findings);
                }
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use anteroom_queue::shard::command::VisitorState::{self, Waiting};

    use super::super::histories::{TERMS, broken, place, told};
    use super::*;

    fn check(history: &[(u64, Observation)]) -> u64 {
        broken(&mut UniquePlace::new(TERMS), Promise::UniquePlace, history)
    }

    #[test]
    fn each_visitor_with_a_number_of_its_own_keeps_the_promise() {
        let over = Observation::AuditOver {
            entries: [2, 0, 0],
            active: 0,
        };
        let history = [
            (0, told(0, 0, Waiting)),
            (1, told(1, 1, Waiting)),
            (2, told(0, 0, Waiting)),
            (3, over),
        ];
        assert_eq!(check(&history), 0);
    }

    #[test]
    fn a_number_given_twice_a_number_that_changes_and_a_second_place_break_it() {
        let twice = [(0, told(0, 5, Waiting)), (1, told(1, 5, Waiting))];
        let changed = [(0, told(0, 5, Waiting)), (1, told(0, 6, Waiting))];
        let second = [
            (0, told(0, 5, Waiting)),
            (
                1,
                Observation::PlaceTold {
                    visitor: 0,
                    place: place(7, Some(5), Waiting),
                },
            ),
        ];
        let shared = [
            (0, told(0, 5, Waiting)),
            (
                1,
                Observation::PlaceTold {
                    visitor: 1,
                    place: place(0, Some(6), Waiting),
                },
            ),
        ];
        for history in [twice, changed, second, shared] {
            assert_eq!(check(&history), 1, "{history:?}");
        }
    }

    #[test]
    fn a_gap_and_a_number_beyond_the_count_break_it() {
        let gap = [
            (0, told(0, 0, Waiting)),
            (1, told(1, 2, Waiting)),
            (
                2,
                Observation::AuditOver {
                    entries: [3, 0, 0],
                    active: 0,
                },
            ),
        ];
        assert_eq!(check(&gap), 1);
        let beyond = [
            (0, told(0, 0, Waiting)),
            (1, told(1, 1, Waiting)),
            (
                2,
                Observation::AuditOver {
                    entries: [1, 0, 0],
                    active: 0,
                },
            ),
        ];
        assert_eq!(check(&beyond), 1);
    }

    fn under_key(visitor: u32, state: VisitorState, uses: u16) -> Observation {
        let place = PlaceSeen {
            key: Some(KeySeen {
                number: 5,
                uses,
                spends: false,
            }),
            ..place(visitor, Some(u64::from(visitor)), state)
        };
        Observation::PlaceTold { visitor, place }
    }

    /// Under the same key, before the coordinator was heard.
    fn unnumbered(visitor: u32, state: VisitorState) -> Observation {
        let Observation::PlaceTold { visitor, place } = under_key(visitor, state, 1) else {
            unreachable!("a place is told")
        };
        let place = PlaceSeen {
            entry: None,
            rank: None,
            ..place
        };
        Observation::PlaceTold { visitor, place }
    }

    #[test]
    fn a_second_live_place_under_a_key_breaks_it_and_one_after_the_end_does_not() {
        let both = [(0, under_key(0, Waiting, 1)), (1, under_key(1, Waiting, 1))];
        assert_eq!(check(&both), 1);
        let of_two = [(0, under_key(0, Waiting, 2)), (1, under_key(1, Waiting, 2))];
        assert_eq!(check(&of_two), 0);
        let after = [
            (0, under_key(0, Waiting, 1)),
            (1, under_key(0, VisitorState::Ended, 1)),
            (2, under_key(1, Waiting, 1)),
        ];
        assert_eq!(check(&after), 0);
        let left_without_a_number = [
            (0, unnumbered(0, VisitorState::Provisional)),
            (1, unnumbered(0, VisitorState::Left)),
            (2, under_key(1, Waiting, 1)),
        ];
        assert_eq!(check(&left_without_a_number), 0);
        let still_there = [
            (0, unnumbered(0, VisitorState::Provisional)),
            (1, under_key(1, Waiting, 1)),
        ];
        assert_eq!(check(&still_there), 1);
    }
}
