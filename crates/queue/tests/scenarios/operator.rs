//! What operators do while the event runs.

use crate::table::Happens::*;
use crate::table::Is::*;
use crate::table::*;
use anteroom_queue::coordinator::command::Action;
use anteroom_queue::shard::command::{Refused, VisitorState};

#[test]
fn the_hold_stands_still_while_paused() {
    check(
        limits(Some(2), None, None),
        vec![
            two_called_for_one_slot(),
            (
                vec![Operator(pause()), Seconds(900)],
                vec![State(0, VisitorState::Called)],
            ),
            (
                vec![Operator(Action::Resume), Seconds(60)],
                vec![State(0, VisitorState::Called)],
            ),
            (vec![Seconds(300)], vec![State(0, VisitorState::Lapsed)]),
        ],
    );
}

#[test]
fn nobody_is_let_in_while_a_brake_is_on() {
    let stop = Action::Stop {
        reason: "a till is down".to_owned(),
        next_update_at: Some(anteroom_queue::units::UnixMillis(1_900_000_000_000)),
    };
    let brakes = [
        (pause(), Action::Resume),
        (stop, Action::Resume),
        (Action::Soldout, Action::Open),
        (Action::Close, Action::Open),
    ];
    for (brake, release) in brakes {
        check(
            limits(Some(2), None, None),
            vec![
                two_called(),
                (
                    vec![Claims(0), Operator(brake), Seconds(3)],
                    vec![Granted(0), Pending(1)],
                ),
                (
                    vec![Operator(release), Seconds(1), Claims(0)],
                    vec![LetIn(0), Granted(1)],
                ),
            ],
        );
    }
}

#[test]
fn a_grant_not_fetched_before_the_brake_is_given_back_and_keeps_its_turn() {
    check(
        limits(Some(2), None, None),
        vec![
            (
                vec![
                    Crowd(0, 2, 0),
                    Seconds(2),
                    Operator(max_active(1)),
                    Seconds(1),
                ],
                vec![CalledExactly(2)],
            ),
            (
                vec![Claims(0), Claims(1), Report(0)],
                vec![Granted(1), Active(1)],
            ),
            (
                vec![Operator(pause()), Seconds(1), Claims(0)],
                vec![Waits, Active(0), Pending(2)],
            ),
            (
                vec![Operator(Action::Resume), Seconds(1), Claims(0)],
                vec![LetIn(0), Active(1), Pending(1)],
            ),
        ],
    );
}

#[test]
fn sessions_and_joins_go_on_while_paused() {
    check(
        limits(Some(2), None, None),
        vec![
            two_called_for_one_slot(),
            both_claim(),
            (
                vec![Claims(0), Operator(pause()), Seconds(60), Renews(0)],
                vec![LetIn(0)],
            ),
            (vec![Joins(2, 0), Seconds(1)], vec![Numbered(2, 2)]),
        ],
    );
}

#[test]
fn sold_out_and_closed_take_no_joins_and_open_takes_them_again() {
    for (end, why) in [
        (Action::Soldout, Refused::SoldOut),
        (Action::Close, Refused::Closed),
    ] {
        check(
            limits(None, None, None),
            vec![
                (
                    vec![
                        Joins(0, 0),
                        Seconds(1),
                        Operator(end),
                        Seconds(1),
                        Joins(1, 0),
                    ],
                    vec![No(why)],
                ),
                (vec![Joins(0, 0)], vec![Numbered(0, 0)]),
                (
                    vec![Operator(Action::Open), Seconds(1), Joins(1, 0), Seconds(1)],
                    vec![Numbered(1, 1)],
                ),
            ],
        );
    }
}

#[test]
fn a_stop_longer_than_the_idle_time_ends_no_session() {
    let stop = Action::Stop {
        reason: "a till is down".to_owned(),
        next_update_at: Some(anteroom_queue::units::UnixMillis(1_900_000_000_000)),
    };
    check(
        limits(Some(2), None, None),
        vec![
            two_called(),
            (vec![Claims(0), Seconds(1), Claims(0)], vec![LetIn(0)]),
            (
                vec![Operator(stop), Seconds(400), Operator(Action::Resume)],
                vec![Active(1)],
            ),
            (vec![Seconds(60), Renews(0)], vec![LetIn(0), Active(1)]),
            (vec![Seconds(200), Renews(0)], vec![Over]),
        ],
    );
}
