//! Where an event's objects stand, and what of it is refused.

use anteroom_config::{Event, Problem, parse_event};
use anteroom_queue::units::ShardIndex;
use serde_json::{Value, json};

fn parse(more: &Value) -> Result<Event, Vec<Problem>> {
    let mut event = json!({
        "id": "tour", "title": "Tour", "hosts": ["a.example.com"], "paths": ["/tour/*"],
    });
    let fields = event.as_object_mut().unwrap();
    fields.extend(more.as_object().unwrap().clone());
    parse_event("EVENT_TOUR", &event, |zone| zone == "UTC")
}

#[test]
fn shards_take_turns_in_the_configured_regions_and_relays_stand_by_the_coordinator() {
    let event = parse(&json!({"regions": ["weur", "enam"], "coordinator_region": "weur"}));
    let regions = event.unwrap().regions;
    let hints = [0, 1, 2, 49, 50, 129, 130].map(|shard| regions.of_shard(ShardIndex(shard)));
    let [weur, enam] = ["weur", "enam"].map(Some);
    assert_eq!(hints, [weur, enam, weur, enam, weur, weur, enam]);
    assert_eq!(regions.of_coordinator(), Some("weur"));
}

#[test]
fn an_event_that_names_no_region_gives_no_hint() {
    let regions = parse(&json!({})).unwrap().regions;
    assert_eq!(regions.of_shard(ShardIndex(7)), None);
    assert_eq!(regions.of_coordinator(), None);
    assert!(!regions.has_lost(ShardIndex(7)));
}

#[test]
fn other_regions_are_refused() {
    for (more, path, allowed) in [
        (json!({"regions": ["europe"]}), "regions[0]", "\"weur\""),
        (json!({"regions": ["WEUR"]}), "regions[0]", "\"weur\""),
        (
            json!({"regions": ["weur", "weur"]}),
            "regions[1]",
            "each entry once",
        ),
        (json!({"regions": "weur"}), "regions", "a list of at most 9"),
        (
            json!({"coordinator_region": "eu"}),
            "coordinator_region",
            "\"weur\"",
        ),
        (
            json!({"regions": ["weur", "enam"], "lost_regions": ["apac"]}),
            "lost_regions[0]",
            "one of regions",
        ),
        (
            json!({"regions": ["weur", "enam"], "lost_regions": ["enam", "weur"]}),
            "lost_regions",
            "not all of regions",
        ),
    ] {
        let problems = parse(&more).expect_err(&more.to_string());
        let [problem] = &problems[..] else {
            panic!("{more}: one mistake is one problem, {problems:?}");
        };
        assert_eq!(problem.path, format!("EVENT_TOUR.{path}"), "{problem}");
        assert!(problem.allowed.contains(allowed), "{problem}");
    }
}
