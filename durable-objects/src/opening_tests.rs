use anteroom_queue::coordinator::command::{CoordinatorCommand, CoordinatorReply};
use anteroom_queue::settings::LineSettings;

use super::*;
use crate::fixtures::{Memory, T, coordinator_known, join, settings, shard_known};
use crate::storage::{Store, read_all};

/// Opens a core on `memory` and stores what that changes.
fn open<C: Core>(memory: &mut Memory, known: &Known, settings: Settings) -> C {
    crate::fixtures::open(memory, known, &settings, T)
}

/// Opens a core with a configuration that has other lines, and stores what that changes.
fn open_with_other_lines<C: Core>(memory: &mut Memory, known: &Known, mut settings: Settings) -> C {
    settings.limits.max_active = Some(3);
    let stored = read_all(memory.read()).unwrap();
    let started = start::<C>(known, stored, settings.clone(), [7; 16], T).unwrap();
    assert_ne!(started.meta.settings, settings);
    let why = started.other_lines.expect("the lines differ").to_string();
    assert!(why.contains("the run has general, fans;"), "{why}");
    memory.commit(started.changes).unwrap();
    started.core
}

fn with_lines(ids: &[&str]) -> Settings {
    let mut settings = other_settings();
    let line = settings.lines[0].clone();
    let named = |id: &&str| LineSettings {
        id: (*id).to_owned(),
        ..line.clone()
    };
    settings.lines = ids.iter().map(named).collect();
    settings
}

/// The settings by which a coordinator goes.
fn applied(coordinator: &mut Coordinator) -> Settings {
    match coordinator.apply(CoordinatorCommand::Wake, T).reply {
        CoordinatorReply::State { settings, .. } => settings,
        other => panic!("{other:?}"),
    }
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
        assert_eq!(applied(&mut coordinator), other_settings());
    }
}

/// One line more, one less, another order, another name.
const OTHER_LINES: [&[&str]; 4] = [
    &["general", "fans", "press"],
    &["general"],
    &["fans", "general"],
    &["general", "friends"],
];

#[test]
fn a_configuration_with_other_lines_changes_nothing_of_a_coordinator_and_can_be_taken_back() {
    let run = with_lines(&["general", "fans"]);
    for other in OTHER_LINES {
        let (mut memory, known) = (Memory::default(), coordinator_known());
        open::<Coordinator>(&mut memory, &known, run.clone());
        let before = memory.rows.clone();
        for _ in 0..2 {
            let mut coordinator =
                open_with_other_lines::<Coordinator>(&mut memory, &known, with_lines(other));
            assert_eq!(applied(&mut coordinator), run, "{other:?}");
            assert_eq!(memory.rows, before, "{other:?}");
        }
        let mut coordinator = open::<Coordinator>(&mut memory, &known, run.clone());
        assert_eq!(applied(&mut coordinator), run, "{other:?}");
    }
}

#[test]
fn a_configuration_with_other_lines_changes_nothing_of_a_shard_and_can_be_taken_back() {
    let run = with_lines(&["general", "fans"]);
    for other in OTHER_LINES {
        let (mut memory, known) = (Memory::default(), shard_known());
        let mut shard = open::<Shard>(&mut memory, &known, run.clone());
        let mut changes = Changes::default();
        changes.extend(shard.apply(join(1), T).rows);
        memory.commit(changes).unwrap();
        for _ in 0..2 {
            let mut shard = open_with_other_lines::<Shard>(&mut memory, &known, with_lines(other));
            assert!(!place(shard.apply(join(1), T).reply).new, "{other:?}");
        }
        let mut shard = open::<Shard>(&mut memory, &known, run.clone());
        assert!(!place(shard.apply(join(1), T).reply).new, "{other:?}");
    }
}

#[test]
fn a_run_that_was_left_behind_goes_on_when_it_is_configured_again_also_with_other_lines() {
    let (mut memory, known) = (Memory::default(), shard_known());
    let run = with_lines(&["general", "fans"]);
    open::<Shard>(&mut memory, &known, run.clone());
    let mut changes = Changes::<ShardRow>::default();
    changes.set_meta(known.meta(run.clone()).noticed(T));
    memory.commit(changes).unwrap();
    open_with_other_lines::<Shard>(&mut memory, &known, with_lines(&["general"]));
    let (meta, _) = read_all::<ShardRow>(memory.read()).unwrap().unwrap();
    assert_eq!((meta.left_behind, meta.settings), (None, run));
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
