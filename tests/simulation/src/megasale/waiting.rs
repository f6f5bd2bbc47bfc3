//! What waits in a shard for the coordinator's next answer.

use anteroom_queue::shard::command::{ShardReply, VisitorState};

use super::messages::{Ask, Join};

/// How long a join waits for its number, a claim for its grant.
const JOIN_PATIENCE_MS: u64 = 2_000;
const CLAIM_PATIENCE_MS: u64 = 1_000;

/// What waits, and since when.
pub struct Waiting {
    pub ask: Ask,
    pub since: u64,
    /// What it is told when its patience is over.
    pub last: ShardReply,
}

impl Waiting {
    /// When it is answered even if it is not decided.
    pub const fn patience_ends(&self) -> u64 {
        self.since
            + match self.ask {
                Ask::Join(_) => JOIN_PATIENCE_MS,
                _ => CLAIM_PATIENCE_MS,
            }
    }
}

/// Whether the coordinator's next answer may change the reply.
pub fn is_undecided(ask: Ask, reply: &ShardReply) -> bool {
    match (ask, reply) {
        (Ask::Join(_), ShardReply::Place { place, .. }) => place.state == VisitorState::Provisional,
        (Ask::Join(_) | Ask::State(..) | Ask::Claim(..), ShardReply::Pending { .. }) => true,
        _ => false,
    }
}

/// The join as its visitor began it.
pub const fn join_of(ask: Ask) -> Option<Join> {
    match ask {
        Ask::Join(join) | Ask::State(join, _) => Some(join),
        _ => None,
    }
}
