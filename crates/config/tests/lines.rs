//! Lines: what is read of them, and everything that is refused.

use anteroom_config::{Access, Event, Problem, any_zone, parse_event};
use anteroom_queue::units::UnixMillis;
use serde_json::{Value, json};

const NINE: &str = "2027-03-01T09:00:00Z";
const TEN: &str = "2027-03-01T11:00:00+01:00";
const NINE_MILLIS: UnixMillis = UnixMillis(1_803_891_600_000);
const TEN_MILLIS: UnixMillis = UnixMillis(1_803_895_200_000);

fn parse(changes: &Value) -> Result<Event, Vec<Problem>> {
    let mut event =
        json!({"id": "tour", "title": "Tour", "hosts": ["a.example"], "paths": ["/tour/*"]});
    let fields = event.as_object_mut().unwrap();
    fields.extend(changes.as_object().unwrap().clone());
    parse_event("EVENT_TOUR", &event, any_zone)
}

fn accepted(changes: &Value) -> Event {
    parse(changes).unwrap_or_else(|problems| panic!("{changes}: {problems:?}"))
}

/// One mistake is one problem.
fn refused(changes: &Value, path: &str, allowed: &str) {
    let problems = parse(changes).expect_err(&changes.to_string());
    assert_eq!(problems.len(), 1, "{changes}: {problems:?}");
    assert_eq!(
        problems[0].path,
        format!("EVENT_TOUR.{path}"),
        "{changes}: {}",
        problems[0]
    );
    assert!(
        problems[0].allowed.contains(allowed),
        "{changes}: {}",
        problems[0]
    );
}

#[test]
fn lines_keep_their_order_and_have_defaults() {
    let event = accepted(&json!({"lines": [
        {"id": "general"},
        {"id": "fan-club", "title": "Fan club", "weight": 3.0, "access": "code"},
        {"id": "presale", "weight": 1000, "access": "enqueue_token"},
        {"id": "4", "title": "Everybody else", "access": "everyone"},
    ]}));
    let read: Vec<_> = event
        .lines
        .iter()
        .zip(&event.settings.lines)
        .map(|(line, settings)| {
            assert_eq!(line.id, settings.id);
            let title = line.title.as_deref();
            (line.id.as_str(), title, settings.weight, line.access)
        })
        .collect();
    assert_eq!(
        read,
        [
            ("general", None, 1, Access::Everyone),
            ("fan-club", Some("Fan club"), 3, Access::Code),
            ("presale", None, 1000, Access::EnqueueToken),
            ("4", Some("Everybody else"), 1, Access::Everyone),
        ]
    );
    assert_eq!(
        event
            .line("presale")
            .map(|(index, line)| (index, line.access)),
        Some((2, Access::EnqueueToken))
    );
    assert_eq!(event.line("vip"), None);
}

#[test]
fn a_line_opens_at_its_own_time_or_at_the_events() {
    let (nine, ten) = (Some(NINE_MILLIS), Some(TEN_MILLIS));
    for (event_opens, presale_opens, expected, first) in [
        (json!(TEN), json!(NINE), [ten, nine], nine),
        (json!(NINE), json!(TEN), [nine, ten], nine),
        (json!(null), json!(TEN), [None, ten], None),
        (json!(TEN), json!(null), [ten, ten], ten),
        (json!(null), json!(null), [None, None], None),
    ] {
        let with = |mut table: Value, opens_at: &Value| {
            if !opens_at.is_null() {
                table["opens_at"] = opens_at.clone();
            }
            table
        };
        let lines = json!([{"id": "general"}, with(json!({"id": "presale"}), &presale_opens)]);
        let event = accepted(&with(json!({ "lines": lines }), &event_opens));
        let openings: Vec<_> = event
            .settings
            .lines
            .iter()
            .map(|line| line.opens_at)
            .collect();
        assert_eq!(openings, expected, "{event_opens} {presale_opens}");
        assert_eq!(event.opens_at(), first, "{event_opens} {presale_opens}");
    }
}

#[test]
fn an_event_needs_no_opening_when_each_line_has_its_own() {
    let event = accepted(&json!({"prequeue_at": "2027-03-01T08:00:00Z", "lines": [
        {"id": "general", "opens_at": TEN}, {"id": "presale", "opens_at": NINE},
    ]}));
    assert_eq!(event.opens_at(), Some(NINE_MILLIS));
}

#[test]
fn the_list_holds_one_to_eight_tables() {
    let nine: Vec<Value> = (1..=9)
        .map(|n| json!({"id": format!("line-{n}")}))
        .collect();
    assert_eq!(accepted(&json!({"lines": nine[..8]})).lines.len(), 8);
    for wrong in [
        json!(nine),
        json!([]),
        json!("general"),
        json!(null),
        json!({"id": "general"}),
    ] {
        refused(
            &json!({ "lines": wrong }),
            "lines",
            "a list of 1 to 8 tables",
        );
    }
    refused(
        &json!({"lines": [{"id": "general"}, "vip"]}),
        "lines[1]",
        "a table",
    );
}

#[test]
fn a_line_says_its_name_once_and_who_may_join() {
    for id in [
        "",
        "Fan",
        "fan_club",
        "-fan",
        "fan-",
        "fan club",
        &"f".repeat(41),
    ] {
        refused(
            &json!({"lines": [{ "id": id }]}),
            "lines[0].id",
            "lower-case letters, digits",
        );
    }
    refused(&json!({"lines": [{}]}), "lines[0].id", "lower-case letters");
    refused(
        &json!({"lines": [{"id": 7}]}),
        "lines[0].id",
        "lower-case letters",
    );
    refused(
        &json!({"lines": [{"id": "general"}, {"id": "fan"}, {"id": "general"}]}),
        "lines[2].id",
        "each line's id once",
    );
    for access in [
        json!("codes"),
        json!("Everyone"),
        json!("enqueue-token"),
        json!(true),
        json!(["code"]),
    ] {
        refused(
            &json!({"lines": [{"id": "fan", "access": access}]}),
            "lines[0].access",
            "\"everyone\", \"code\" or \"enqueue_token\"",
        );
    }
    for title in ["", " ", "a\nb", &"x".repeat(61)] {
        refused(
            &json!({"lines": [{"id": "fan", "title": title}]}),
            "lines[0].title",
            "1 to 60 characters",
        );
    }
    refused(
        &json!({"lines": [{"id": "fan", "wait": 3}]}),
        "lines[0].wait",
        "no such key",
    );
    refused(
        &json!({"lines": [{"id": "fan", "wieght": 3}]}),
        "lines[0].wieght",
        "did you mean weight?",
    );
}

#[test]
fn a_weight_is_a_share_and_never_nothing() {
    for weight in [
        json!(0),
        json!(-1),
        json!(1001),
        json!(0.5),
        json!("3"),
        json!(null),
    ] {
        refused(
            &json!({"lines": [{"id": "fan", "weight": weight}]}),
            "lines[0].weight",
            "a whole number, 1 to 1000",
        );
    }
}

#[test]
fn no_line_opens_before_joins_are_taken() {
    let lines = |presale: Value| json!([{"id": "general"}, presale]);
    let (early, same) = ("2027-03-01T09:59:59Z", "2027-03-01T10:00:00Z");
    for opens_at in [NINE, early, same, TEN] {
        refused(
            &json!({"prequeue_at": TEN, "opens_at": "2027-03-01T12:00:00Z",
                "lines": lines(json!({"id": "presale", "opens_at": opens_at}))}),
            "lines[1].opens_at",
            "later than prequeue_at (\"2027-03-01T11:00:00+01:00\")",
        );
    }
    for opens_at in [
        json!("2027-03-01T12:00:00"),
        json!("noon"),
        json!(1),
        json!(null),
    ] {
        refused(
            &json!({"lines": lines(json!({"id": "presale", "opens_at": opens_at}))}),
            "lines[1].opens_at",
            "a time with its offset",
        );
    }
    refused(
        &json!({"prequeue_at": NINE, "lines": lines(json!({"id": "presale", "opens_at": TEN}))}),
        "lines[0].opens_at",
        "required with prequeue_at: of the line, or of the event",
    );
    refused(
        &json!({"prequeue_at": TEN, "opens_at": NINE, "lines": lines(json!({"id": "presale"}))}),
        "opens_at",
        "later than prequeue_at",
    );
}

#[test]
fn draws_and_what_is_kept_stay_within_their_range() {
    for (key, range, wrong) in [
        ("draw_grace_seconds", "5 to 600", json!([4, 601, -5, "60"])),
        ("beacon_wait_minutes", "1 to 60", json!([0, 61, 1.5])),
        ("keep_days", "1 to 365", json!([0, 366, -30, null])),
        ("pow_bits", "4 to 20", json!([0, 3, 21, null])),
        (
            "beacon",
            "\"drand\" or \"none\"",
            json!(["Drand", "", "nist", true, null]),
        ),
        ("handover", "true or false", json!(["true", 1, "no", null])),
    ] {
        for value in wrong.as_array().unwrap() {
            refused(&json!({ key: value }), key, range);
        }
    }
    for beacon in ["drand", "none"] {
        let event = accepted(&json!({ "beacon": beacon }));
        assert_eq!(event.settings.draw.beacon, beacon == "drand");
    }
}
