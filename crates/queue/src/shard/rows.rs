//! What a shard stores: pages of places, and the counters that its reports carry.

use serde::{Deserialize, Serialize};

use super::crawlers::Crawlers;
use super::keeping::{Handover, Holder};
use super::place::{KnownRank, Place, Standing};
use crate::draw::hex;
use crate::sync::Counters;
use crate::units::{EntryNumber, KeyHash, LineIndex, Nonce, PlaceIndex, ShardIndex, UnixMillis};

/// Admitted in one step, without joining.
pub const DIRECT: u8 = 1;
/// The offer was made to stand longer.
pub const DEFERRED: u8 = 2;
/// A first pass was fetched once.
pub const ADMITTED: u8 = 4;

fn mark(holds: bool, mark: u8) -> u8 {
    if holds { mark } else { 0 }
}

/// One place as it is stored; small numbers stay small bytes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlaceRow {
    /// The permit's nonce.
    pub nonce: Nonce,
    /// The line.
    pub line: LineIndex,
    /// Milliseconds from the page's `epoch` to the arrival (negative for one signed anew).
    pub arrived_offset: i64,
    /// What holds of it: the bits [`DIRECT`], [`DEFERRED`], [`ADMITTED`].
    pub marks: u8,
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
    /// The rank below which everybody who had left is counted as absent.
    pub absent_below: u64,
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
    /// Who has the place of one member key or code, as earlier versions stored it. It is read and not
    /// written any more.
    Key {
        /// The key or code.
        key: KeyHash,
        /// The permits, oldest first.
        holders: Vec<EarlierHolder>,
    },
    /// The codes by which one place can be taken up.
    Handovers {
        /// The place.
        index: PlaceIndex,
        /// The codes, oldest first; only the last can be used.
        offers: Vec<Handover>,
    },
    /// When the operator ended the run.
    End {
        /// The instant; `None`: it goes on after all.
        at: Option<UnixMillis>,
    },
    /// Since when each line stood still by a brake, in the order of the configuration: as earlier versions
    /// stored it beside [`Standing::Reoffered`]. It is read and not written any more.
    Brakes {
        /// The instants; `None`: it does not.
        since: Vec<Option<UnixMillis>>,
    },
    /// Who has the place of one member key or code.
    Holders {
        /// The key or code.
        key: KeyHash,
        /// The permits, oldest first.
        holders: Vec<Holder>,
    },
    /// What crawlers were given.
    Crawlers(Crawlers),
}

/// A permit whose place belongs to a key or code, as earlier versions stored it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EarlierHolder {
    /// The permit.
    pub nonce: Nonce,
    /// Its home.
    pub home: ShardIndex,
}

impl ShardRow {
    /// The key under which the row is stored.
    pub fn key(&self) -> String {
        match self {
            ShardRow::Page { number, .. } => format!("page/{number:08}"),
            ShardRow::Counters { .. } => "counters".to_owned(),
            ShardRow::Key { key, .. } | ShardRow::Holders { key, .. } => {
                format!("key/{}", hex::text(&key.0))
            }
            ShardRow::Handovers { index, .. } => format!("handover/{:08}", index.0),
            ShardRow::End { .. } => "end".to_owned(),
            ShardRow::Brakes { .. } => "brakes".to_owned(),
            ShardRow::Crawlers(_) => "crawlers".to_owned(),
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
                marks: mark(place.direct, DIRECT)
                    | mark(place.deferred, DEFERRED)
                    | mark(place.admitted, ADMITTED),
                entry: place.entry.known(),
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
            direct: self.marks & DIRECT != 0,
            deferred: self.marks & DEFERRED != 0,
            admitted: self.marks & ADMITTED != 0,
            entry: self.entry.into(),
            standing: self.standing,
            known_rank: KnownRank::default(),
        }
    }
}
