//! A simulated world around the real core: deterministic from a seed, in virtual time, with
//! checkers outside the system.
//!
//! A [`plan`] is everything that a seed decides beforehand. A [`room`] is one event with its
//! visitors, edges, shells, operator and failures; the objects inside are the real
//! `anteroom_queue` state machines, wrapped in shells that gather, store before they answer and
//! lose their memory like the real ones. What happens is a [`calendar`] of small events. What
//! visitors, edges, the origin and the operator see are [`observation`]s; the [`checkers`] know
//! nothing else. One seed decides everything: two runs give the same trace hash, and a violation
//! names the command that replays it. [`megasale`] is a leaner one, for tens of millions of visitors.
//!
//! Deliberately absent: threads, wall-clock time, hashed collections.

pub mod arguments;
pub mod calendar;
pub mod chance;
pub mod checkers;
pub mod flood;
pub mod injected;
pub mod measures;
pub mod megasale;
pub mod message;
pub mod network;
pub mod observation;
pub mod plan;
pub mod raffle;
pub mod report;
pub mod room;
pub mod run;
pub mod store;
pub mod visitor;
