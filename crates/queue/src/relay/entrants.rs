//! Who came before the opening. Until it is fixed who is in a line's draw a relay takes up only those who, as their shards
//! say, arrived before. What it has reported stays in its order, since numbers may be on their way for it: so when an opening
//! is moved to an earlier time, entrants are those before the first who is none.

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
            count: self.lines[position].row.numbered + self.first_entrants(position, opens_at),
        })
    }

    /// How many of the first joins without a number arrived before the opening: what was taken up before it, and what shards
    /// have told since.
    fn first_entrants(&self, position: usize, opens_at: UnixMillis) -> u64 {
        let mut given: BTreeMap<u16, u64> = BTreeMap::new();
        let mut entrants = 0;
        for piece in &self.lines[position].row.pieces {
            let cut = self.shards[&piece.shard].lines[position].cut;
            let before = given.entry(piece.shard).or_insert(cut);
            let told = self.told_entrants(piece.shard, position).unwrap_or(0);
            let count = match piece.at < opens_at {
                true => piece.count,
                false => piece.count.min(told.saturating_sub(*before)),
            };
            *before += piece.count;
            entrants += count;
            if count < piece.count {
                break;
            }
        }
        entrants
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
