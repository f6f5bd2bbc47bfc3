//! Limits on who may be inside and how many may enter.

use crate::table::Happens::*;
use crate::table::Is::*;
use crate::table::*;
use anteroom_queue::shard::command::{Refused, VisitorState};

#[test]
fn no_more_are_inside_than_may_be_and_a_free_slot_goes_to_the_next() {
    check(
        limits(Some(2), None, None),
        vec![
            two_called_for_one_slot(),
            both_claim(),
            (vec![Claims(0)], vec![LetIn(0), Active(1), Pending(1)]),
            (
                vec![Claims(1), Seconds(5), Claims(1)],
                vec![Waits, Granted(1)],
            ),
            (vec![Releases(0)], vec![Over, State(0, VisitorState::Ended)]),
            (
                vec![Seconds(1), Claims(1)],
                vec![LetIn(0), Granted(2), Active(1)],
            ),
            (vec![Claims(0)], vec![No(Refused::Ended)]),
        ],
    );
}

#[test]
fn a_limit_below_those_inside_lets_nobody_in_until_they_are_gone() {
    check(
        limits(Some(2), None, None),
        vec![
            (
                vec![
                    Crowd(0, 4, 0),
                    Seconds(2),
                    Claims(0),
                    Claims(1),
                    Claims(2),
                    Seconds(1),
                ],
                vec![Granted(2)],
            ),
            (
                vec![Claims(0), Claims(1), Operator(max_active(1)), Seconds(2)],
                vec![Active(2), Granted(2)],
            ),
            (
                vec![Releases(0), Claims(2), Seconds(2)],
                vec![Active(1), Granted(2)],
            ),
            (
                vec![Releases(1), Seconds(2), Claims(2), Report(0), Claims(2)],
                vec![LetIn(0), Active(1), Granted(3)],
            ),
        ],
    );
}

#[test]
fn a_rate_lets_in_one_second_of_it_at_once_and_then_keeps_its_pace() {
    check(
        limits(None, Some(60), None),
        vec![
            (
                vec![
                    Crowd(0, 8, 0),
                    Seconds(10),
                    Claims(0),
                    Claims(1),
                    Claims(2),
                    Claims(3),
                ],
                vec![Granted(0)],
            ),
            (vec![Report(0)], vec![Granted(1)]),
            (vec![Seconds(1)], vec![Granted(2)]),
            (vec![Seconds(2)], vec![Granted(4)]),
        ],
    );
}

#[test]
fn a_batch_is_let_in_at_the_start_of_its_period_and_nothing_is_carried_over() {
    check(
        limits(None, None, Some((2, 30))),
        vec![
            (vec![Crowd(0, 8, 0), Seconds(2)], vec![CalledAtLeast(2)]),
            (
                vec![Claims(0), Claims(1), Claims(2), Seconds(1)],
                vec![Granted(2)],
            ),
            (
                vec![Claims(0), Claims(1), Seconds(25), Claims(2)],
                vec![Granted(2), Waits],
            ),
            (vec![Seconds(3)], vec![Granted(3)]),
        ],
    );
}

#[test]
fn all_limits_hold_at_once() {
    check(
        limits(Some(3), Some(600), Some((2, 30))),
        vec![
            (
                vec![
                    Crowd(0, 8, 0),
                    Seconds(2),
                    Claims(0),
                    Claims(1),
                    Claims(2),
                    Claims(3),
                    Seconds(1),
                ],
                vec![Granted(2)],
            ),
            (
                vec![
                    Claims(0),
                    Claims(1),
                    Seconds(24),
                    Claims(2),
                    Claims(3),
                    Seconds(4),
                ],
                vec![Granted(3), Active(3)],
            ),
            (
                vec![Releases(0), Releases(1), Seconds(2), Claims(3), Seconds(1)],
                vec![Granted(4), Active(2)],
            ),
        ],
    );
}
