//! A small model of the sync: every state that two shards, one coordinator, a few visitors and a bad network can reach
//! within a bound, each looked at.
//!
//! The machines are the real ones of `anteroom_queue`; [`sides`] and [`world`] put storage, a network and visitors
//! around them. A step is one command with its write, one message that leaves, arrives or arrives once more, or one loss
//! of memory; a message that is lost is one that never arrives, and messages arrive in any order. Time stands still but
//! for steps of its own. [`promises`] says what holds in every state, [`begin`] where a search begins: joins from
//! nothing, and claims of visitors who are called, across a pause.
//!
//! Deliberately absent: chance. What the simulation tries with a seed, at any size, is tried here in every order, small.

pub mod begin;
pub mod held;
pub mod numbers;
pub mod promises;
pub mod sides;
pub mod world;
