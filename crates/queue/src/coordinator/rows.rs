//! What a coordinator stores. All of it depends on shards and seconds, never on visitors.

use serde::{Deserialize, Serialize};

use super::command::Noted;
use super::drawing::Draw;
use super::health::Restraint;
use super::life::Life;
use super::logbook::LogPage;
use super::steering::Live;
use crate::admission::Admission;
use crate::calling::Calling;
use crate::child::Child;
use crate::units::{Millis, UnixMillis};

/// The stored state of one line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LineRow {
    /// Entry numbers given out.
    pub entries: u64,
    /// Ranks called.
    pub called: u64,
    /// Ranks whose hold is over.
    pub lapsed: u64,
    /// The line's credit in the round robin, in grants × weight units.
    pub credit: u64,
}

/// A row of a coordinator.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum CoordinatorRow {
    /// The queue as a whole.
    Queue {
        /// The board's version.
        version: u64,
        /// What has been used of the limits.
        admission: Admission,
        /// The longest that any session of the run may last.
        longest_session: Millis,
        /// The operator's live values.
        live: Live,
        /// The highest instant seen when this was stored.
        seen: UnixMillis,
    },
    /// One line.
    Line {
        /// Which.
        index: u8,
        /// Its state.
        line: LineRow,
    },
    /// A line's calls.
    Calls {
        /// Which line.
        index: u8,
        /// Its history.
        calling: Calling,
    },
    /// One shard.
    Child {
        /// Which.
        shard: u16,
        /// What is kept of it.
        child: Child,
    },
    /// The last actions, oldest first.
    Noted(Vec<Noted>),
    /// The event's life.
    Life(Life),
    /// The draw of one line.
    Draw {
        /// Which line.
        index: u8,
        /// Its draw.
        draw: Draw,
    },
    /// One page of the event log.
    Log(LogPage),
    /// What is held back because of the origin.
    Origin(Restraint),
}

/// What the keys of the event log's pages begin with: only the last page is needed to go on.
pub const LOG_KEYS: &str = "log/";

/// The key of one page of the event log.
pub fn log_key(number: u32) -> String {
    format!("{LOG_KEYS}{number:010}")
}

impl CoordinatorRow {
    /// The key under which the row is stored.
    pub fn key(&self) -> String {
        match self {
            CoordinatorRow::Queue { .. } => "queue".to_owned(),
            CoordinatorRow::Line { index, .. } => format!("line/{index}"),
            CoordinatorRow::Calls { index, .. } => format!("calls/{index}"),
            CoordinatorRow::Child { shard, .. } => format!("child/{shard:05}"),
            CoordinatorRow::Noted(_) => "noted".to_owned(),
            CoordinatorRow::Life(_) => "life".to_owned(),
            CoordinatorRow::Draw { index, .. } => format!("draw/{index}"),
            CoordinatorRow::Log(page) => log_key(page.number),
            CoordinatorRow::Origin(_) => "origin".to_owned(),
        }
    }
}
