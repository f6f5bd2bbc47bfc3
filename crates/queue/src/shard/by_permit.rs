//! Which place a permit has made. A permit's number stands in its place already, so only its first four bytes are kept
//! here beside the place's index: eight bytes instead of twenty. Numbers are random and signed, so few share them.

use std::collections::BTreeSet;

use super::place::Place;
use crate::units::{Nonce, PlaceIndex};

/// The places by the first bytes of their permits' numbers.
#[derive(Clone, Debug, Default)]
pub(super) struct ByPermit(BTreeSet<(u32, PlaceIndex)>);

impl ByPermit {
    /// A place was made.
    pub(super) fn add(&mut self, nonce: Nonce, index: PlaceIndex) {
        self.0.insert((first_bytes(nonce), index));
    }

    /// It is as if it had not been.
    pub(super) fn remove(&mut self, nonce: Nonce, index: PlaceIndex) {
        self.0.remove(&(first_bytes(nonce), index));
    }

    /// The place of this permit.
    pub(super) fn find(&self, nonce: Nonce, places: &[Place]) -> Option<PlaceIndex> {
        let first = first_bytes(nonce);
        let alike = self
            .0
            .range((first, PlaceIndex(0))..=(first, PlaceIndex(u32::MAX)));
        let mut alike = alike.map(|(_, index)| *index);
        alike.find(|index| places[index.0 as usize].nonce == nonce)
    }
}

fn first_bytes(nonce: Nonce) -> u32 {
    let [a, b, c, d, ..] = nonce.0;
    u32::from_be_bytes([a, b, c, d])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shard::place::{GivenEntry, KnownRank, Standing};
    use crate::units::{LineIndex, UnixMillis};

    fn place(nonce: Nonce) -> Place {
        Place {
            nonce,
            line: LineIndex(0),
            arrived: UnixMillis(0),
            direct: false,
            deferred: false,
            admitted: false,
            entry: GivenEntry::NONE,
            standing: Standing::Waiting,
            known_rank: KnownRank::default(),
        }
    }

    #[test]
    fn permits_whose_numbers_begin_alike_have_their_own_places() {
        let nonce = |last: u8| {
            let mut nonce = [7; 16];
            nonce[15] = last;
            Nonce(nonce)
        };
        let places: Vec<Place> = (0..5).map(|last| place(nonce(last))).collect();
        let mut known = ByPermit::default();
        for (index, place) in (0..).zip(&places) {
            known.add(place.nonce, PlaceIndex(index));
        }
        for last in 0..5 {
            let found = known.find(nonce(last), &places);
            assert_eq!(found, Some(PlaceIndex(u32::from(last))));
        }
        assert_eq!(known.find(nonce(9), &places), None);
        known.remove(nonce(3), PlaceIndex(3));
        assert_eq!(known.find(nonce(3), &places), None);
        assert_eq!(known.find(nonce(4), &places), Some(PlaceIndex(4)));
    }
}
