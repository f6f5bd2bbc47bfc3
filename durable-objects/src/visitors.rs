//! What visitors ask, in the tests of this crate. Visitors are numbers.

use anteroom_queue::shard::command::ShardCommand;
use anteroom_queue::units::{ClaimId, LineIndex, Nonce, PlaceIndex};

/// Visitor `number`'s permit.
pub fn nonce(number: u32) -> Nonce {
    let mut nonce = [0; 16];
    nonce[..4].copy_from_slice(&number.to_le_bytes());
    Nonce(nonce)
}

/// Visitor `number` joins the only line.
pub fn join(number: u32) -> ShardCommand {
    ShardCommand::Join {
        nonce: nonce(number),
        line: LineIndex(0),
        permit_expired: false,
        arrived: None,
    }
}

/// Visitor `number`, who has place `index`, claims.
pub fn claim(number: u32, index: u32) -> ShardCommand {
    ShardCommand::Claim {
        index: PlaceIndex(index),
        nonce: nonce(number),
        claim: ClaimId([9; 16]),
    }
}

/// Visitor `number` asks to be let in at once.
pub fn attempt(number: u32) -> ShardCommand {
    ShardCommand::Try {
        nonce: nonce(number),
        line: LineIndex(0),
        claim: ClaimId([9; 16]),
    }
}

/// What became of place `index` of visitor `number`.
pub fn question(number: u32, index: u32) -> ShardCommand {
    ShardCommand::Ask {
        index: PlaceIndex(index),
        nonce: nonce(number),
        claim: ClaimId([9; 16]),
    }
}

/// Visitor `number`, who has place `index`, is not ready.
pub fn deferral(number: u32, index: u32) -> ShardCommand {
    ShardCommand::Defer {
        index: PlaceIndex(index),
        nonce: nonce(number),
    }
}
