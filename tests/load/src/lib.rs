//! Load from real visitors, and a watch over the promises from outside.
//!
//! Visitors arrive on a schedule that does not wait for answers (open loop). Each one loads the
//! page, joins, polls as it is told, enters when called, shops, and mostly gives the session back;
//! some leave, some never come back, some reload, use two tabs or try to push in
//! ([`habits`]). What every answer said is kept with monotonic times ([`history`]), and pure
//! checkers ([`checks`]) hold it against the promises. They only report what cannot have been
//! right whatever the network did in between: an answer was true at some time between the sending
//! of its request and its arrival, and no checker assumes more than that.
//!
//! All runs on one thread: a room is measured, not this program.

pub mod address;
pub mod answers;
pub mod checks;
pub mod closed_loop;
pub mod connections;
pub mod cookies;
pub mod faults;
pub mod figures;
pub mod habits;
pub mod history;
pub mod joins;
pub mod lines;
pub mod options;
pub mod percentiles;
pub mod presence;
pub mod push;
pub mod report;
pub mod room;
pub mod run;
pub mod socket;
pub mod tls;
pub mod verdict;
pub mod visitor;
pub mod work;
