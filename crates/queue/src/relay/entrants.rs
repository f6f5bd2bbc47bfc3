//! Who came before the opening. Until it is fixed who is in a line's draw, what was taken up and has no number stands in this
//! order: those who arrived before the opening, as their shards say, then the others. What the coordinator numbers meanwhile
//! are the first. An opening that is moved makes others of them, so the shards are asked again.

use std::collections::BTreeMap;

use super::Relay;
use crate::sync::Entrants;
use crate::units::UnixMillis;

impl Relay {
    /// Once the line has opened and while its draw is open: how many of those taken up arrived before.
    pub(super) fn entrants(&self, position: usize, now: UnixMillis) -> Option<Entrants> {
        let opens_at = self.opening(position)?;
        (now >= opens_at && self.draw_is_open(position)).then(|| Entrants {
            opens_at,
            count: self.lines[position].row.numbered + self.lines[position].entrants,
        })
    }

    /// Brings those who arrived before the opening to the front of those without a number.
    pub(super) fn arrange(&mut self, now: UnixMillis) {
        for position in 0..self.lines.len() {
            if self.entrants(position, now).is_some() {
                self.arrange_line(position);
            }
        }
    }

    fn arrange_line(&mut self, position: usize) {
        // How many more joins of each shard arrived before.
        let mut left: BTreeMap<u16, u64> = self
            .shards
            .iter()
            .filter_map(|(number, child)| {
                let told = self.told_entrants(*number, position)?;
                Some((*number, told.saturating_sub(child.lines[position].cut)))
            })
            .collect();
        let (mut first, mut others) = (Vec::new(), Vec::new());
        for piece in &self.lines[position].row.pieces {
            let left = left.entry(piece.shard).or_insert(0);
            let count = piece.count.min(*left);
            *left -= count;
            for (count, pieces) in [(count, &mut first), (piece.count - count, &mut others)] {
                if count > 0 {
                    let mut part = *piece;
                    part.count = count;
                    pieces.push(part);
                }
            }
        }
        let line = &mut self.lines[position];
        line.entrants = first.iter().map(|piece| piece.count).sum();
        first.extend(others);
        if line.row.pieces != first {
            line.row.pieces = first.into();
            self.changed = true;
        }
    }

    /// How many joins of a shard arrived before the opening that is in force, if it has said so.
    fn told_entrants(&self, number: u16, position: usize) -> Option<u64> {
        let entrants = self.shards.get(&number)?.entrants[position]?;
        (Some(entrants.opens_at) == self.opening(position)).then_some(entrants.count)
    }

    /// The shards that have not said who joined before the opening, or of which not all of them are taken up.
    pub(super) fn unheard(&self, position: usize) -> impl Iterator<Item = u16> + '_ {
        self.known_shards().filter(move |number| {
            let told = self.told_entrants(*number, position);
            told.is_none_or(|told| self.given(*number, position) < told)
        })
    }
}
