//! Other values than the published ones: of every kind, spelled otherwise, and likely ones.

use anteroom_queue::draw::{hex, randomness};
use serde_json::{Value, json};

use crate::evidence::{FIXED_AT_TEXT, ROUND, SIGNATURE, with_another};

const QUICKNET: &str = "52db9ba70e0cc0f6eaf7803dd07447a1f5477735fd3f661792ba94600c84e971";

/// Every value of a document: the names on the way to it.
pub fn leaves(document: &Value) -> Vec<String> {
    let mut found = Vec::new();
    collect(document, "", &mut found);
    found
}

fn collect(value: &Value, path: &str, found: &mut Vec<String>) {
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                collect(member, &format!("{path}/{name}"), found);
            }
            found.push(path.to_owned());
        }
        Value::Array(members) => {
            for (at, member) in members.iter().enumerate() {
                collect(member, &format!("{path}/{at}"), found);
            }
        }
        _ => found.push(path.to_owned()),
    }
}

/// The document with each other value at `path`.
pub fn altered(document: &Value, path: &str) -> Vec<(Value, Value)> {
    let right = document.pointer(path).expect("a path of this document");
    let others = alterations(right).into_iter();
    others
        .filter(|other| other != right)
        .map(|other| {
            let mut altered = document.clone();
            *altered.pointer_mut(path).expect("a path of this document") = other.clone();
            (altered, other)
        })
        .collect()
}

fn alterations(value: &Value) -> Vec<Value> {
    match value {
        Value::Null => likely(),
        Value::Bool(value) => vec![json!(!value), Value::Null, json!(0), json!("")],
        Value::Number(number) => other_numbers(number.as_u64().expect("a whole number")),
        Value::String(text) => other_texts(text),
        Value::Object(_) => vec![Value::Null, json!([]), json!({})],
        Value::Array(_) => Vec::new(),
    }
}

/// What could stand where there is nothing yet, or nothing at all.
fn likely() -> Vec<Value> {
    let signature = hex::bytes(SIGNATURE).expect("digits");
    let beacon = |absent: bool| {
        json!({
            "chain": QUICKNET, "round": ROUND, "signature": null, "randomness": null, "absent": absent,
        })
    };
    let draw = json!({
        "commitment": "00".repeat(32), "entrants": null, "log_root": null, "fixed_at": null, "beacon": null,
        "secret": null, "seed": null,
    });
    vec![
        json!(0),
        json!(ROUND),
        json!(""),
        json!("00".repeat(32)),
        json!(false),
        json!(FIXED_AT_TEXT),
        json!(SIGNATURE),
        json!(hex::text(&randomness(&signature))),
        beacon(false),
        beacon(true),
        draw,
    ]
}

fn other_numbers(number: u64) -> Vec<Value> {
    let whole = [
        0,
        1,
        number + 1,
        number.saturating_sub(1),
        number * 10,
        1 << 32,
        1 << 41,
        u64::MAX,
    ];
    let otherwise = [
        Value::Null,
        json!(number.to_string()),
        json!(-1),
        json!(0.5),
        json!(true),
    ];
    let whole = whole.into_iter().map(|other| json!(other));
    whole.chain(otherwise).collect()
}

/// Each letter another, and the same in another spelling.
fn other_texts(text: &str) -> Vec<Value> {
    let letters = text.char_indices().map(|(at, _)| with_another(text, at));
    let others = [
        text[..text.len() - 1].to_owned(),
        format!("{text}0"),
        String::new(),
        format!(" {text}"),
        text.to_uppercase(),
        text.to_lowercase(),
        text.replace('Z', "+00:00"),
        text.replace("00Z", "Z"),
        text.replace("00Z", "000Z"),
    ];
    let texts = letters.chain(others).map(|other| json!(other));
    texts.chain([Value::Null, json!(0)]).collect()
}
