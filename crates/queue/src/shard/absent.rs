//! Those who left before they were called. When the line calls their rank they count as absent,
//! each once, so that others are called in their stead without waiting for an answer.
//!
//! What is called grows with every answer of the coordinator, so those whose rank is known are kept
//! in its order: an answer costs as much as it calls, however many have left.

use std::collections::BTreeMap;

use super::Shard;
use super::place::Place;
use crate::line::Order;
use crate::units::{PlaceIndex, Rank};

/// The places of a line that were left and are not counted as absent, with the rank below which
/// those were that had been counted before a restart.
#[derive(Clone, Debug, Default)]
pub(super) struct Left {
    ranked: BTreeMap<(Rank, PlaceIndex), Rank>,
    unranked: BTreeMap<PlaceIndex, Rank>,
}

impl Left {
    /// A place was left.
    pub(super) fn add(&mut self, index: PlaceIndex, counted_below: Rank) {
        self.unranked.insert(index, counted_below);
    }

    fn rank_with(&mut self, order: &Order, places: &[Place]) {
        if !order.knows_ranks() {
            return;
        }
        let ranked = &mut self.ranked;
        self.unranked.retain(|index, counted_below| {
            let rank = places[index.0 as usize].rank(order);
            if let Some(rank) = rank {
                ranked.insert((rank, *index), *counted_below);
            }
            rank.is_none()
        });
    }

    /// Takes out those whose rank is below `called`: how many of them were not counted before.
    fn take_called(&mut self, called: Rank) -> u64 {
        let beyond = self.ranked.split_off(&(called, PlaceIndex(0)));
        let reached = std::mem::replace(&mut self.ranked, beyond);
        let uncounted =
            |((rank, _), counted_below): &((Rank, PlaceIndex), Rank)| rank >= counted_below;
        reached.into_iter().filter(uncounted).count() as u64
    }
}

impl Shard {
    /// Counts those who had left when the line called them.
    pub(super) fn count_absent(&mut self, position: usize) {
        let Some(board) = self.board.as_ref() else {
            return;
        };
        let called = board.lines[position].called;
        let line = &mut self.lines[position];
        line.left.rank_with(&line.order, &self.places);
        let absent = line.left.take_called(called);
        if absent > 0 {
            line.row.absent_below = line.row.absent_below.max(called.0);
            self.count(position).absent += absent;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::Ranks;
    use crate::shard::place::{KnownRank, Standing};
    use crate::units::{EntryNumber, LineIndex, Nonce, UnixMillis};

    const ENTRANTS: u64 = 40;

    fn drawn() -> Order {
        Order::Drawn(Box::new(Ranks::new([7; 32], ENTRANTS)))
    }

    /// Places whose entry numbers are their indices; the last has none yet.
    fn places() -> Vec<Place> {
        let place = |entry: u64| Place {
            nonce: Nonce([0; 16]),
            line: LineIndex(0),
            arrived: UnixMillis(0),
            direct: false,
            deferred: false,
            admitted: false,
            entry: (entry < ENTRANTS).then_some(EntryNumber(entry)).into(),
            standing: Standing::Left { at: UnixMillis(0) },
            known_rank: KnownRank::default(),
        };
        (0..=ENTRANTS).map(place).collect()
    }

    #[test]
    fn whoever_left_counts_once_when_the_line_calls_that_rank_in_whatever_order_they_left() {
        let (order, mut places) = (drawn(), places());
        let mut left = Left::default();
        for index in (0..=ENTRANTS as u32).rev() {
            left.add(PlaceIndex(index), Rank(0));
        }
        let undecided = Order::Drawing { entrants: None };
        left.rank_with(&undecided, &places);
        assert_eq!(left.take_called(Rank(ENTRANTS)), 0, "before the draw");
        for (called, absent) in [(0, 0), (7, 7), (7, 0), (30, 23), (ENTRANTS, 10), (99, 0)] {
            left.rank_with(&order, &places);
            assert_eq!(left.take_called(Rank(called)), absent, "called {called}");
        }
        places[ENTRANTS as usize].entry = Some(EntryNumber(ENTRANTS)).into();
        left.rank_with(&order, &places);
        assert_eq!(left.take_called(Rank(99)), 1, "numbered after its turn");
    }

    #[test]
    fn whoever_was_counted_before_a_restart_is_not_counted_again() {
        let (order, places) = (drawn(), places());
        let mut left = Left::default();
        for index in 0..ENTRANTS as u32 {
            left.add(PlaceIndex(index), Rank(30));
        }
        left.rank_with(&order, &places);
        assert_eq!(left.take_called(Rank(30)), 0);
        assert_eq!(left.take_called(Rank(ENTRANTS)), 10);
    }

    #[test]
    fn a_rank_is_worked_out_once() {
        let places = places();
        let rank = places[3].rank(&drawn());
        assert!(rank.is_some());
        // Nothing but the remembered rank can answer this.
        let unknowing = Order::Unknown;
        assert_eq!(places[3].rank(&unknowing), rank);
        assert_eq!(places[4].rank(&unknowing), None);
        assert!(places[4].rank(&drawn()).is_some());
    }
}
