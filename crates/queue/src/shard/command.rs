//! What a shard is asked and what it answers.

use serde::{Deserialize, Serialize};

use crate::settings::Settings;
use crate::sync::SyncReply;
use crate::units::{
    ClaimId, EntryNumber, Generation, LineIndex, Millis, Nonce, PlaceIndex, Rank, UnixMillis,
};

/// A request to a shard. `index` and `nonce` come from a ticket that the edge has verified,
/// `index` and `generation` from a pass.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ShardCommand {
    /// Make a place, or find the one that this permit made. An expired permit makes none.
    Join {
        nonce: Nonce,
        line: LineIndex,
        permit_expired: bool,
        arrived: Option<UnixMillis>,
    },
    /// Admit a first visit in one step, or leave nothing behind.
    Try {
        nonce: Nonce,
        line: LineIndex,
        claim: ClaimId,
    },
    /// What became of a place.
    Ask {
        index: PlaceIndex,
        nonce: Nonce,
        claim: ClaimId,
    },
    /// A called visitor asks to enter; asked again while it is pending.
    Claim {
        index: PlaceIndex,
        nonce: Nonce,
        claim: ClaimId,
    },
    /// The visitor gives the place (and its session) up.
    Leave { index: PlaceIndex, nonce: Nonce },
    /// A running session shows a sign of life and wants a fresh pass.
    Renew {
        index: PlaceIndex,
        generation: Generation,
    },
    /// The session ends now.
    Release {
        index: PlaceIndex,
        generation: Generation,
    },
    /// The origin asks for more time, in a checkout.
    Extend {
        index: PlaceIndex,
        generation: Generation,
        by: Millis,
    },
    /// A fresh pass is asked about without renewing anything (`/_wr/access`).
    Access {
        index: PlaceIndex,
        generation: Generation,
    },
    /// The coordinator's answer to this shard's report.
    Synced { reply: SyncReply },
    /// The configuration as the shell reads it now.
    Configure { settings: Settings },
    /// An edge reads the board.
    Look,
    /// A deadline may have come.
    Wake,
}

/// Where a visitor stands, apart from the phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum VisitorState {
    /// Stored, not numbered yet.
    Provisional,
    /// Numbered, not called.
    Waiting,
    /// Offered the turn.
    Called,
    /// Claimed, not granted yet.
    Pending,
    /// Granted; a session runs.
    Admitted,
    /// The session is over.
    Ended,
    /// The offer was not taken in time.
    Lapsed,
    /// The visitor left.
    Left,
    /// A session runs in another browser.
    Elsewhere,
}

/// What a shard knows about one place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlaceView {
    /// Which place.
    pub index: PlaceIndex,
    /// Its line.
    pub line: LineIndex,
    /// Its entry number, once cut.
    pub entry: Option<EntryNumber>,
    /// Its rank, once known.
    pub rank: Option<Rank>,
    /// When it was made.
    pub arrived: UnixMillis,
    /// Where the visitor stands.
    pub state: VisitorState,
    /// While called: until when the offer stands, if it is known.
    pub offer_until: Option<UnixMillis>,
    /// While admitted: when the session ends; afterwards, when it ended.
    pub session_ends: Option<UnixMillis>,
}

/// Why a visitor's request is refused: an expected answer, never an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Refused {
    /// Joins are not taken yet.
    NotYet,
    /// Everything is sold.
    SoldOut,
    /// The sale is over.
    Closed,
    /// The permit expired before it made a place.
    PermitExpired,
    /// The shard knows no such place (a foreign nonce or index).
    Unknown,
    /// The line does not exist.
    NoSuchLine,
    /// It is not the visitor's turn yet.
    NotCalled,
    /// The offer was not taken in time.
    Lapsed,
    /// The visitor left this place.
    Left,
    /// The session is over.
    Ended,
    /// The visitor continued in another browser.
    Elsewhere,
    /// The shard has reached [`MAX_PLACES`](crate::limits::MAX_PLACES).
    Full,
    /// There is no room for a first visit right now.
    NoRoom,
}

/// A shard's answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ShardReply {
    /// The place; `new` is false when the permit had made it before.
    Place { place: PlaceView, new: bool },
    /// Try again when the next sync is in: the try or claim is not decided.
    Pending { place: Option<PlaceView> },
    /// A session runs: the edge may sign a pass of this generation until `session_ends`.
    /// `first` is false when a pass of it was issued before.
    Session {
        index: PlaceIndex,
        generation: Generation,
        session_ends: UnixMillis,
        first: bool,
        confirmed: bool,
    },
    /// The session of this pass has ended (now or before).
    SessionOver {
        index: PlaceIndex,
        ended: UnixMillis,
    },
    /// Refused, with what became of the place if there is one.
    Refused {
        why: Refused,
        place: Option<PlaceView>,
    },
    /// A command of the shell is carried out.
    Done,
}
