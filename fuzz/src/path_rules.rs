//! Rules of the configuration, and the paths of requests that they decide about.
//!
//! Input: a rule, a line end, a path.

use anteroom_config::{Decision, PathRule, any_zone, parse_all, path::MAX_RULE_BYTES};
use serde_json::json;

/// A rule means what it says, and whatever a server would find below it is never let through.
pub fn check(bytes: &[u8]) {
    let Ok(text) = str::from_utf8(bytes) else {
        return;
    };
    let (rule, path) = text.split_once('\n').unwrap_or((text, "/"));
    if let Some(parsed) = PathRule::parse(rule) {
        assert!(rule.len() <= MAX_RULE_BYTES && rule.starts_with('/'));
        assert!(rule.starts_with(parsed.front()));
        check_decisions(rule, parsed.front(), path);
    }
    check_decisions("/events/world-tour/*", "/events/world-tour/", path);
}

/// With `rule` protected and a folder below it bypassed.
fn check_decisions(rule: &str, front: &str, path: &str) {
    let host = "tickets.example.com";
    let hooks = format!("{}/hooks/*", front.trim_end_matches('/'));
    let below = rule.ends_with("/*");
    let bypass: Vec<&str> = if below && PathRule::parse(&hooks).is_some() {
        vec![hooks.as_str()]
    } else {
        Vec::new()
    };
    let event =
        json!({"id": "tour", "title": "Tour", "hosts": [host], "paths": [rule], "bypass": bypass});
    let Ok(rooms) = parse_all([("EVENT_TOUR".to_owned(), event)], any_zone) else {
        return;
    };
    let front_is = rooms.decide(host, front);
    assert!(
        matches!(front_is, Decision::Event(_)),
        "{rule}: {front_is:?}"
    );
    assert_eq!(rooms.decide("other.example.com", path), Decision::None);
    let decision = rooms.decide(host, path);
    assert_eq!(decision, rooms.decide(&format!("{host}:443"), path));
    let folder = plain(front);
    for server in SERVERS {
        let Some(read) = server(path) else { continue };
        let is_protected = is_at(&read, &folder) || (below && is_below(&read, &folder));
        let is_bypassed = !bypass.is_empty()
            && (is_at(&read, &plain(&hooks[..hooks.len() - 2]))
                || is_below(&read, &plain(&hooks[..hooks.len() - 2])));
        match decision {
            Decision::None => assert!(!is_protected, "{rule} {path:?} is read as {read:?}"),
            Decision::Bypass(_) => assert!(is_bypassed, "{rule} {path:?} is read as {read:?}"),
            Decision::Event(_) | Decision::Conflict => {}
        }
    }
}

fn is_at(segments: &[String], folder: &[String]) -> bool {
    segments == folder
}

fn is_below(segments: &[String], folder: &[String]) -> bool {
    segments.len() > folder.len() && segments.starts_with(folder)
}

type Server = fn(&str) -> Option<Vec<String>>;

/// Servers of several kinds, each with its own idea of a path; `None`: it refuses.
const SERVERS: [Server; 5] = [
    decodes_once,
    leaves_slashes,
    takes_backslashes,
    drops_parameters,
    decodes_twice,
];

/// Most: the encoding is undone once, then dot segments are resolved and slashes merged.
fn decodes_once(path: &str) -> Option<Vec<String>> {
    segments(&decoded(path.as_bytes()), "/")
}

/// An encoded slash is no slash to it.
fn leaves_slashes(path: &str) -> Option<Vec<String>> {
    let kept = path.replace("%2f", "%252f").replace("%2F", "%252F");
    let read = segments(&decoded(kept.as_bytes()), "/")?;
    // A segment with an encoded slash in it is no other segment's name.
    read.iter()
        .all(|segment| !segment.contains('%'))
        .then_some(read)
}

/// IIS and its like.
fn takes_backslashes(path: &str) -> Option<Vec<String>> {
    segments(&decoded(path.as_bytes()), "/\\")
}

/// Tomcat and its like: `;name=value` is cut off each segment before anything else.
fn drops_parameters(path: &str) -> Option<Vec<String>> {
    let cut: Vec<&str> = path
        .split('/')
        .map(|segment| segment.split(';').next().unwrap_or_default())
        .collect();
    segments(&decoded(cut.join("/").as_bytes()), "/")
}

/// Behind a proxy that decodes what it passes on.
fn decodes_twice(path: &str) -> Option<Vec<String>> {
    segments(&decoded(&decoded(path.as_bytes())), "/")
}

fn plain(path: &str) -> Vec<String> {
    decodes_once(path).expect("a rule has no control character")
}

fn decoded(path: &[u8]) -> Vec<u8> {
    let mut read = Vec::new();
    let mut at = 0;
    while at < path.len() {
        let code = path.get(at + 1..at + 3).and_then(|digits| {
            let is_hex = digits.iter().all(u8::is_ascii_hexdigit);
            let digits = str::from_utf8(digits).ok().filter(|_| is_hex)?;
            u8::from_str_radix(digits, 16).ok()
        });
        match code.filter(|_| path[at] == b'%') {
            Some(byte) => {
                read.push(byte);
                at += 3;
            }
            None => {
                read.push(path[at]);
                at += 1;
            }
        }
    }
    read
}

/// In lower case, since some file systems do not tell.
fn segments(path: &[u8], slashes: &str) -> Option<Vec<String>> {
    let path = str::from_utf8(path).ok()?;
    if path.contains(|c: char| c.is_ascii_control()) {
        return None;
    }
    let mut kept: Vec<String> = Vec::new();
    for segment in path.split(|c| slashes.contains(c)) {
        match segment {
            "" | "." => {}
            ".." => {
                kept.pop();
            }
            name => kept.push(name.to_lowercase()),
        }
    }
    Some(kept)
}
