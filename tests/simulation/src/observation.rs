//! What can be seen from outside: by visitors, edges, the origin and the operator, and what the
//! coordinator said at its own clock. The checkers know nothing else.

use std::hash::{Hash, Hasher};

use anteroom_queue::shard::command::{Refused, VisitorState};

/// Which visitor; also which permit, since every visitor keeps one.
pub type VisitorId = u32;

/// A place as its home described it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlaceSeen {
    /// The home shard.
    pub home: u16,
    /// The place there.
    pub index: u32,
    /// The entry number, once there is one.
    pub entry: Option<u64>,
    /// Where the visitor stands.
    pub state: VisitorState,
}

impl PlaceSeen {
    /// Whether the place came from a join; one of a first visit let in at once has no number.
    pub const fn is_joined(&self) -> bool {
        self.entry.is_some() || matches!(self.state, VisitorState::Provisional)
    }
}

/// Why a visitor with a pass did not reach the origin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Away {
    /// The whole queue is stopped.
    Stopped,
    /// The home says that the session is over.
    Over,
    /// The visitor continued in another browser.
    Elsewhere,
    /// The home could not be asked and the edge did not help.
    Unreachable,
}

/// The limits that the coordinator said were in force.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct LimitsSeen {
    /// Sessions at the same time.
    pub max_active: Option<u32>,
    /// Admissions a minute.
    pub per_minute: Option<u32>,
    /// Admissions a period, and the period in milliseconds.
    pub batch: Option<(u32, u64)>,
}

/// The coordinator's counts after one step, at its own clock, once they were stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Tally {
    /// The coordinator's clock.
    pub clock_ms: u64,
    /// Grants since the run began.
    pub granted: u64,
    /// Sessions that count now.
    pub active: u64,
    /// Claims waiting for a grant.
    pub pending: u64,
    /// Ranks called.
    pub called: u64,
    /// Entry numbers given out.
    pub entries: u64,
    /// Whether grants are allowed: an open line, no brake.
    pub open: bool,
    /// The limits in force.
    pub limits: LimitsSeen,
}

/// A board as an edge read it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BoardSeen {
    /// Which edge.
    pub edge: u8,
    /// Its version.
    pub version: u64,
    /// Ranks below this were called.
    pub called: u64,
    /// Ranks below this lapsed.
    pub lapsed: u64,
    /// Entry numbers given out.
    pub entries: u64,
    /// A number made of everything on it.
    pub fingerprint: u64,
}

/// One thing that was seen.
#[expect(missing_docs, reason = "every variant says what its fields are about")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Observation {
    /// A browser sends its first join.
    JoinBegan { visitor: VisitorId },
    /// A home told a visitor about the place.
    PlaceTold {
        visitor: VisitorId,
        place: PlaceSeen,
    },
    /// A home refused.
    RefusalTold { visitor: VisitorId, why: Refused },
    /// The page shows the visitor's number, from the board of this version.
    Shown {
        visitor: VisitorId,
        version: u64,
        entry: u64,
        called: u64,
    },
    /// An edge read a board.
    BoardRead(BoardSeen),
    /// A called visitor begins to ask for entry.
    ClaimBegan { visitor: VisitorId },
    /// A home said that a session runs.
    SessionTold {
        visitor: VisitorId,
        index: u32,
        generation: u32,
        ends_ms: u64,
    },
    /// The edge gave out the first pass of a session.
    FirstPass {
        visitor: VisitorId,
        generation: u32,
        ends_ms: u64,
        confirmed: bool,
    },
    /// A session of a first visit was confirmed: from now on it is one like the others.
    Confirmed { visitor: VisitorId, ends_ms: u64 },
    /// A request with a pass reached the origin.
    OriginReached { visitor: VisitorId },
    /// A request with a pass was turned away.
    TurnedAway { visitor: VisitorId, why: Away },
    /// The visitor stops using the session: gives it back, leaves, or falls silent.
    SessionLeft { visitor: VisitorId },
    /// A home confirmed that the session is over.
    SessionOverTold { visitor: VisitorId },
    /// A home confirmed that the visitor left.
    LeftTold { visitor: VisitorId },
    /// A step of the coordinator was stored.
    Counted(Tally),
    /// An operator sends a brake (`stop`: for everybody).
    BrakeSent { stop: bool },
    /// The brake was acknowledged.
    BrakeAcknowledged { version: u64 },
    /// The operator begins to end the brake.
    BrakeReleased,
    /// A report that belongs to another run reached the coordinator.
    ForeignReport { refused: bool },
    /// From here on nothing fails any more.
    FaultsOver,
    /// From here on there is room for everybody.
    RoomForAll,
    /// What the home answers at the very end.
    Audited {
        visitor: VisitorId,
        place: Option<PlaceSeen>,
    },
    /// A visitor who did everything right was not served by the end.
    Unserved { visitor: VisitorId },
    /// Everybody was asked; so many entry numbers were given out.
    AuditOver { entries: u64, active: u64 },
}

/// How often the main things happened, to tell a lively world from an empty one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Seen {
    /// Joins begun.
    pub joins: u64,
    /// First passes given out.
    pub first_passes: u64,
    /// First visits that were confirmed.
    pub confirmed: u64,
    /// Requests that reached the origin.
    pub requests: u64,
    /// Visitors who left.
    pub left: u64,
    /// Sessions whose end was told.
    pub over: u64,
    /// Brakes acknowledged.
    pub brakes: u64,
    /// Reports of another run.
    pub foreign: u64,
}

impl Seen {
    /// Takes in what was seen.
    pub const fn count(&mut self, seen: &Observation) {
        match seen {
            Observation::JoinBegan { .. } => self.joins += 1,
            Observation::FirstPass { .. } => self.first_passes += 1,
            Observation::Confirmed { .. } => self.confirmed += 1,
            Observation::OriginReached { .. } => self.requests += 1,
            Observation::LeftTold { .. } => self.left += 1,
            Observation::SessionOverTold { .. } => self.over += 1,
            Observation::BrakeAcknowledged { .. } => self.brakes += 1,
            Observation::ForeignReport { .. } => self.foreign += 1,
            _ => {}
        }
    }
}

/// A number that depends on everything seen so far, in order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TraceHash(u64);

impl TraceHash {
    /// The number.
    pub const fn value(self) -> u64 {
        self.0
    }

    /// Adds a text.
    pub fn add_text(&mut self, text: &str) {
        self.write(text.as_bytes());
    }

    /// Adds what was seen at `at_ms`.
    pub fn add(&mut self, at_ms: u64, seen: &Observation) {
        self.write_u64(at_ms);
        seen.hash(self);
    }
}

impl Hasher for TraceHash {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.write_u64(u64::from_le_bytes(word));
        }
    }

    fn write_u64(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(5) ^ word).wrapping_mul(0x517c_c1b7_2722_0a95);
    }
}

impl Hash for PlaceSeen {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.home, self.index, self.entry, self.state as u8).hash(state);
    }
}

impl Hash for Observation {
    fn hash<H: Hasher>(&self, state: &mut H) {
        std::mem::discriminant(self).hash(state);
        match *self {
            Self::JoinBegan { visitor }
            | Self::ClaimBegan { visitor }
            | Self::OriginReached { visitor }
            | Self::SessionLeft { visitor }
            | Self::SessionOverTold { visitor }
            | Self::LeftTold { visitor }
            | Self::Unserved { visitor } => visitor.hash(state),
            Self::PlaceTold { visitor, place } => (visitor, place).hash(state),
            Self::RefusalTold { visitor, why } => (visitor, why as u8).hash(state),
            Self::Shown {
                visitor,
                version,
                entry,
                called,
            } => {
                (visitor, version, entry, called).hash(state);
            }
            Self::BoardRead(board) => board.hash(state),
            Self::SessionTold {
                visitor,
                index,
                generation,
                ends_ms,
            } => {
                (visitor, index, generation, ends_ms).hash(state);
            }
            Self::FirstPass {
                visitor,
                generation,
                ends_ms,
                confirmed,
            } => {
                (visitor, generation, ends_ms, confirmed).hash(state);
            }
            Self::Confirmed { visitor, ends_ms } => (visitor, ends_ms).hash(state),
            Self::TurnedAway { visitor, why } => (visitor, why).hash(state),
            Self::Counted(tally) => tally.hash(state),
            Self::BrakeSent { stop } => stop.hash(state),
            Self::BrakeAcknowledged { version } => version.hash(state),
            Self::ForeignReport { refused } => refused.hash(state),
            Self::BrakeReleased | Self::FaultsOver | Self::RoomForAll => {}
            Self::Audited { visitor, place } => (visitor, place).hash(state),
            Self::AuditOver { entries, active } => (entries, active).hash(state),
        }
    }
}
