//! The core of the waiting room: who is next, exactly, whatever is lost or repeated on the way.
//!
//! Two state machines. A [`Shard`](shard::Shard) takes joins and holds places and sessions; the
//! [`Coordinator`](coordinator::Coordinator) of the event decides order, turns and limits. They
//! talk by reports of cumulative counters ([`sync`]): each side takes the maximum of what it
//! hears, so a message that is lost, repeated, delayed or overtaken changes nothing. Where a
//! visitor stands follows from the place's rank and two watermarks on the [`board`].
//!
//! Both have one shape: `apply(command, now)` gives an [`Outcome`], the answer and the rows to
//! store before the answer may leave. `restore(rows)` is the inverse; `next_wakeup()` says when
//! time alone will change something. A run can be replayed from its list of `(now, command)`.
//!
//! What is deliberately absent: IO, a clock, randomness, floats, hash maps, logging, async. Time
//! and entropy arrive as fields of commands; the same commands give the same rows on every machine.

mod admission;
pub mod board;
mod calling;
pub mod child;
mod children;
mod clock;
pub mod coordinator;
mod deadlines;
pub mod draw;
mod freshness;
pub mod limits;
pub mod line;
pub mod load;
pub mod log;
mod openings;
mod outcome;
pub mod regions;
pub mod relay;
pub mod settings;
pub mod shard;
pub mod sync;
pub mod tree;
pub mod units;

pub use outcome::{Corrupt, Outcome};
#[cfg(test)]
mod whole_way;
