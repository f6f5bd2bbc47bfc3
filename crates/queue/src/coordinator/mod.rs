//! The coordinator.
pub mod command;
