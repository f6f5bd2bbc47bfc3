//! Lines share the grants by weight.
//!
//! Whatever the weights and whenever claims come and sessions end: as long as two lines both have
//! pending claims, each has got its share to within one grant.

#[path = "../stage/mod.rs"]
mod stage;

mod opening;
mod sharing;
