//! From the call to the door: offers, claims, grants, first visits.

use crate::table::Happens::*;
use crate::table::Is::*;
use crate::table::*;
use anteroom_queue::settings::{Mode, Settings};
use anteroom_queue::shard::command::{Refused, VisitorState};

#[test]
fn a_visitor_claims_when_called_and_is_let_in_once() {
    check(
        limits(None, Some(600), None),
        vec![
            (
                vec![Joins(0, 0), Seconds(1)],
                vec![State(0, VisitorState::Called)],
            ),
            (
                vec![Claims(0), Report(0), Claims(0)],
                vec![LetIn(0), State(0, VisitorState::Admitted)],
            ),
            (
                vec![Claims(0), Claims(0), Seconds(1)],
                vec![LetIn(0), Granted(1), Active(1)],
            ),
        ],
    );
}

#[test]
fn an_offer_not_taken_within_the_hold_lapses_and_one_claimed_does_not() {
    check(
        limits(Some(2), None, None),
        vec![
            two_called_for_one_slot(),
            (vec![Claims(1), Seconds(1), Claims(1)], vec![LetIn(0)]),
            (
                vec![Seconds(240), Renews(1)],
                vec![State(0, VisitorState::Called)],
            ),
            (vec![Seconds(120)], vec![State(0, VisitorState::Lapsed)]),
            (vec![Claims(0)], vec![No(Refused::Lapsed)]),
        ],
    );
}

#[test]
fn a_grant_that_crosses_a_leave_goes_to_the_next() {
    check(
        limits(Some(2), None, None),
        vec![
            two_called_for_one_slot(),
            (
                vec![Claims(0), AnswerLost(0), Leaves(0), Claims(1), Report(1)],
                vec![Granted(1), Pending(1)],
            ),
            (
                vec![Seconds(1), Claims(1)],
                vec![LetIn(0), Granted(2), Active(1)],
            ),
        ],
    );
}

#[test]
fn a_grant_that_nobody_fetches_is_given_back_and_the_offer_stands_anew() {
    check(
        limits(Some(2), None, None),
        vec![
            two_called_for_one_slot(),
            both_claim(),
            (vec![Seconds(20), Claims(1)], vec![Active(1), Waits]),
            (
                vec![Seconds(12), Claims(1)],
                vec![LetIn(0), State(0, VisitorState::Called)],
            ),
            (
                vec![Releases(1), Claims(0), Seconds(1), Claims(0)],
                vec![LetIn(0)],
            ),
        ],
    );
}

#[test]
fn a_claim_whose_visitor_is_away_is_taken_back() {
    check(
        limits(Some(2), None, None),
        vec![
            two_called_for_one_slot(),
            both_claim(),
            (
                vec![Claims(0), Seconds(80)],
                vec![Pending(0), State(1, VisitorState::Called)],
            ),
            (vec![Claims(1), Report(1)], vec![Pending(1)]),
        ],
    );
}

#[test]
fn while_there_is_room_a_first_visit_is_let_in_at_once_and_leaves_nothing_behind_if_not() {
    let auto = Settings {
        mode: Mode::Auto,
        ..limits(Some(10), None, None)
    };
    check(
        auto,
        vec![
            (vec![Seconds(1), Tries(0, 0)], vec![Waits]),
            (vec![Report(0), Tries(0, 0)], vec![LetIn(0), Active(1)]),
            (
                vec![Renews(0), Seconds(70), Renews(0)],
                vec![LetIn(0), Active(1)],
            ),
            (
                vec![Tries(1, 0), Report(0), Tries(1, 0), Seconds(70)],
                vec![Active(1)],
            ),
            (vec![Joins(1, 0), Seconds(1)], vec![Numbered(1, 0)]),
            (
                vec![Operator(max_active(1)), Seconds(1), Tries(2, 0)],
                vec![No(Refused::NoRoom)],
            ),
        ],
    );
}

#[test]
fn a_shard_that_has_slept_lets_the_coordinator_decide_about_a_first_visit() {
    let auto = |max_active| Settings {
        mode: Mode::Auto,
        ..limits(Some(max_active), None, None)
    };
    check(
        auto(10),
        vec![
            (vec![Seconds(1), Silence(3), Tries(0, 1)], vec![Waits]),
            (vec![Report(1), Tries(0, 1)], vec![LetIn(0), Active(1)]),
        ],
    );
    check(
        auto(0),
        vec![
            (vec![Seconds(1), Silence(3), Tries(0, 1)], vec![Waits]),
            (
                vec![Report(1), Tries(0, 1)],
                vec![No(Refused::NoRoom), Active(0)],
            ),
        ],
    );
}

/// A tenth of ten: one.
#[test]
fn a_coordinator_that_starts_anew_admits_first_visits_once_it_knows_how_many_are_unconfirmed() {
    let auto = Settings {
        mode: Mode::Auto,
        ..limits(Some(10), None, None)
    };
    let is_let_in = vec![Seconds(1), Tries(0, 0), Report(0), Tries(0, 0)];
    let another_comes = vec![Silence(3), Tries(1, 1), Report(1), Tries(1, 1)];
    check(
        auto.clone(),
        vec![
            (is_let_in.clone(), vec![LetIn(0), Active(1)]),
            (
                [vec![CoordinatorStartsAnew], another_comes.clone()].concat(),
                vec![No(Refused::NoRoom), Active(1)],
            ),
            (
                [vec![Renews(0), Report(0)], another_comes.clone()].concat(),
                vec![LetIn(0), Active(2)],
            ),
        ],
    );
    // Of a shard that stays silent nobody is unconfirmed after the longest time.
    check(
        auto,
        vec![
            (is_let_in, vec![LetIn(0)]),
            (
                [
                    vec![CoordinatorStartsAnew, Silence(40), Report(1), Silence(40)],
                    another_comes,
                ]
                .concat(),
                vec![LetIn(0), Active(2)],
            ),
        ],
    );
}

#[test]
fn a_shard_that_nobody_read_a_board_from_asks_before_it_refuses() {
    check(
        limits(Some(2), None, None),
        vec![
            (
                vec![
                    Joins(0, 0),
                    Report(0),
                    Silence(3),
                    Joins(1, 1),
                    Report(1),
                    Silence(3),
                    Report(1),
                ],
                vec![CalledExactly(2)],
            ),
            (vec![Claims(0)], vec![Waits]),
            (
                vec![Report(0), Claims(0), Report(0), Claims(0)],
                vec![LetIn(0)],
            ),
        ],
    );
}
