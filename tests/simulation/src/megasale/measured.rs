//! What comes out of a run in numbers.

use super::meters::{Histogram, Role};
use super::plan::{AFTER_OUTAGE_MS, BACK_MS};
use super::way::Ways;

/// Times up to this many milliseconds are told apart.
const LONGEST_MS: usize = 120_000;

/// The same of what happens between the outage and the end.
const LONGEST_BACK_MS: usize = (AFTER_OUTAGE_MS - BACK_MS) as usize;

/// Everything that is measured.
pub struct Measured {
    /// The coordinator.
    pub coordinator: Role,
    /// All relays.
    pub relays: Role,
    /// Shards that report to the coordinator.
    pub direct_shards: Role,
    /// Shards behind relays.
    pub relayed_shards: Role,
    /// From the visitor's join to the number at the visitor.
    pub join: Histogram,
    /// The same less the round trip between that shard and the coordinator.
    pub join_beyond_trip: Histogram,
    /// The same of joins that met the outage.
    pub join_through_outage: Histogram,
    /// From the end of the outage until a page listens again.
    pub back: Histogram,
    /// Where the time of joins goes.
    pub ways: Ways,
    /// Reports of shards: from leaving to the answer.
    pub shard_trip: Histogram,
    /// Reports of relays.
    pub relay_trip: Histogram,
    /// At shards where somebody listens, each second.
    pub board_age: Histogram,
    /// Of the board that isolates use, each time they read a newer one.
    pub edge_age: Histogram,
    /// From the first claim to the session at the visitor, pauses included.
    pub claim: Histogram,
    /// Joins that were acknowledged without a number first.
    pub provisional: u64,
    /// Requests that a shard had no room for.
    pub busy: u64,
    /// How often a page found no socket when it began to listen: after its join, and again after an outage.
    pub no_socket: u64,
    /// Claims of visitors to whom the home said that it is not their turn.
    pub refused: u64,
    /// Turns that were offered to visitors who come, and to those who do not.
    pub called: (u64, u64),
    /// Sessions that were given back.
    pub released: u64,
    /// Sockets that broke off in the outage, and pages that then listened to the edge's stream.
    pub broken_off: u64,
    pub on_streams: u64,
    /// From the end of the outage until such a page has a socket.
    pub sockets_again: Histogram,
    /// Sessions that began and ended without their page hearing of them, in the outage.
    pub missed: u64,
    /// Requests of isolates for boards.
    pub reads: u64,
    /// After a loss: requests of visitors to whom it was said that the home is away.
    pub told_away: u64,
    /// Sessions until the loss.
    pub sessions_at_loss: u64,
    /// Sessions that ran at reachable homes three seconds before the end.
    pub running_before: u64,
    /// At the end: sessions that count, and that run at reachable homes.
    pub active_at_end: (u64, u64),
}

impl Measured {
    /// Nothing yet.
    pub fn new() -> Self {
        let times = || Histogram::up_to(LONGEST_MS);
        Self {
            coordinator: Role::new("coordinator"),
            relays: Role::new("relays"),
            direct_shards: Role::new("direct shards"),
            relayed_shards: Role::new("relayed shards"),
            join: times(),
            join_beyond_trip: times(),
            join_through_outage: times(),
            back: times(),
            ways: Ways::new(),
            shard_trip: times(),
            relay_trip: times(),
            board_age: times(),
            edge_age: times(),
            claim: times(),
            provisional: 0,
            busy: 0,
            no_socket: 0,
            refused: 0,
            called: (0, 0),
            released: 0,
            broken_off: 0,
            on_streams: 0,
            sockets_again: Histogram::up_to(LONGEST_BACK_MS),
            missed: 0,
            reads: 0,
            told_away: 0,
            sessions_at_loss: 0,
            running_before: 0,
            active_at_end: (0, 0),
        }
    }
}
