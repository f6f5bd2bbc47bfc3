//! The two state machines together, without a network between them: the whole way of a visitor.

mod brakes;
mod room;

use room::{Room, at_once, nonce};

pub(crate) use room::{coordinator, settings};

use crate::coordinator::command::{Action, Change, CoordinatorCommand, Entropy};
use crate::settings::{Limits, Mode};
use crate::shard::command::{Refused, ShardCommand, ShardReply, VisitorState};
use crate::units::{ClaimId, Generation, LineIndex, PlaceIndex, UnixMillis};

#[test]
fn visitors_join_are_called_claim_and_enter_up_to_the_limit() {
    let mut room = Room::open(&settings(Mode::Always, at_once(3)), 2);
    room.sync();
    for number in 0..10 {
        room.join(number as usize % 2, number);
    }
    room.pass(1);
    let mut entries: Vec<u64> = (0..10)
        .map(|number| room.view(number % 2, number as u32 / 2).entry.unwrap().0)
        .collect();
    entries.sort_unstable();
    assert_eq!(entries, (0..10).collect::<Vec<_>>());
    let called: Vec<usize> = (0..10)
        .filter(|number| room.view(number % 2, *number as u32 / 2).state == VisitorState::Called)
        .collect();
    assert_eq!(called.len(), 3, "the limit is three, nobody else is called");
    for number in &called {
        room.claim(number % 2, *number as u32 / 2, *number as u64);
    }
    room.pass(1);
    for number in called {
        let answer = room.claim(number % 2, number as u32 / 2, number as u64);
        assert!(
            matches!(
                answer,
                ShardReply::Session {
                    generation: Generation(0),
                    first: true,
                    ..
                }
            ),
            "{answer:?}"
        );
    }
    assert_eq!(room.active(), 3);
}

/// One visitor on one shard, admitted.
fn admitted(limits: Limits) -> Room {
    let mut room = Room::open(&settings(Mode::Always, limits), 1);
    room.sync();
    room.join(0, 0);
    room.pass(1);
    room.claim(0, 0, 0);
    room.pass(1);
    assert!(matches!(room.claim(0, 0, 0), ShardReply::Session { .. }));
    room
}

#[test]
fn another_browser_takes_over_and_the_older_is_told() {
    let mut room = admitted(at_once(1));
    let other = ShardCommand::Claim {
        index: PlaceIndex(0),
        nonce: nonce(0),
        claim: ClaimId([9; 16]),
    };
    assert!(matches!(
        room.ask(0, other),
        ShardReply::Session {
            generation: Generation(1),
            ..
        }
    ));
    let renewal = ShardCommand::Renew {
        index: PlaceIndex(0),
        generation: Generation(0),
    };
    assert_eq!(
        room.ask(0, renewal),
        ShardReply::Refused {
            why: Refused::Elsewhere,
            place: None
        }
    );
}

#[test]
fn a_released_session_makes_room_for_the_next() {
    let mut room = admitted(at_once(1));
    room.join(0, 1);
    room.pass(2);
    assert_eq!(room.view(0, 1).state, VisitorState::Waiting);
    room.ask(
        0,
        ShardCommand::Release {
            index: PlaceIndex(0),
            generation: Generation(0),
        },
    );
    room.pass(2);
    assert_eq!(room.view(0, 1).state, VisitorState::Called);
}

#[test]
fn an_idle_session_ends_and_a_busy_one_does_not() {
    for (busy, state) in [(false, VisitorState::Ended), (true, VisitorState::Admitted)] {
        let mut room = admitted(at_once(1));
        for _ in 0..15 {
            room.pass(60);
            let ask = if busy {
                ShardCommand::Renew {
                    index: PlaceIndex(0),
                    generation: Generation(0),
                }
            } else {
                ShardCommand::Look
            };
            room.ask(0, ask);
        }
        room.ask(0, ShardCommand::Wake);
        assert_eq!(room.view(0, 0).state, state);
    }
}

#[test]
fn a_pause_gives_back_the_grants_without_a_first_pass() {
    let mut room = Room::open(&settings(Mode::Always, at_once(1)), 1);
    room.sync();
    room.join(0, 0);
    room.pass(1);
    room.claim(0, 0, 0);
    room.pass(1);
    assert_eq!(room.active(), 1, "granted, not fetched");
    room.operate(Action::Pause {
        reason: "a leak in the roof".to_owned(),
        next_update_at: Some(UnixMillis(1_900_000_000_000)),
    });
    room.pass(1);
    assert_eq!(room.active(), 0);
    assert!(matches!(room.claim(0, 0, 0), ShardReply::Pending { .. }));
    room.operate(Action::Resume);
    room.pass(1);
    assert!(matches!(
        room.claim(0, 0, 0),
        ShardReply::Session { first: true, .. }
    ));
}

#[test]
fn a_grant_that_nobody_fetches_is_given_back_and_the_offer_stands() {
    let mut room = Room::open(&settings(Mode::Always, at_once(1)), 1);
    room.sync();
    room.join(0, 0);
    room.pass(1);
    room.claim(0, 0, 0);
    room.pass(1);
    room.pass(31);
    assert_eq!(room.active(), 0);
    assert_eq!(room.view(0, 0).state, VisitorState::Called);
    room.claim(0, 0, 0);
    room.pass(1);
    assert!(matches!(room.claim(0, 0, 0), ShardReply::Session { .. }));
}

#[test]
fn an_offer_lapses_after_the_hold_and_not_while_paused() {
    let mut room = Room::open(&settings(Mode::Always, at_once(1)), 1);
    room.sync();
    room.join(0, 0);
    room.pass(60);
    room.operate(Action::Pause {
        reason: "a till is down".to_owned(),
        next_update_at: Some(UnixMillis(1_900_000_000_000)),
    });
    room.pass(40 * 60);
    assert_eq!(room.view(0, 0).state, VisitorState::Called);
    room.operate(Action::Resume);
    room.pass(28 * 60);
    assert_eq!(room.view(0, 0).state, VisitorState::Called);
    room.pass(3 * 60);
    assert_eq!(room.view(0, 0).state, VisitorState::Lapsed);
}

#[test]
fn a_lowered_limit_admits_nobody_until_it_has_drained() {
    let mut room = admitted(at_once(2));
    room.operate(Action::Retune {
        max_active: Some(Change::To(1)),
        per_minute: None,
        batch: None,
    });
    room.join(0, 1);
    room.pass(5);
    room.claim(0, 1, 1);
    room.pass(5);
    assert_eq!(room.active(), 1);
    room.ask(
        0,
        ShardCommand::Release {
            index: PlaceIndex(0),
            generation: Generation(0),
        },
    );
    room.pass(2);
    room.claim(0, 1, 1);
    room.pass(1);
    assert!(matches!(room.claim(0, 1, 1), ShardReply::Session { .. }));
}

#[test]
fn a_limit_that_a_deployment_lowers_is_named_on_the_board_and_one_that_it_raises_is_not() {
    let mut room = Room::open(&settings(Mode::Always, at_once(3)), 1);
    for (max_active, slowdowns) in [(5, 0), (2, 1), (2, 1)] {
        let settings = settings(Mode::Always, at_once(max_active));
        let configure = CoordinatorCommand::Configure {
            settings,
            entropy: Entropy([5; 16]),
        };
        room.coordinator.apply(configure, UnixMillis(room.now));
        let board = room.coordinator.board();
        assert_eq!(board.slowdowns, slowdowns, "at most {max_active}");
    }
}

#[test]
fn a_first_visit_enters_at_once_while_there_is_room() {
    let mut room = Room::open(&settings(Mode::Auto, at_once(20)), 1);
    room.sync();
    let visit = |number| ShardCommand::Try {
        nonce: nonce(number),
        line: LineIndex(0),
        claim: ClaimId([1; 16]),
    };
    assert_eq!(room.ask(0, visit(0)), ShardReply::Pending { place: None });
    room.sync();
    let answer = room.ask(0, visit(0));
    assert!(
        matches!(
            answer,
            ShardReply::Session {
                first: true,
                confirmed: false,
                ..
            }
        ),
        "{answer:?}"
    );
    room.ask(
        0,
        ShardCommand::Renew {
            index: PlaceIndex(0),
            generation: Generation(0),
        },
    );
    room.pass(120);
    assert_eq!(room.active(), 1);
    // Unconfirmed ones hold at most a tenth of the limit and leave nothing behind.
    for number in 1..10 {
        room.ask(0, visit(number));
    }
    room.sync();
    assert_eq!(room.active(), 3);
    room.pass(61);
    assert_eq!(room.active(), 1);
    assert_eq!(
        room.join(0, 1).state,
        VisitorState::Provisional,
        "as if it had never been"
    );
}

#[test]
fn a_shard_given_up_for_lost_stops_counting_and_says_so_when_it_comes_back() {
    let mut room = Room::open(&settings(Mode::Always, at_once(1)), 2);
    room.sync();
    room.join(0, 0);
    room.pass(1);
    room.claim(0, 0, 0);
    room.pass(1);
    assert!(matches!(room.claim(0, 0, 0), ShardReply::Session { .. }));
    let lost = room.shards.remove(0);
    room.join(0, 1);
    room.pass(36 * 60);
    assert_eq!(
        room.active(),
        1,
        "a shard that cannot be reached still counts"
    );
    room.pass(2 * 60);
    assert_eq!(room.active(), 0);
    room.claim(0, 0, 1);
    room.pass(1);
    assert!(matches!(room.claim(0, 0, 1), ShardReply::Session { .. }));
    room.shards.insert(0, lost);
    room.pass(2);
    assert_eq!(room.view(0, 0).state, VisitorState::Ended);
    assert_eq!(room.active(), 1);
}

#[test]
fn a_slow_rate_is_reached_although_it_holds_a_single_grant() {
    let slow = Limits {
        per_minute: Some(30),
        ..Limits::default()
    };
    let mut room = Room::open(&settings(Mode::Always, slow), 1);
    room.sync();
    for number in 0..100 {
        room.join(0, number);
    }
    let mut entered = 0;
    for _ in 0..240 {
        room.pass(1);
        for number in 0..100 {
            if room.view(0, number).state == VisitorState::Called {
                room.claim(0, number, u64::from(number));
            }
            if room.view(0, number).state == VisitorState::Pending {
                let answer = room.claim(0, number, u64::from(number));
                entered += u32::from(matches!(answer, ShardReply::Session { first: true, .. }));
            }
        }
    }
    assert!(
        (100..=100).contains(&entered),
        "{entered} entered in four minutes at 30 a minute"
    );
}

#[test]
fn a_clock_that_was_an_hour_ahead_stops_nothing_when_it_is_put_right() {
    let rate = Limits {
        per_minute: Some(60),
        ..Limits::default()
    };
    let mut room = Room::open(&settings(Mode::Always, rate), 1);
    room.sync();
    room.now += 3_600_000;
    for number in 0..10 {
        room.join(0, number);
    }
    room.pass(1);
    for number in 0..10 {
        room.claim(0, number, u64::from(number));
    }
    room.pass(1);
    room.now -= 3_600_000;
    room.ask(0, ShardCommand::Look);
    let report = room.shards[0].next_report(room.at()).unwrap();
    assert!(
        report.0 <= room.now + 500,
        "claims wait, so a report is wanted soon"
    );
    room.pass(12);
    let entered = (0..10)
        .filter(|number| {
            let answer = room.claim(0, *number, u64::from(*number));
            matches!(answer, ShardReply::Session { .. })
        })
        .count();
    assert!(
        entered >= 9,
        "{entered} of 10 entered within 12 s at 60 a minute"
    );
}

#[test]
fn those_who_left_before_their_turn_hold_nobody_up() {
    let mut room = Room::open(&settings(Mode::Always, at_once(1)), 1);
    room.sync();
    room.operate(Action::Pause {
        reason: "a till is down".to_owned(),
        next_update_at: Some(UnixMillis(1_900_000_000_000)),
    });
    for number in 0..21 {
        room.join(0, number);
    }
    room.pass(1);
    for number in 0..20 {
        let leave = ShardCommand::Leave {
            index: PlaceIndex(number),
            nonce: nonce(u64::from(number)),
        };
        room.ask(0, leave);
    }
    room.operate(Action::Resume);
    room.pass(10);
    assert_eq!(room.view(0, 20).state, VisitorState::Called);
}
