//! Enqueue tokens: written in any of the ways of a standard library, and refused for everything that they say wrong.

use super::{at_edge, form, scope_and_time, taken_at_edge};
use crate::case::Case;
use crate::forge::{ENQUEUE, NOW, derive, encode, object, sign_segments};

const DAY: u64 = 24 * 60 * 60;
/// Headers that are refused in every other token, since they are not its one byte form.
const LENIENT_HEADERS: [&str; 5] = [
    "header: reordered",
    "header: kid first",
    "header: white space",
    "header: trailing white space",
    "header: escaped letter",
];

pub fn cases() -> Vec<Case> {
    let mut cases = form::cases(ENQUEUE);
    for case in &mut cases {
        if LENIENT_HEADERS.contains(&case.name.as_str()) {
            case.refusal = None;
        }
    }
    cases.extend(each_claim());
    cases.extend(spellings());
    cases.extend(values());
    cases.extend(payloads());
    cases.extend(scope_and_time::times(ENQUEUE));
    cases.extend(lifetimes());
    cases.extend(addresses());
    cases.extend(keys());
    cases
}

fn refused(name: impl Into<String>, payload: &str, refusal: &str) -> Case {
    at_edge(
        ENQUEUE,
        name,
        ENQUEUE.sign(&ENQUEUE.header(), payload),
        refusal,
    )
}

fn taken(name: impl Into<String>, payload: &str) -> Case {
    taken_at_edge(ENQUEUE, name, ENQUEUE.sign(&ENQUEUE.header(), payload))
}

fn with(name: &str, value: &str) -> String {
    object(&ENQUEUE.claims_with(name, value))
}

fn with_ip(value: &str) -> String {
    let mut claims = ENQUEUE.claims();
    claims.push(("ip", value.to_owned()));
    object(&claims)
}

fn each_claim() -> Vec<Case> {
    let mut cases = Vec::new();
    let claims = ENQUEUE.claims();
    for (at, (name, value)) in claims.iter().enumerate() {
        let mut without = claims.clone();
        without.remove(at);
        cases.push(refused(
            format!("claim {name} removed"),
            &object(&without),
            "claims",
        ));
        let mut twice = claims.clone();
        twice.push((name, value.clone()));
        cases.push(refused(
            format!("claim {name} twice"),
            &object(&twice),
            "claims",
        ));
        let mut moved = without;
        moved.push((name, value.clone()));
        cases.push(taken(format!("claim {name} at the end"), &object(&moved)));
        let mistyped: &[&str] = if value.starts_with('"') {
            &[
                "1",
                "null",
                "true",
                "[]",
                "{}",
                r#""""#,
                r#""a\"b""#,
                r#""a\\b""#,
                r#""a\u0000b""#,
                r#""a\nb""#,
                "\"caf\u{e9}\"",
                r#""caf\u00e9""#,
                r#"["live"]"#,
                r#""\ud800""#,
                "live",
            ]
        } else {
            &[
                r#""1""#,
                "null",
                "true",
                "[1]",
                "{}",
                "-1",
                "1.0",
                "1e3",
                "01",
                "+1",
                "9007199254740992",
                "18446744073709551616",
                "1799999940.5",
                "NaN",
                "",
            ]
        };
        for wrong in mistyped {
            let name = format!("claim {name} as {}", wrong.escape_debug());
            cases.push(refused(name, &with(claims[at].0, wrong), "claims"));
        }
    }
    cases
}

/// What libraries write differently and mean the same.
fn spellings() -> Vec<Case> {
    let payload = object(&ENQUEUE.claims());
    let mut reversed = ENQUEUE.claims();
    reversed.reverse();
    vec![
        taken("as made", &payload),
        taken("claims in reverse", &object(&reversed)),
        taken(
            "spaces as Python writes them",
            &payload.replace("\":", "\": ").replace(",\"", ", \""),
        ),
        taken("indented", &payload.replace(",\"", ",\n\t\"")),
        taken("white space at both ends", &format!(" \r\n{payload}\t ")),
        taken(
            "slashes as PHP writes them",
            &with("iss", r#""https:\/\/shop.example.com\/""#),
        ),
        taken(
            "a claim name with an escape",
            &payload.replace("\"iss\"", "\"i\\u0073s\""),
        ),
        taken(
            "a text with an escape",
            &with("key", r#""member\u002d4711""#),
        ),
        taken(
            "a key that is a mail address",
            &with("key", r#""anna+tour@example.com""#),
        ),
        taken("another organizer", &with("iss", r#""club.example.org""#)),
        taken("another line", &with("line", r#""press""#)),
        taken(
            "the longest key",
            &with("key", &format!("\"{}\"", "k".repeat(128))),
        ),
        taken(
            "the longest id",
            &with("jti", &format!("\"{}\"", "j".repeat(64))),
        ),
    ]
}

fn values() -> Vec<Case> {
    let long = |bytes| format!("\"{}\"", "x".repeat(bytes));
    let mut cases = Vec::new();
    for (claim, value, refusal) in [
        ("iss", long(65), "claims"),
        ("aud", long(65), "claims"),
        ("evt", long(65), "claims"),
        ("line", long(65), "claims"),
        ("key", long(129), "claims"),
        ("jti", long(65), "claims"),
        ("v", "0".to_owned(), "version"),
        ("v", "2".to_owned(), "version"),
        ("aud", r#""staging""#.to_owned(), "wrong-audience"),
        ("aud", r#""Live""#.to_owned(), "wrong-audience"),
        (
            "aud",
            r#""tickets.example.com""#.to_owned(),
            "wrong-audience",
        ),
        ("evt", r#""world-tour-2""#.to_owned(), "wrong-event"),
        ("evt", r#""world""#.to_owned(), "wrong-event"),
        ("evt", r#""*""#.to_owned(), "wrong-event"),
    ] {
        cases.push(refused(
            format!("claim {claim} is {value}"),
            &with(claim, &value),
            refusal,
        ));
    }
    cases
}

fn payloads() -> Vec<Case> {
    let payload = object(&ENQUEUE.claims());
    let extra = |member: &str| payload.replacen('{', &format!("{{{member},"), 1);
    [
        ("an unknown claim", extra(r#""adm":true"#)),
        ("nbf", extra(r#""nbf":1"#)),
        ("sub", extra(r#""sub":"anna""#)),
        ("run", extra(r#""run":3"#)),
        ("a known claim in capitals", extra(r#""EXP":1800000120"#)),
        (
            "a claim twice, once with an escape",
            extra(r#""\u0065xp":9007199254740991"#),
        ),
        ("a trailing comma", payload.replace('}', ",}")),
        ("a comment", payload.replacen('{', "{/**/", 1)),
        ("a second object", format!("{payload}{payload}")),
        ("no closing brace", payload.trim_end_matches('}').to_owned()),
        ("single quotes", payload.replace('"', "'")),
        ("a byte order mark", format!("\u{feff}{payload}")),
        ("an array around it", format!("[{payload}]")),
        (
            "an array of the values",
            r#"[1,"a","live","world-tour","fans","k","j",1,2]"#.to_owned(),
        ),
        ("an empty object", "{}".to_owned()),
        ("null", "null".to_owned()),
        ("not JSON", "claims".to_owned()),
    ]
    .into_iter()
    .map(|(name, payload)| refused(format!("payload: {name}"), &payload, "claims"))
    .collect()
}

fn lifetimes() -> Vec<Case> {
    let valid_for = |seconds: u64| {
        let mut claims = ENQUEUE.claims_with("exp", &(NOW - 60 + seconds).to_string());
        claims.sort_unstable();
        object(&claims)
    };
    vec![
        taken("valid for 60 days", &valid_for(60 * DAY)),
        refused(
            "valid for 60 days and a second",
            &valid_for(60 * DAY + 1),
            "long-lived",
        ),
        refused("valid for a year", &valid_for(365 * DAY), "long-lived"),
        refused(
            "valid for ever",
            &with("exp", "9007199254740991"),
            "long-lived",
        ),
    ]
}

fn addresses() -> Vec<Case> {
    let mut cases = Vec::new();
    for (bound, visitor, refusal) in [
        ("203.0.113.7", Some("203.0.113.7"), None),
        ("203.0.113.7", Some("::ffff:203.0.113.7"), None),
        ("::ffff:203.0.113.7", Some("203.0.113.7"), None),
        ("2001:db8::7", Some("2001:db8::7"), None),
        ("2001:DB8:0:0:0:0:0:7", Some("2001:db8::7"), None),
        ("203.0.113.7", Some("203.0.113.8"), Some("wrong-ip")),
        ("203.0.113.7", Some("203.0.113.70"), Some("wrong-ip")),
        ("203.0.113.7", Some("2001:db8::7"), Some("wrong-ip")),
        ("2001:db8::7", Some("2001:db8::8"), Some("wrong-ip")),
        ("203.0.113.7", Some("not an address"), Some("wrong-ip")),
        ("203.0.113.7", Some(""), Some("wrong-ip")),
        ("203.0.113.7", None, Some("wrong-ip")),
        ("203.0.113.007", Some("203.0.113.7"), Some("claims")),
        ("203.0.113.0/24", Some("203.0.113.7"), Some("claims")),
        ("203.0.113.7:443", Some("203.0.113.7"), Some("claims")),
        ("fe80::1%eth0", Some("fe80::1"), Some("claims")),
        ("localhost", Some("127.0.0.1"), Some("claims")),
        ("", Some("203.0.113.7"), Some("claims")),
    ] {
        let name = format!("bound to {bound:?}, used from {visitor:?}");
        cases.push(Case {
            ip: visitor.map(str::to_owned),
            refusal: refusal.map(str::to_owned),
            ..taken(name, &with_ip(&format!("\"{bound}\"")))
        });
    }
    for (name, value) in [
        ("null", "null"),
        ("a number", "3405803783"),
        ("a list", r#"["203.0.113.7"]"#),
    ] {
        cases.push(Case {
            ip: Some("203.0.113.7".to_owned()),
            ..refused(format!("bound to {name}"), &with_ip(value), "claims")
        });
    }
    let elsewhere = taken("bound to no address", &object(&ENQUEUE.claims()));
    cases.push(Case {
        ip: Some("203.0.113.8".to_owned()),
        ..elsewhere
    });
    cases
}

fn keys() -> Vec<Case> {
    let payload = encode(object(&ENQUEUE.claims()));
    let header = |kid: &str| encode(ENQUEUE.header().replace(&ENQUEUE.kid(0), kid));
    let previous = sign_segments("HS256", &ENQUEUE.key(1), &header(&ENQUEUE.kid(1)), &payload);
    let mut info = ENQUEUE.info("live", "");
    let event = info.len() - "world-tour".len();
    info[event] = b'W';
    let other_event = derive(crate::forge::ROOTS[0].1, &info);
    let of_other_event = sign_segments("HS256", &other_event, &header(&ENQUEUE.kid(0)), &payload);
    let root_id = sign_segments("HS256", &ENQUEUE.key(0), &header("k2"), &payload);
    vec![
        taken_at_edge(ENQUEUE, "signed with the previous key", previous),
        at_edge(
            ENQUEUE,
            "signed with the key of another event",
            of_other_event,
            "signature",
        ),
        at_edge(ENQUEUE, "the root key's id as kid", root_id, "unknown-key"),
    ]
}
