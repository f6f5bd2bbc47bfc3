//! The program that checks histories, fed with one where all is right and with the same one after
//! a single violation was planted: it finds that one, under its promise's name, and nothing else.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

/// Two visitors of a shop with one slot and sixty admissions a minute, through a kill and a pause.
const RIGHT: &str = r#"
{"saw":"run","alone":true,"max_active":1,"per_minute":60,"batch":null}
{"saw":"board","sent_us":1000000,"received_us":1001000,"version":1,"age_us":0,"lines":[["general",0,0,0]]}
{"saw":"join","visitor":0,"began_us":1100000,"acknowledged_us":1200000,"entry":0}
{"saw":"answer","visitor":0,"sent_us":1100000,"received_us":1200000,"state":"called","line":"general","entry":0,"rank":0,"ahead":0,"called":1,"version":2,"board_age_us":0}
{"saw":"pass","visitor":0,"granted_after_us":1300000,"asked_us":1300000,"received_us":1350000,"sure_until_us":3000000}
{"saw":"end","visitor":0,"end":"admitted","join_took_us":100000,"unanswered_joins":0,"failures":0,"served":1,"kept_back":0}
{"saw":"shop","at_us":1400000,"pass_expires_us":181000000}
{"saw":"fault","what":"kill","from_us":4000000,"until_us":4500000}
{"saw":"join","visitor":1,"began_us":1500000,"acknowledged_us":5000000,"entry":1}
{"saw":"answer","visitor":1,"sent_us":5200000,"received_us":5210000,"state":"waiting","line":"general","entry":1,"rank":1,"ahead":1,"called":1,"version":3,"board_age_us":0}
{"saw":"operator","did":"pause","sent_us":6000000,"acknowledged_us":6100000}
{"saw":"operator","did":"resume","sent_us":9000000,"acknowledged_us":9100000}
{"saw":"pass","visitor":1,"granted_after_us":9200000,"asked_us":9200000,"received_us":9300000,"sure_until_us":12000000}
{"saw":"end","visitor":1,"end":"admitted","join_took_us":3500000,"unanswered_joins":1,"failures":2,"served":1,"kept_back":0}
{"saw":"shop","at_us":9400000,"pass_expires_us":190000000}
{"saw":"board","sent_us":20000000,"received_us":20001000,"version":9,"age_us":0,"lines":[["general",2,0,2]]}
"#;

fn checked(name: &str, lines: &str) -> Output {
    let file = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.jsonl"));
    std::fs::write(&file, lines.trim_start()).unwrap();
    check(&[&file])
}

fn check(files: &[&Path]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_check-history"))
        .arg("--json")
        .args(files)
        .output()
        .unwrap()
}

fn broken(output: &Output) -> Vec<String> {
    let figures: Value = serde_json::from_slice(&output.stdout).unwrap();
    let counts = figures["broken"].as_object().unwrap().iter();
    counts
        .filter(|(_, count)| count.as_u64() != Some(0))
        .map(|(name, _)| name.clone())
        .collect()
}

#[test]
fn a_history_where_all_is_right_passes() {
    let output = checked("right", RIGHT);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let figures: Value = serde_json::from_slice(&output.stdout).unwrap();
    for (name, count) in [
        ("visitors", 2),
        ("acknowledged", 2),
        ("admitted", 2),
        ("arrivals", 2),
        ("active_max", 1),
    ] {
        assert_eq!(figures[name], count, "{name}");
    }
    assert_eq!(figures["faults"]["kill"], 1);
    assert_eq!(figures["broken"].as_object().unwrap().len(), 7);
}

#[test]
fn each_planted_violation_is_found_under_its_promise() {
    for (promise, what, planted) in [
        (
            "unique-place",
            r#""entry":1,"rank":1"#,
            r#""entry":7,"rank":1"#,
        ),
        (
            "unique-place",
            r#"["general",2,0,2]"#,
            r#"["general",2,0,5]"#,
        ),
        (
            "no-lost-place",
            r#""visitor":1,"end":"admitted""#,
            r#""visitor":1,"end":"lost""#,
        ),
        (
            "no-lost-place",
            r#""visitor":1,"end":"admitted""#,
            r#""visitor":1,"end":"not-joined""#,
        ),
        (
            "cap",
            r#""sure_until_us":3000000"#,
            r#""sure_until_us":9900000"#,
        ),
        (
            "cap",
            r#""at_us":9400000,"pass_expires_us":190000000"#,
            r#""at_us":9400000,"pass_expires_us":null"#,
        ),
        ("cap", r#""at_us":9400000"#, r#""at_us":290000000"#),
        (
            "order",
            r#""began_us":1100000,"acknowledged_us":1200000"#,
            r#""began_us":5100000,"acknowledged_us":5150000"#,
        ),
        (
            "order",
            r#""rank":0,"ahead":0,"called":1"#,
            r#""rank":0,"ahead":0,"called":0"#,
        ),
        ("monotone", r#""version":9"#, r#""version":0"#),
        (
            "open-door",
            r#""visitor":0,"end":"admitted","join_took_us":100000,"unanswered_joins":0,"failures":0,"served":1,"kept_back":0"#,
            r#""visitor":0,"end":"admitted","join_took_us":100000,"unanswered_joins":0,"failures":0,"served":1,"kept_back":2"#,
        ),
        (
            "brake",
            r#""granted_after_us":9200000,"asked_us":9200000,"received_us":9300000"#,
            r#""granted_after_us":6200000,"asked_us":6200000,"received_us":6300000"#,
        ),
        (
            "brake",
            r#""granted_after_us":9200000,"asked_us":9200000,"received_us":9300000"#,
            r#""granted_after_us":5500000,"asked_us":8200000,"received_us":8300000"#,
        ),
    ] {
        let lines = RIGHT.replacen(what, planted, 1);
        assert_ne!(lines, RIGHT, "{what} is in the history");
        let output = checked("planted", &lines);
        assert_eq!(broken(&output), [promise], "{planted}: {output:?}");
        assert_eq!(output.status.code(), Some(1), "{planted}");
    }
}

#[test]
fn a_visitor_who_did_not_get_through_fails_the_run() {
    let waiting = RIGHT.replace(
        r#""visitor":1,"end":"admitted""#,
        r#""visitor":1,"end":"unfinished""#,
    );
    let output = checked("unfinished", &waiting);
    assert_eq!((output.status.code(), broken(&output).len()), (Some(1), 0));
}

#[test]
fn what_cannot_be_read_is_no_history() {
    for (name, lines) in [
        ("no-json", "{"),
        ("unknown-line", r#"{"saw":"nothing"}"#),
        (
            "unknown-member",
            r#"{"saw":"shop","at_us":1,"pass_expires_us":2,"more":3}"#,
        ),
        ("missing-member", r#"{"saw":"join","visitor":0}"#),
    ] {
        let output = checked(name, lines);
        assert_eq!(output.status.code(), Some(2), "{name}");
        let problem = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(problem.contains("line 1"), "{name}: {problem}");
    }
    let output = check(&[Path::new("there-is-no-such-file")]);
    assert_eq!(output.status.code(), Some(2));
    let empty = checked("empty", "");
    assert_eq!(empty.status.code(), Some(1), "nobody was admitted");
}
