//! The Durable Objects of a waiting room: the shells in which the core runs.
//!
//! The core (`anteroom-queue`) decides; this crate gives it time, entropy, storage and messages,
//! and keeps the one promise that the core cannot keep alone: **no answer and no report leaves
//! before the rows behind it are stored, and nothing is answered from a state newer than storage**.
//!
//! ```text
//!  edge ──► ShardObject ── report ──► (RelayObject ──►) CoordinatorObject ◄── edge (operators)
//!           │ ShardDesk                │ CoordinatorDesk        what happens, synchronous, pure
//!           │  gather, uplink          │
//!           └ object, instance: pump, alarm ──┘ sqlite, call    the platform
//! ```
//!
//! The desks are pure: calls, time and dice in, answers, reports and rows out, so they are tested
//! natively with the real core. Around them an `instance` drives one task (the `pump`), minds the
//! one alarm, and ends itself when a write fails. `platform` is the only reader of clock and
//! entropy. Objects hold no keys: the edge checks and signs all tokens.
//!
//! Storage is described in `docs/storage.md`, messages in [`wire`].

mod alarm;
mod beacon;
pub mod call;
mod caller;
pub mod carried;
mod configuration;
mod coordinator_desk;
#[allow(missing_docs, reason = "methods that the platform's macro adds")]
mod coordinator_object;
mod counts_apart;
mod drand;
#[cfg(test)]
mod ending_tests;
#[cfg(test)]
mod fixtures;
mod foretold;
mod gather;
mod handling_counts;
mod instance;
mod layout_1;
pub mod literals;
mod log_reading;
mod meta;
mod object;
mod opening;
mod permitted;
mod platform;
mod platform_error;
mod pokes;
mod poking;
mod pump;
mod push;
#[cfg(test)]
mod recorded_rows;
mod refusal;
mod relay_desk;
#[allow(missing_docs, reason = "methods that the platform's macro adds")]
mod relay_object;
pub mod relay_wire;
#[cfg(test)]
mod rows_written;
#[cfg(test)]
mod run_tests;
mod shard_desk;
#[allow(missing_docs, reason = "methods that the platform's macro adds")]
mod shard_object;
#[cfg(test)]
mod sizes;
pub mod sockets;
mod sqlite;
pub mod storage;
mod together;
mod turnstile_counts;
mod uplink;
#[cfg(test)]
mod visitors;
pub mod wire;
mod wrong_tokens;

pub use coordinator_object::CoordinatorObject;
pub use relay_object::RelayObject;
pub use shard_object::ShardObject;
