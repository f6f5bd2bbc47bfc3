//! The shard.
pub mod command;
