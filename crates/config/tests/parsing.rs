//! A whole event is read as it is written; a short one gets the documented defaults.

use anteroom_config::guard::{Binding, Recheck};
use anteroom_config::{
    Access, Challenge, Event, EventLine, Origin, PassAlgorithm, Problem, any_zone, parse_event,
    variable_name,
};
use anteroom_queue::settings::{Batch, Limits, Mode};
use anteroom_queue::units::{Millis, UnixMillis};
use serde_json::{Value, json};

fn parsed(variable: &str, json: Value) -> Event {
    parse_event(variable, &json, any_zone).unwrap_or_else(|problems| panic!("{problems:#?}"))
}

#[test]
fn checks_and_bindings_have_their_words_and_no_others() {
    let event = |key: &str, value: Value| {
        let mut event = json!({"id": "tour", "title": "Tour", "hosts": ["a.example.com"], "paths": ["/tour/*"]});
        event[key] = value;
        event
    };
    for (key, value, guard) in [
        ("recheck", "suspected", (Recheck::Suspected, Binding::None)),
        ("recheck", "everyone", (Recheck::Everyone, Binding::None)),
        ("binding", "none", (Recheck::Suspected, Binding::None)),
        ("binding", "strict", (Recheck::Suspected, Binding::Strict)),
    ] {
        let read = parsed("EVENT_TOUR", event(key, json!(value))).guard;
        assert_eq!((read.recheck, read.binding), guard, "{key} = {value}");
    }
    for (key, value, allowed) in [
        ("recheck", json!("nobody"), "\"suspected\" or \"everyone\""),
        ("binding", json!(true), "\"none\" or \"strict\""),
    ] {
        let problems = parse_event("EVENT_TOUR", &event(key, value), any_zone).unwrap_err();
        assert_eq!(problems.len(), 1, "{problems:?}");
        assert_eq!(problems[0].path, format!("EVENT_TOUR.{key}"));
        assert!(problems[0].allowed.contains(allowed), "{problems:?}");
    }
}

#[test]
fn a_short_event_gets_the_defaults() {
    let event = parsed(
        "EVENT_TOUR",
        json!({"id": "tour", "title": "Tour", "hosts": ["tickets.example.com"], "paths": ["/tour/*"]}),
    );
    assert_eq!(
        (event.run, event.queue_status, event.time_zone.as_str()),
        (1, 503, "UTC")
    );
    assert_eq!((event.idle_seconds(), event.pass_seconds()), (600, 180));
    assert_eq!(
        (event.origin.clone(), event.challenge),
        (Origin::Unchanged, Challenge::Work(16))
    );
    assert_eq!(event.pass_algorithm, PassAlgorithm::Hs256);
    assert_eq!(
        (event.opens_at(), event.cookie_domain.clone()),
        (None, None)
    );
    assert!(
        event.bypass.is_empty()
            && event.cors_origins.is_empty()
            && event.frame_ancestors.is_empty()
    );
    let settings = &event.settings;
    assert_eq!(
        (settings.mode, settings.limits, settings.expected_visitors),
        (Mode::Always, Limits::default(), 10_000)
    );
    assert_eq!(
        (settings.session, settings.idle),
        (Millis::from_minutes(20), Millis::from_minutes(10))
    );
    assert_eq!(
        (settings.hold, settings.pass),
        (Millis::from_minutes(30), Millis::from_seconds(180))
    );
    assert_eq!(
        (settings.prequeue_at, settings.max_extension),
        (None, Millis::from_minutes(10))
    );
    assert!(event.handover && settings.draw.beacon);
    assert_eq!(
        (settings.draw.grace, settings.draw.beacon_wait),
        (Millis::from_seconds(60), Millis::from_minutes(10))
    );
    assert_eq!(settings.keep, Millis::from_minutes(30 * 24 * 60));
    assert_eq!(
        (event.origin_slow, event.origin_acts),
        (Millis(5_000), true)
    );
    assert_eq!(
        event.lines,
        [EventLine {
            id: "general".to_owned(),
            title: None,
            access: Access::Everyone
        }]
    );
    assert_eq!(settings.lines.len(), 1);
    assert_eq!(
        (settings.lines[0].id.as_str(), settings.lines[0].weight),
        ("general", 1)
    );
}

#[test]
fn a_whole_event_is_read_as_it_is_written() {
    let event = parsed(
        "EVENT_WORLD_TOUR",
        json!({
            "id": "world-tour", "title": "World Tour 2027 – «Ünïcode»", "run": 3,
            "hosts": ["tickets.example.com", "m.example.com"], "cookie_domain": "example.com",
            "paths": ["/Events/World-Tour/*"], "bypass": ["/events/world-tour/webhooks/*"],
            "origin": "https://Origin.example.com:443/", "origin_slow_ms": 1500, "origin_health": "watch", "mode": "auto",
            "prequeue_at": "2027-03-01T09:30:00+01:00", "opens_at": "2027-03-01T10:00:00+01:00",
            "time_zone": "Europe/Berlin", "expected_visitors": 200_000.0,
            "admission": {"per_minute": 1200, "max_active": 4000, "batch": {"size": 10, "every_seconds": 5}},
            "session_minutes": 5, "hold_minutes": 0, "pass_seconds": 60, "max_extension_minutes": 0,
            "challenge": "none", "queue_status": 200, "cors_origins": ["https://app.example.com"],
            "frame_ancestors": ["self", "https://partner.example"], "pass_algorithm": "EdDSA",
            "handover": false, "keep_days": 365, "beacon": "none", "beacon_wait_minutes": 1, "draw_grace_seconds": 600,
        }),
    );
    let Origin::Url(origin) = &event.origin else {
        panic!("{:?}", event.origin)
    };
    assert_eq!(origin.base(), "https://origin.example.com");
    assert_eq!(
        (event.origin_slow, event.origin_acts),
        (Millis(1_500), false)
    );
    assert_eq!(event.paths[0].to_string(), "/events/world-tour/*");
    assert_eq!(event.opens_at(), Some(UnixMillis(1_803_891_600_000)));
    assert_eq!(event.settings.lines[0].opens_at, event.opens_at());
    assert_eq!(
        event.settings.prequeue_at,
        Some(UnixMillis(1_803_889_800_000))
    );
    assert_eq!(event.settings.expected_visitors, 200_000);
    assert_eq!(
        event.idle_seconds(),
        5 * 60,
        "a default gives way to a shorter session"
    );
    assert!(!event.handover && !event.settings.draw.beacon);
    assert_eq!(
        (
            event.settings.draw.grace,
            event.settings.draw.beacon_wait,
            event.settings.keep
        ),
        (
            Millis::from_minutes(10),
            Millis::from_minutes(1),
            Millis::from_minutes(365 * 24 * 60)
        )
    );
    let batch = Batch {
        size: 10,
        every: Millis::from_seconds(5),
    };
    assert_eq!(
        event.settings.limits,
        Limits {
            max_active: Some(4000),
            per_minute: Some(1200),
            batch: Some(batch)
        }
    );
    assert_eq!(event.frame_ancestors, ["'self'", "https://partner.example"]);
    assert_eq!(
        (event.queue_status, event.pass_algorithm),
        (200, PassAlgorithm::EdDsa)
    );
}

#[test]
fn the_variable_of_an_event_follows_from_its_id() {
    assert_eq!(variable_name("world-tour"), "EVENT_WORLD_TOUR");
}

#[test]
fn a_problem_reads_as_one_line() {
    let problem = Problem::new(
        "EVENT_X.admission.per_minute",
        "-3",
        "a whole number, 1 to 1000000",
    );
    assert_eq!(
        problem.to_string(),
        "EVENT_X.admission.per_minute: found -3, allowed: a whole number, 1 to 1000000"
    );
    let long = Problem::new("EVENT_X.title", "ä".repeat(500), "1 to 120 characters");
    assert!(long.found.chars().count() < 100);
}

#[test]
fn a_short_idle_time_shortens_the_pass_that_nobody_configured() {
    let event = parsed(
        "EVENT_TOUR",
        json!({"id": "tour", "title": "Tour", "hosts": ["*loopback"], "paths": ["/*"], "session_minutes": 2, "idle_minutes": 1}),
    );
    assert_eq!(event.pass_seconds(), 60);
}
