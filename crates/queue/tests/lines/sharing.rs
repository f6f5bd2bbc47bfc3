//! Random programs of claims and room: shares follow the weights exactly.
//!
//! Deficit round robin is exact when for any two lines that both wanted throughout, the grants
//! divided by the weights differ by no more than one grant of either: |a/wa - b/wb| <= 1/wa + 1/wb.

use anteroom_queue::coordinator::command::{Action, Change};
use anteroom_queue::settings::{Limits, LineSettings, Settings};
use anteroom_queue::units::Millis;
use proptest::prelude::*;

use crate::stage::lines::Lines;
use crate::stage::settings;

const LINES: usize = 3;

/// One thing that happens in a program.
#[derive(Clone, Copy, Debug)]
enum Step {
    /// So many of a line claim.
    Claim(usize, u64),
    /// There is room for so many more.
    Room(u32),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        (0..LINES, 1..8u64).prop_map(|(line, count)| Step::Claim(line, count)),
        (1..12u32).prop_map(Step::Room),
    ]
}

pub fn weighted(weights: &[u32]) -> Settings {
    let line = |(number, weight): (usize, &u32)| LineSettings {
        id: format!("line-{number}"),
        weight: *weight,
        opens_at: None,
    };
    Settings {
        lines: weights.iter().enumerate().map(line).collect(),
        ..settings(Limits {
            max_active: Some(0),
            ..Limits::default()
        })
    }
}

pub fn room_for(most: u32) -> Action {
    Action::Retune {
        max_active: Some(Change::To(most)),
        per_minute: None,
        batch: None,
    }
}

/// Whether two lines' grants are within one grant of their weights, given what each has got while
/// both wanted.
fn within_one(grants: (u64, u64), weights: (u32, u32)) -> bool {
    let (a, b) = (i128::from(grants.0), i128::from(grants.1));
    let (wa, wb) = (i128::from(weights.0), i128::from(weights.1));
    (a * wb - b * wa).abs() <= wa + wb
}

/// Of each pair of lines: what both had got when they last began to want at the same time.
type Since = [[Option<(u64, u64)>; LINES]; LINES];

fn check_pairs(lines: &Lines, since: &mut Since, weights: &[u32]) -> Result<(), TestCaseError> {
    let granted = lines.granted();
    for a in 0..LINES {
        for b in a + 1..LINES {
            if !(lines.wants(a) && lines.wants(b)) {
                since[a][b] = None;
                continue;
            }
            let (from_a, from_b) = *since[a][b].get_or_insert((granted[a], granted[b]));
            let grants = (granted[a] - from_a, granted[b] - from_b);
            prop_assert!(
                within_one(grants, (weights[a], weights[b])),
                "lines {} and {} of weights {:?} got {:?} while both wanted",
                a,
                b,
                weights,
                grants
            );
        }
    }
    Ok(())
}

fn play(weights: &[u32], program: &[Step]) -> Result<(), TestCaseError> {
    let mut lines = Lines::called(weighted(weights), 60);
    let mut since: Since = Default::default();
    let mut most = 0;
    for step in program {
        match *step {
            Step::Claim(line, count) => {
                for _ in 0..count {
                    lines.claim_next(line);
                }
                lines.stage.sync_all();
                check_pairs(&lines, &mut since, weights)?;
            }
            // One at a time, so that every moment between two grants is looked at.
            Step::Room(more) => {
                for _ in 0..more {
                    most += 1;
                    lines.stage.operate(room_for(most));
                    check_pairs(&lines, &mut since, weights)?;
                }
            }
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn grants_are_within_one_of_the_weights_whenever_both_lines_want(
        weights in prop::collection::vec(prop_oneof![1..10u32, Just(100), Just(1_000)], LINES),
        program in prop::collection::vec(step(), 1..40),
    ) {
        play(&weights, &program)?;
    }
}

#[test]
fn a_line_alone_gets_everything() {
    let mut lines = Lines::called(weighted(&[1, 1_000, 5]), 40);
    for _ in 0..30 {
        lines.claim_next(0);
    }
    lines.stage.sync_all();
    lines.stage.operate(room_for(20));
    assert_eq!(lines.granted(), [20, 0, 0]);
}

#[test]
fn a_share_that_is_not_used_flows_on() {
    let mut lines = Lines::called(weighted(&[1, 3, 1]), 40);
    for _ in 0..20 {
        lines.claim_next(0);
    }
    for _ in 0..3 {
        lines.claim_next(1);
    }
    lines.stage.sync_all();
    lines.stage.operate(room_for(15));
    assert_eq!(lines.granted(), [12, 3, 0]);
}

#[test]
fn nobody_starves_beside_a_line_a_thousand_times_heavier() {
    let mut lines = Lines::called(weighted(&[1, 1_000, 1]), 2_400);
    for _ in 0..2_400 {
        lines.claim_next(1);
    }
    lines.claim_next(0);
    lines.claim_next(0);
    lines.stage.sync_all();
    lines.stage.operate(room_for(2_004));
    let granted = lines.granted();
    assert_eq!(granted[0], 2, "{granted:?}");
}

#[test]
fn a_line_that_wanted_nothing_has_saved_nothing_up() {
    let mut lines = Lines::called(weighted(&[1, 1, 1]), 60);
    for _ in 0..60 {
        lines.claim_next(0);
    }
    lines.stage.sync_all();
    lines.stage.operate(room_for(30));
    for _ in 0..30 {
        lines.claim_next(1);
    }
    lines.stage.sync_all();
    lines.stage.operate(room_for(40));
    assert_eq!(lines.granted(), [35, 5, 0]);
    lines.stage.pass(Millis(1));
}
