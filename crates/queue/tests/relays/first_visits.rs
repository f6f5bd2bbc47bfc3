//! First visits behind a relay: how many are unconfirmed is known again when a relay starts anew.

use anteroom_queue::limits::LONGEST_UNCONFIRMED;
use anteroom_queue::relay::command::RelayCommand;
use anteroom_queue::settings::{Limits, Mode, Settings};
use anteroom_queue::shard::command::{ShardCommand, ShardReply};
use anteroom_queue::units::{Generation, LineIndex, Millis, ShardIndex};

use crate::stage::{claim_id, nonce, settings};
use crate::world::World;

/// One visitor may be unconfirmed: a tenth of ten.
fn auto() -> World {
    let limits = Limits {
        max_active: Some(10),
        ..Limits::default()
    };
    World::new(Settings {
        mode: Mode::Auto,
        expected_visitors: 500_000,
        ..settings(limits)
    })
}

fn first_visit(world: &mut World, visitor: u64, shard: u16) -> ShardReply {
    let attempt = ShardCommand::Try {
        nonce: nonce(visitor),
        line: LineIndex(0),
        claim: claim_id(visitor, 0),
    };
    world.at_shard(shard, attempt)
}

/// A visitor was let in at shard 51 of relay 0, which then started anew and has reported.
fn with_a_relay_that_started_anew(is_confirmed: bool) -> World {
    let mut world = auto();
    world.round();
    first_visit(&mut world, 0, 51);
    world.now = world.now.plus(Millis(300));
    world.round();
    let answer = first_visit(&mut world, 0, 51);
    let ShardReply::Session { index, .. } = answer else {
        panic!("{answer:?}")
    };
    if is_confirmed {
        let generation = Generation(0);
        world.at_shard(51, ShardCommand::Renew { index, generation });
        world.round();
        assert!(world.coordinator.board().room);
    }
    world.restart_relay(0);
    world.relay_reports(0, true);
    assert!(!world.coordinator.board().room, "one may be unconfirmed");
    world
}

fn relay_wakes(world: &mut World) {
    world.at_relay(0, RelayCommand::Wake);
    let due = world.relays[&0].next_report();
    if due.is_some_and(|at| at <= world.now) {
        world.relay_reports(0, true);
    }
}

#[test]
fn a_relay_that_starts_anew_asks_its_shards_and_tells_once_it_knows_better() {
    let mut world = with_a_relay_that_started_anew(true);
    assert!(world.relays[&0].pokes().contains(&ShardIndex(51)));
    world.shard_reports(51, true);
    world.now = world.now.plus(Millis(1_000));
    relay_wakes(&mut world);
    assert!(world.coordinator.board().room);
}

#[test]
fn a_shard_that_says_nothing_holds_first_visits_up_no_longer_than_any_may_be_unconfirmed() {
    let mut world = with_a_relay_that_started_anew(false);
    let wakes_at = world.relays[&0].next_wakeup().expect("a deadline");
    let last = world.now.plus(LONGEST_UNCONFIRMED);
    assert!(
        wakes_at <= last.plus(Millis(1)),
        "{wakes_at:?} after {last:?}"
    );
    world.now = wakes_at;
    relay_wakes(&mut world);
    assert!(world.coordinator.board().room);
}
