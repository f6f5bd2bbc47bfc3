//! Every value of the published draw, altered in every way that its kind allows.

use serde_json::{Value, json};

use crate::evidence::{Published, checked, failures, published, with_another};

/// Every value of a document: the names on the way to it.
fn leaves(value: &Value, path: &str, found: &mut Vec<String>) {
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                leaves(member, &format!("{path}/{name}"), found);
            }
            found.push(path.to_owned());
        }
        Value::Array(members) => {
            for (at, member) in members.iter().enumerate() {
                leaves(member, &format!("{path}/{at}"), found);
            }
        }
        _ => found.push(path.to_owned()),
    }
}

/// Other values than `value`.
fn alterations(value: &Value) -> Vec<Value> {
    match value {
        Value::Null => vec![json!(0), json!(""), json!("00".repeat(32)), json!(false)],
        Value::Bool(value) => vec![json!(!value), Value::Null, json!(0), json!("")],
        Value::Number(number) => {
            let number = number.as_u64().expect("a whole number");
            let others = [
                0,
                1,
                number + 1,
                number.saturating_sub(1),
                number * 10,
                1 << 32,
                1 << 41,
                u64::MAX,
            ];
            let others = others
                .into_iter()
                .filter(|other| *other != number)
                .map(|other| json!(other));
            others
                .chain([
                    Value::Null,
                    json!(number.to_string()),
                    json!(-1),
                    json!(0.5),
                    json!(true),
                ])
                .collect()
        }
        Value::String(text) => {
            let letters = text
                .char_indices()
                .map(|(at, _)| json!(with_another(text, at)));
            let shorter = &text[..text.len() - 1];
            let others = [
                json!(shorter),
                json!(format!("{text}0")),
                json!(""),
                json!(format!(" {text}")),
            ];
            letters
                .chain(others)
                .chain([Value::Null, json!(0), json!(text.to_uppercase())])
                .collect()
        }
        Value::Object(_) => vec![Value::Null, json!([]), json!({})],
        Value::Array(_) => Vec::new(),
    }
}

/// What a failure may call a value: its own name, or the one under which it is compared.
fn names(path: &str) -> Vec<&str> {
    let name = path.rsplit('/').next().unwrap_or_default();
    match name {
        "id" => vec!["lines"],
        // It decides which of the other values may be there.
        "absent" => vec!["absent"],
        _ if name.parse::<u8>().is_ok() => vec!["lines"],
        "" => vec!["draw"],
        _ => vec![name],
    }
}

#[test]
fn no_value_of_the_draw_can_be_altered_without_a_failure_that_names_it() {
    let Published { document, log, .. } = published();
    let mut paths = Vec::new();
    leaves(&document, "", &mut paths);
    let mut altered = 0;
    for path in &paths {
        let right = document.pointer(path).expect("a path of this document");
        for other in alterations(right)
            .into_iter()
            .filter(|other| other != right)
        {
            let mut document = document.clone();
            *document.pointer_mut(path).expect("a path of this document") = other.clone();
            let findings = checked(&document.to_string(), Some(&log), None);
            let failed = failures(&findings);
            let named = failed
                .iter()
                .any(|text| names(path).iter().any(|name| text.contains(name)));
            // While a sale runs, a draw is older than its log: that entries were as many once is said, and is no lie.
            let is_older = path.ends_with("/entries")
                && findings
                    .to_string()
                    .contains("the draw was saved when there were");
            assert!(named || is_older, "{path} = {other}: {failed:#?}");
            altered += 1;
        }
    }
    assert!(altered > 800, "{altered} alterations");
}

#[test]
fn no_member_of_the_draw_can_be_left_out() {
    let Published { document, log, .. } = published();
    let mut paths = Vec::new();
    leaves(&document, "", &mut paths);
    for path in paths.iter().filter(|path| !path.is_empty()) {
        let (parent, name) = path.rsplit_once('/').expect("a path has a slash");
        let mut document = document.clone();
        if let Some(Value::Object(members)) = document.pointer_mut(parent) {
            members.remove(name);
            let failed = failures(&checked(&document.to_string(), Some(&log), None));
            assert!(
                failed.iter().any(|text| text.contains(name)),
                "{path}: {failed:#?}"
            );
        }
    }
}

#[test]
fn without_a_log_what_makes_the_seed_still_cannot_be_altered() {
    let Published { document, .. } = published();
    assert_eq!(
        failures(&checked(&document.to_string(), None, None)),
        [""; 0]
    );
    let drawn = "/lines/0/draw";
    let mut paths = vec![
        "/event".to_owned(),
        "/run".to_owned(),
        "/lines/0/id".to_owned(),
    ];
    for member in ["commitment", "entrants", "log_root", "secret", "seed"] {
        paths.push(format!("{drawn}/{member}"));
    }
    for member in ["chain", "round", "signature", "randomness", "absent"] {
        paths.push(format!("{drawn}/beacon/{member}"));
    }
    for path in paths {
        let right = document.pointer(&path).expect("a path of this document");
        for other in alterations(right)
            .into_iter()
            .filter(|other| other != right)
        {
            let mut document = document.clone();
            *document
                .pointer_mut(&path)
                .expect("a path of this document") = other.clone();
            let failed = failures(&checked(&document.to_string(), None, None));
            assert!(!failed.is_empty(), "{path} = {other}");
        }
    }
}

#[test]
fn what_is_no_draw_is_refused() {
    for text in ["", "{}", "[]", "null", "{\"event\":", "<html>"] {
        assert_eq!(failures(&checked(text, None, None)).len(), 1, "{text}");
    }
    let twice = format!("{0}{0}", published().document);
    assert_eq!(failures(&checked(&twice, None, None)).len(), 1);
}
