//! Sessions: one browser, renewals, ends, more time.

use crate::table::Happens::*;
use crate::table::Is::*;
use crate::table::*;
use anteroom_queue::shard::command::{Refused, VisitorState};

#[test]
fn another_browser_takes_over_and_the_old_pass_is_not_renewed() {
    check(
        limits(Some(2), None, None),
        vec![
            two_called_for_one_slot(),
            (vec![Claims(0), Seconds(1), Claims(0)], vec![LetIn(0)]),
            (vec![ClaimsElsewhere(0)], vec![LetIn(1)]),
            (vec![ClaimsElsewhere(0)], vec![LetIn(1)]),
            (vec![RenewsOldPass(0)], vec![No(Refused::Elsewhere)]),
            (vec![Renews(0)], vec![LetIn(1), Granted(1), Active(1)]),
        ],
    );
}

#[test]
fn a_session_ends_at_its_end_when_idle_and_when_released() {
    check(
        limits(Some(2), None, None),
        vec![
            two_called(),
            both_claim(),
            (
                vec![Claims(0), Claims(1), Seconds(200), Renews(0), Seconds(120)],
                vec![State(1, VisitorState::Ended)],
            ),
            (vec![Renews(1)], vec![Over]),
            (
                vec![Renews(0), Seconds(200), Renews(0)],
                vec![LetIn(0), Active(1)],
            ),
            (vec![Seconds(100), Renews(0)], vec![Over, Active(0)]),
        ],
    );
}

#[test]
fn a_checkout_gets_more_time_up_to_the_most() {
    check(
        limits(Some(2), None, None),
        vec![
            two_called(),
            (vec![Claims(0), Report(0), Claims(0)], vec![EndsAfter(602)]),
            (vec![AsksForMinutes(0, 2)], vec![EndsAfter(722)]),
            (vec![AsksForMinutes(0, 2)], vec![EndsAfter(782)]),
        ],
    );
}
