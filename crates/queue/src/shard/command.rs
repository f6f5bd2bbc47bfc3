//! What a shard is asked and what it answers.

use serde::{Deserialize, Serialize};

use crate::settings::Settings;
use crate::sync::SyncReply;
use crate::units::{
    ClaimId, EntryNumber, Generation, KeyHash, LineIndex, Millis, NetworkMark, Nonce, PlaceIndex,
    Rank, ShardIndex, UnixMillis,
};

/// A request to a shard. `index` and `nonce` come from a ticket that the edge has verified,
/// `index` and `generation` from a pass.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ShardCommand {
    /// Make a place, or find the one that this permit made. An expired permit makes none.
    Join {
        /// The permit's number.
        nonce: Nonce,
        /// The line to join.
        line: LineIndex,
        /// The permit is genuine but too old to make a place.
        permit_expired: bool,
        /// When the visitor first came, if the permit was signed anew because this shard was away.
        arrived: Option<UnixMillis>,
    },
    /// Admit a first visit in one step, or leave nothing behind.
    Try {
        /// The permit's number.
        nonce: Nonce,
        /// The line to join.
        line: LineIndex,
        /// The browser's number.
        claim: ClaimId,
    },
    /// What became of a place.
    Ask {
        /// The place.
        index: PlaceIndex,
        /// The permit's number.
        nonce: Nonce,
        /// The browser's number.
        claim: ClaimId,
    },
    /// A called visitor asks to enter; asked again while it is pending.
    Claim {
        /// The place.
        index: PlaceIndex,
        /// The permit's number.
        nonce: Nonce,
        /// The browser's number.
        claim: ClaimId,
    },
    /// The visitor gives the place (and its session) up.
    Leave {
        /// The place.
        index: PlaceIndex,
        /// The permit's number.
        nonce: Nonce,
    },
    /// A called visitor is not ready: the offer stands longer, once.
    Defer {
        /// The place.
        index: PlaceIndex,
        /// The permit's number.
        nonce: Nonce,
    },
    /// Who has the place of this member key or code: the first permit that asks, until it is replaced, or
    /// until its use of a shared code is given back.
    Reserve {
        /// The key or code.
        key: KeyHash,
        /// The permit that asks.
        nonce: Nonce,
        /// That permit's home.
        home: ShardIndex,
        /// How many places may have it at the same time: 1 for a member key.
        uses: u16,
        /// A permit whose place is no longer live, to be replaced by this one.
        replaces: Option<Nonce>,
    },
    /// A code by which another browser can take this place up.
    OfferHandover {
        /// The place.
        index: PlaceIndex,
        /// The permit's number.
        nonce: Nonce,
        /// The code.
        code: KeyHash,
    },
    /// Another browser takes up the place of a code.
    TakeOver {
        /// The code.
        code: KeyHash,
        /// The browser's number: asked again with the same, the answer is the same.
        taker: ClaimId,
    },
    /// A running session shows a sign of life and wants a fresh pass.
    Renew {
        /// The place.
        index: PlaceIndex,
        /// The pass that asks.
        generation: Generation,
    },
    /// The session ends now.
    Release {
        /// The place.
        index: PlaceIndex,
        /// The pass that asks.
        generation: Generation,
    },
    /// The origin asks for more time, in a checkout.
    Extend {
        /// The place.
        index: PlaceIndex,
        /// The pass that asks.
        generation: Generation,
        /// How much longer.
        by: Millis,
    },
    /// A fresh pass is asked about without renewing anything (`/_wr/access`).
    Access {
        /// The place.
        index: PlaceIndex,
        /// The pass that asks.
        generation: Generation,
    },
    /// The coordinator's answer to this shard's report.
    Synced {
        /// The answer.
        reply: SyncReply,
    },
    /// The configuration as the shell reads it now.
    Configure {
        /// The settings.
        settings: Settings,
    },
    /// An edge reads the board.
    Look,
    /// A deadline may have come.
    Wake,
    /// What the home of a permit said that has a use of a shared code: whether it made its place.
    HolderFound {
        /// The code.
        key: KeyHash,
        /// The permit.
        nonce: Nonce,
        /// It did. If not, its use is free again, unless its join may be under way.
        made: bool,
    },
    /// A crawler asks to go on to the origin. One shard counts them for the whole event.
    Crawl {
        /// The budget, as the configuration has it.
        per_minute: u32,
        /// How many the asking edge has turned away by itself since it last asked.
        turned_away: u32,
    },
    /// What crawlers were given.
    CountCrawlers,
    /// As [`ShardCommand::Renew`], from an edge that says where the pass is used.
    RenewFrom {
        /// The place.
        index: PlaceIndex,
        /// The pass that asks.
        generation: Generation,
        /// Where it is used.
        network: NetworkMark,
    },
    /// As [`ShardCommand::Claim`], from an edge that says where it comes from.
    ClaimFrom {
        /// The place.
        index: PlaceIndex,
        /// The permit's number.
        nonce: Nonce,
        /// The browser's number.
        claim: ClaimId,
        /// Where it comes from.
        network: NetworkMark,
        /// The visitor has to be checked first: the claim counts from now on, and no first pass is handed out for it.
        hold_back: bool,
    },
    /// A browser was checked: the session goes on there, with a new pass, and nowhere else.
    Rechecked {
        /// The place.
        index: PlaceIndex,
        /// The pass that was to be checked.
        generation: Generation,
        /// The number that the browser has from now on.
        claim: ClaimId,
        /// Where it comes from.
        network: NetworkMark,
    },
    /// As [`ShardCommand::Synced`], from a relay.
    Relayed {
        /// The answer.
        reply: SyncReply,
        /// How long before the report left it was true at the latest.
        behind: Millis,
    },
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
    /// While called: until when the offer stands, if it is known. While pending or provisional, on its way to an edge: when to ask again, if
    /// that is later than usual (edges of before do not look at it then, and could not read a field of its own).
    pub offer_until: Option<UnixMillis>,
    /// While admitted: when the session ends; afterwards, when it ended.
    pub session_ends: Option<UnixMillis>,
    /// The offer may be made to stand longer.
    pub may_defer: bool,
    /// The visitor was let in once.
    pub was_admitted: bool,
    /// The visitor came before the opening and could not be heard in time for the draw.
    pub missed_draw: bool,
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
    /// The offer was made to stand longer before.
    AlreadyDeferred,
    /// The code is used up.
    CodeSpent,
    /// No place can be taken up with this code: it is unknown, or too old.
    HandoverUnknown,
    /// Another browser has taken the place up with this code.
    HandoverTaken,
    /// Too many codes were made for this place in a short time.
    TooManyHandovers,
}

/// A shard's answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ShardReply {
    /// The place; `new` is false when the permit had made it before.
    Place {
        /// The place.
        place: PlaceView,
        /// Whether this call made it.
        new: bool,
    },
    /// Try again when the next sync is in: the try, claim or deferral is not decided, or what became
    /// of the place is not known.
    Pending {
        /// The place.
        place: Option<PlaceView>,
    },
    /// A session runs: the edge may sign a pass of this generation until `session_ends`.
    /// `first` is false when a request is known to have brought a pass of it: only then may a brake
    /// be passed over.
    Session {
        /// The place.
        index: PlaceIndex,
        /// The pass that asks.
        generation: Generation,
        /// When the session ends at the latest.
        session_ends: UnixMillis,
        /// Whether this may be the first pass of the session that reaches the visitor.
        first: bool,
        /// Whether a request has brought a pass of it.
        confirmed: bool,
    },
    /// The session of this pass has ended (now or before).
    SessionOver {
        /// The place.
        index: PlaceIndex,
        /// When it ended.
        ended: UnixMillis,
    },
    /// Refused, with what became of the place if there is one.
    Refused {
        /// Why.
        why: Refused,
        /// The place.
        place: Option<PlaceView>,
    },
    /// The permit that has the place of a key or code, and its home: to be joined with.
    Reserved {
        /// The permit's number.
        nonce: Nonce,
        /// Its home.
        home: ShardIndex,
    },
    /// The place that a browser has taken up.
    HandedOver {
        /// The place.
        place: PlaceView,
        /// The permit that made it.
        nonce: Nonce,
    },
    /// A code for the place is stored.
    HandoverOffered {
        /// Until when it can be used.
        until: UnixMillis,
    },
    /// Carried out; there is nothing to say.
    Done,
    /// Every use of a shared code is taken, and of this permit nobody knows here whether it made its
    /// place. Its home is to be asked, by a join as of an expired permit; what it says is told with
    /// [`ShardCommand::HolderFound`], and then the code is asked for again.
    Unsure {
        /// The permit's number.
        nonce: Nonce,
        /// Its home.
        home: ShardIndex,
    },
    /// Whether a crawler's request may go on to the origin.
    Crawled {
        /// It may, and is counted.
        went_on: bool,
        /// If not: when one more may.
        retry_in: Millis,
    },
    /// What crawlers were given.
    CrawlerCounts {
        /// Requests that went on in the last 60 s.
        in_last_minute: u32,
        /// Requests that went on since the run began.
        let_through: u64,
        /// Requests beyond the budget, as far as edges told.
        turned_away: u64,
    },
    /// The visitor has to be checked first; the place is kept, and so is its session. Only to a command that says where it
    /// comes from. An admitted place is checked with [`ShardCommand::Rechecked`], any other by claiming again.
    Recheck {
        /// The place.
        place: PlaceView,
        /// The working pass of an admitted place.
        generation: Generation,
    },
}
