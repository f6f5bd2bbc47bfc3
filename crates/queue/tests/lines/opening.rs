//! A line that opens before the others, and one that the operator closes.

use anteroom_queue::board::Phase;
use anteroom_queue::coordinator::command::Action;
use anteroom_queue::shard::command::{Refused, ShardReply};
use anteroom_queue::units::Millis;

use crate::sharing::{room_for, weighted};
use crate::stage::START;
use crate::stage::lines::Lines;

fn phases(lines: &Lines) -> Vec<Phase> {
    let board = lines.stage.coordinator.board();
    board.lines.iter().map(|line| line.phase).collect()
}

#[test]
fn a_line_that_opens_earlier_gets_everything_until_the_other_opens() {
    let mut settings = weighted(&[1, 1]);
    settings.limits.max_active = Some(10);
    settings.lines[1].opens_at = Some(START.plus(Millis::from_minutes(2)));
    let mut lines = Lines::joined(settings, 20);
    lines.stage.live(Millis::from_seconds(20));
    assert_eq!(phases(&lines), [Phase::Open, Phase::Prequeue]);
    for _ in 0..10 {
        lines.claim_next(0);
    }
    lines.stage.sync_all();
    assert_eq!(lines.granted(), [10, 0]);
    lines.stage.live(Millis::from_minutes(3));
    assert_eq!(phases(&lines), [Phase::Open, Phase::Open]);
}

#[test]
fn a_closed_line_is_not_granted_and_takes_its_turn_again_when_it_opens() {
    let mut lines = Lines::called(weighted(&[1, 1, 1]), 40);
    for _ in 0..20 {
        lines.claim_next(0);
        lines.claim_next(1);
    }
    lines.stage.sync_all();
    let line = || "line-1".to_owned();
    lines.stage.operate(Action::CloseLine { line: line() });
    lines.stage.operate(room_for(10));
    assert_eq!(lines.granted(), [10, 0, 0]);
    lines.stage.sync_all();
    let refused = lines.join_next(1);
    let closed = matches!(
        refused,
        ShardReply::Refused {
            why: Refused::Closed,
            ..
        }
    );
    assert!(closed, "{refused:?}");
    lines.stage.operate(Action::OpenLine { line: line() });
    lines.stage.operate(room_for(20));
    let granted = lines.granted();
    assert_eq!((granted[0] - 10).abs_diff(granted[1]), 0, "{granted:?}");
}
