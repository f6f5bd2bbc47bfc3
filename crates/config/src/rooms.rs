//! All events of a deployment, and which of them a request concerns.

use serde_json::Value;

use crate::event::Event;
use crate::host;
use crate::parse::parse_event;
use crate::path::PathRule;
use crate::problem::Problem;
use crate::readings;
use crate::{DEFAULT_PREFIX, EVENT_VARIABLE, PREFIX_VARIABLE, ZoneExists};

/// The longest prefix, in bytes: it is part of every address of the room.
const MAX_PREFIX_BYTES: usize = 32;

/// What the gate has to do with a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision<'a> {
    /// Protected by this event.
    Event(&'a Event),
    /// Inside this event, and goes on without a pass; logged.
    Bypass(&'a Event),
    /// No event's.
    None,
    /// Written so that one server would read it as one event's path and another as another's, or
    /// with control characters. No browser writes that; the edge refuses it with 400.
    Conflict,
}

/// All events of a deployment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rooms {
    prefix: String,
    events: Vec<Event>,
}

/// Reads all variables of events, and the variable `PREFIX`. Variables of other names are not the
/// configuration's and are passed over. All problems of all events are found at once.
pub fn parse_all(
    variables: impl IntoIterator<Item = (String, Value)>,
    zone_exists: ZoneExists,
) -> Result<Rooms, Vec<Problem>> {
    let mut variables: Vec<(String, Value)> = variables.into_iter().collect();
    variables.sort_by(|one, other| one.0.cmp(&other.0));
    let mut rooms = Rooms {
        prefix: DEFAULT_PREFIX.to_owned(),
        events: Vec::new(),
    };
    let mut problems = Vec::new();
    for (name, value) in &variables {
        if name == PREFIX_VARIABLE {
            match value.as_str().filter(|text| is_prefix(text)) {
                Some(prefix) => rooms.prefix = prefix.to_owned(),
                None => problems.push(Problem::new(
                    name,
                    value.to_string(),
                    "one path segment of letters, digits, - and _, for example \"/_wr\"",
                )),
            }
        } else if name.starts_with(EVENT_VARIABLE) {
            match parse_event(name, value, zone_exists) {
                Ok(event) => rooms.events.push(event),
                Err(more) => problems.extend(more),
            }
        }
    }
    for (index, event) in rooms.events.iter().enumerate() {
        problems.extend(
            rooms.events[..index]
                .iter()
                .filter_map(|earlier| overlap(earlier, event)),
        );
    }
    problems.extend(
        rooms
            .events
            .iter()
            .filter_map(|event| inside_prefix(event, &rooms.prefix)),
    );
    if problems.is_empty() {
        Ok(rooms)
    } else {
        Err(problems)
    }
}

fn is_prefix(text: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    let segment = text.strip_prefix('/').unwrap_or_default();
    !segment.is_empty() && text.len() <= MAX_PREFIX_BYTES && segment.bytes().all(allowed)
}

fn overlap(earlier: &Event, later: &Event) -> Option<Problem> {
    let shared = later
        .hosts
        .iter()
        .find(|host| earlier.hosts.iter().any(|other| host::overlap(host, other)))?;
    let both = |rule: &&PathRule| earlier.paths.iter().any(|other| other.overlaps(rule));
    let rule = later.paths.iter().find(both)?;
    Some(Problem::new(
        format!("{}.paths", crate::variable_name(&later.id)),
        format!("\"{rule}\" on \"{shared}\""),
        format!(
            "paths that no other event has on the same host; {} has some of these",
            crate::variable_name(&earlier.id)
        ),
    ))
}

fn inside_prefix(event: &Event, prefix: &str) -> Option<Problem> {
    let room = PathRule::parse(&format!("{prefix}/*"))?;
    let rule = event.paths.iter().find(|rule| room.contains(rule))?;
    Some(Problem::new(
        format!("{}.paths", crate::variable_name(&event.id)),
        format!("\"{rule}\""),
        format!("paths outside {prefix}, where the waiting room itself answers"),
    ))
}

impl Rooms {
    /// Where the waiting room's own addresses begin, `/_wr` unless configured.
    pub fn prefix(&self) -> &str {
        &self.prefix
    }

    /// What follows the prefix, for an address of the room itself; `None` for every other path.
    pub fn own_path<'p>(&self, path: &'p str) -> Option<&'p str> {
        path.strip_prefix(self.prefix.as_str())
            .filter(|rest| rest.is_empty() || rest.starts_with('/'))
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
        let host = host::normalise(host);
        let here = |event: &&Event| {
            event
                .hosts
                .iter()
                .any(|pattern| host::matches(pattern, &host))
        };
        let mut events = self.events.iter().filter(here).peekable();
        if events.peek().is_none() {
            return Decision::None;
        }
        let Some(readings) = readings::of(path) else {
            return Decision::Conflict;
        };
        let covered =
            |rules: &[PathRule], reading: &[u8]| rules.iter().any(|rule| rule.covers(reading));
        let mut protecting = events.filter(|event| {
            readings
                .iter()
                .any(|reading| covered(&event.paths, reading))
        });
        match (protecting.next(), protecting.next()) {
            (None, _) => Decision::None,
            (Some(event), None)
                if readings
                    .iter()
                    .all(|reading| covered(&event.bypass, reading)) =>
            {
                Decision::Bypass(event)
            }
            (Some(event), None) => Decision::Event(event),
            (Some(_), Some(_)) => Decision::Conflict,
        }
    }
}
