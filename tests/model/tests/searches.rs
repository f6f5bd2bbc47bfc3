//! Small searches: every promise holds in every state, and a mistake is found.

use model::begin;
use model::promises::{Search, broken};
use model::world::Budget;
use stateright::{Checker, Model};

const ONE_REPORT: Budget = Budget {
    reports: [1, 1],
    crashes: 0,
    doubles: 0,
    ticks: 0,
    pauses: 0,
};

fn found(search: Search) -> (Vec<String>, usize) {
    let checker = search.checker().spawn_bfs().join();
    (broken(&checker), checker.unique_state_count())
}

// The numbers of joins are as one counter would have given them out: a join is linearizable.
#[test]
fn in_every_order_of_two_joins_and_their_messages_each_gets_a_number_of_its_own() {
    let (broken, states) = found(begin::joins(&[0, 1], ONE_REPORT));
    assert_eq!(broken, Vec::<String>::new());
    assert!(states > 100, "{states}");
}

#[test]
fn a_grant_after_a_pause_happens_in_no_order_of_claims_reports_and_answers() {
    let budget = Budget {
        reports: [2, 1],
        ..ONE_REPORT
    };
    let (broken, states) = found(begin::claims(budget));
    assert_eq!(broken, Vec::<String>::new());
    assert!(states > 500, "{states}");
}

#[test]
fn shards_that_answer_before_they_store_are_found_out() {
    let budget = Budget {
        crashes: 1,
        ..ONE_REPORT
    };
    let mut search = begin::joins(&[0, 1], budget);
    search.begins.answers_before_storing = true;
    let (broken, _) = found(search);
    assert!(
        broken.iter().any(|told| told.starts_with("durable-ack")),
        "{broken:?}"
    );
}

#[test]
fn a_limit_that_the_coordinator_does_not_know_of_is_found_broken() {
    let mut search = begin::claims(Budget {
        reports: [2, 2],
        ..ONE_REPORT
    });
    search.begins.operate(begin::most_inside(2));
    let (broken, _) = found(search);
    assert!(
        broken.iter().any(|told| told.starts_with("cap")),
        "{broken:?}"
    );
}
