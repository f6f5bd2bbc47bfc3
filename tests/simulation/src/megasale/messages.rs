//! What travels, and what each object has still to do.

use anteroom_queue::coordinator::command::Action;
use anteroom_queue::shard::command::ShardReply;
use anteroom_queue::sync::{RelayReport, SyncReply, SyncRequest};
use anteroom_queue::units::Millis;

/// A visitor's join on its way.
#[derive(Clone, Copy, Debug)]
pub struct Join {
    /// Who.
    pub visitor: u32,
    /// When the visitor began.
    pub began_ms: u32,
    /// All entry numbers that were acknowledged before are below this one.
    pub floor: u32,
    /// When it came to its home, and when that took it in.
    pub arrived_ms: u32,
    pub taken_ms: u32,
}

/// What a shard is asked.
#[derive(Clone, Copy, Debug)]
pub enum Ask {
    /// To make a place.
    Join(Join),
    /// What became of a place whose number did not come in time.
    State(Join, u32),
    /// For the board, by this isolate.
    Board(u32),
    /// To be told news, by the page of a place that has rested so often before.
    Listen(u8),
    /// For entry, since then.
    Claim(u32, u32),
    /// For a fresh pass.
    Renew(u32),
    /// To end the session.
    Release(u32),
    /// By the parent: for a report.
    Poke,
}

/// What a report brings back.
#[derive(Debug)]
pub enum Answered {
    /// By the coordinator.
    Direct(Box<SyncReply>),
    /// By a relay, that behind.
    Relayed(Box<SyncReply>, Millis),
    /// Nothing: the call broke off.
    Failed,
}

/// A child's report at the coordinator.
#[derive(Debug)]
pub enum Report {
    /// A shard's own.
    Shard(Box<SyncRequest>),
    /// A relay's.
    Relay(Box<RelayReport>),
}

/// What happens.
#[derive(Debug)]
pub enum Event {
    /// A request reaches a shard.
    At(u16, Ask),
    /// The shard is done with what came before and takes it in.
    In(u16, Ask),
    /// A shard's step is due.
    ShardStep(u16),
    /// The parent's answer reaches a shard.
    ShardHears(u16, Answered),
    /// A shard's report reaches its relay.
    AtRelay(Box<SyncRequest>),
    /// The relay is done with what came before and takes it in.
    InRelay(Box<SyncRequest>),
    /// The coordinator asks a relay for a report.
    RelayPoked(u16),
    /// A relay's step is due.
    RelayStep(u16),
    /// The coordinator's answer reaches a relay, or does not come.
    RelayHears(u16, Option<Box<SyncReply>>),
    /// A report reaches the coordinator.
    AtCoordinator(Report),
    /// The coordinator is done with what came before and takes it in.
    InCoordinator(Report),
    /// The operator does something.
    Operate(Box<Action>),
    /// The coordinator's step is due.
    CoordinatorStep,
    /// A visitor has a place and its number.
    Acked(u16, Join, u32, u32),
    /// A visitor's answer to anything else.
    Told(u16, Box<(Ask, ShardReply)>),
    /// A visitor loads the page, and joins.
    Comes(Join),
    /// A page does something at the place's home.
    Visit(u16, Ask),
    /// An isolate wants a newer board.
    Read(u32),
    /// The board that a shard gave.
    EdgeHears(u32, Box<ReadBoard>),
}

/// What an isolate reads.
#[derive(Clone, Debug)]
pub struct ReadBoard {
    /// The version.
    pub version: u64,
    /// How old it was when it left the shard.
    pub age_ms: u64,
    /// How many shards there are.
    pub shards: u16,
    /// Those that take joins.
    pub open: Vec<u16>,
}

const _: () = assert!(
    size_of::<Event>() <= 32,
    "a hundred thousand of them are on the way"
);
