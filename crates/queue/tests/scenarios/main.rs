//! Scenarios a ticket seller would agree with, as tables: what happens, and what is so afterwards.

#[path = "../stage/mod.rs"]
mod stage;

mod entering;
mod limits;
mod line;
mod operator;
mod rechecks;
mod sessions;
mod table;
