//! What edges and objects say to one another: the body of a `POST http://object/` and of its
//! answer. One format byte, then postcard.
//!
//! New edge code can meet old objects and the reverse while a version is rolled out, so these
//! bytes outlive a deploy. Adding a variant at the end of an enum is safe (an older reader refuses
//! the one message it does not know); everything else needs a new [`FORMAT`], which older readers
//! refuse whole. A refusal is a status of 4xx with the reason as plain text, and changes nothing.

pub use crate::counts_apart::CountsApart;
pub use crate::foretold::{CameTrue, Vitals};
pub use crate::handling_counts::{CALL_BOUNDS_MS, HandlingCounts};
pub use crate::refusal::FORGOTTEN;
pub use crate::relay_wire::Counted;
pub use crate::turnstile_counts::TurnstileCounts;
pub use crate::wrong_tokens::WrongTokens;
use anteroom_queue::board::{Board, Stock};
use anteroom_queue::coordinator::command::{Action, CoordinatorReply, Noted};
use anteroom_queue::coordinator::health::Answers;
pub use anteroom_queue::coordinator::health::OriginView;
use anteroom_queue::shard::command::{ShardCommand, ShardReply};
use anteroom_queue::sync::{RelayReport, SyncRequest};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// The first byte of every message: the version of the protocol. Format 2: boards name draws,
/// moved openings and stock, reports carry the chain of permits and the entrants of a draw.
pub const FORMAT: u8 = 2;

/// The longest message that is read: ten times a board with every line and the longest texts.
pub const MAX_MESSAGE_BYTES: usize = 64 * 1024;

/// The address that every call to an object names; only the stub decides where it goes.
pub const ADDRESS: &str = "http://object/";

/// A call from an edge to a shard.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShardCall {
    /// Which event.
    pub event: String,
    /// Which run of it.
    pub run: u32,
    /// Which shard of the run.
    pub shard: u16,
    /// What is asked.
    pub ask: ShardAsk,
}

/// What an edge asks of a shard.
#[allow(
    clippy::large_enum_variant,
    reason = "read, used once and dropped; never kept in numbers"
)]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ShardAsk {
    /// The board, and what this edge has counted since it last asked.
    Board {
        /// The edge's counts since its last read.
        counts: EdgeCounts,
    },
    /// Something about one place. Only a visitor's commands; the shell's own are refused.
    Place(ShardCommand),
    /// The coordinator wants a report now. Answered at once, with the board as it is.
    Poke,
    /// As `Board`, with the counts that stand apart. Refused by shards of before there was this; they
    /// take the same without them.
    Watched {
        /// The edge's counts since its last read.
        counts: EdgeCounts,
        /// What stands apart of them.
        apart: CountsApart,
    },
    /// As `Watched`, with what edges counted of their own work. Refused by shards of before there was this.
    Handled {
        /// The edge's counts since its last read.
        counts: EdgeCounts,
        /// What stands apart of them.
        apart: CountsApart,
        /// Its own work.
        handling: HandlingCounts,
    },
}

/// A shard's answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShardAnswer {
    /// The board that the shard has; `None` when it has not heard its coordinator yet.
    pub board: Option<Board>,
    /// How long ago the shard heard it.
    pub board_age_ms: Option<u64>,
    /// The answer proper.
    pub body: ShardBody,
}

/// A [`ShardAnswer`] that is only written: the board is borrowed, since one board goes out with
/// every answer.
#[derive(Serialize)]
pub(crate) struct ShardAnswerRef<'a> {
    pub board: Option<&'a Board>,
    pub board_age_ms: Option<u64>,
    pub body: ShardBody,
}

/// The answer proper of a shard.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ShardBody {
    /// Nothing beside the board was asked.
    Board,
    /// To a command.
    Reply(ShardReply),
}

/// A call to a coordinator, from a shard or from an edge.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CoordinatorCall {
    /// Which event.
    pub event: String,
    /// Which run of it.
    pub run: u32,
    /// What is asked.
    pub ask: CoordinatorAsk,
}

/// What is asked of a coordinator.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum CoordinatorAsk {
    /// A shard reports, and passes on what the edges counted since its last report.
    Sync(SyncRequest, EdgeCounts),
    /// An operator steers.
    Operate {
        /// What to do.
        action: Action,
        /// The name in the operator's token.
        by: String,
    },
    /// The present state.
    Observe,
    /// What the edges have counted: answered with [`EdgeTotals`] instead of a
    /// [`CoordinatorAnswer`].
    Count,
    /// Lines of the event log: answered with [`LogLines`] instead of a [`CoordinatorAnswer`].
    Log {
        /// The number of the last line that the asker has; 0: from the beginning.
        after: u64,
    },
    /// An edge refused so many more operator tokens that nobody had signed: answered with [`WrongTokens`] instead of a
    /// [`CoordinatorAnswer`]. With 0 it only asks.
    WrongTokens {
        /// How many since this edge last said so.
        more: u32,
    },
    /// As `Sync`, with the counts that stand apart. Refused by coordinators of before there was this;
    /// they take the same without them.
    Watched(SyncRequest, EdgeCounts, CountsApart),
    /// How the origin does: answered with an [`OriginView`] instead of a [`CoordinatorAnswer`].
    Origin,
    /// What came of the third party's widget, as the edges counted it: answered with [`TurnstileCounts`]
    /// instead of a [`CoordinatorAnswer`].
    Turnstile,
    /// What operators were refused: answered with [`Refusals`] instead of a [`CoordinatorAnswer`].
    Refusals,
    /// As `Watched`, with what edges counted of their own work. Refused by coordinators of before there was this.
    Handled(SyncRequest, EdgeCounts, CountsApart, HandlingCounts),
    /// How the room does its work: answered with [`Vitals`] instead of a [`CoordinatorAnswer`].
    Vitals,
    /// A relay reports, with everything that the edges counted.
    Relayed(RelayReport, Counted),
    /// How many that owe the coordinator a report are silent: answered with a `u16` instead of a [`CoordinatorAnswer`].
    Silent,
}

/// A coordinator's answer.
pub type CoordinatorAnswer = CoordinatorReply;

/// What operators asked for and were refused lately, oldest first.
pub type Refusals = Vec<Noted>;

/// Lines of the event log.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogLines {
    /// The lines behind the asked one, up to the end of its stored page at most.
    pub lines: Vec<String>,
    /// What to ask for next, as `after`; `None` at the end of the log.
    pub next: Option<u64>,
}

/// What one edge has counted since its last board read. May be lost, never raises a limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EdgeCounts {
    /// Requests on protected paths.
    pub requests: u32,
    /// Of these, let through with a valid pass.
    pub admitted: u32,
    /// Of these, answered by the room itself.
    pub refused: u32,
    /// Requests let through to which the origin answered 5xx or not at all.
    pub origin_errors: u32,
    /// Requests on bypass paths, and all requests while the mode is `off`.
    pub bypassed: u32,
    /// Requests with a staff pass.
    pub staff: u32,
    /// The latest word of an origin on what is left to sell.
    pub stock: Option<Stock>,
    /// How the origin answered. It is told apart ([`CountsApart`]), so that these bytes are what they were
    /// before it was counted.
    #[serde(skip)]
    pub origin: OriginCounts,
    /// What came of the third party's widget. Told apart too.
    #[serde(skip)]
    pub turnstile: TurnstileCounts,
    /// The edges' own work with visitors. Told apart too.
    #[serde(skip)]
    pub handling: HandlingCounts,
}

/// How the origin answered edges: requests that were let through, and edges that asked for themselves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OriginCounts {
    /// Answers, those that failed included.
    pub answers: u32,
    /// Of these, 5xx or none at all.
    pub failed: u32,
    /// Of these, good but later than the configuration allows.
    pub slow: u32,
}

impl OriginCounts {
    /// Nothing was heard.
    pub const NONE: Self = Self {
        answers: 0,
        failed: 0,
        slow: 0,
    };

    /// Takes up what else was heard.
    pub fn add(&mut self, more: Self) {
        self.answers = self.answers.saturating_add(more.answers);
        self.failed = self.failed.saturating_add(more.failed);
        self.slow = self.slow.saturating_add(more.slow);
    }
}

impl From<OriginCounts> for Answers {
    fn from(counts: OriginCounts) -> Self {
        Answers {
            answers: u64::from(counts.answers),
            failed: u64::from(counts.failed),
            slow: u64::from(counts.slow),
        }
    }
}

impl EdgeCounts {
    /// Takes up what another edge counted.
    pub fn add(&mut self, more: EdgeCounts) {
        self.requests = self.requests.saturating_add(more.requests);
        self.admitted = self.admitted.saturating_add(more.admitted);
        self.refused = self.refused.saturating_add(more.refused);
        self.origin_errors = self.origin_errors.saturating_add(more.origin_errors);
        self.bypassed = self.bypassed.saturating_add(more.bypassed);
        self.staff = self.staff.saturating_add(more.staff);
        self.origin.add(more.origin);
        self.turnstile.add(more.turnstile);
        self.handling.add(more.handling);
        if let Some(word) = more.stock {
            let is_news = self.stock.is_none_or(|known| word.is_later_than(&known));
            self.stock = if is_news { Some(word) } else { self.stock };
        }
    }
}

/// The sum of all [`EdgeCounts`] that have reached a coordinator since it last started.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EdgeTotals {
    /// Requests on protected paths.
    pub requests: u64,
    /// Of these, let through with a valid pass.
    pub admitted: u64,
    /// Of these, answered by the room itself.
    pub refused: u64,
    /// Requests let through to which the origin answered 5xx or not at all.
    pub origin_errors: u64,
    /// Requests on bypass paths, and all requests while the mode is `off`.
    pub bypassed: u64,
    /// Requests with a staff pass.
    pub staff: u64,
}

impl EdgeTotals {
    /// Takes up what a shard passed on.
    pub fn add(&mut self, more: EdgeCounts) {
        self.requests += u64::from(more.requests);
        self.admitted += u64::from(more.admitted);
        self.refused += u64::from(more.refused);
        self.origin_errors += u64::from(more.origin_errors);
        self.bypassed += u64::from(more.bypassed);
        self.staff += u64::from(more.staff);
    }
}

/// The name of a run's coordinator.
pub fn coordinator_name(event: &str, run: u32) -> String {
    format!("{event}/{run}/coordinator")
}

/// The name of one shard of a run.
pub fn shard_name(event: &str, run: u32, shard: u16) -> String {
    format!("{event}/{run}/shard/{shard}")
}

/// A message as bytes.
pub fn encode(message: &impl Serialize) -> Vec<u8> {
    postcard::to_extend(message, vec![FORMAT]).expect("a message of ours can always be written")
}

/// Why bytes are not a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unreadable {
    /// The message is empty.
    Empty,
    /// The message has this many bytes, more than [`MAX_MESSAGE_BYTES`].
    TooLong(usize),
    /// The message has this format, not [`FORMAT`].
    Format(u8),
    /// The bytes after the format byte are not a message of this kind.
    Malformed,
}

impl core::fmt::Display for Unreadable {
    fn fmt(&self, out: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Unreadable::Empty => write!(out, "message: empty, wanted format byte {FORMAT}"),
            Unreadable::TooLong(bytes) => {
                write!(
                    out,
                    "message: {bytes} bytes, allowed up to {MAX_MESSAGE_BYTES}"
                )
            }
            Unreadable::Format(found) => {
                write!(out, "message: format {found}, this version reads {FORMAT}")
            }
            Unreadable::Malformed => write!(out, "message: bytes do not fit format {FORMAT}"),
        }
    }
}

/// The message in `bytes`, all of which must belong to it.
pub fn decode<Message: DeserializeOwned>(bytes: &[u8]) -> Result<Message, Unreadable> {
    if bytes.len() > MAX_MESSAGE_BYTES {
        return Err(Unreadable::TooLong(bytes.len()));
    }
    match bytes.split_first() {
        None => Err(Unreadable::Empty),
        Some((&FORMAT, rest)) => match postcard::take_from_bytes(rest) {
            Ok((message, [])) => Ok(message),
            _ => Err(Unreadable::Malformed),
        },
        Some((&found, _)) => Err(Unreadable::Format(found)),
    }
}

#[cfg(test)]
#[path = "wire_apart_tests.rs"]
mod apart_tests;
#[cfg(test)]
#[path = "wire_tests.rs"]
mod tests;

#[cfg(test)]
#[path = "wire_key_tests.rs"]
mod key_tests;

#[cfg(test)]
#[path = "wire_check_tests.rs"]
mod check_tests;

#[cfg(test)]
#[path = "wire_refusal_tests.rs"]
mod refusal_tests;

#[cfg(test)]
#[path = "wire_handling_tests.rs"]
mod handling_tests;
