//! The two state machines together, without a network between them: the whole way of a visitor.

use crate::coordinator::Coordinator;
use crate::coordinator::command::{Action, Change, CoordinatorCommand, CoordinatorReply};
use crate::settings::{Limits, LineSettings, Mode, Settings};
use crate::shard::command::{PlaceView, Refused, ShardCommand, ShardReply, VisitorState};
use crate::shard::{Identity, Shard};
use crate::units::{
    ClaimId, Generation, LineIndex, Millis, Nonce, PlaceIndex, ShardIndex, UnixMillis,
};

/// Noon of some day.
const START: u64 = 1_800_000_000_000;

struct Room {
    coordinator: Coordinator,
    shards: Vec<Shard>,
    now: u64,
}

fn settings(mode: Mode, limits: Limits) -> Settings {
    Settings {
        mode,
        prequeue_at: None,
        lines: vec![LineSettings {
            id: "general".to_owned(),
            weight: 1,
            opens_at: None,
        }],
        limits,
        hold: Millis::from_minutes(30),
        session: Millis::from_minutes(20),
        idle: Millis::from_minutes(10),
        pass: Millis::from_seconds(180),
        max_extension: Millis::from_minutes(15),
        expected_visitors: 10,
    }
}

fn at_once(max_active: u32) -> Limits {
    Limits {
        max_active: Some(max_active),
        ..Limits::default()
    }
}

fn nonce(number: u64) -> Nonce {
    Nonce(u128::from(number).to_be_bytes())
}

impl Room {
    fn open(settings: &Settings, shards: u16) -> Self {
        let now = UnixMillis(START);
        let shard = |shard| {
            let identity = Identity {
                run: 1,
                shard: ShardIndex(shard),
            };
            Shard::new(identity, settings.clone(), now).reply
        };
        Self {
            coordinator: Coordinator::new(1, settings.clone(), now).reply,
            shards: (0..shards).map(shard).collect(),
            now: START,
        }
    }

    fn sync(&mut self) {
        for shard in &mut self.shards {
            let report = shard.report(UnixMillis(self.now));
            let command = CoordinatorCommand::Sync {
                report,
                entropy: self.now.to_be_bytes().repeat(2).try_into().unwrap(),
            };
            let CoordinatorReply::Synced(reply) =
                self.coordinator.apply(command, UnixMillis(self.now)).reply
            else {
                panic!("the report is refused")
            };
            shard.apply(ShardCommand::Synced { reply }, UnixMillis(self.now));
        }
    }

    /// Lets time pass, with a sync every quarter of a second.
    fn pass(&mut self, seconds: u64) {
        for _ in 0..seconds * 4 {
            self.now += 250;
            self.sync();
        }
    }

    fn ask(&mut self, shard: usize, command: ShardCommand) -> ShardReply {
        self.shards[shard]
            .apply(command, UnixMillis(self.now))
            .reply
    }

    fn join(&mut self, shard: usize, number: u64) -> PlaceView {
        let command = ShardCommand::Join {
            nonce: nonce(number),
            line: LineIndex(0),
            permit_expired: false,
            arrived: None,
        };
        match self.ask(shard, command) {
            ShardReply::Place { place, .. } => place,
            other => panic!("{other:?}"),
        }
    }

    fn view(&self, shard: usize, index: u32) -> PlaceView {
        self.shards[shard]
            .view(PlaceIndex(index), UnixMillis(self.now))
            .unwrap()
    }

    fn claim(&mut self, shard: usize, index: u32, number: u64) -> ShardReply {
        let command = ShardCommand::Claim {
            index: PlaceIndex(index),
            nonce: nonce(number),
            claim: ClaimId([7; 16]),
        };
        self.ask(shard, command)
    }

    fn operate(&mut self, action: Action) -> CoordinatorReply {
        let command = CoordinatorCommand::Operate {
            action,
            by: "anna".to_owned(),
        };
        self.coordinator.apply(command, UnixMillis(self.now)).reply
    }

    fn active(&mut self) -> u64 {
        match self
            .coordinator
            .apply(CoordinatorCommand::Wake, UnixMillis(self.now))
            .reply
        {
            CoordinatorReply::State { totals, .. } => totals.active,
            other => panic!("{other:?}"),
        }
    }
}

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
        next_update_at: None,
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
        reason: String::new(),
        next_update_at: None,
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
