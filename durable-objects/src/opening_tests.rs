use anteroom_queue::coordinator::command::{CoordinatorCommand, CoordinatorReply};

use super::*;
use crate::fixtures::{Memory, T, coordinator_known, join, settings, shard_known};
use crate::storage::{Store, read_all};

/// Opens a core on `memory` and stores what that changes.
fn open<C: Core>(memory: &mut Memory, known: &Known, settings: Settings) -> C {
    let stored = read_all(memory.read()).unwrap();
    let (core, changes) = start::<C>(known, stored, settings, [7; 16], T).unwrap();
    memory.commit(changes).unwrap();
    core
}

fn other_settings() -> Settings {
    let mut settings = settings();
    settings.limits.max_active = Some(77);
    settings
}

#[test]
fn at_first_contact_an_object_notes_who_it_is() {
    let mut memory = Memory::default();
    open::<Shard>(&mut memory, &shard_known(), settings());
    let (meta, _) = read_all::<ShardRow>(memory.read()).unwrap().unwrap();
    assert_eq!(meta, shard_known().meta(settings()));
    assert_eq!(who(Some(&meta), None), Ok(Some(shard_known())));
}

#[test]
fn opening_again_with_the_same_configuration_writes_nothing() {
    let mut memory = Memory::default();
    open::<Shard>(&mut memory, &shard_known(), settings());
    open::<Shard>(&mut memory, &shard_known(), settings());
    assert_eq!(memory.commits, 1);
}

#[test]
fn a_changed_configuration_is_applied_once_and_noted() {
    let mut memory = Memory::default();
    open::<Coordinator>(&mut memory, &coordinator_known(), settings());
    for _ in 0..2 {
        let known = coordinator_known();
        let mut coordinator = open::<Coordinator>(&mut memory, &known, other_settings());
        assert_eq!(memory.commits, 2);
        let reply = coordinator.apply(CoordinatorCommand::Wake, T).reply;
        let CoordinatorReply::State { settings, .. } = reply else {
            panic!("{reply:?}");
        };
        assert_eq!(settings, other_settings());
    }
}

#[test]
fn a_shard_comes_back_with_its_places() {
    let mut memory = Memory::default();
    let mut shard = open::<Shard>(&mut memory, &shard_known(), settings());
    let mut changes = Changes::default();
    let first = shard.apply(join(1), T);
    changes.extend(first.rows);
    memory.commit(changes).unwrap();
    let mut again = open::<Shard>(&mut memory, &shard_known(), other_settings());
    let ShardReplyPlace { index, new } = place(again.apply(join(1), T).reply);
    assert_eq!((index, new), (place(first.reply).index, false));
}

struct ShardReplyPlace {
    index: anteroom_queue::units::PlaceIndex,
    new: bool,
}

fn place(reply: anteroom_queue::shard::command::ShardReply) -> ShardReplyPlace {
    match reply {
        anteroom_queue::shard::command::ShardReply::Place { place, new } => ShardReplyPlace {
            index: place.index,
            new,
        },
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_caller_that_means_another_object_is_refused() {
    let meta = shard_known().meta(settings());
    let others = [
        Known {
            run: 2,
            ..shard_known()
        },
        Known {
            shard: Some(1),
            ..shard_known()
        },
        Known {
            event: "other".into(),
            ..shard_known()
        },
        coordinator_known(),
    ];
    for meant in others {
        let refusal = who(Some(&meta), Some(&meant)).unwrap_err();
        assert_eq!(
            refusal.text(),
            format!("object: {}, this object has demo/1/shard/0", meant.name())
        );
    }
}

#[test]
fn an_alarm_of_an_object_that_was_never_called_opens_nothing() {
    assert_eq!(who(None, None), Ok(None));
}
