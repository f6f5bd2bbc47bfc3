//! A run with relays between coordinator and shards: whatever is lost or restarted, it keeps what one without keeps.

mod draws;
mod first_visits;
#[path = "../stage/mod.rs"]
mod stage;
mod world;

use std::collections::BTreeSet;

use anteroom_queue::coordinator::command::{Action, CoordinatorCommand, CoordinatorReply};
use anteroom_queue::limits::{GRANT_TO_HEARD, RELAY_SILENCE, WRITE_OFF_MARGIN};
use anteroom_queue::relay::Asked;
use anteroom_queue::settings::{Limits, Settings};
use anteroom_queue::shard::command::VisitorState;
use anteroom_queue::units::{Millis, ShardIndex};
use proptest::prelude::*;
use stage::{START, settings};
use world::{RELAYS, SHARDS, World};

const MAX_ACTIVE: u32 = 3;

fn limited() -> Settings {
    let limits = Limits {
        max_active: Some(MAX_ACTIVE),
        ..Limits::default()
    };
    Settings {
        expected_visitors: 500_000,
        ..settings(limits)
    }
}

/// What may happen.
#[derive(Clone, Copy, Debug)]
enum Step {
    Join(u64, usize),
    Claim(u64),
    Release(u64),
    Leave(u64),
    Shard { which: usize, heard: bool },
    Relay { which: usize, heard: bool },
    Away(usize),
    Back(usize),
    RestartShard(usize),
    RestartRelay(usize),
    RestartCoordinator,
    Pause,
    Resume,
    Time(u64),
}

fn step() -> impl Strategy<Value = Step> {
    let shard = 0..SHARDS.len();
    let relay = 0..RELAYS.len();
    prop_oneof![
        8 => (0..30_u64, shard.clone()).prop_map(|(visitor, shard)| Step::Join(visitor, shard)),
        6 => (0..30_u64).prop_map(Step::Claim),
        2 => (0..30_u64).prop_map(Step::Release),
        1 => (0..30_u64).prop_map(Step::Leave),
        10 => (shard.clone(), any::<bool>()).prop_map(|(which, heard)| Step::Shard { which, heard }),
        8 => (relay.clone(), any::<bool>()).prop_map(|(which, heard)| Step::Relay { which, heard }),
        1 => shard.clone().prop_map(Step::Away),
        1 => shard.clone().prop_map(Step::Back),
        1 => shard.prop_map(Step::RestartShard),
        2 => relay.prop_map(Step::RestartRelay),
        1 => Just(Step::RestartCoordinator),
        1 => Just(Step::Pause),
        1 => Just(Step::Resume),
        4 => prop_oneof![1..400_u64, 1_000..15_000_u64].prop_map(Step::Time),
    ]
}

fn play(world: &mut World, step: Step) {
    match step {
        Step::Join(visitor, shard) => world.join(visitor, SHARDS[shard]),
        Step::Claim(visitor) => world.claim(visitor),
        Step::Release(visitor) => world.release(visitor),
        Step::Leave(visitor) => world.leave(visitor),
        Step::Shard { which, heard } => world.shard_reports(SHARDS[which], heard),
        Step::Relay { which, heard } => world.relay_reports(RELAYS[which], heard),
        Step::Away(which) => drop(world.away.insert(SHARDS[which])),
        Step::Back(which) => drop(world.away.remove(&SHARDS[which])),
        Step::RestartShard(which) => world.restart_shard(SHARDS[which]),
        Step::RestartRelay(which) => world.restart_relay(RELAYS[which]),
        Step::RestartCoordinator => world.restart_coordinator(),
        Step::Pause => operate(world, pause()),
        Step::Resume => operate(world, Action::Resume),
        Step::Time(millis) => {
            world.now = world.now.plus(Millis(millis));
            world.wake();
        }
    }
}

fn pause() -> Action {
    Action::Pause {
        reason: "a till is down".to_owned(),
        next_update_at: Some(START.plus(Millis::from_minutes(100_000))),
    }
}

fn operate(world: &mut World, action: Action) {
    let by = "box office".to_owned();
    world.at_coordinator(CoordinatorCommand::Operate { action, by });
}

/// Entry numbers are unique, without gaps once all is told, and in the order in which joins did not overlap.
fn check_order(world: &World, all: bool) -> Result<(), TestCaseError> {
    let entries = world.entries();
    let known: Vec<u64> = entries.values().copied().flatten().collect();
    let unique: BTreeSet<u64> = known.iter().copied().collect();
    prop_assert_eq!(unique.len(), known.len(), "twice: {:?}", &entries);
    if all {
        let expected: BTreeSet<u64> = (0..entries.len() as u64).collect();
        prop_assert_eq!(unique, expected, "{:?}", &entries);
    }
    for (visitor, before) in &world.before {
        if let (Some(entry), Some(before)) = (entries[visitor], before) {
            prop_assert!(
                entry > *before,
                "{} came after {}: {}",
                visitor,
                before,
                entry
            );
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_is_lost_every_join_gets_its_number_and_every_claim_its_turn(
        steps in prop::collection::vec(step(), 1..120),
    ) {
        let mut world = World::new(limited());
        world.round();
        for step in &steps {
            play(&mut world, *step);
            check_order(&world, false)?;
            prop_assert!(world.inside() <= MAX_ACTIVE as usize, "{} inside", world.inside());
        }
        world.away.clear();
        operate(&mut world, Action::Resume);
        world.live(Millis(8_000));
        check_order(&world, true)?;
        // One after the other, everybody who is still there comes in.
        for _ in 0..40 {
            let visitors: Vec<u64> = world.seats.keys().copied().collect();
            for visitor in visitors {
                world.release(visitor);
                let state = world.view(visitor).state;
                if matches!(state, VisitorState::Called | VisitorState::Pending) {
                    world.claim(visitor);
                }
                prop_assert!(world.inside() <= MAX_ACTIVE as usize);
            }
            world.live(Millis(600));
        }
        for visitor in world.seats.keys() {
            let state = world.view(*visitor).state;
            let done = matches!(
                state,
                VisitorState::Ended | VisitorState::Left | VisitorState::Admitted | VisitorState::Lapsed
            );
            prop_assert!(done, "{} is {:?}", visitor, state);
        }
        let totals = world.coordinator.totals();
        prop_assert_eq!(totals.active as usize, world.inside());
        prop_assert_eq!(totals.pending, 0);
    }
}

#[test]
fn claims_behind_a_shard_that_is_away_are_nobodys_until_it_is_back() {
    let mut world = World::new(limited());
    world.round();
    for visitor in 0..3 {
        world.join(visitor, 50);
    }
    world.live(Millis(2_000));
    for visitor in 0..3 {
        world.claim(visitor);
    }
    world.shard_reports(50, true);
    world.away.insert(50);
    world.now = world.now.plus(Millis(GRANT_TO_HEARD.0 + 1));
    world.wake();
    world.relay_reports(0, true);
    let totals = world.coordinator.totals();
    assert_eq!((totals.pending, totals.active), (0, 0), "{totals:?}");
    world.away.clear();
    world.live(Millis(2_000));
    for visitor in 0..3 {
        world.claim(visitor);
    }
    assert_eq!(world.inside(), 3);
}

#[test]
fn a_relay_that_has_not_heard_the_coordinator_for_long_says_nothing_in_its_name() {
    let mut world = World::new(limited());
    world.round();
    let asked = |world: &World| Asked {
        shard: ShardIndex(50),
        sent: world.now,
        board_version: 0,
        taken: world.now,
    };
    let now = asked(&world);
    let relay = world.relays.get_mut(&0).unwrap();
    assert!(relay.answer(now, world.now).is_some());
    world.now = world.now.plus(Millis(RELAY_SILENCE.0 + 1));
    world.wake();
    let later = asked(&world);
    let relay = world.relays.get_mut(&0).unwrap();
    assert_eq!(relay.answer(later, world.now), None);
}

#[test]
fn what_a_lost_shard_was_granted_stops_counting_through_its_relay() {
    let mut world = World::new(limited());
    world.round();
    for (visitor, shard) in [(0, 50), (1, 50), (2, 50), (3, 51)] {
        world.join(visitor, shard);
        world.round();
    }
    world.live(Millis(2_000));
    for visitor in 0..3 {
        world.claim(visitor);
    }
    world.live(Millis(1_000));
    for visitor in 0..3 {
        world.claim(visitor);
    }
    assert_eq!(world.inside(), 3);
    world.away.insert(50);
    let longest = world.settings.session.0 + world.settings.max_extension.0;
    let mut left = longest + 3 * WRITE_OFF_MARGIN.0;
    while left > 0 {
        let time = left.min(5_000);
        world.live(Millis(time));
        left -= time;
    }
    assert_eq!(world.coordinator.totals().active, 0);
    world.claim(3);
    world.live(Millis(1_000));
    world.claim(3);
    assert_eq!(world.view(3).state, VisitorState::Admitted);
}

#[test]
fn only_relays_report_as_relays_and_only_their_shards_to_them() {
    let mut world = World::new(limited());
    world.round();
    let now = world.now;
    let report = world.shards.get_mut(&50).unwrap().report(now);
    let entropy = anteroom_queue::coordinator::command::Entropy([1; 16]);
    let refused = world.at_coordinator(CoordinatorCommand::Sync { report, entropy });
    assert!(
        matches!(refused, CoordinatorReply::Refused(_)),
        "{refused:?}"
    );
    let report = world.shards.get_mut(&130).unwrap().report(now);
    let command = anteroom_queue::relay::command::RelayCommand::Report { report, entropy };
    let refused = world.at_relay(0, command);
    let expected = "shard 130; 50 to 129 report to relay 0".to_owned();
    assert_eq!(
        refused,
        anteroom_queue::relay::command::RelayReply::Refused(expected)
    );
}

#[test]
fn a_claim_of_a_shard_that_is_lost_does_not_keep_its_relay_awake() {
    let mut world = World::new(limited());
    world.round();
    for visitor in 0..4 {
        world.join(visitor, 50);
    }
    world.live(Millis(2_000));
    world.claim(0);
    world.shard_reports(50, true);
    world.away.insert(50);
    world.now = world.now.plus(Millis(GRANT_TO_HEARD.0 + 1));
    world.wake();
    world.relay_reports(0, true);
    let sleeps_until = world.relays[&0].next_wakeup();
    let minute = world.now.plus(Millis::from_minutes(1));
    assert!(
        sleeps_until.is_none_or(|at| at > minute),
        "{sleeps_until:?}"
    );
}
