//! The body of a join, as JSON and as a form.
//!
//! Input: a byte that chooses the content type, then the body.

use anteroom::parsers::{FIELDS_OF_JOIN, Fields, MAX_PATH_BYTES, parse_body, read_json};
use serde_json::{Map, Value};

use crate::choice;

const JSON: &str = "application/json";
const FORM: &str = "application/x-www-form-urlencoded";
const TYPES: [Option<&str>; 6] = [
    Some(JSON),
    Some(FORM),
    Some("Application/JSON; charset=utf-8"),
    Some("text/plain"),
    Some(""),
    None,
];

/// Only known fields are read, each once, and they say the same written again in either type.
pub fn check(bytes: &[u8]) {
    let (which, body) = choice(bytes);
    let content_type = TYPES[usize::from(which) % TYPES.len()];
    let is_json = content_type.is_some_and(|it| it.to_ascii_lowercase().starts_with(JSON));
    if is_json {
        check_json(body);
    }
    let Ok(fields) = parse_body(content_type, body, &FIELDS_OF_JOIN) else {
        return;
    };
    let named = named(&fields);
    assert_eq!(fields.is_form, content_type == Some(FORM));
    assert!(!is_json || body.is_empty() || json_texts(body).as_ref() == Some(&named));
    assert!(
        content_type.is_some() || body.is_empty(),
        "a body has a type"
    );
    assert!(
        fields
            .text("return")
            .is_none_or(|path| path.len() <= MAX_PATH_BYTES)
    );
    let as_json = Value::Object(named.clone()).to_string();
    let as_form: Vec<String> = named
        .iter()
        .map(|(name, value)| {
            format!(
                "{}={}",
                encoded(name),
                encoded(value.as_str().unwrap_or_default())
            )
        })
        .collect();
    for (content_type, text) in [(JSON, as_json), (FORM, as_form.join("&"))] {
        let again = parse_body(Some(content_type), text.as_bytes(), &FIELDS_OF_JOIN);
        let again = again.expect("what was read can be written");
        assert_eq!(self::named(&again), named, "{text}");
    }
}

/// The fields that there are.
fn named(fields: &Fields) -> Map<String, Value> {
    FIELDS_OF_JOIN
        .iter()
        .filter_map(|name| Some(((*name).to_owned(), fields.text(name)?.into())))
        .collect()
}

/// A document is what serde_json makes of it, or is refused because a member stands twice in it.
fn check_json(body: &[u8]) {
    if let Some(document) = read_json(body) {
        let theirs = serde_json::from_slice::<Value>(body).expect("it is JSON");
        assert!(is_same(&document, &theirs), "{document} is not {theirs}");
        let again = read_json(document.to_string().as_bytes()).expect("it is JSON");
        assert!(is_same(&document, &again), "{document} is not {again}");
    }
}

/// Whole numbers are the same however they are written. Of others, which nobody here wants, the last digit may differ: that
/// is what `serde_json` promises.
fn is_same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => {
            let (ones, others) = (one.as_f64(), other.as_f64());
            let last_digits = 8.0 * f64::EPSILON;
            let is_near = |one: f64, other: f64| (one - other).abs() <= one.abs() * last_digits;
            one == other
                || ones
                    .zip(others)
                    .is_some_and(|(one, other)| is_near(one, other))
        }
        (Value::Array(ones), Value::Array(others)) => {
            ones.len() == others.len()
                && ones
                    .iter()
                    .zip(others)
                    .all(|(one, other)| is_same(one, other))
        }
        (Value::Object(ones), Value::Object(others)) => {
            ones.len() == others.len()
                && ones
                    .iter()
                    .all(|(name, one)| others.get(name).is_some_and(|other| is_same(one, other)))
        }
        _ => one == other,
    }
}

fn json_texts(body: &[u8]) -> Option<Map<String, Value>> {
    match serde_json::from_slice(body).ok()? {
        Value::Object(members) => Some(members),
        _ => None,
    }
}

fn encoded(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02X}")).collect()
}
