//! What is left out while it is not known, and what has a meaning of its own.

use anteroom_queue::units::{EntryNumber, Rank};

use super::*;
use crate::samples;

fn heard() -> Heard {
    let mut board = samples::board(Phase::Open);
    board.lines[0].entries = EntryNumber(30);
    board.lines[0].called = Rank(12);
    Heard {
        board,
        totals: Totals::default(),
        board_age: None,
        edge: None,
        crawlers: None,
        origin: None,
        widget: None,
        vitals: None,
        silent: None,
    }
}

fn names(heard: &Heard) -> Vec<&'static str> {
    of("x", heard)
        .iter()
        .map(|sample| sample.family.name)
        .collect()
}

fn whole(heard: &Heard, family: Family) -> Option<u64> {
    let samples = of("x", heard);
    let found = samples
        .iter()
        .find(|sample| sample.family.name == family.name)?;
    match found.value {
        Value::Whole(value) => Some(value),
        Value::Millis(_) => None,
    }
}

#[test]
fn what_the_edges_counted_is_left_out_while_it_is_not_known() {
    let known = Heard {
        edge: Some(EdgeTotals::default()),
        vitals: Some(Vitals::default()),
        ..heard()
    };
    let is_of_edges = |name: &&&str| {
        ["_edge_", "_origin_", "_object_", "_permits", "_work_"]
            .iter()
            .any(|part| name.contains(part))
    };
    let count = |heard| names(heard).iter().filter(is_of_edges).count();
    // Six of requests, four of work, and the five bounds, the sum and the count of calls.
    assert_eq!((count(&heard()), count(&known)), (0, 6 + 4 + 7));
}

#[test]
fn a_limit_a_cap_and_an_estimate_are_samples_while_there_is_one() {
    let mut known = heard();
    for family in [
        f::MAX_ACTIVE,
        f::PER_MINUTE,
        f::STOCK_LEFT,
        f::ORIGIN_CAP,
        f::LINE_WAIT,
        f::LINE_TOOK,
        f::SHARDS_SILENT,
    ] {
        assert!(!names(&known).contains(&family.name), "{}", family.name);
    }
    known.board.limits.max_active = Some(7);
    known.board.lines[0].advance = Some(anteroom_queue::board::Advance {
        likely_milli_per_minute: 60_000,
        least_milli_per_minute: 30_000,
    });
    let mut origin = OriginView::default();
    origin.restraint.cap = Some(5);
    known.origin = Some(origin);
    known.silent = Some(2);
    known.vitals = Some(Vitals {
        came_true: vec![Some(CameTrue {
            foretold_seconds: 60,
            took_seconds: 75,
            count: 3,
        })],
        ..Vitals::default()
    });
    for (family, value) in [
        (f::WAITING, 18),
        (f::MAX_ACTIVE, 7),
        (f::ORIGIN_CAP, 5),
        (f::SHARDS_SILENT, 2),
        (f::LINE_WAIT, 19),
        (f::LINE_FORETOLD, 60),
        (f::LINE_TOOK, 75),
        (f::LINE_CAME_TRUE, 3),
    ] {
        assert_eq!(whole(&known, family), Some(value), "{}", family.name);
    }
}

#[test]
fn there_is_room_while_nothing_but_a_rate_holds_anybody_back() {
    type Change = fn(&mut Heard);
    let rows: [(Change, u64); 7] = [
        (|_| {}, 1),
        (|heard| heard.board.limits.per_minute = Some(1), 1),
        (|heard| heard.board.stop = true, 0),
        (|heard| heard.board.mode = Mode::Off, 0),
        (|heard| heard.board.lines[0].phase = Phase::Paused, 0),
        (|heard| heard.board.limits.max_active = Some(0), 0),
        (
            |heard| {
                heard.board.stock = Some(anteroom_queue::board::Stock {
                    left: 0,
                    at: anteroom_queue::units::UnixMillis(1),
                });
            },
            0,
        ),
    ];
    for (row, (change, expected)) in rows.into_iter().enumerate() {
        let mut heard = heard();
        change(&mut heard);
        assert_eq!(whole(&heard, f::HAS_ROOM), Some(expected), "row {row}");
    }
}

#[test]
fn a_histogram_counts_below_each_bound_all_that_took_no_longer() {
    let mut handling = HandlingCounts::NONE;
    for ms in [10, 60, 70, 1_500, 9_000] {
        handling.answered_after(ms);
    }
    let samples = of_calls("x", &handling);
    let told: Vec<String> = samples
        .iter()
        .map(|sample| {
            let bound = sample.label.as_ref().map_or("", |(_, bound)| bound);
            format!("{}{bound} {}", sample.part, sample.value)
        })
        .collect();
    assert_eq!(
        told,
        [
            "_bucket0.050 1",
            "_bucket0.250 3",
            "_bucket1.000 3",
            "_bucket2.000 4",
            "_bucket+Inf 5",
            "_sum 10.640",
            "_count 5"
        ]
    );
}

#[test]
fn names_are_of_this_room_counters_end_in_total_and_each_says_what_it_means() {
    for Family { name, kind, help } in f::ALL {
        assert!(name.starts_with("anteroom_"), "{name}");
        assert_eq!(
            *kind == "counter",
            name.ends_with("_total") || *name == "anteroom_board_version",
            "{name}"
        );
        assert!(
            help.ends_with('.') && !help.contains('\\'),
            "{name}: {help}"
        );
    }
}
