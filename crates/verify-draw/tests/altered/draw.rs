//! Every value of the published draw, altered in every way that its kind allows.

use serde_json::{Value, json};

use crate::alterations::{altered, leaves};
use crate::evidence::{Published, checked, failures, published};
use crate::stages::{STAGES, Stage};

/// What a failure may call a value: its own name, or the one under which it is compared.
fn name(path: &str) -> &str {
    match path.rsplit('/').next().unwrap_or_default() {
        "" => "draw",
        "id" => "lines",
        name if name.parse::<u8>().is_ok() => "lines",
        name => name,
    }
}

#[test]
fn no_value_of_the_draw_can_be_altered_at_any_stage_without_a_failure_that_names_it() {
    for stage in STAGES {
        let (document, logs) = stage.published();
        let mut count = 0;
        for log in &logs {
            let right = checked(&document.to_string(), Some(log), None);
            assert_eq!(failures(&right), [""; 0], "{stage:?}");
            for path in leaves(&document) {
                for (altered, other) in altered(&document, &path) {
                    let failed = failures(&checked(&altered.to_string(), Some(log), None));
                    let is_named = failed.iter().any(|text| text.contains(name(&path)));
                    assert!(is_named, "{stage:?}, {path} = {other}: {failed:#?}");
                    count += 1;
                }
            }
        }
        assert!(count > 400, "{stage:?}: {count} alterations");
    }
}

/// Nothing but the log proves these, whatever the stage of the first line's draw: the second line
/// has none, the third line's is to come.
const ALWAYS_ONLY_WITH_THE_LOG: [&str; 5] = [
    "/lines/1/draw",
    "/lines/1/id",
    "/lines/2/draw",
    "/lines/2/draw/commitment",
    "/lines/2/id",
];

/// What else only the log proves.
fn only_with_the_log(stage: Stage) -> Vec<&'static str> {
    match stage {
        Stage::Committed => vec![
            "/event",
            "/run",
            "/lines/0/id",
            "/lines/0/draw",
            "/lines/0/draw/commitment",
        ],
        Stage::Fixed => vec![
            "/event",
            "/run",
            "/lines/0/id",
            "/lines/0/draw",
            "/lines/0/draw/beacon",
            "/lines/0/draw/commitment",
            "/lines/0/draw/entrants",
            "/lines/0/draw/fixed_at",
            "/lines/0/draw/log_root",
        ],
        Stage::Drawn => vec!["/lines/0/draw", "/lines/0/draw/fixed_at"],
        Stage::Absent | Stage::Without => vec![
            "/lines/0/draw",
            "/lines/0/draw/beacon",
            "/lines/0/draw/fixed_at",
        ],
    }
}

#[test]
fn without_the_log_exactly_the_values_that_the_documentation_lists_can_be_altered() {
    for stage in STAGES {
        let (document, _) = stage.published();
        let right = checked(&document.to_string(), None, None);
        assert_eq!(failures(&right), [""; 0], "{stage:?}");
        let mut unproven = leaves(&document);
        unproven.retain(|path| {
            let mut others = altered(&document, path).into_iter();
            others
                .any(|(altered, _)| failures(&checked(&altered.to_string(), None, None)).is_empty())
        });
        unproven.sort();
        let mut listed = only_with_the_log(stage);
        listed.extend(ALWAYS_ONLY_WITH_THE_LOG);
        listed.sort_unstable();
        assert_eq!(unproven, listed, "{stage:?}");
    }
}

#[test]
fn a_draw_without_a_beacon_is_not_one_whose_round_did_not_come() {
    for (stage, other) in [
        (Stage::Absent, Stage::Without),
        (Stage::Without, Stage::Absent),
    ] {
        let (mut document, logs) = stage.published();
        document["lines"][0]["draw"]["beacon"] =
            other.published().0["lines"][0]["draw"]["beacon"].take();
        let failed = failures(&checked(&document.to_string(), Some(&logs[0]), None));
        assert!(failed[0].contains("beacon.round"), "{stage:?}: {failed:#?}");
    }
}

#[test]
fn no_member_of_the_draw_can_be_left_out() {
    let Published { document, log, .. } = published();
    for path in leaves(&document).iter().filter(|path| !path.is_empty()) {
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
fn no_member_that_nothing_proves_can_be_put_in() {
    let Published { document, log, .. } = published();
    for parent in ["", "/lines/0", "/lines/0/draw", "/lines/0/draw/beacon"] {
        let mut document = document.clone();
        document.pointer_mut(parent).expect("an object")["phase"] = json!("open");
        let failed = failures(&checked(&document.to_string(), Some(&log), None));
        assert!(failed[0].contains("phase"), "{parent}: {failed:#?}");
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
