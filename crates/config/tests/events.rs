//! What events may not do to one another, and what is no event's.

use anteroom_config::{Problem, Rooms, any_zone};
use serde_json::{Value, json};

fn parse_all<const N: usize>(variables: [(String, Value); N]) -> Result<Rooms, Vec<Problem>> {
    anteroom_config::parse_all(variables, any_zone)
}

fn event_at(id: &str, host: &str, path: &str) -> (String, Value) {
    (
        anteroom_config::variable_name(id),
        json!({"id": id, "title": id, "hosts": [host], "paths": [path]}),
    )
}

#[test]
fn events_do_not_overlap() {
    for (one, other, refused) in [
        (("a.example", "/x/*"), ("a.example", "/x/y"), true),
        (("a.example", "/X"), ("a.example", "/x"), true),
        (("a.example", "/*"), ("a.example", "/b/*"), true),
        (("*loopback", "/x"), ("localhost", "/x/*"), true),
        (("127.0.0.1", "/x"), ("*loopback", "/x"), true),
        (("a.example", "/x/*"), ("a.example", "/xy/*"), false),
        (("a.example", "/x"), ("b.example", "/x"), false),
        (("127.0.0.1", "/x"), ("localhost", "/x"), false),
    ] {
        let rooms = parse_all([
            event_at("one", one.0, one.1),
            event_at("two", other.0, other.1),
        ]);
        match rooms {
            Ok(rooms) => assert!(!refused && rooms.events().len() == 2, "{one:?} {other:?}"),
            Err(problems) => {
                assert!(refused, "{one:?} {other:?}: {problems:?}");
                assert_eq!(problems[0].path, "EVENT_TWO.paths");
                assert!(problems[0].allowed.contains("EVENT_ONE"), "{}", problems[0]);
            }
        }
    }
}

#[test]
fn the_prefix_is_one_plain_segment_and_belongs_to_the_room() {
    let event = || event_at("one", "a.example", "/x/*");
    let prefix = |text: &str| parse_all([event(), ("PREFIX".to_owned(), json!(text))]);
    assert_eq!(parse_all([event()]).unwrap().prefix(), "/_wr");
    assert_eq!(prefix("/room").unwrap().prefix(), "/room");
    for text in [
        "",
        "/",
        "room",
        "/a/b",
        "/a?",
        "/../x",
        &format!("/{}", "a".repeat(32)),
    ] {
        assert_eq!(prefix(text).unwrap_err()[0].path, "PREFIX", "{text}");
    }
    assert_eq!(
        parse_all([event_at("one", "a.example", "/_wr/x")]).unwrap_err()[0].path,
        "EVENT_ONE.paths"
    );
    assert_eq!(prefix("/x").unwrap_err()[0].path, "EVENT_ONE.paths");
    assert!(parse_all([event_at("one", "a.example", "/*")]).is_ok());
}

#[test]
fn variables_of_other_names_are_not_the_configurations() {
    let rooms = parse_all([
        ("ISSUER".to_owned(), json!("me")),
        event_at("one", "a.example", "/x"),
    ])
    .unwrap();
    assert_eq!(rooms.events().len(), 1);
    assert!(rooms.event("one").is_some() && rooms.event("two").is_none());
}

#[test]
fn hosts_of_one_event_do_not_stand_for_one_another() {
    let (name, mut event) = event_at("one", "*loopback", "/x");
    event["hosts"] = json!(["*loopback", "localhost"]);
    event["cookie_domain"] = json!("localhost");
    let problems = parse_all([(name, event)]).unwrap_err();
    let hosts = |problem: &&Problem| problem.path == "EVENT_ONE.hosts";
    assert_eq!(problems.iter().filter(hosts).count(), 1, "{problems:?}");
}
