//! The core of the waiting room: who is next, exactly, whatever is lost or repeated on the way.
#![allow(missing_docs)]

mod admission;
pub mod board;
mod calling;
mod clock;
pub mod coordinator;
mod deadlines;
pub mod limits;
mod line;
mod outcome;
pub mod settings;
pub mod shard;
pub mod sync;
pub mod units;

pub use outcome::{Corrupt, Outcome};
#[cfg(test)]
mod whole_way;
