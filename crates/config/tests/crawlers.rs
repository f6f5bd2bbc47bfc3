//! Which crawlers an event lets look, and what of it is refused. O10.

use anteroom_config::{Crawlers, Event, Problem, parse_event};
use serde_json::{Value, json};

fn parse(crawlers: &Value) -> Result<Event, Vec<Problem>> {
    let event = json!({
        "id": "tour", "title": "Tour", "hosts": ["a.example.com"], "paths": ["/tour/*"], "crawlers": crawlers
    });
    parse_event("EVENT_TOUR", &event, |zone| zone == "UTC")
}

fn check(crawlers: Value, path: &str, allowed: &str) {
    let problems = parse(&crawlers).expect_err(&crawlers.to_string());
    let [problem] = &problems[..] else {
        panic!("{crawlers}: one mistake is one problem, {problems:?}");
    };
    assert_eq!(problem.path, format!("EVENT_TOUR.{path}"), "{problem}");
    assert!(problem.allowed.contains(allowed), "{problem}");
}

#[test]
fn crawlers_are_named_by_network_or_by_the_platforms_word() {
    let of = |crawlers: Value| parse(&crawlers).unwrap().crawlers;
    let none = Crawlers {
        asns: Vec::new(),
        agents: Vec::new(),
        verified: false,
        categories: Vec::new(),
        per_minute: 60,
    };
    assert_eq!(
        of(json!({"asns": [15169, 4294967295u32], "agents": ["Googlebot"], "per_minute": 6000})),
        Some(Crawlers {
            asns: vec![15_169, u32::MAX],
            agents: vec!["Googlebot".to_owned()],
            per_minute: 6_000,
            ..none.clone()
        })
    );
    assert_eq!(
        of(json!({"verified": true, "categories": ["Search Engine Crawler"]})),
        Some(Crawlers {
            verified: true,
            categories: vec!["Search Engine Crawler".to_owned()],
            ..none
        })
    );
}

#[test]
fn a_name_alone_lets_nobody_in_and_whatever_else_is_wrong_is_named() {
    for (crawlers, path, allowed) in [
        (json!(true), "crawlers", "a table"),
        (json!({}), "crawlers.asns", "verified = true"),
        (
            json!({"verified": false}),
            "crawlers.asns",
            "verified = true",
        ),
        (
            json!({"asns": 15169}),
            "crawlers.asns",
            "a list of at most 50",
        ),
        (
            json!({"asns": ["AS15169"]}),
            "crawlers.asns[0]",
            "1 to 4294967295",
        ),
        (json!({"asns": [0]}), "crawlers.asns[0]", "1 to 4294967295"),
        (json!({"asns": [7, 7]}), "crawlers.asns[1]", "each once"),
        (
            json!({"asns": [1], "verified": 1}),
            "crawlers.verified",
            "true or false",
        ),
        (
            json!({"asns": [1], "per_minute": 0}),
            "crawlers.per_minute",
            "1 to 6000",
        ),
        (
            json!({"asns": [1], "per_minute": 6001}),
            "crawlers.per_minute",
            "1 to 6000",
        ),
        (
            json!({"asns": [1], "asn": [2]}),
            "crawlers.asn",
            "did you mean asns?",
        ),
        (
            json!({"verified": true, "agents": ["a"]}),
            "crawlers.agents",
            "none without asns",
        ),
        (
            json!({"asns": [1], "agents": [""]}),
            "crawlers.agents[0]",
            "80 characters",
        ),
        (
            json!({"asns": [1], "categories": ["a"]}),
            "crawlers.categories",
            "none without verified",
        ),
    ] {
        check(crawlers, path, allowed);
    }
}
