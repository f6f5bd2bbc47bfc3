//! The board: the small public snapshot of a queue. The coordinator makes it, shards pass it on,
//! edges show it. It is a whole value with a version; the highest version wins.

use serde::{Deserialize, Serialize};

use crate::settings::{Limits, Mode};
use crate::units::{EntryNumber, Rank, ShardIndex, UnixMillis};

/// Where a line stands in the life of its event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Phase {
    /// Joins are not taken yet.
    Before,
    /// Joins are taken, nobody is called yet.
    Prequeue,
    /// The draw is under way.
    Drawing,
    /// Visitors are called and granted.
    Open,
    /// Joins are taken, nobody is called or granted; sessions go on.
    Paused,
    /// Nothing is left: no joins, no calls, no grants.
    Soldout,
    /// The sale is over: no joins, no calls, no grants.
    Closed,
}

/// Why a line is paused, in the operator's words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pause {
    /// Why, shown to visitors; may be empty.
    pub reason: String,
    /// When the operator will say more.
    pub next_update_at: Option<UnixMillis>,
}

/// Up to which rank turns were offered, and how long those offers stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Offer {
    /// Ranks below this one were offered their turn by then.
    pub below: Rank,
    /// The earliest instant at which an offer of this group lapses, if the hold goes on running.
    pub stands_until: UnixMillis,
}

/// How fast a line is moving, measured; in calls a minute × 1,000.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Advance {
    /// What the last minutes showed.
    pub likely_milli_per_minute: u64,
    /// The slowest that should be expected: the basis of "at most".
    pub least_milli_per_minute: u64,
}

/// One line on the board.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LineBoard {
    /// The line's public name.
    pub id: String,
    /// Where it stands.
    pub phase: Phase,
    /// When it opens, if it has not.
    pub opens_at: Option<UnixMillis>,
    /// Ranks below this one have been offered their turn.
    pub called: Rank,
    /// Ranks below this one were offered their turn longer ago than the hold.
    pub lapsed: Rank,
    /// How many entry numbers have been given out.
    pub entries: EntryNumber,
    /// How fast `called` moves; `None` while it is being measured.
    pub advance: Option<Advance>,
    /// The last offers, in order of rank, at most [`MAX_OFFERS`](crate::limits::MAX_OFFERS).
    pub offers: Vec<Offer>,
}

/// The public snapshot of a queue.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Board {
    /// Grows with every change.
    pub version: u64,
    /// How the gate treats a visitor without a pass, after live changes.
    pub mode: Mode,
    /// The brake for everybody: also admitted visitors get the page.
    pub stop: bool,
    /// Why and until when the queue is paused or stopped.
    pub pause: Option<Pause>,
    /// The operator's message to everybody.
    pub message: Option<String>,
    /// The limits in force.
    pub limits: Limits,
    /// Counts the changes that may make a wait longer (pause, stop, a lowered limit).
    pub slowdowns: u32,
    /// A first visit may be admitted in one step: there is room and nobody waits.
    pub room: bool,
    /// The shards that take joins now, at least one.
    pub open_shards: Vec<ShardIndex>,
    /// How many shards the run has.
    pub shards: u16,
    /// The lines, in the order of the configuration.
    pub lines: Vec<LineBoard>,
}
