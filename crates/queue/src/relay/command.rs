//! What a relay is asked and what it answers.

use serde::{Deserialize, Serialize};

use crate::coordinator::command::Entropy;
use crate::settings::Settings;
use crate::sync::{SyncReply, SyncRequest};
use crate::units::Millis;

/// A request to a relay.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum RelayCommand {
    /// A shard reports.
    Report {
        /// The report.
        report: SyncRequest,
        /// Fresh random bytes.
        entropy: Entropy,
    },
    /// The parent answered a report.
    Heard {
        /// The answer.
        reply: SyncReply,
    },
    /// The configuration as the shell reads it now.
    Configure {
        /// The settings.
        settings: Settings,
    },
    /// A deadline may have come.
    Wake,
}

/// What a relay answers a command.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum RelayReply {
    /// It is taken in. Of a report: it is to be answered by [`Relay::answer`](super::Relay::answer).
    Done,
    /// A report of another run, or of an impossible shard or line count, is refused: why, in words.
    Refused(String),
}

/// What a relay answers a shard's report.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RelayAnswer {
    /// As the coordinator would answer.
    pub reply: SyncReply,
    /// How long before the report came in all of this was true at the latest: zero when the parent was asked after that.
    pub behind: Millis,
}
