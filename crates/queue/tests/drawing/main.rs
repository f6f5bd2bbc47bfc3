//! The steps of a draw: what is refused, what is drawn, and that nothing changes it afterwards.

#[path = "../stage/mod.rs"]
mod stage;

mod lives;
mod refusals;
mod secrets;
mod steps;
mod table;
