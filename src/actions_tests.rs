use super::*;
use crate::samples;

const NOW: UnixMillis = UnixMillis(1_799_999_000_000);
const LATER: u64 = 1_800_000_000_000;

fn read_now(document: Value) -> Result<Action, Problem> {
    let room = samples::room(json!([{ "id": "general" }, { "id": "fans", "access": "code" }]));
    read(document, room.event, NOW)
}

#[test]
fn every_action_reads_back_as_it_was_asked_for() {
    for document_in in [
        json!({"action": "pause", "reason": "fire drill", "next_update_at_ms": LATER}),
        json!({"action": "stop", "reason": "x", "next_update_at_ms": LAST_INSTANT_MS}),
        json!({"action": "resume"}),
        json!({"action": "off"}),
        json!({"action": "soldout"}),
        json!({"action": "close"}),
        json!({"action": "close", "line": "fans"}),
        json!({"action": "open"}),
        json!({"action": "open", "line": "general"}),
        json!({"action": "retune", "max_active": 50}),
        json!({"action": "retune", "max_active": null, "per_minute": "reset", "batch": {"size": 5, "every_seconds": 60}}),
        json!({"action": "message", "text": "doors at \"eight\" <b>"}),
        json!({"action": "expect", "visitors": 200_000}),
        json!({"action": "reschedule", "opens_at": "2027-03-01T09:00:00.000Z", "reason": "snow"}),
        json!({"action": "reschedule", "opens_at": "2027-03-01T09:00:00.000Z", "reason": "snow", "line": "fans"}),
        json!({"action": "stock", "left": 0}),
        json!({"action": "stock", "left": Stock::UNKNOWN - 1}),
        json!({"action": "stock", "left": null}),
    ] {
        let action = read_now(document_in.clone())
            .unwrap_or_else(|problem| panic!("{document_in}: {problem:?}"));
        assert_eq!(document(&action), document_in);
    }
}

#[test]
fn a_brake_asks_for_all_that_visitors_are_owed_at_once() {
    for (body, missing) in [
        (
            json!({"action": "pause"}),
            json!(["reason", "next_update_at_ms"]),
        ),
        (
            json!({"action": "stop", "reason": " "}),
            json!(["reason", "next_update_at_ms"]),
        ),
        (
            json!({"action": "pause", "reason": "x", "next_update_at_ms": null}),
            json!(["next_update_at_ms"]),
        ),
        (
            json!({"action": "pause", "next_update_at_ms": LATER}),
            json!(["reason"]),
        ),
    ] {
        let problem = read_now(body.clone()).expect_err(&body.to_string());
        let Some(first) = missing[0].as_str() else {
            panic!("something is missing")
        };
        assert_eq!(problem.named_field(), Some(first), "{body}");
        let said = format!("{problem:?}");
        assert!(said.contains("a reason and next_update_at_ms"), "{said}");
    }
}

#[test]
fn anything_else_is_refused_and_named() {
    for bad in [
        json!([]),
        json!({}),
        json!({"action": "explode"}),
        json!({"action": 1}),
        json!({"action": "staff", "name": "Ann"}),
        json!({"action": "resume", "reason": "x"}),
        json!({"action": "pause", "reason": 5, "next_update_at_ms": LATER}),
        json!({"action": "pause", "reason": "x".repeat(MAX_MESSAGE_BYTES + 1), "next_update_at_ms": LATER}),
        json!({"action": "pause", "reason": "x", "next_update_at_ms": -1}),
        json!({"action": "pause", "reason": "x", "next_update_at_ms": NOW.0}),
        json!({"action": "pause", "reason": "x", "next_update_at_ms": LAST_INSTANT_MS + 1}),
        json!({"action": "stop", "reason": "x", "next_update_at_ms": 8_640_000_000_000_001_u64}),
        json!({"action": "retune"}),
        json!({"action": "retune", "max_active": 0}),
        json!({"action": "retune", "per_minute": 1_000_001}),
        json!({"action": "retune", "per_minute": 1.5}),
        json!({"action": "retune", "per_minute": "fast"}),
        json!({"action": "retune", "batch": {"size": 5}}),
        json!({"action": "retune", "batch": {"size": 5, "every_seconds": 3_601}}),
        json!({"action": "message"}),
        json!({"action": "message", "text": ["x"]}),
        json!({"action": "expect"}),
        json!({"action": "expect", "visitors": 0}),
        json!({"action": "expect", "visitors": 51_600_001}),
        json!({"action": "close", "line": "nowhere"}),
        json!({"action": "open", "line": 0}),
        json!({"action": "stock"}),
        json!({"action": "stock", "left": -1}),
        json!({"action": "stock", "left": Stock::UNKNOWN + 1}),
        json!({"action": "stock", "left": 1.5}),
        json!({"action": "stock", "left": "many"}),
        json!({"action": "reschedule"}),
        json!({"action": "reschedule", "opens_at": "2027-03-01T09:00:00Z"}),
        json!({"action": "reschedule", "opens_at": "2027-03-01T09:00:00Z", "reason": " "}),
        json!({"action": "reschedule", "opens_at": "2027-03-01T09:00:00", "reason": "no offset"}),
        json!({"action": "reschedule", "opens_at": "2020-03-01T09:00:00Z", "reason": "past"}),
        json!({"action": "reschedule", "opens_at": LATER, "reason": "a number"}),
        json!({"action": "reschedule", "opens_at": "2027-03-01T09:00:00Z", "reason": "x", "line": "nowhere"}),
    ] {
        assert_eq!(
            read_now(bad.clone()).expect_err(&bad.to_string()).status(),
            400
        );
    }
}

#[test]
fn a_staff_pass_is_told_with_its_name_and_its_end() {
    let action = Action::StaffPass {
        name: "Ann".to_owned(),
        until: UnixMillis(LATER),
    };
    let expected = json!({"action": "staff", "name": "Ann", "until_ms": LATER});
    assert_eq!(document(&action), expected);
}

#[test]
fn a_refusal_is_told_with_what_was_asked_for() {
    let action = Action::Refused {
        what: "reschedule".to_owned(),
    };
    assert_eq!(
        document(&action),
        json!({"action": "refused", "what": "reschedule"})
    );
}

// C14.
#[test]
fn visitors_are_told_no_text_with_something_in_it_that_nobody_sees() {
    let at = "2027-03-01T09:00:00.000Z";
    for hidden in [
        "\u{202e}\u{0}x",
        "a\u{1b}[31m",
        "a\u{2066}b",
        "a\rb",
        "a\u{2028}b",
    ] {
        for (body, name) in [
            (
                json!({"action": "pause", "reason": hidden, "next_update_at_ms": LATER}),
                "reason",
            ),
            (
                json!({"action": "stop", "reason": hidden, "next_update_at_ms": LATER}),
                "reason",
            ),
            (
                json!({"action": "reschedule", "opens_at": at, "reason": hidden}),
                "reason",
            ),
            (json!({"action": "message", "text": hidden}), "text"),
        ] {
            let problem = read_now(body.clone()).expect_err(&body.to_string());
            assert_eq!(
                (problem.status(), problem.named_field()),
                (422, Some(name)),
                "{body}"
            );
        }
    }
    let lines = json!({"action": "message", "text": "first\nsecond \u{5e9}\u{200f}!"});
    assert!(read_now(lines).is_ok());
}
