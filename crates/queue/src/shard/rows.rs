//! What a shard stores: pages of places, and the counters that its reports carry.

use serde::{Deserialize, Serialize};

use super::place::{Place, Standing};
use crate::sync::Counters;
use crate::units::{EntryNumber, LineIndex, Nonce, UnixMillis};

/// One place as it is stored; small numbers stay small bytes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlaceRow {
    /// The permit's nonce.
    pub nonce: Nonce,
    /// The line.
    pub line: LineIndex,
    /// Milliseconds from the page's `epoch` to the arrival (negative for one signed anew).
    pub arrived_offset: i64,
    /// Admitted in one step, without joining.
    pub direct: bool,
    /// The entry number, once cut.
    pub entry: Option<EntryNumber>,
    /// Where it stands.
    pub standing: Standing,
}

/// The stored counters of one line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LineRow {
    /// What the reports carry.
    pub counters: Counters,
    /// Grants that have been handed to claims.
    pub granted: u64,
    /// Tries known to be decided.
    pub tries_decided: u64,
    /// Tries known to be granted.
    pub tries_granted: u64,
    /// Joins, in order, that are called: those who had left are counted as absent once.
    pub passed: u64,
    /// The order of the next claim.
    pub next_order: u64,
}

/// A row of a shard.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ShardRow {
    /// Up to [`PLACES_PER_PAGE`](crate::limits::PLACES_PER_PAGE) consecutive places.
    Page {
        /// Which page.
        number: u32,
        /// The arrival of its first place.
        epoch: UnixMillis,
        /// Its places, in order of index.
        places: Vec<PlaceRow>,
    },
    /// The counters of every line.
    Counters {
        /// In the order of the configuration.
        lines: Vec<LineRow>,
    },
}

impl ShardRow {
    /// The key under which the row is stored.
    pub fn key(&self) -> String {
        match self {
            ShardRow::Page { number, .. } => format!("page/{number:08}"),
            ShardRow::Counters { .. } => "counters".to_owned(),
        }
    }

    /// The row of one page.
    pub(super) fn of_page(number: u32, places: &[Place]) -> Self {
        let epoch = places.first().map_or(UnixMillis(0), |place| place.arrived);
        let places = places
            .iter()
            .map(|place| PlaceRow {
                nonce: place.nonce,
                line: place.line,
                arrived_offset: place.arrived.0 as i64 - epoch.0 as i64,
                direct: place.direct,
                entry: place.entry,
                standing: place.standing.clone(),
            })
            .collect();
        ShardRow::Page {
            number,
            epoch,
            places,
        }
    }
}

impl PlaceRow {
    /// The place that the row describes, in a page of that epoch.
    pub(super) fn into_place(self, epoch: UnixMillis) -> Place {
        Place {
            nonce: self.nonce,
            line: self.line,
            arrived: UnixMillis((epoch.0 as i64).saturating_add(self.arrived_offset).max(0) as u64),
            direct: self.direct,
            entry: self.entry,
            standing: self.standing,
        }
    }
}
