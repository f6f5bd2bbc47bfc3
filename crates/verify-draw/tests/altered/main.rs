//! Nothing that was published can be altered without being noticed: every value of the draw, every
//! byte of the log, every claim of a ticket that is anywhere else.

mod alterations;
mod draw;
mod evidence;
mod forged;
mod log;
mod stages;
mod ticket;
