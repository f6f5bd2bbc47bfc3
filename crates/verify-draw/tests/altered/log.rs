//! Every byte and every line of the log.

use verify_draw::beacon::BeaconChain;
use verify_draw::{Evidence, check};

use crate::evidence::{Published, checked, failures, published, with_another};

fn failures_of(document: &str, log: &str) -> Vec<String> {
    failures(&checked(document, Some(log), None))
}

/// As above, of the line without a draw: the beacon's signature need not be verified for every byte.
fn failures_of_log(document: &str, log: &str) -> Vec<String> {
    let beacon = BeaconChain::quicknet();
    let evidence = Evidence {
        draw: document,
        log: Some(log),
        ticket: None,
        line: Some("fans"),
        beacon: &beacon,
    };
    failures(&check(&evidence))
}

#[test]
fn no_byte_of_the_log_can_be_altered_without_a_failure_that_names_its_line() {
    let Published { document, log, .. } = published();
    let document = document.to_string();
    let lines: Vec<&str> = log.lines().collect();
    for (position, line) in lines.iter().enumerate() {
        let named = format!("log line {}", position + 1);
        for at in 0..line.len() {
            let mut altered: Vec<String> = lines.iter().map(|line| (*line).to_owned()).collect();
            altered[position] = with_another(line, at);
            let failed = failures_of_log(&document, &altered.join("\n"));
            assert!(
                failed.iter().any(|text| text.contains(&named)),
                "{named}, byte {at}: {failed:#?}"
            );
        }
    }
}

#[test]
fn no_line_of_the_log_can_be_left_out_doubled_or_moved() {
    let Published { document, log, .. } = published();
    let document = document.to_string();
    let lines: Vec<&str> = log.lines().collect();
    for at in 0..lines.len() {
        let mut doubled = lines.clone();
        doubled.insert(at, lines[at]);
        assert!(
            !failures_of(&document, &doubled.join("\n")).is_empty(),
            "line {at} twice"
        );
        if at + 1 < lines.len() {
            let mut short = lines.clone();
            short.remove(at);
            assert!(
                !failures_of(&document, &short.join("\n")).is_empty(),
                "without line {at}"
            );
            let mut moved = lines.clone();
            moved.swap(at, at + 1);
            assert!(
                !failures_of(&document, &moved.join("\n")).is_empty(),
                "line {at} after the next"
            );
        }
    }
}

#[test]
fn a_log_that_ends_before_the_draw_is_not_taken_for_whole() {
    let Published { document, log, .. } = published();
    let document = document.to_string();
    let lines: Vec<&str> = log.lines().collect();
    let decided = lines
        .iter()
        .position(|line| line.contains("\"drawn\""))
        .expect("the draw was decided");
    for kept in 0..=decided {
        assert!(
            !failures_of(&document, &lines[..kept].join("\n")).is_empty(),
            "{kept} lines"
        );
    }
    assert_eq!(
        failures_of(&document, &lines[..=decided].join("\n")),
        [""; 0]
    );
}
