//! Draws of a run with relays.

use std::collections::BTreeSet;

use anteroom_queue::coordinator::command::{Action, CoordinatorCommand};
use anteroom_queue::tree::Node;
use anteroom_queue::units::{Millis, RelayIndex, ShardIndex, UnixMillis};

use crate::stage::START;
use crate::world::World;
use crate::{limited, operate};

/// A world whose line opens then, by draw; everybody has heard of it.
fn world_that_opens(opens_at: UnixMillis) -> World {
    let mut drawn = limited();
    drawn.lines[0].opens_at = Some(opens_at);
    let mut world = World::new(drawn);
    world.round();
    world
}

fn move_opening(world: &mut World, opens_at: UnixMillis) {
    let moved = Action::Reschedule {
        line: None,
        opens_at,
        reason: "the hall opens earlier".to_owned(),
    };
    operate(world, moved);
}

#[test]
fn a_draw_waits_for_every_shard_of_a_relay_and_takes_all_who_came_before() {
    let opens_at = START.plus(Millis::from_minutes(10));
    let mut world = world_that_opens(opens_at);
    for (visitor, shard) in [(0, 50), (1, 51), (2, 0), (3, 50)] {
        world.join(visitor, shard);
    }
    world.now = opens_at.plus(Millis(1));
    world.at_coordinator(CoordinatorCommand::Wake);
    let waits_for_relay = |world: &World| world.pokes().contains(&Node::Relay(RelayIndex(0)));
    assert!(waits_for_relay(&world));
    world.shard_reports(50, true);
    world.relay_reports(0, true);
    assert!(waits_for_relay(&world), "shard 51 was not heard");
    assert!(world.relays[&0].pokes().contains(&ShardIndex(51)));
    world.shard_reports(51, true);
    world.relay_reports(0, true);
    world.relay_reports(0, true);
    // The grace is over for the shards that nobody ever asked, and the secret is published.
    world.live(Millis(64_000));
    let fixed = world.coordinator.board().lines[0].draw.clone().unwrap();
    assert_eq!(fixed.fixed.unwrap().entrants, 4);
    let ranks: BTreeSet<u64> = (0..4)
        .map(|visitor| world.view(visitor).rank.unwrap().0)
        .collect();
    assert_eq!(ranks, (0..4).collect());
}

/// The opening is moved to an earlier time while the relay knows only the later one: who came in between is not in the draw.
#[test]
fn an_opening_that_was_moved_takes_nobody_in_who_came_after_it() {
    let later = START.plus(Millis::from_minutes(20));
    let earlier = START.plus(Millis::from_minutes(5));
    let mut world = world_that_opens(later);
    world.join(0, 50);
    world.round();
    move_opening(&mut world, earlier);
    world.now = earlier.plus(Millis(5_000));
    world.join(1, 50);
    // Taken up, and not numbered: neither shard nor relay has heard.
    world.shard_reports(50, true);
    world.relay_reports(0, true);
    world.live(Millis(64_000));
    let draw = world.coordinator.board().lines[0].draw.clone().unwrap();
    assert_eq!(draw.fixed.expect("the grace is over").entrants, 1);
    assert_eq!(world.entries()[&1], Some(1), "behind the draw");
}

/// A coordinator that restarts again and again, while shards stay silent, draws all the same.
#[test]
fn a_draw_comes_to_its_end_whoever_restarts_and_whoever_is_silent() {
    let opens_at = START.plus(Millis::from_minutes(10));
    let mut world = world_that_opens(opens_at);
    world.join(0, 50);
    world.round();
    world.now = opens_at.plus(Millis::from_minutes(11));
    for _ in 0..8 {
        world.restart_coordinator();
        world.live(Millis(12_000));
    }
    world.live(Millis(1_000));
    let draw = world.coordinator.board().lines[0].draw.clone();
    let fixed = draw.and_then(|draw| draw.fixed);
    assert_eq!(fixed.map(|fixed| fixed.entrants), Some(1));
}

/// A relay that has just begun, or lost its memory, knows only the opening of the configuration: until it has heard the board
/// it takes up nobody whose draw may be moved.
#[test]
fn a_relay_without_a_board_takes_up_nobody_for_a_draw() {
    let later = START.plus(Millis::from_minutes(20));
    let earlier = START.plus(Millis::from_minutes(5));
    let mut world = world_that_opens(later);
    world.join(0, 50);
    world.join(2, 51);
    move_opening(&mut world, earlier);
    world.now = earlier.plus(Millis(5_000));
    world.join(1, 50);
    world.restart_relay(0);
    world.shard_reports(50, true);
    world.live(Millis(64_000));
    let draw = world.coordinator.board().lines[0].draw.clone().unwrap();
    assert_eq!(draw.fixed.expect("the grace is over").entrants, 2);
    world.live(Millis(6_000));
    assert_eq!(world.entries()[&1], Some(2), "behind the draw");
}
