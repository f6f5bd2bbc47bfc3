//! One place: what its home stores about one visitor, and what can be said of it from that and
//! the board.

use std::cell::Cell;

use serde::{Deserialize, Serialize};

use super::networks::Networks;
use crate::line::Order;
use crate::units::{ClaimId, EntryNumber, Generation, LineIndex, Millis, Nonce, Rank, UnixMillis};

/// A running session, or a grant whose first pass has not been fetched yet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Session {
    /// The browser it belongs to.
    pub claim: ClaimId,
    /// The order of the claim behind it, kept for giving the grant back.
    pub order: u64,
    /// The working pass.
    pub generation: Generation,
    /// When the grant came.
    pub granted: UnixMillis,
    /// When the session ends at the latest.
    pub ends: UnixMillis,
    /// Whether the first pass was fetched.
    pub issued: bool,
    /// Whether a request has brought the first pass.
    pub confirmed: bool,
    /// Whether a request is known to have brought a pass of it. Not stored: after a restart nobody
    /// knows until one comes.
    #[serde(skip)]
    pub arrived: bool,
    /// The last sign of life, on the shard's idle clock. Not stored: it starts anew with the shard.
    #[serde(skip)]
    pub renewed: Millis,
    /// Where its pass is used. Not stored: counting starts anew with the shard.
    #[serde(skip)]
    pub networks: Networks,
}

impl Session {
    /// A session granted later than `now` began then, and lasts as long as it was to last.
    pub(super) fn begin_at_the_latest(&mut self, now: UnixMillis) {
        let early = self.granted.since(now);
        self.ends = self.ends.minus(early);
        self.granted = self.granted.min(now);
    }
}

/// A claim that waits for a grant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Claim {
    /// The browser that claims.
    pub claim: ClaimId,
    /// Its position among the shard's claims of that line.
    pub order: u64,
    /// When it was last asked about. Not stored: it starts anew with the shard.
    #[serde(skip)]
    pub seen: UnixMillis,
}

/// Where a place stands, as far as it must be stored. Waiting, called and lapsed follow from the
/// board's watermarks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Standing {
    /// In the line.
    Waiting,
    /// As earlier versions stored an offer of the place's own, by the shard's clock: it is read as
    /// [`Standing::OfferedFor`] what was left of it.
    Reoffered {
        /// When that hold was to be over.
        until: UnixMillis,
    },
    /// Claimed.
    Claimed(Box<Claim>),
    /// Granted.
    Granted(Box<Session>),
    /// The session is over.
    Ended {
        /// When it ended.
        at: UnixMillis,
    },
    /// The visitor left.
    Left {
        /// When.
        at: UnixMillis,
    },
    /// A first visit that was let in at once and never took it up: as if it had not been.
    Void,
    /// Its claim was taken back because the visitor was away, or its offer was deferred: it has an
    /// offer of its own.
    Offered {
        /// When that is over, on the clock of the line's offers.
        until: Millis,
    },
    /// The same, made while nobody here knew that clock: it runs from the next news on.
    OfferedFor {
        /// How long.
        length: Millis,
    },
}

/// What a shard stores about one visitor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The permit that made it.
    pub nonce: Nonce,
    /// Its line.
    pub line: LineIndex,
    /// When the join arrived.
    pub arrived: UnixMillis,
    /// Admitted in one step: it never joined and has no entry number.
    pub direct: bool,
    /// The visitor has made the offer stand longer.
    pub deferred: bool,
    /// A first pass of it was fetched once.
    pub admitted: bool,
    /// Its entry number, once cut.
    pub entry: GivenEntry,
    /// Where it stands.
    pub standing: Standing,
    /// Its rank, once it was asked for. Not stored.
    pub(super) known_rank: KnownRank,
}

/// What stands for no number where one takes eight bytes, since a shard holds thousands of places. No line is that long.
const NO_NUMBER: u64 = u64::MAX;

/// An entry number, once it is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GivenEntry(u64);

impl GivenEntry {
    /// None yet.
    pub const NONE: Self = Self(NO_NUMBER);

    /// The number, if it is given.
    pub fn known(self) -> Option<EntryNumber> {
        (self != Self::NONE).then_some(EntryNumber(self.0))
    }
}

impl From<Option<EntryNumber>> for GivenEntry {
    fn from(entry: Option<EntryNumber>) -> Self {
        entry.map_or(Self::NONE, |entry| Self(entry.0))
    }
}

/// A rank that was worked out before: a drawn one costs 90 hashes, and a place is looked at with
/// every claim and question. One that is known never changes, since each step of a draw is published
/// once; it follows from entry number and order, so two places do not differ by it.
#[derive(Clone, Debug)]
pub struct KnownRank(Cell<u64>);

impl Default for KnownRank {
    fn default() -> Self {
        Self(Cell::new(NO_NUMBER))
    }
}

impl PartialEq for KnownRank {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for KnownRank {}

impl Place {
    /// The place's rank in the line's order, once that and the entry number are known.
    pub(super) fn rank(&self, order: &Order) -> Option<Rank> {
        let known = self.known_rank.0.get();
        if known != NO_NUMBER {
            return Some(Rank(known));
        }
        let rank = order.rank(self.entry.known()?)?;
        self.known_rank.0.set(rank.0);
        Some(rank)
    }
}

/// What a place takes in memory: the figures of `docs/storage.md` follow from it.
const _: () = assert!(size_of::<Place>() <= 64);
