//! The challenge of an event: which there are, and what belongs to the third party's widget.

use anteroom_config::{Challenge, Event, Problem, Turnstile, TurnstileDown, any_zone, parse_event};
use serde_json::{Value, json};

const SITE_KEY: &str = "0x4AAAAAAADnPIDROrmt1Wwj";

fn parse(changes: Value) -> Result<Event, Vec<Problem>> {
    let mut event =
        json!({"id": "tour", "title": "Tour", "hosts": ["a.example.com"], "paths": ["/*"]});
    let changes = changes.as_object().unwrap().clone();
    event.as_object_mut().unwrap().extend(changes);
    parse_event("EVENT_TOUR", &event, any_zone)
}

#[test]
fn each_challenge_is_read_with_its_work_and_the_widget_with_what_holds_when_it_is_down() {
    for (name, challenge) in [
        ("none", Challenge::None),
        ("pow", Challenge::Work(12)),
        ("turnstile", Challenge::Turnstile(12)),
        ("pow+turnstile", Challenge::WorkAndTurnstile(12)),
    ] {
        let mut fields = json!({"challenge": name, "pow_bits": 12});
        if challenge.uses_turnstile() {
            fields["turnstile_site_key"] = json!(SITE_KEY);
        }
        let event = parse(fields).unwrap();
        assert_eq!(event.challenge, challenge);
        let widget = challenge.uses_turnstile().then(|| Turnstile {
            site_key: SITE_KEY.to_owned(),
            down: TurnstileDown::Work,
        });
        assert_eq!(event.turnstile, widget);
    }
    for (name, down) in [
        ("pow", TurnstileDown::Work),
        ("deny", TurnstileDown::Deny),
        ("allow", TurnstileDown::Allow),
    ] {
        let fields = json!({"challenge": "turnstile", "turnstile_site_key": SITE_KEY, "turnstile_down": name});
        assert_eq!(parse(fields).unwrap().turnstile.unwrap().down, down);
    }
}

#[test]
fn what_the_widget_lacks_or_nobody_needs_is_refused() {
    let with = |more: Value| {
        let mut fields = json!({"challenge": "turnstile", "turnstile_site_key": SITE_KEY});
        fields
            .as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        fields
    };
    for (fields, key, allowed) in [
        (
            json!({"challenge": "turnstile"}),
            "turnstile_site_key",
            "the widget's site key",
        ),
        (
            with(json!({"turnstile_site_key": "a b"})),
            "turnstile_site_key",
            "1 to 64",
        ),
        (
            with(json!({"turnstile_site_key": "x".repeat(65)})),
            "turnstile_site_key",
            "1 to 64",
        ),
        (
            with(json!({"turnstile_down": "open"})),
            "turnstile_down",
            "\"deny\"",
        ),
        (
            json!({"turnstile_site_key": SITE_KEY}),
            "turnstile_site_key",
            "with challenge",
        ),
        (
            json!({"challenge": "none", "turnstile_down": "allow"}),
            "turnstile_down",
            "with challenge",
        ),
    ] {
        let problems = parse(fields.clone()).unwrap_err();
        assert_eq!(problems.len(), 1, "{fields}: {problems:?}");
        assert_eq!(problems[0].path, format!("EVENT_TOUR.{key}"));
        assert!(problems[0].allowed.contains(allowed), "{problems:?}");
    }
}

// P13.
#[test]
fn a_site_key_for_tests_is_for_loopback_hosts_only() {
    for key in [
        "1x00000000000000000000AA",
        "2x00000000000000000000AB",
        "3x00000000000000000000FF",
    ] {
        let at = |host: &str| json!({"challenge": "turnstile", "turnstile_site_key": key, "hosts": [host]});
        assert!(parse(at("localhost")).is_ok() && parse(at("*loopback")).is_ok());
        let problems = parse(at("a.example.com")).unwrap_err();
        assert_eq!(problems[0].path, "EVENT_TOUR.turnstile_site_key");
        assert!(problems[0].allowed.contains("of your own"));
    }
}
