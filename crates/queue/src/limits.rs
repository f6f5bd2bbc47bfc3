//! Every limit of the core, with its unit and where it comes from.

use crate::units::Millis;

/// Lines in one queue. A board stays below 4 kB with all of them.
pub const MAX_LINES: usize = 8;

/// Places that one shard is planned for: what one object can hold of sockets with a broadcast
/// below half a second (measured: 9,000 sockets p99 600 ms), so that one number sizes both.
pub const PLANNED_PLACES: u64 = 8_000;

/// Places after which a shard takes no more: 20 times the plan, 16 MB of memory.
pub const MAX_PLACES: u32 = 160_000;

/// Direct children of a coordinator.
pub const MAX_SHARDS: u16 = 50;

/// Groups of offers on the board: with a hold of 30 minutes one for every 2 minutes.
pub const MAX_OFFERS: usize = 16;

/// A join not numbered within this time is acknowledged as provisional.
pub const LATE_AFTER: Millis = Millis(2_000);

/// Requests a second that a coordinator plans for: half of what one object can do.
pub const COORDINATOR_REQUESTS_PER_SECOND: u64 = 500;

/// The shortest time between two reports of one shard.
pub const SHORTEST_SYNC: Millis = Millis(50);

/// How far a clock may jump back before it is believed.
pub const CLOCK_TOLERANCE: Millis = Millis(5_000);

/// An operator's message or reason, in bytes.
pub const MAX_MESSAGE_BYTES: usize = 500;

/// Actions kept for the record.
pub const MAX_NOTED: usize = 50;
