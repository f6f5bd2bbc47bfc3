//! Everything that is refused: which field is named, and what is allowed there.

use anteroom_config::{Event, Problem};
use serde_json::{Value, json};

fn base() -> Value {
    json!({"id": "tour", "title": "Tour", "hosts": ["a.example.com"], "paths": ["/tour/*"]})
}

/// Two zones exist.
fn parse(event: &Value) -> Result<Event, Vec<Problem>> {
    let zone_exists = |zone: &str| ["UTC", "Europe/Berlin"].contains(&zone);
    anteroom_config::parse_event("EVENT_TOUR", event, zone_exists)
}

/// The base event with `changes`; null takes a key away.
fn changed(changes: &Value) -> Value {
    let mut event = base();
    for (key, value) in changes.as_object().unwrap() {
        match value {
            Value::Null => event.as_object_mut().unwrap().remove(key),
            value => event
                .as_object_mut()
                .unwrap()
                .insert(key.clone(), value.clone()),
        };
    }
    event
}

fn check(changes: Value, path: &str, allowed: &str) {
    let problems = parse(&changed(&changes)).expect_err(&changes.to_string());
    let fits = |problem: &Problem| {
        problem.path == format!("EVENT_TOUR.{path}") && problem.allowed.contains(allowed)
    };
    assert!(problems.iter().any(fits), "{changes}: {problems:?}");
    assert_eq!(
        problems.len(),
        1,
        "{changes}: one mistake is one problem, {problems:?}"
    );
}

#[test]
fn the_base_event_is_accepted() {
    assert!(parse(&base()).is_ok());
}

#[test]
fn unknown_keys_are_refused_with_the_nearest_allowed_one() {
    check(
        json!({"sesion_minutes": 5}),
        "sesion_minutes",
        "did you mean session_minutes?",
    );
    check(
        json!({"session-minutes": 5}),
        "session-minutes",
        "did you mean session_minutes?",
    );
    check(json!({"Mode": "auto"}), "Mode", "did you mean mode?");
    check(json!({"zzzz": 1}), "zzzz", "there are id, title");
    check(
        json!({"admission": {"per_minutes": 5}}),
        "admission.per_minutes",
        "did you mean per_minute?",
    );
    check(
        json!({"admission": {"batch": {"size": 1, "every_seconds": 1, "every_minutes": 2}}}),
        "admission.batch.every_minutes",
        "did you mean every_seconds?",
    );
}

#[test]
fn required_keys_are_asked_for() {
    for key in ["id", "title", "hosts", "paths"] {
        check(json!({ key: null }), key, "");
    }
    check(
        json!({"admission": {"batch": {"size": 1}}}),
        "admission.batch.every_seconds",
        "1 to 3600",
    );
    check(
        json!({"admission": {"batch": {"every_seconds": 1}}}),
        "admission.batch.size",
        "1 to 1000000",
    );
    check(
        json!({"prequeue_at": "2027-03-01T09:30:00Z"}),
        "opens_at",
        "required with prequeue_at",
    );
    check(
        json!({"hosts": ["a.example.com", "b.example.com"]}),
        "cookie_domain",
        "required with more than one host",
    );
}

#[test]
fn whole_numbers_stay_within_their_range() {
    for (key, range, wrong) in [
        (
            "run",
            "1 to 4294967295",
            json!([0, -1, 4_294_967_296_u64, 1.5, "1", true, [1]]),
        ),
        (
            "expected_visitors",
            "1 to 51600000",
            json!([0, 51_600_001, 1e12]),
        ),
        ("session_minutes", "1 to 1440", json!([0, 1441, "20"])),
        ("idle_minutes", "1 to 1440", json!([0, 1441, -10])),
        ("hold_minutes", "0 to 1440", json!([-1, 1441, 0.5])),
        ("pass_seconds", "60 to 300", json!([59, 301, 0])),
        ("max_extension_minutes", "0 to 1440", json!([-1, 1441])),
        (
            "queue_status",
            "200, 202, 429 or 503",
            json!([0, 201, 302, 500, "503", 503.5]),
        ),
    ] {
        for value in wrong.as_array().unwrap() {
            check(json!({ key: value }), key, range);
        }
    }
    for key in ["per_minute", "max_active"] {
        for value in [json!(0), json!(-3), json!(1_000_001), json!("6000")] {
            check(
                json!({"admission": { key: value }}),
                &format!("admission.{key}"),
                "1 to 1000000",
            );
        }
    }
    check(
        json!({"idle_minutes": 30}),
        "idle_minutes",
        "1 to 20: not longer than session_minutes",
    );
    check(
        json!({"idle_minutes": 1, "pass_seconds": 61}),
        "pass_seconds",
        "60 to 60: not longer than idle_minutes",
    );
}

#[test]
fn wrong_types_are_refused() {
    for key in [
        "id",
        "title",
        "origin",
        "origin_health",
        "mode",
        "prequeue_at",
        "time_zone",
        "challenge",
        "cookie_domain",
        "pass_algorithm",
    ] {
        for value in [
            json!(7),
            json!(["x"]),
            json!({}),
            json!(true),
            json!("\u{1}?"),
        ] {
            assert!(
                parse(&changed(&json!({ key: value }))).is_err(),
                "{key} {value}"
            );
        }
    }
    for key in [
        "hosts",
        "paths",
        "bypass",
        "cors_origins",
        "frame_ancestors",
    ] {
        check(json!({ key: "/tour/x" }), key, "a list of at most");
        check(json!({ key: [7] }), &format!("{key}[0]"), "");
    }
    check(json!({"admission": 6000}), "admission", "a table");
    check(
        json!({"admission": {"batch": 10}}),
        "admission.batch",
        "a table",
    );
    for whole in [json!("text"), json!([]), json!(null), json!(3)] {
        assert!(parse(&whole).is_err());
    }
}

#[test]
fn texts_have_their_form() {
    for id in ["", "Tour", "tour_", "-tour", "a/b", "tour\n"] {
        check(json!({ "id": id }), "id", "the variable EVENT_WORLD_TOUR");
    }
    for (id, variable) in [("tours", "EVENT_TOURS"), ("my-gig", "EVENT_MY_GIG")] {
        let renamed = format!("called {variable}, so rename the variable");
        check(json!({ "id": id }), "id", &renamed);
    }
    for title in ["", "  ", "a\nb", &"x".repeat(121)] {
        check(json!({ "title": title }), "title", "1 to 120 characters");
    }
    check(json!({"mode": "Always"}), "mode", "\"always\"");
    check(
        json!({"challenge": "captcha"}),
        "challenge",
        "\"pow\", \"turnstile\", \"pow+turnstile\" or \"none\"",
    );
    check(
        json!({"pass_algorithm": "none"}),
        "pass_algorithm",
        "\"HS256\" or \"EdDSA\"",
    );
    check(
        json!({"pass_algorithm": "ES256"}),
        "pass_algorithm",
        "\"HS256\" or \"EdDSA\"",
    );
    for zone in [
        "+01:00",
        "Europe/Berlim",
        "Mars/Olympus_Mons",
        "Europe/Paris",
    ] {
        check(
            json!({ "time_zone": zone }),
            "time_zone",
            "a time zone that exists",
        );
    }
    let (early, late) = ("2027-03-01T10:00:00+01:00", "2027-03-01T09:30:00Z");
    for (prequeue_at, opens_at, wrong, allowed) in [
        (None, Some("2027-03-01 10:00"), "opens_at", "RFC 3339"),
        (None, Some("2027-03-01T10:00:00"), "opens_at", "offset"),
        (
            Some(late),
            Some(early),
            "opens_at",
            "later than prequeue_at",
        ),
        (
            Some(early),
            Some(early),
            "opens_at",
            "later than prequeue_at",
        ),
        (Some("soon"), Some(early), "prequeue_at", "RFC 3339"),
        (Some(early), Some("soon"), "opens_at", "RFC 3339"),
        (Some("soon"), None, "prequeue_at", "RFC 3339"),
    ] {
        let mut times = json!({});
        for (key, time) in [("prequeue_at", prequeue_at), ("opens_at", opens_at)] {
            if let Some(time) = time {
                times[key] = json!(time);
            }
        }
        check(times, wrong, allowed);
    }
}

#[test]
fn addresses_have_their_form() {
    for host in [
        "",
        "A.example.com",
        "a.example.com:443",
        "a_b.example.com",
        "*.example.com",
        "*",
        "a..b",
        "-a.example",
        "http://a.example",
    ] {
        check(
            json!({ "hosts": [host] }),
            "hosts[0]",
            "a host name in lower case",
        );
    }
    check(json!({"hosts": []}), "hosts", "1 to 20 entries");
    check(
        json!({"hosts": ["a.example.com", "a.example.com"]}),
        "hosts[1]",
        "each entry once",
    );
    check(
        json!({"hosts": vec!["a"; 21]}),
        "hosts",
        "a list of at most 20",
    );
    for path in [
        "", "tour", "/tour*", "/a/../b", "/a//b", "/a;b", "/a?b", "/a%2fb",
    ] {
        check(
            json!({ "paths": [path] }),
            "paths[0]",
            "a path that begins with /",
        );
    }
    check(json!({"paths": []}), "paths", "1 to 50 entries");
    check(
        json!({"paths": ["/a", "/A/"]}),
        "paths[1]",
        "each entry once",
    );
    check(
        json!({"bypass": ["/other/*"]}),
        "bypass",
        "inside one of paths",
    );
    check(json!({"bypass": ["/*"]}), "bypass", "inside one of paths");
    for origin in [
        "http://shop.example",
        "https://shop.example/base",
        "shop.example",
        "https://u@shop.example",
    ] {
        check(json!({ "origin": origin }), "origin", "https://host");
        check(
            json!({ "cors_origins": [origin] }),
            "cors_origins[0]",
            "https://host",
        );
        check(
            json!({ "frame_ancestors": [origin] }),
            "frame_ancestors[0]",
            "https://host",
        );
    }
    check(
        json!({"cors_origins": ["*"]}),
        "cors_origins[0]",
        "https://host",
    );
    for domain in [
        "com",
        "co.uk",
        "github.io",
        "example.org",
        ".example.com",
        "localhost",
    ] {
        check(
            json!({ "cookie_domain": domain }),
            "cookie_domain",
            "a domain",
        );
    }
}

#[test]
fn all_problems_are_found_at_once() {
    let event = json!({
        "id": "x", "title": "", "hosts": ["A"], "paths": ["a"], "origin": "?", "mode": "?", "time_zone": "", "opens_at": "",
        "admission": {"per_minute": 0, "batch": {}}, "session_minutes": 0, "queue_status": 1, "typo": 1, "run": -1,
    });
    let problems = parse(&event).unwrap_err();
    let paths: Vec<&str> = problems
        .iter()
        .map(|problem| problem.path.trim_start_matches("EVENT_TOUR."))
        .collect();
    for path in [
        "id",
        "title",
        "hosts[0]",
        "paths[0]",
        "origin",
        "mode",
        "time_zone",
        "opens_at",
        "admission.per_minute",
        "admission.batch.size",
        "admission.batch.every_seconds",
        "session_minutes",
        "queue_status",
        "typo",
        "run",
    ] {
        assert_eq!(
            paths.iter().filter(|found| **found == path).count(),
            1,
            "{path} in {paths:?}"
        );
    }
}
