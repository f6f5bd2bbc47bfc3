//! The configuration of a deployment, parsed strictly: what comes out needs no more checks.
//!
//! Each event is one variable, `EVENT_<NAME>`, a table of `wrangler.toml` that arrives as one JSON
//! object. The edge and the objects read the same variables with this crate, so that they cannot
//! disagree. It has no IO, and knows neither Workers nor keys.
//!
//! Nothing is guessed: unknown keys, wrong types, values out of range and events that overlap are
//! refused, all at once, each with the field's path, what was found and what is allowed.
//! [`keys`] lists every key with its default. What an event looks like is in a file of its own: [`face`].

pub mod challenge;
mod crawlers;
mod event;
pub mod explain;
pub mod face;
mod fields;
pub mod guard;
pub mod host;
pub mod keys;
mod lines;
mod origins;
mod parse;
pub mod path;
mod problem;
mod readings;
pub mod regions;
mod rooms;
mod schedule;
mod settings;
pub mod texts;

pub use crawlers::Crawlers;
pub use event::{
    Access, Challenge, Event, EventLine, Origin, OriginUrl, PassAlgorithm, Turnstile, TurnstileDown,
};
pub use parse::parse_event;
pub use path::PathRule;
pub use problem::Problem;
pub use regions::Regions;
pub use rooms::{Decision, Rooms, parse_all};
pub use schedule::instant;

/// Says whether a time zone exists. The platform that shows times knows: in the Worker `Intl` is
/// asked.
pub type ZoneExists = fn(&str) -> bool;

/// For whoever shows no times in the event's zone: every name that looks like a zone's is taken.
pub fn any_zone(_zone: &str) -> bool {
    true
}

/// Variables that describe an event begin with this.
pub const EVENT_VARIABLE: &str = "EVENT_";

/// The variable that moves the waiting room's own addresses.
pub const PREFIX_VARIABLE: &str = "PREFIX";

/// Where the waiting room's own addresses begin, unless the variable `PREFIX` says otherwise.
pub const DEFAULT_PREFIX: &str = "/_wr";

/// The variable that describes event `id`: `world-tour` is `EVENT_WORLD_TOUR`.
pub fn variable_name(id: &str) -> String {
    format!(
        "{EVENT_VARIABLE}{}",
        id.to_ascii_uppercase().replace('-', "_")
    )
}
