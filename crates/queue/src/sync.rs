//! The sync between a shard and its coordinator: cumulative counters, so that a lost, repeated
//! or reordered message changes nothing. The receiver takes the maximum of every counter.

use serde::{Deserialize, Serialize};

use crate::board::Board;
use crate::draw::Hash;
use crate::units::{EntryNumber, Millis, ShardIndex, UnixMillis};

/// What a shard has counted of one line since the run began. Each only grows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counters {
    /// Places made.
    pub joined: u64,
    /// Places whose entry number is stored at the shard: the acknowledgement of cuts.
    pub numbered: u64,
    /// Claims, and claims made again by giving back a grant.
    pub claimed: u64,
    /// Claims taken back before a grant.
    pub withdrawn: u64,
    /// Sessions ended, and grants given back.
    pub ended: u64,
    /// Visitors who had left when they were called, or leave while called: they will not come.
    pub absent: u64,
    /// First visits that ask to be admitted in one step.
    pub tried: u64,
}

/// Joins that the coordinator could not be told of in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LateJoins {
    /// The second (Unix time) in which they arrived.
    pub arrived_second: u64,
    /// How many.
    pub count: u32,
}

/// One line of a shard's report.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LineReport {
    /// The line's counters.
    pub counters: Counters,
    /// The first joins beyond `numbered` that arrived more than
    /// [`LATE_AFTER`](crate::limits::LATE_AFTER) ago, by second, in order of place.
    pub late: Vec<LateJoins>,
    /// The chain of hashes over the permits behind `joined`, in the order in which places were made.
    pub chain: Hash,
    /// Once the line has opened, as this shard knows: how many joins arrived before.
    pub entrants: Option<Entrants>,
}

/// The joins of one shard that arrived before the opening of their line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entrants {
    /// Which opening: one that was moved since is not meant.
    pub opens_at: UnixMillis,
    /// How many: the first of the joins without a number come before those who arrived later.
    pub count: u64,
}

/// A shard's report to its coordinator.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SyncRequest {
    /// Which run it belongs to; another one is refused.
    pub run: u32,
    /// Who reports.
    pub shard: ShardIndex,
    /// When it left, on the shard's clock; unique among the shard's reports. The answer brings it back.
    pub sent: UnixMillis,
    /// One report a line, in the order of the configuration.
    pub lines: Vec<LineReport>,
    /// Sessions granted in one step that no request has confirmed yet; at most, by a relay that has not heard every shard.
    pub unconfirmed: u32,
    /// The board version that the shard has.
    pub board_version: u64,
}

/// A relay's report: to its parent it is a child like others, and says besides what its shards' sums do not.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RelayReport {
    /// The sums of its shards. `shard` is the number by which the relay goes among its parent's children.
    pub sync: SyncRequest,
    /// What is to be known of the shards one by one.
    pub below: Below,
}

/// What a relay says of its shards.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Below {
    /// Those that have as many places as they are planned for, or will before long.
    pub full: Vec<ShardIndex>,
    /// The last one that has reported.
    pub last: Option<ShardIndex>,
    /// How many reported within the last [`GRANT_TO_HEARD`](crate::limits::GRANT_TO_HEARD).
    pub heard: u16,
    /// Of each line: a shard has still to say who joined before the opening.
    pub unheard: Vec<bool>,
}

/// Consecutive entry numbers for consecutive places of one line of one shard.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cut {
    /// The first place, counted in the shard's joins of that line.
    pub first_join: u64,
    /// How many places.
    pub count: u64,
    /// The entry number of the first.
    pub first_entry: EntryNumber,
}

/// The coordinator's answer about one line.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LineAnswer {
    /// The cuts beyond the reported `numbered`, in order.
    pub cuts: Vec<Cut>,
    /// Claims granted since the run began.
    pub granted: u64,
    /// Tries decided since the run began.
    pub tries_decided: u64,
    /// Tries granted since the run began, at most `tries_decided`.
    pub tries_granted: u64,
    /// The least that the shard's `ended` must count: a shard that was given up for lost and
    /// comes back raises its own to this.
    pub ended_floor: u64,
}

/// The clock of a line's offers: for how long visitors could have entered so far. It stands still through
/// every brake, whoever slept through it, so an offer that ends at a reading of it needs no credit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OfferClock {
    /// What it reads.
    pub at: Millis,
    /// The instant from which it would have run without a break, as the ends of the board's offers have
    /// it.
    pub zero: UnixMillis,
    /// Whether it runs.
    pub runs: bool,
}

/// The coordinator's answer to a report.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SyncReply {
    /// Which run it belongs to; another one is refused.
    pub run: u32,
    /// `sent` of the report that it answers.
    pub sent: UnixMillis,
    /// One answer a line, in the order of the configuration.
    pub lines: Vec<LineAnswer>,
    /// The board; `None` when the shard has this version already.
    pub board: Option<Board>,
    /// The version of the coordinator's board.
    pub board_version: u64,
    /// How long to wait, at least, before the next report.
    pub next_sync: Millis,
    /// When the rate next allows a grant, if the shard's claims wait only for that.
    pub grant_in: Option<Millis>,
    /// The clocks of the lines' offers, in the order of the configuration.
    pub clocks: Vec<OfferClock>,
}
