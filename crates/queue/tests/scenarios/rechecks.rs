//! Checks of visitors who have a place: a shared pass, and a claim that is suspected.

use crate::table::Happens::*;
use crate::table::Is::*;
use crate::table::*;
use anteroom_queue::shard::command::{Refused, VisitorState};

#[test]
fn a_pass_in_more_than_three_networks_is_checked_and_neither_place_nor_slot_nor_end_moves() {
    check(
        limits(Some(2), None, None),
        vec![
            two_called_for_one_slot(),
            (
                vec![ClaimsFrom(0, 0, 2), Seconds(1), ClaimsFrom(0, 0, 2)],
                vec![LetIn(0)],
            ),
            (vec![RenewsFrom(0, 4), RenewsFrom(0, 6)], vec![LetIn(0)]),
            (
                vec![RenewsFrom(0, 8)],
                vec![ToBeChecked, Active(1), State(0, VisitorState::Admitted)],
            ),
            (vec![RenewsFrom(0, 2)], vec![ToBeChecked]),
            (vec![ClaimsFrom(0, 0, 2)], vec![ToBeChecked]),
            (vec![ClaimsFrom(0, 1, 2)], vec![ToBeChecked]),
            // An edge of before knows of no checks.
            (vec![Renews(0)], vec![LetIn(0)]),
            (vec![IsChecked(0, 2)], vec![LetIn(1), EndsAfter(603)]),
            (vec![IsChecked(0, 2)], vec![LetIn(1)]),
            (vec![IsChecked(0, 3)], vec![No(Refused::Elsewhere)]),
            (
                vec![RenewsFrom(0, 2)],
                vec![No(Refused::Elsewhere), Active(1)],
            ),
            (vec![ClaimsFrom(0, 2, 4)], vec![LetIn(1), Granted(1)]),
            (
                vec![RenewsFrom(0, 4), RenewsFrom(0, 2)],
                vec![LetIn(1), EndsAfter(603)],
            ),
        ],
    );
}

// R3.
#[test]
fn a_phone_that_goes_from_wifi_to_its_carrier_and_back_is_never_checked() {
    let mut table = vec![
        two_called(),
        (
            vec![Claims(0), Seconds(1), ClaimsFrom(0, 0, 2)],
            vec![LetIn(0)],
        ),
    ];
    for _ in 0..8 {
        table.push((
            vec![RenewsFrom(0, 4), Seconds(30), RenewsFrom(0, 2), Seconds(30)],
            vec![LetIn(0)],
        ));
    }
    check(limits(Some(2), None, None), table);
}

// R10.
#[test]
fn another_browser_takes_over_unchecked_and_the_networks_of_the_one_before_go_on_counting() {
    check(
        limits(Some(2), None, None),
        vec![
            two_called(),
            (
                vec![ClaimsFrom(0, 0, 2), Seconds(1), ClaimsFrom(0, 0, 2)],
                vec![LetIn(0)],
            ),
            (vec![ClaimsFrom(0, 1, 4)], vec![LetIn(1)]),
            (vec![RenewsFrom(0, 6)], vec![LetIn(1)]),
            (vec![ClaimsFrom(0, 2, 4)], vec![LetIn(2)]),
            (vec![ClaimsFrom(0, 3, 8)], vec![ToBeChecked]),
            (vec![ClaimsFrom(0, 2, 4)], vec![ToBeChecked]),
            (
                vec![IsChecked(0, 3), Seconds(1), ClaimsFrom(0, 1, 4)],
                vec![LetIn(4)],
            ),
        ],
    );
}

// R10.
#[test]
fn whoever_takes_over_each_time_from_another_network_is_checked_like_whoever_renews() {
    let mut table = vec![
        two_called(),
        (
            vec![ClaimsFrom(0, 0, 2), Seconds(1), ClaimsFrom(0, 0, 2)],
            vec![LetIn(0)],
        ),
    ];
    for browser in 1..3 {
        let network = 2 + 2 * browser;
        let taken = LetIn(u32::from(browser));
        table.push((vec![ClaimsFrom(0, browser, network)], vec![taken]));
    }
    for browser in 3..10 {
        let network = 2 + 2 * browser;
        table.push((vec![ClaimsFrom(0, browser, network)], vec![ToBeChecked]));
    }
    check(limits(Some(2), None, None), table);
}

// R3, R10. A pass lives for 120 s here.
#[test]
fn a_place_that_wanders_slowly_through_networks_and_browsers_is_never_checked() {
    let mut table = vec![
        two_called(),
        (
            vec![ClaimsFrom(0, 0, 2), Seconds(1), ClaimsFrom(0, 0, 2)],
            vec![LetIn(0)],
        ),
    ];
    for browser in 1..8 {
        let network = 2 + 2 * browser;
        table.push((
            vec![Seconds(50), ClaimsFrom(0, browser, network)],
            vec![LetIn(u32::from(browser))],
        ));
    }
    check(limits(Some(2), None, None), table);
}

#[test]
fn what_one_browser_did_for_a_check_is_not_good_for_any_number_of_networks() {
    let mut stage = crate::stage::Stage::new(limits(Some(2), None, None), 2);
    for happens in [Joins(0, 0), Seconds(2), Claims(0), Seconds(1), Claims(0)] {
        play(&mut stage, &happens);
    }
    for network in [2, 4, 6, 8] {
        stage.renew_from(0, network);
    }
    for (network, becomes) in [
        (2, LetIn(1)),
        (4, LetIn(1)),
        (6, LetIn(1)),
        (8, ToBeChecked),
        (2, ToBeChecked),
    ] {
        let reply = stage.recheck_from(0, 5, network);
        verify(&mut stage, reply, &becomes, "the same check again");
    }
}

// Q12.
#[test]
fn a_claim_that_is_held_back_counts_in_its_order_and_no_pass_is_handed_out_before_the_check() {
    check(
        limits(Some(2), None, None),
        vec![
            two_called_for_one_slot(),
            (
                vec![ClaimIsHeldBack(0)],
                vec![ToBeChecked, State(0, VisitorState::Pending)],
            ),
            (vec![Claims(1), Seconds(1)], vec![Granted(1), Pending(1)]),
            (
                vec![ClaimIsHeldBack(0)],
                vec![ToBeChecked, State(0, VisitorState::Pending)],
            ),
            (vec![ClaimsFrom(0, 0, 2)], vec![LetIn(0), Active(1)]),
            (vec![ClaimIsHeldBack(0)], vec![LetIn(0)]),
        ],
    );
}

#[test]
fn a_grant_that_waits_too_long_for_the_check_goes_to_the_next_and_the_offer_stands_anew() {
    check(
        limits(Some(2), None, None),
        vec![
            two_called_for_one_slot(),
            (
                vec![ClaimIsHeldBack(0), Report(0), Claims(1), Seconds(1)],
                vec![Granted(1)],
            ),
            (
                vec![Seconds(32)],
                vec![State(0, VisitorState::Called), Granted(2)],
            ),
            (vec![Claims(1)], vec![LetIn(0)]),
            (vec![ClaimsFrom(0, 0, 2)], vec![Waits]),
            (
                vec![Releases(1), Seconds(1), ClaimsFrom(0, 0, 2)],
                vec![LetIn(0)],
            ),
        ],
    );
}

#[test]
fn a_shard_that_starts_anew_counts_anew() {
    let mut stage = crate::stage::Stage::new(limits(Some(2), None, None), 2);
    for happens in [Joins(0, 0), Seconds(2), Claims(0), Seconds(1), Claims(0)] {
        play(&mut stage, &happens);
    }
    for network in [2, 4, 6, 8] {
        stage.renew_from(0, network);
    }
    stage.restore_shard(0);
    let reply = stage.renew_from(0, 10);
    verify(&mut stage, reply, &LetIn(0), "after a restart");
}
