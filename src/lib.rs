//! The edge.
pub use anteroom_durable_objects::*;
pub mod page;
