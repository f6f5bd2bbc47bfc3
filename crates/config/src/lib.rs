//! (doc follows)
#![warn(missing_docs)]
pub mod event;
pub mod host;
pub mod path;
pub mod problem;
pub mod rooms;

pub use event::{Challenge, Event, Origin, OriginUrl, PassAlgorithm};
pub use path::PathRule;
pub use problem::Problem;
pub use rooms::{Decision, Rooms};

use serde_json::Value;

/// Variables that describe an event begin with this.
pub const EVENT_VARIABLE: &str = "EVENT_";

/// The variable that describes event `id`: `world-tour` is `EVENT_WORLD_TOUR`.
pub fn variable_name(id: &str) -> String {
    format!("{EVENT_VARIABLE}{}", id.to_ascii_uppercase().replace('-', "_"))
}

/// Reads one event's variable. Without this, an object or an edge does not know the event.
pub fn parse_event(variable: &str, json: &Value) -> Result<Event, Vec<Problem>> {
    let _ = (variable, json);
    todo!()
}

/// Reads all events, and the global variable `PREFIX`. Variables of other names are ignored.
pub fn parse_all(variables: impl IntoIterator<Item = (String, Value)>) -> Result<Rooms, Vec<Problem>> {
    let _ = variables.into_iter().count();
    todo!()
}
