//! Who came before the opening. Until it is fixed who is in a line's draw, the joins without a
//! number stand in this order: those that arrived before the opening, then the others. What the
//! coordinator numbers meanwhile are the first.
//!
//! Whoever came before the opening and could not be reported in time stands before those who came
//! later, in an order that nobody could choose: by a hash of the log's root, which was fixed with
//! the draw, and the permit.

use sha2::{Digest, Sha256};

use super::Shard;
use super::place::Place;
use crate::board::Fixed;
use crate::draw::Hash;
use crate::openings;
use crate::sync::Entrants;
use crate::units::{EntryNumber, Nonce, PlaceIndex, UnixMillis};

impl Shard {
    fn fixed(&self, position: usize) -> Option<&Fixed> {
        openings::fixed(self.board.as_ref(), position)
    }

    fn opening(&self, position: usize) -> Option<UnixMillis> {
        openings::opening(self.board.as_ref(), &self.settings, position)
    }

    pub(super) fn draw_is_open(&self, position: usize) -> bool {
        openings::draw_is_open(self.board.as_ref(), &self.settings, position)
    }

    pub(super) fn came_before_opening(&self, place: &Place) -> bool {
        let opening = self.opening(usize::from(place.line.0));
        opening.is_some_and(|opening| place.arrived < opening)
    }

    /// The visitor came before the opening, and the draw was fixed without this place.
    pub(super) fn missed_draw(&self, place: &Place) -> bool {
        let order = &self.lines[usize::from(place.line.0)].order;
        let behind =
            |entry: EntryNumber| order.entrants().is_some_and(|entrants| entry.0 >= entrants);
        place.entry.known().is_some_and(behind) && self.came_before_opening(place)
    }

    /// The second in which a join counts as arrived when it is reported late: whoever came before
    /// the opening came with it.
    pub(super) fn counted_arrival(&self, place: &Place) -> UnixMillis {
        match self.fixed(usize::from(place.line.0)) {
            Some(fixed) => place.arrived.max(fixed.opened),
            None => place.arrived,
        }
    }

    /// A new join takes its position in the line's joins.
    pub(super) fn line_up(&mut self, index: PlaceIndex) {
        let place = &self.places[index.0 as usize];
        let position = usize::from(place.line.0);
        let at = if self.draw_is_open(position) && self.came_before_opening(place) {
            self.entrants_before_opening(position)
        } else {
            self.lines[position].joins.len()
        };
        self.lines[position].joins.insert(at, index);
    }

    /// How many of the line's joins have a number or arrived before the opening.
    fn entrants_before_opening(&self, position: usize) -> usize {
        let line = &self.lines[position];
        let numbered = line.row.counters.numbered as usize;
        let came_before =
            |index: &PlaceIndex| self.came_before_opening(&self.places[index.0 as usize]);
        numbered + line.joins[numbered..].partition_point(came_before)
    }

    /// What the report says of a line that has opened, by this shard's own clock, since arrivals are
    /// noted by it, and whose draw waits for this shard.
    pub(super) fn entrants(&self, position: usize, now: UnixMillis) -> Option<Entrants> {
        let opens_at = self.opening(position)?;
        (now >= opens_at && self.draw_is_open(position)).then(|| Entrants {
            opens_at,
            count: self.entrants_before_opening(position) as u64,
        })
    }

    /// When the coordinator has to be told who came before the opening, if it has not been.
    pub(super) fn entrants_due(&self, position: usize) -> Option<UnixMillis> {
        let opening = self.opening(position)?;
        let line = &self.lines[position];
        let untold = line.told_opening != Some(opening) && !line.joins.is_empty();
        let due = self.next_sync.max(opening);
        (untold && self.draw_is_open(position)).then_some(due)
    }

    /// The joins without a number take the order that the present board asks for.
    pub(super) fn reorder(&mut self, position: usize) {
        let line = &self.lines[position];
        let numbered = line.row.counters.numbered as usize;
        let root = self.fixed(position).map(|fixed| fixed.root);
        let mut waiting: Vec<(bool, Hash, PlaceIndex)> = line.joins[numbered..]
            .iter()
            .map(|index| {
                let place = &self.places[index.0 as usize];
                let before = self.came_before_opening(place);
                let drawn = root.filter(|_| before);
                let key = drawn.map_or([0; 32], |root| late_key(&root, &place.nonce));
                (!before, key, *index)
            })
            .collect();
        waiting.sort_by_key(|(later, key, _)| (*later, *key));
        let joins = &mut self.lines[position].joins;
        joins.truncate(numbered);
        joins.extend(waiting.into_iter().map(|(_, _, index)| index));
    }

    /// After a restart: numbered joins by their numbers, then the others.
    pub(super) fn restore_order(&mut self) {
        for position in 0..self.lines.len() {
            let mut joins = std::mem::take(&mut self.lines[position].joins);
            joins.sort_by_key(|index| {
                let entry = self.places[index.0 as usize].entry.known();
                (entry.is_none(), entry)
            });
            self.lines[position].joins = joins;
            if self.draw_is_open(position) {
                self.reorder(position);
            }
        }
    }
}

fn late_key(root: &Hash, nonce: &Nonce) -> Hash {
    Sha256::new()
        .chain_update(b"anteroom/late/v1")
        .chain_update(root)
        .chain_update(nonce.0)
        .finalize()
        .into()
}
