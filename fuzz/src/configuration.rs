//! The configuration of a deployment: an event's variable, its face, all variables together.
//!
//! Input: a byte that chooses, then JSON. As an event it is laid over one that is complete, so that one bad field does not
//! hide the others; a member that is null takes one away.

use anteroom_config::{
    Access, Decision, Event, EventLine, Problem, any_zone, face, parse_all, parse_event,
    variable_name,
};
use serde_json::{Map, Value, json};

use crate::choice;

/// Whatever is refused is refused in words, and whatever is taken holds together.
pub fn check(bytes: &[u8]) {
    let (which, bytes) = choice(bytes);
    let Ok(text) = str::from_utf8(bytes) else {
        return;
    };
    if which % 4 == 3 {
        return check_face(text);
    }
    let Ok(value) = serde_json::from_str::<Value>(text) else {
        return;
    };
    match which % 4 {
        0 => check_event(&value),
        1 => check_event(&laid_over(complete(), value)),
        _ => check_deployment(value),
    }
}

fn complete() -> Map<String, Value> {
    let event = json!({
        "id": "tour",
        "title": "World Tour",
        "hosts": ["tickets.example.com"],
        "paths": ["/events/tour/*"],
        "admission": { "per_minute": 1200, "max_active": 4000 },
    });
    match event {
        Value::Object(members) => members,
        _ => Map::new(),
    }
}

fn laid_over(mut below: Map<String, Value>, above: Value) -> Value {
    if let Value::Object(members) = above {
        below.extend(members);
        below.retain(|_, value| !value.is_null());
    }
    Value::Object(below)
}

fn check_event(value: &Value) {
    let id = value.get("id").and_then(Value::as_str).unwrap_or("tour");
    let variable = variable_name(id);
    let parsed = parse_event(&variable, value, any_zone);
    assert_eq!(parsed, parse_event(&variable, value, any_zone));
    match parsed {
        Ok(event) => check_taken(&event, &variable, value),
        Err(problems) => check_problems(&problems, &variable),
    }
}

fn check_problems(problems: &[Problem], path: &str) {
    assert!(!problems.is_empty());
    for problem in problems {
        let message = problem.to_string();
        assert!(problem.path.starts_with(path), "{message}");
        assert!(
            !problem.found.is_empty() && !problem.allowed.is_empty(),
            "{message}"
        );
    }
}

/// An event that was taken can be used: it has what the edge and the core count on.
fn check_taken(event: &Event, variable: &str, value: &Value) {
    assert_eq!(variable_name(&event.id), variable);
    assert!(!event.title.is_empty() && !event.hosts.is_empty() && !event.paths.is_empty());
    assert!(!event.lines.is_empty());
    assert_eq!(event.lines.len(), event.settings.lines.len());
    for (line, settings) in event.lines.iter().zip(&event.settings.lines) {
        assert_eq!(line.id, settings.id);
        assert!(settings.weight > 0);
    }
    let settings = &event.settings;
    assert!(settings.pass.0 > 0 && settings.session.0 > 0 && settings.idle.0 > 0);
    let rooms = parse_all([(variable.to_owned(), value.clone())], any_zone);
    let rooms = match rooms {
        Ok(rooms) => rooms,
        // Alone it is fine; its paths may lie where the room itself answers.
        Err(problems) => return check_problems(&problems, variable),
    };
    assert_eq!(rooms.event(&event.id), Some(event));
    let host = &event.hosts[0];
    let host = if host == "*loopback" {
        "localhost"
    } else {
        host
    };
    for rule in &event.paths {
        let decision = rooms.decide(host, rule.front());
        let is_here = matches!(decision, Decision::Event(_) | Decision::Bypass(_));
        assert!(is_here, "{rule}: {decision:?}");
    }
    for rule in &event.bypass {
        let decision = rooms.decide(host, rule.front());
        assert!(
            matches!(decision, Decision::Bypass(_)),
            "{rule}: {decision:?}"
        );
    }
}

/// The value's members are the variables.
fn check_deployment(value: Value) {
    let Value::Object(members) = value else {
        return;
    };
    let variables: Vec<(String, Value)> = members.into_iter().collect();
    let forwards = parse_all(variables.clone(), any_zone);
    let backwards = parse_all(variables.into_iter().rev(), any_zone);
    assert_eq!(forwards, backwards, "the order of variables means nothing");
    let Ok(rooms) = forwards else {
        return;
    };
    assert!(rooms.prefix().starts_with('/') && rooms.prefix().len() > 1);
    for event in rooms.events() {
        assert_eq!(rooms.event(&event.id), Some(event));
    }
}

fn check_face(text: &str) {
    let line = |id: &str| EventLine {
        id: id.to_owned(),
        title: None,
        access: Access::Everyone,
    };
    let lines = [line("general"), line("members")];
    let alone = face::check("tour", text);
    let with_lines = face::parse("tour", text, &lines);
    assert_eq!(with_lines, face::parse("tour", text, &lines));
    match (alone, with_lines) {
        (Err(alone), Ok(_)) => panic!("refused without lines only: {alone:?}"),
        (_, Ok(face)) => {
            for language in face::LANGUAGES {
                let Some(texts) = face.texts(language) else {
                    continue;
                };
                for shown in [&texts.title, &texts.intro].into_iter().flatten() {
                    assert!(!shown.trim().is_empty() && !shown.contains(char::is_control));
                }
            }
        }
        (_, Err(problems)) => check_problems(&problems, "static/events/tour.json"),
    }
}
