//! What can be seen from outside: by visitors, edges, the origin and the operator, and what the
//! coordinator said at its own clock. The checkers know nothing else.

mod trace;

use anteroom_queue::draw::Hash as Digest;
use anteroom_queue::draw::beacon::SIGNATURE_BYTES;
use anteroom_queue::shard::command::{Refused, VisitorState};

pub use trace::TraceHash;

/// Which visitor; also which permit, since every visitor makes one. What is said about a place
/// names the permit that made it: the devices of a member share one.
pub type VisitorId = u32;

/// Lines of a simulated event at most.
pub const LINES: usize = 3;

/// A member key or a code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeySeen {
    /// Which.
    pub number: u32,
    /// How many live places it is good for.
    pub uses: u16,
    /// Whether it is used up by places that were let in, as a code is.
    pub spends: bool,
}

/// A place as its home described it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlaceSeen {
    /// The home shard.
    pub home: u16,
    /// The place there.
    pub index: u32,
    /// Its line.
    pub line: u8,
    /// When it was made, on its home's clock, since the run began.
    pub arrived_ms: u64,
    /// The entry number, once there is one.
    pub entry: Option<u64>,
    /// The rank, once it is known.
    pub rank: Option<u64>,
    /// Where the visitor stands.
    pub state: VisitorState,
    /// The visitor came before the opening and is not in the draw.
    pub missed_draw: bool,
    /// The member key or code behind it.
    pub key: Option<KeySeen>,
    /// When the question left that is answered so.
    pub asked_ms: u64,
}

impl PlaceSeen {
    /// Whether the place came from a join; one of a first visit let in at once has no number.
    pub const fn is_joined(&self) -> bool {
        self.entry.is_some() || matches!(self.state, VisitorState::Provisional)
    }

    /// Whether nothing more is to come of the place.
    pub const fn is_over(&self) -> bool {
        matches!(
            self.state,
            VisitorState::Ended | VisitorState::Left | VisitorState::Lapsed
        )
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
    /// Every line.
    pub lines: [LineTally; LINES],
    /// Whether every line may grant: all open, no brake.
    pub open: bool,
    /// The limits in force.
    pub limits: LimitsSeen,
}

/// Where a line stands, as told and remembered: the phases of the schedule in their order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Step {
    /// Joins are not taken yet.
    #[default]
    Before,
    /// Joins are taken.
    Prequeue,
    /// It has opened, and it is not fixed who is in the draw.
    Drawing,
    /// That is fixed.
    Fixed,
    /// Open, paused, or ended.
    Open,
}

/// The coordinator's counts of one line after a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct LineTally {
    /// Where it stands.
    pub step: Step,
    /// Whether the operator has ended it.
    pub ended: bool,
    /// When it opens (Unix time), if that is still to come.
    pub opens_ms: Option<u64>,
    /// When the draw goes on without a beacon (Unix time), while it waits for one or lets
    /// everybody see who is in it.
    pub reveal_ms: Option<u64>,
    /// Ranks called.
    pub called: u64,
    /// Entry numbers given out.
    pub entries: u64,
}

/// One line on a board.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct LineSeen {
    /// Ranks below this were called.
    pub called: u64,
    /// Ranks below this lapsed.
    pub lapsed: u64,
    /// Entry numbers given out.
    pub entries: u64,
}

/// The first step of a draw, as published.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FixedSeen {
    /// How many are in it.
    pub entrants: u64,
    /// The log's hash.
    pub root: Digest,
    /// When the line opened, since the run began.
    pub opened_ms: u64,
    /// The beacon's round.
    pub round: Option<u64>,
}

/// The second step of a draw, as published.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DrawnSeen {
    /// The secret.
    pub secret: Digest,
    /// The beacon's signature.
    pub beacon: Option<[u8; SIGNATURE_BYTES]>,
    /// The seed.
    pub seed: Digest,
}

/// The draw of a line, as far as it is public.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DrawSeen {
    /// Which line.
    pub line: u8,
    /// The commitment.
    pub commitment: Digest,
    /// The first step.
    pub fixed: Option<FixedSeen>,
    /// The second step.
    pub drawn: Option<DrawnSeen>,
}

/// A board as an edge read it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BoardSeen {
    /// Which edge.
    pub edge: u8,
    /// Its version.
    pub version: u64,
    /// Its lines.
    pub lines: [LineSeen; LINES],
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
    /// The page shows how many are ahead of the visitor's rank, from the board of this version.
    Shown {
        visitor: VisitorId,
        version: u64,
        line: u8,
        rank: u64,
        called: u64,
    },
    /// An edge has worked out the rank of a place from its number and the board.
    RankShown { permit: VisitorId, rank: u64 },
    /// The page of somebody in the line without a rank made an edge ask an object.
    UnrankedAsked { permit: VisitorId },
    /// Such a page was shown once more, and the edge could not tell the rank.
    UnrankedShown { permit: VisitorId },
    /// What a board or the coordinator's storage says of a draw.
    DrawSeen { draw: DrawSeen, stored: bool },
    /// A report was stored that says who came before the opening of a line.
    EntrantsHeard {
        shard: u16,
        line: u8,
        opens_ms: u64,
        count: u64,
    },
    /// A home takes a place to be handed over: its code is used by this browser.
    HandedOver {
        permit: VisitorId,
        code: u32,
        browser: u8,
    },
    /// An offer was made to stand until then.
    Deferred { visitor: VisitorId, until_ms: u64 },
    /// An edge read a board.
    BoardRead(BoardSeen),
    /// A called visitor begins to ask for entry.
    ClaimBegan { visitor: VisitorId },
    /// A home said that a session runs.
    SessionTold {
        visitor: VisitorId,
        home: u16,
        line: u8,
        asked_ms: u64,
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
    /// The clock of an object (`None`: the coordinator) leapt ahead by more than limits hold for.
    ClockLeapt { shard: Option<u16> },
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
    /// Everybody was asked; so many entry numbers of each line were given out.
    AuditOver { entries: [u64; LINES], active: u64 },
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
    /// Ranks that edges worked out.
    pub ranks: u64,
    /// Draws that were decided, as stored.
    pub draws: u64,
    /// Places taken along to another browser.
    pub handed_over: u64,
    /// Offers made to stand longer.
    pub deferred: u64,
    /// Places under a member key or code, each time one was told of.
    pub keyed: u64,
    /// Turns that ran out before any pass reached the visitor, behind outages.
    pub turns_lost: u64,
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
            Observation::RankShown { .. } => self.ranks += 1,
            Observation::DrawSeen { draw, stored: true } if draw.drawn.is_some() => self.draws += 1,
            Observation::HandedOver { .. } => self.handed_over += 1,
            Observation::Deferred { .. } => self.deferred += 1,
            Observation::PlaceTold { place, .. } if place.key.is_some() => self.keyed += 1,
            _ => {}
        }
    }
}
