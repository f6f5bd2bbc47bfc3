//! What a coordinator is asked and what it answers.

use serde::{Deserialize, Serialize};

use super::health::Answers;
use crate::board::{Board, Stock};
use crate::settings::{Batch, Settings};
use crate::sync::{RelayReport, SyncReply, SyncRequest};
use crate::units::UnixMillis;

/// Fresh random bytes. Secrets of draws are made of them, so they are not shown.
#[derive(Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entropy(pub [u8; 16]);

impl core::fmt::Debug for Entropy {
    fn fmt(&self, out: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        out.write_str("Entropy(..)")
    }
}

/// A request to a coordinator.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum CoordinatorCommand {
    /// A shard reports. `entropy` is fresh for every report.
    Sync {
        /// The report.
        report: SyncRequest,
        /// Fresh random bytes.
        entropy: Entropy,
    },
    /// An operator steers.
    Operate {
        /// What is done.
        action: Action,
        /// The name in the operator's token.
        by: String,
    },
    /// A round of the beacon, as drand publishes it; the shell has checked its form, not its truth.
    Beacon {
        /// Which round.
        round: u64,
        /// Its signature, 48 bytes.
        signature: Vec<u8>,
    },
    /// What the edges have heard, and counted since the last such command.
    Edges {
        /// Requests that passed without a pass.
        bypassed: u64,
        /// Requests with a staff pass.
        staff: u64,
        /// The latest stock that an origin named.
        stock: Option<Stock>,
    },
    /// How the origin answered the edges since the last such command.
    Origin {
        /// The answers.
        heard: Answers,
    },
    /// Whether the room acts when the origin is in trouble, or only watches: the configuration's word.
    WatchOrigin {
        /// It acts.
        acts: bool,
    },
    /// The configuration as the shell reads it now.
    Configure {
        /// The settings.
        settings: Settings,
        /// Fresh random bytes, for a line that gets a draw.
        entropy: Entropy,
    },
    /// A deadline may have come; also the way to read the present board and counts.
    Wake,
    /// A relay reports.
    Relayed {
        /// Its report.
        report: RelayReport,
        /// Fresh random bytes.
        entropy: Entropy,
    },
}

/// One thing an operator may do. Live values win over the configuration's until they are reset.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Action {
    /// No calls and no grants from now on; joins, sessions and renewals go on.
    Pause {
        /// Why, shown to visitors.
        reason: String,
        /// When more will be said.
        next_update_at: Option<UnixMillis>,
    },
    /// Ends pause and stop.
    Resume,
    /// The brake for everybody, admitted visitors included.
    Stop {
        /// Why, shown to visitors.
        reason: String,
        /// When more will be said.
        next_update_at: Option<UnixMillis>,
    },
    /// Everything passes.
    Off,
    /// Everything is sold.
    Soldout,
    /// The sale is over.
    Close,
    /// Ends off, sold out and closed: back to what the schedule has.
    Open,
    /// Change limits; an absent field keeps its value, `Reset` goes back to the configuration's.
    Retune {
        /// The limit on sessions.
        max_active: Option<Change<u32>>,
        /// The rate.
        per_minute: Option<Change<u32>>,
        /// The batches.
        batch: Option<Change<Batch>>,
    },
    /// Say something to everybody; an empty text takes the message away.
    Message {
        /// What is said.
        text: String,
    },
    /// Plan for more visitors (never fewer than before).
    Expect {
        /// How many are expected in all.
        visitors: u64,
    },
    /// Another opening, until the draw of the line begins.
    Reschedule {
        /// Which line; `None`: all that have not opened.
        line: Option<String>,
        /// When it opens.
        opens_at: UnixMillis,
        /// Why, shown to visitors.
        reason: String,
    },
    /// What is left to sell.
    Stock {
        /// How many.
        left: u64,
    },
    /// One line takes no joins and is not called any more.
    CloseLine {
        /// Which.
        line: String,
    },
    /// Ends that.
    OpenLine {
        /// Which.
        line: String,
    },
    /// A member of staff gets a pass to look at the shop; for the record.
    StaffPass {
        /// Whose.
        name: String,
        /// Until when.
        until: UnixMillis,
    },
    /// An operator asked for something that their token does not allow, and was refused; for the record.
    Refused {
        /// What was asked for.
        what: String,
    },
}

impl Action {
    /// Whether nothing was done: somebody was refused.
    pub fn is_refusal(&self) -> bool {
        matches!(self, Action::Refused { .. })
    }
}

/// How one limit changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Change<T> {
    /// To this value.
    To(T),
    /// To no limit.
    Unlimited,
    /// Back to the configuration's value.
    Reset,
}

/// Counts of a whole queue, for operators and metrics.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Totals {
    /// Places made, as reported.
    pub joined: u64,
    /// Entry numbers given out.
    pub entries: u64,
    /// Ranks called, over all lines.
    pub called: u64,
    /// Ranks whose hold is over, over all lines.
    pub lapsed: u64,
    /// Claims waiting for a grant.
    pub pending: u64,
    /// Grants since the run began.
    pub granted: u64,
    /// Sessions ended since the run began.
    pub ended: u64,
    /// Sessions now: granted less ended.
    pub active: u64,
    /// Sessions granted in one step and not confirmed yet; at most, until every shard was heard.
    pub unconfirmed: u64,
    /// Passes made for staff since the run began; they count against no limit.
    pub staff_passes: u64,
    /// The learned share of the called who claim, in parts per million.
    pub show_up_ppm: u32,
    /// Shards heard from within the last 10 s.
    pub shards_heard: u16,
}

/// A live value that differs from the configuration, or an action taken: who did it and when.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Noted {
    /// When.
    pub at: UnixMillis,
    /// The name in the operator's token.
    pub by: String,
    /// What was done.
    pub action: Action,
}

/// A coordinator's answer.
#[allow(
    clippy::large_enum_variant,
    reason = "read, used once and dropped; never kept in numbers"
)]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum CoordinatorReply {
    /// To a report.
    Synced(SyncReply),
    /// To an action, a configuration or a wake: the present state. `noted` holds the last actions, newest last.
    State {
        /// The board.
        board: Board,
        /// The counts.
        totals: Totals,
        /// The settings.
        settings: Settings,
        /// The last actions, newest last.
        noted: Vec<Noted>,
    },
    /// A report of another run, or of an impossible shard or line count, is refused: why, in words.
    Refused(String),
}
