//! (being written)
#![allow(missing_docs)]
pub mod board;
pub mod coordinator;
pub mod limits;
pub mod settings;
pub mod shard;
pub mod sync;
pub mod units;
