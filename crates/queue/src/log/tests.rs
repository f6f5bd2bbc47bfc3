use super::*;

/// Computed apart from this code, with Python's hashlib.
const PINNED_EMPTY: &str = "55cfe1036f2f7feff847cb902d2a491ba108757c56f0a50bf050af66fe85c697";
const PINNED_FIRST: &str = "8cada033a3d22cded5d35e91654895873767c9469c669ebb95427121f529d4ac";

fn records() -> Vec<(Record, &'static str)> {
    let line = || "general".to_owned();
    let hash_of_ones = "01".repeat(32);
    assert_eq!(hash_of_ones.len(), 64);
    vec![
        (
            Record::Begin {
                event: "world-tour".to_owned(),
                run: 3,
                lines: vec![
                    BegunLine {
                        id: line(),
                        commitment: Some([1; 32]),
                    },
                    BegunLine {
                        id: "fans".to_owned(),
                        commitment: None,
                    },
                ],
            },
            r#""begin","event":"world-tour","run":3,"lines":[{"id":"general","commitment":"ONES"},{"id":"fans","commitment":null}]"#,
        ),
        (
            Record::Line {
                line: line(),
                commitment: [1; 32],
            },
            r#""line","line":"general","commitment":"ONES""#,
        ),
        (
            Record::Cut {
                line: line(),
                shard: ShardIndex(4),
                first_join: 10,
                count: 5,
                first_entry: EntryNumber(100),
                joined: 16,
                chain: [1; 32],
            },
            r#""cut","line":"general","shard":4,"first_join":10,"count":5,"first_entry":100,"joined":16,"chain":"ONES""#,
        ),
        (
            Record::Call {
                line: line(),
                called: Rank(80),
            },
            r#""call","line":"general","called":80"#,
        ),
        (
            Record::Grant {
                line: line(),
                shard: ShardIndex(4),
                count: 2,
                granted: 60,
            },
            r#""grant","line":"general","shard":4,"count":2,"granted":60"#,
        ),
        (
            Record::Admit {
                line: line(),
                shard: ShardIndex(4),
                count: 1,
            },
            r#""admit","line":"general","shard":4,"count":1"#,
        ),
        (
            Record::Fixed {
                line: line(),
                entrants: 105,
                root: [1; 32],
                round: None,
            },
            r#""fixed","line":"general","entrants":105,"root":"ONES","round":null"#,
        ),
        (
            Record::Drawn {
                line: line(),
                secret: [1; 32],
                beacon: Some(vec![0xab, 0xcd]),
                seed: [1; 32],
            },
            r#""drawn","line":"general","secret":"ONES","beacon":"abcd","seed":"ONES""#,
        ),
        (
            Record::Operator {
                by: "kim".to_owned(),
                action: serde_json::json!({ "action": "resume" }),
            },
            r#""operator","by":"kim","action":{"action":"resume"}"#,
        ),
        (
            Record::Stock {
                left: 12,
                at_origin: UnixMillis(1_700_000_000_123),
            },
            r#""stock","left":12,"at_origin":1700000000123"#,
        ),
        (
            Record::Edges {
                bypassed: 7,
                staff: 1,
            },
            r#""edges","bypassed":7,"staff":1"#,
        ),
    ]
}

// These bytes are published and hashed: who changes them makes every log that was saved by somebody unverifiable.
#[test]
fn every_kind_of_line_has_its_members_in_the_published_order_and_is_read_again() {
    let mut log = Log::begin("world-tour", 3);
    let mut head = log.head;
    for (n, (record, members)) in (1..).zip(records()) {
        let text = log.append(UnixMillis(1_800_000_000_000), &record);
        let expected = format!(r#"{{"n":{n},"at":1800000000000,"kind":{members},"hash":""#)
            .replace("ONES", &"01".repeat(32));
        assert_eq!(text.get(..expected.len()), Some(expected.as_str()));
        head = verify_line(&head, &text).expect("what was appended follows");
        let read: LogLine = serde_json::from_str(&text).expect("a line is JSON");
        assert_eq!(
            read,
            LogLine {
                n,
                at: UnixMillis(1_800_000_000_000),
                record
            }
        );
    }
    assert_eq!(log, Log { head, next: 12 });
}

#[test]
fn a_log_of_another_event_or_run_begins_with_another_hash() {
    assert_ne!(empty_head("world-tour", 1), empty_head("world-tour", 2));
    assert_ne!(empty_head("world-tour", 1), empty_head("world-tours", 1));
}

#[test]
fn the_first_hashes_of_a_log_are_those_that_were_published_before() {
    let mut log = Log::begin("world-tour", 3);
    assert_eq!(hex::text(&log.head), PINNED_EMPTY);
    log.append(
        UnixMillis(1),
        &Record::Edges {
            bypassed: 0,
            staff: 0,
        },
    );
    assert_eq!(hex::text(&log.head), PINNED_FIRST);
}

#[test]
fn a_line_with_any_other_byte_does_not_follow() {
    let mut log = Log::begin("world-tour", 3);
    let head = log.head;
    let text = log.append(
        UnixMillis(5),
        &Record::Stock {
            left: 3,
            at_origin: UnixMillis(4),
        },
    );
    for at in 0..text.len() {
        let mut bytes = text.clone().into_bytes();
        bytes[at] ^= 1;
        let changed = String::from_utf8(bytes).expect("the line is ASCII");
        assert!(verify_line(&head, &changed).is_err(), "byte {at}");
    }
    for shorter in 0..text.len() {
        assert!(
            verify_line(&head, &text[..shorter]).is_err(),
            "{shorter} bytes"
        );
    }
    assert_eq!(verify_line(&log.head, &text), Err(LineFault::OtherHash));
    assert_eq!(verify_line(&head, &"é".repeat(60)), Err(LineFault::NoHash));
}
