//! What travels and what happens: letters between visitors (through their edge) and shards,
//! parcels between shards and the coordinator, and the events of the calendar.

use std::rc::Rc;

use anteroom_queue::board::Board;
use anteroom_queue::shard::command::ShardReply;
use anteroom_queue::sync::{RelayReport, SyncReply, SyncRequest};
use anteroom_queue::units::Millis;

use crate::observation::VisitorId;

/// What a visitor or an edge asks a shard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ask {
    /// An edge reads the board.
    Board,
    /// Who has the place of the member key or code.
    Reserve,
    /// Whether the permit that has a use of a shared code made its place.
    AskAbout,
    /// What was found out about such a permit. Nobody waits for an answer.
    Found {
        /// It made its place.
        made: bool,
    },
    /// Make or find a place.
    Join,
    /// Admit in one step.
    Try,
    /// What became of the place.
    State,
    /// Enter.
    Claim,
    /// Not ready yet.
    Defer,
    /// A code for another browser.
    OfferHandover,
    /// Take the place up with it.
    TakeOver,
    /// Give the place up.
    Leave,
    /// A fresh pass.
    Renew,
    /// Give the session back.
    Release,
    /// More time in a checkout.
    Extend,
}

/// A question on its way to a shard.
#[derive(Clone, Copy, Debug)]
pub struct Letter {
    /// What is asked.
    pub ask: Ask,
    /// Who asks; for [`Ask::Board`] the edge's number.
    pub visitor: VisitorId,
    /// Which of the visitor's browsers.
    pub browser: u8,
    /// The permit that is shown.
    pub permit: VisitorId,
    /// The place on the ticket.
    pub index: u32,
    /// The line to join.
    pub line: u8,
    /// For [`Ask::Reserve`]: the permit whose place is over; else [`NONE`](crate::visitor::NONE).
    pub replaces: VisitorId,
    /// For [`Ask::Reserve`]: the home of `permit`.
    pub permit_home: u16,
    /// When it left.
    pub asked_ms: u32,
    /// The generation of the pass that is shown.
    pub generation: u32,
    /// The edge between.
    pub edge: u8,
    /// The shard.
    pub home: u16,
    /// It speaks of networks, as an edge does since the deployment.
    pub names_network: bool,
    /// A second delivery of the same letter: nobody waits for its answer.
    pub copy: bool,
}

/// The board as a shard hands it out: with its age in milliseconds.
pub type AgedBoard = (Rc<Board>, u64);

/// An answer on its way back; without a reply the shard could not be reached.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The question.
    pub letter: Letter,
    /// The shard's reply.
    pub reply: Option<ShardReply>,
    /// The board that came with it.
    pub board: Option<AgedBoard>,
}

/// A report on its way to the coordinator, or the answer on its way back.
#[derive(Clone, Debug)]
pub struct Parcel {
    /// The shard.
    pub shard: u16,
    /// Which life of the shard waits for the answer.
    pub epoch: u32,
    /// Which of its syncs.
    pub number: u32,
    /// What is carried.
    pub content: Content,
}

/// The two directions of a parcel.
#[derive(Clone, Debug)]
pub enum Content {
    /// To the coordinator.
    Report(SyncRequest),
    /// A report that belongs to another run.
    Foreign(SyncRequest),
    /// To the shard.
    Reply(Rc<SyncReply>),
    /// From a relay to the coordinator; `shard` of the parcel is the relay.
    RelayReport(RelayReport),
    /// To a relay.
    RelayReply(Rc<SyncReply>),
    /// From a relay to a shard: an answer, and how far behind it is.
    Relayed(Rc<SyncReply>, Millis),
}

/// An object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Object {
    /// The coordinator.
    Coordinator,
    /// A shard.
    Shard(u16),
    /// A relay.
    Relay(u16),
}

/// What happens at an instant.
#[expect(missing_docs, reason = "a field says whose event it is, and which one")]
#[derive(Clone, Copy, Debug)]
pub enum Event {
    /// A visitor does the next thing.
    Visit(VisitorId),
    /// A letter reaches its shard.
    LetterIn(u32),
    /// An answer reaches its visitor.
    AnswerIn(u32),
    /// A parcel arrives.
    ParcelIn(u32),
    /// A shard has gathered for long enough.
    ShardGathered { shard: u16, due: u32 },
    /// A write of a shard is durable.
    ShardStored { shard: u16, epoch: u32 },
    /// A shard wants to report.
    SyncDue { shard: u16, epoch: u32 },
    /// A report was not answered in time.
    SyncLate { shard: u16, number: u32 },
    /// A shard stops waiting for decisions on the oldest requests.
    GiveUp { shard: u16, epoch: u32 },
    /// A shard stops letting edges wait for a newer board.
    BoardsDue { shard: u16, epoch: u32 },
    /// The alarm of an object.
    Alarm(Object),
    /// The coordinator has gathered for long enough.
    CoordinatorGathered { epoch: u32 },
    /// A write of the coordinator is durable.
    CoordinatorStored { epoch: u32 },
    /// A relay has gathered for long enough.
    RelayGathered { relay: u16, epoch: u32 },
    /// A write of a relay is durable.
    RelayStored { relay: u16, epoch: u32 },
    /// Something is due at a relay.
    RelayDue { relay: u16, epoch: u32 },
    /// A relay's report was not answered in time.
    RelayLate { relay: u16, number: u32 },
    /// The coordinator asks the shards that a draw waits for.
    PokesDue { epoch: u32 },
    /// The answer to a question for the beacon.
    BeaconIn { epoch: u32, round: u64 },
    /// Edges hand in what they have counted.
    EdgesTell,
    /// An edge stops waiting for a board.
    EdgeImpatient { edge: u8, reading: u32 },
    /// Some object loses its memory.
    Crash,
    /// The coordinator loses its memory; the write under way survives or not.
    CoordinatorCrash { survives: bool },
    /// The way from a shard to the coordinator becomes impassable.
    CutOff { shard: u16, until_s: u32 },
    /// Some way becomes impassable.
    Outage,
    /// Some region is cut off for a while.
    RegionOutage,
    /// A region is cut off.
    RegionCut { region: u8, until_s: u32 },
    /// No object can be reached.
    Blackout { until_s: u32 },
    /// Some object has two instances.
    Twin,
    /// Some clock is wrong for a while.
    ClockStep,
    /// A clock is right again.
    ClockRight { object: Object, step: u32 },
    /// A configuration is pushed.
    Configure,
    /// An object restarts with the new version.
    Deploy(Object),
    /// A report of another run goes astray to the coordinator.
    Astray,
    /// The operator does the next thing.
    Operate,
    /// The operator's action reaches the coordinator.
    OperateIn { attempt: u32 },
    /// The operator has waited for long enough.
    OperateLate { attempt: u32 },
    /// Nothing fails any more.
    Quiet,
    /// The consequences of failures are over too.
    FaultsOver,
    /// Whoever is not served by now is not served at all.
    LastOrders,
    /// Somebody looks at the page once more.
    LastLook,
    /// Everybody is asked at last.
    Audit,
}
