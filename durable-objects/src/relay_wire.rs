//! What shards and relays, and relays and their coordinator, say to one another. The format is that of [`wire`](crate::wire).

use anteroom_queue::relay::command::RelayAnswer;
use anteroom_queue::sync::SyncRequest;
use serde::{Deserialize, Serialize};

use crate::counts_apart::CountsApart;
use crate::handling_counts::HandlingCounts;
use crate::wire::EdgeCounts;

/// A call to a relay.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RelayCall {
    /// Which event.
    pub event: String,
    /// Which run of it.
    pub run: u32,
    /// Which relay of the run.
    pub relay: u16,
    /// What is asked.
    pub ask: RelayAsk,
}

/// What is asked of a relay.
#[allow(
    clippy::large_enum_variant,
    reason = "read, used once and dropped; never kept in numbers"
)]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum RelayAsk {
    /// A shard reports, and passes on what the edges counted since its last report.
    Report(SyncRequest, Counted),
    /// The coordinator wants a report now. Answered at once, with [`RelaySays::Poked`].
    Poke,
}

/// Everything that edges count, whole.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counted(EdgeCounts, CountsApart, HandlingCounts);

impl From<EdgeCounts> for Counted {
    fn from(counts: EdgeCounts) -> Self {
        let plain = EdgeCounts {
            handling: HandlingCounts::NONE,
            ..counts.with(CountsApart::default())
        };
        Counted(plain, counts.apart().unwrap_or_default(), counts.handling)
    }
}

impl From<Counted> for EdgeCounts {
    fn from(Counted(counts, apart, handling): Counted) -> Self {
        EdgeCounts {
            handling,
            ..counts.with(apart)
        }
    }
}

/// A relay's answer.
#[allow(
    clippy::large_enum_variant,
    reason = "read, used once and dropped; never kept in numbers"
)]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum RelaySays {
    /// To a report.
    Answer(RelayAnswer),
    /// The report is none of one of this relay's shards: why, in words.
    Refused(String),
    /// A report leaves soon.
    Poked,
}

/// The name of one relay of a run.
pub fn relay_name(event: &str, run: u32, relay: u16) -> String {
    format!("{event}/{run}/relay/{relay}")
}

#[cfg(test)]
#[path = "relay_wire_tests.rs"]
mod tests;
