//! Why a path is protected, passes, or is no event's: the decision of [`Rooms::decide`] taken apart for a person, with
//! every way in which servers may read the path and the rule that speaks for each.

use crate::event::Event;
use crate::host;
use crate::path::PathRule;
use crate::readings;
use crate::rooms::{Decision, Rooms};

/// What is done with a request, and what led to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explained {
    /// What is done.
    pub verdict: Verdict,
    /// The event that it concerns, if that is one.
    pub event: Option<String>,
    /// All readings of the path; none when it has a control character, or when it did not come to reading it.
    pub readings: Vec<Ruled>,
}

/// What is done with a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// An address of the room itself.
    Own,
    /// It takes a pass.
    Protected,
    /// It goes on without a pass, inside an event.
    Bypass,
    /// It goes on without a pass: the host has events, the path is none of theirs.
    Open,
    /// It is refused with 421: the host has no event.
    OtherHost,
    /// It is refused with 400: servers read it in ways that are too different.
    Refused,
}

impl Verdict {
    /// As documents write it.
    pub const fn name(self) -> &'static str {
        match self {
            Verdict::Own => "own",
            Verdict::Protected => "protected",
            Verdict::Bypass => "bypass",
            Verdict::Open => "open",
            Verdict::OtherHost => "other-host",
            Verdict::Refused => "refused",
        }
    }
}

/// One reading of a path, and the rules that speak for it, each as `event: rule`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ruled {
    /// The path as one kind of server reads it; the root is `/`.
    pub reading: String,
    /// Rules of `paths`.
    pub protected_by: Vec<String>,
    /// Rules of `bypass`.
    pub bypassed_by: Vec<String>,
}

/// Takes the decision about a request to `host` and `path` apart; `path` as it was sent, without the query.
pub fn explain(rooms: &Rooms, host: &str, path: &str) -> Explained {
    if rooms.own_path(path).is_some() {
        return Explained {
            verdict: Verdict::Own,
            event: None,
            readings: Vec::new(),
        };
    }
    let normalised = host::normalise(host);
    let here: Vec<&Event> = rooms
        .events()
        .iter()
        .filter(|event| {
            event
                .hosts
                .iter()
                .any(|pattern| host::matches(pattern, &normalised))
        })
        .collect();
    let (verdict, event) = match rooms.decide(host, path) {
        Decision::Event(event) => (Verdict::Protected, Some(event)),
        Decision::Bypass(event) => (Verdict::Bypass, Some(event)),
        Decision::Conflict => (Verdict::Refused, None),
        Decision::None if here.is_empty() => (Verdict::OtherHost, None),
        Decision::None => (Verdict::Open, None),
    };
    Explained {
        verdict,
        event: event.map(|event| event.id.clone()),
        readings: readings::of(path)
            .unwrap_or_default()
            .iter()
            .map(|reading| ruled(&here, reading))
            .collect(),
    }
}

fn ruled(here: &[&Event], reading: &[u8]) -> Ruled {
    let speaking = |rules: fn(&Event) -> &[PathRule]| {
        let of = |event: &&Event| {
            let id = event.id.clone();
            let covering = rules(event).iter().filter(|rule| rule.covers(reading));
            covering
                .map(move |rule| format!("{id}: {rule}"))
                .collect::<Vec<_>>()
        };
        here.iter().flat_map(of).collect()
    };
    let text = String::from_utf8_lossy(reading);
    Ruled {
        reading: if text.is_empty() {
            "/".to_owned()
        } else {
            text.into_owned()
        },
        protected_by: speaking(|event| &event.paths),
        bypassed_by: speaking(|event| &event.bypass),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{any_zone, parse_all};
    use serde_json::json;

    fn rooms() -> Rooms {
        let event = |id: &str, paths: &[&str], bypass: &[&str]| {
            json!({
                "id": id, "title": id, "hosts": ["tickets.example.com"], "paths": paths, "bypass": bypass,
                "origin": "https://origin.example.com",
            })
        };
        let variables = [
            (
                "EVENT_TOUR",
                event("tour", &["/tour/*"], &["/tour/hooks/*"]),
            ),
            ("EVENT_PLAY", event("play", &["/play"], &[])),
        ];
        let variables = variables.map(|(name, value)| (name.to_owned(), value));
        parse_all(variables, any_zone).expect("these events are right")
    }

    #[test]
    fn each_kind_of_path_is_told_with_the_rule_that_speaks_for_it() {
        let here = "tickets.example.com";
        for (host, path, verdict, event, rule) in [
            (
                here,
                "/tour/a",
                Verdict::Protected,
                Some("tour"),
                "tour: /tour/*",
            ),
            (
                here,
                "/TOUR//%61",
                Verdict::Protected,
                Some("tour"),
                "tour: /tour/*",
            ),
            (
                here,
                "/tour/hooks/x",
                Verdict::Bypass,
                Some("tour"),
                "tour: /tour/hooks/*",
            ),
            (
                here,
                "/tour/hooks/..%2fa",
                Verdict::Protected,
                Some("tour"),
                "tour: /tour/*",
            ),
            (
                here,
                "/play",
                Verdict::Protected,
                Some("play"),
                "play: /play",
            ),
            (here, "/play/x", Verdict::Open, None, ""),
            (here, "/", Verdict::Open, None, ""),
            (here, "/tour/%00", Verdict::Refused, None, ""),
            (
                here,
                "/tour/..%2fplay",
                Verdict::Refused,
                None,
                "play: /play",
            ),
            (here, "/_wr/health", Verdict::Own, None, ""),
            (here, "/_wr", Verdict::Own, None, ""),
            (here, "/_wrong", Verdict::Open, None, ""),
            ("other.example.com", "/tour/a", Verdict::OtherHost, None, ""),
        ] {
            let explained = explain(&rooms(), host, path);
            assert_eq!(explained.verdict, verdict, "{path}");
            assert_eq!(explained.event.as_deref(), event, "{path}");
            let mut rules = explained
                .readings
                .iter()
                .flat_map(|ruled| ruled.protected_by.iter().chain(&ruled.bypassed_by));
            let is_told =
                rule.is_empty() && rules.next().is_none() || rules.any(|each| each == rule);
            assert!(is_told, "{path}: {explained:?}");
        }
    }

    #[test]
    fn a_path_that_servers_read_differently_is_shown_in_every_reading() {
        let explained = explain(&rooms(), "tickets.example.com", "/tour/hooks/..%2fa");
        let protected: Vec<_> = explained
            .readings
            .iter()
            .filter(|ruled| ruled.bypassed_by.is_empty())
            .collect();
        assert!(
            explained.readings.len() > protected.len() && !protected.is_empty(),
            "{explained:?}"
        );
    }
}
