//! The events of the repository's own `wrangler.toml` are accepted.

use anteroom_config::{Access, any_zone, parse_all, path::PathRule};
use anteroom_queue::settings::Mode;
use serde_json::Value;

/// What `wrangler.toml` writes for the origin of its demo events: the scripts that start the
/// demo shop put its address there.
const DEMO_SHOP: &str = "demo-shop";

#[test]
fn the_events_of_the_repository_are_accepted() {
    let text = include_str!("../../../wrangler.toml");
    let file: Value = toml::from_str(text).unwrap();
    let mut variables = file["vars"].as_object().unwrap().clone();
    for event in variables
        .values_mut()
        .filter(|event| event["origin"] == DEMO_SHOP)
    {
        event["origin"] = "http://127.0.0.1:4000".into();
    }
    let rooms = parse_all(variables, any_zone).unwrap_or_else(|problems| panic!("{problems:#?}"));
    let demo = rooms.event("demo").expect("the demo event");
    assert_eq!(demo.settings.mode, Mode::Always);
    assert_eq!(
        (
            demo.settings.limits.per_minute,
            demo.settings.limits.max_active
        ),
        (Some(6000), Some(500))
    );
    assert!(demo.opens_at().is_none(), "open at once");
    assert!(rooms.events().len() >= 2);
    let tour = rooms.event("world-tour").expect("the fuller event");
    let lines: Vec<_> = tour
        .lines
        .iter()
        .map(|line| (line.id.as_str(), line.access))
        .collect();
    assert_eq!(
        lines,
        [("general", Access::Everyone), ("fan-club", Access::Code)]
    );
    assert!(tour.opens_at().is_none() && tour.settings.prequeue_at.is_none());
    assert_eq!(
        PathRule::parse("/events/demo/*").as_ref(),
        demo.paths.first()
    );
}
