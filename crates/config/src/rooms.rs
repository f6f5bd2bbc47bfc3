//! All events of a deployment, and which of them a request concerns.

use crate::event::Event;

/// What the gate has to do with a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision<'a> {
    /// Protected by this event.
    Event(&'a Event),
    /// Inside this event, and goes on without a pass; logged.
    Bypass(&'a Event),
    /// No event's.
    None,
    /// Written so that one server would read it as one event's path and another as another's.
    /// No browser writes that; the edge refuses it with 400.
    Conflict,
}

/// All events of a deployment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rooms {
    prefix: String,
    events: Vec<Event>,
}

impl Rooms {
    /// Where the waiting room's own addresses begin, `/_wr` unless configured.
    pub fn prefix(&self) -> &str {
        &self.prefix
    }

    /// The events, in order of their variables' names.
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// The event with this public name.
    pub fn event(&self, id: &str) -> Option<&Event> {
        self.events.iter().find(|event| event.id == id)
    }

    /// Which event a request to `host` (with or without a port) and `path` (as it was sent,
    /// without the query) concerns.
    pub fn decide(&self, host: &str, path: &str) -> Decision<'_> {
        let _ = (host, path);
        todo!()
    }
}
