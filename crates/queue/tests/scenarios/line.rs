//! Joining, waiting and leaving.

use crate::stage::START;
use crate::table::Happens::*;
use crate::table::Is::*;
use crate::table::*;
use anteroom_queue::shard::command::{Refused, VisitorState};
use anteroom_queue::units::UnixMillis;

#[test]
fn joins_are_numbered_in_the_order_in_which_their_shards_report() {
    check(
        limits(None, None, None),
        vec![
            (
                vec![Joins(0, 1), Joins(1, 0)],
                vec![Unnumbered(0), State(0, VisitorState::Provisional)],
            ),
            (
                vec![Report(0), Report(1)],
                vec![Numbered(1, 0), Numbered(0, 1)],
            ),
            (vec![Joins(2, 0), AnswerLost(0)], vec![Unnumbered(2)]),
            (
                vec![Joins(3, 1), Report(1), Report(0)],
                vec![Numbered(2, 2), Numbered(3, 3)],
            ),
        ],
    );
}

#[test]
fn one_permit_is_one_place_however_often_it_joins() {
    check(
        limits(None, None, None),
        vec![
            (
                vec![Joins(0, 0), Joins(0, 0), Report(0), Joins(0, 0)],
                vec![Numbered(0, 0)],
            ),
            (vec![JoinsLate(0, 0)], vec![Numbered(0, 0)]),
            (vec![JoinsLate(1, 0)], vec![No(Refused::PermitExpired)]),
            (vec![Joins(2, 0), Report(0)], vec![Numbered(2, 1)]),
        ],
    );
}

#[test]
fn late_joins_are_numbered_by_the_second_of_their_arrival() {
    check(
        limits(None, None, None),
        vec![
            (
                vec![Joins(0, 0), Silence(2), Joins(1, 1), Silence(3)],
                vec![],
            ),
            (
                vec![Report(1), Report(0)],
                vec![Unnumbered(0), Unnumbered(1)],
            ),
            (vec![Seconds(3)], vec![Numbered(0, 0), Numbered(1, 1)]),
        ],
    );
}

#[test]
fn who_is_not_called_waits_and_is_told_so() {
    check(
        limits(Some(1), None, None),
        vec![
            (
                vec![Crowd(0, 400, 0), Seconds(2), Claims(399)],
                vec![No(Refused::NotCalled)],
            ),
            (
                vec![Claims(0), Seconds(1), Claims(0)],
                vec![LetIn(0), State(399, VisitorState::Waiting)],
            ),
        ],
    );
}

#[test]
fn who_leaves_gives_the_claim_or_the_session_to_the_next() {
    check(
        limits(Some(2), None, None),
        vec![
            two_called_for_one_slot(),
            both_claim(),
            (
                vec![Claims(0), Leaves(0), Seconds(1)],
                vec![State(0, VisitorState::Left), Granted(2)],
            ),
            (vec![Claims(1)], vec![LetIn(0)]),
            (vec![Joins(0, 0)], vec![State(0, VisitorState::Left)]),
            (vec![Claims(0)], vec![No(Refused::Left)]),
        ],
    );
}

#[test]
fn joins_are_taken_from_the_prequeue_on_and_nobody_is_called_before_the_opening() {
    let at = |seconds: u64| Some(UnixMillis(START.0 + seconds * 1_000));
    let mut scheduled = limits(Some(5), None, None);
    scheduled.prequeue_at = at(60);
    scheduled.lines[0].opens_at = at(120);
    check(
        scheduled,
        vec![
            (vec![Seconds(10), Joins(0, 0)], vec![No(Refused::NotYet)]),
            (
                vec![Seconds(55), Joins(0, 0), Seconds(2)],
                vec![Numbered(0, 0), CalledExactly(0)],
            ),
            (vec![Seconds(50)], vec![CalledExactly(0)]),
            (
                vec![Seconds(10)],
                vec![CalledExactly(1), State(0, VisitorState::Called)],
            ),
        ],
    );
}
