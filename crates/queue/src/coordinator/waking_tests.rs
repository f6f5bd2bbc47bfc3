use super::*;
use crate::child::Child;
use crate::children::unconfirmed;
use crate::coordinator::Coordinator;
use crate::coordinator::command::{CoordinatorCommand, CoordinatorReply};
use crate::limits::PLANNED_PLACES;
use crate::settings::{Limits, Mode, Settings};
use crate::whole_way::{self, settings};

const T: UnixMillis = UnixMillis(1_800_000_000_000);

fn after(seconds: u64) -> UnixMillis {
    T.plus(Millis::from_seconds(seconds))
}

/// Five shards; those of the list have reported at the instants beside them and know the board.
fn sale(heard: &[(u16, UnixMillis)]) -> Coordinator {
    let settings = Settings {
        expected_visitors: 5 * PLANNED_PLACES,
        ..settings(Mode::Always, Limits::default())
    };
    let mut coordinator = whole_way::coordinator(settings).reply;
    for (shard, at) in heard {
        hear(&mut coordinator, *shard, *at);
    }
    coordinator
}

/// A shard reports, and is answered.
fn hear(coordinator: &mut Coordinator, shard: u16, at: UnixMillis) {
    coordinator.apply(CoordinatorCommand::Wake, at);
    let mut child = Child::of_lines(1);
    child.heard = at;
    child.told = coordinator.board.version;
    coordinator.children.insert(shard, child);
}

fn operate(coordinator: &mut Coordinator, action: Action, at: UnixMillis) {
    let by = "kim".to_owned();
    let done = coordinator.apply(CoordinatorCommand::Operate { action, by }, at);
    let is_done = matches!(done.reply, CoordinatorReply::State { .. });
    assert!(is_done, "{:?}", done.reply);
}

fn pause() -> Action {
    Action::Pause {
        reason: "a moment".to_owned(),
        next_update_at: Some(after(3_600)),
    }
}

/// A shard's number.
fn number(node: Node) -> u16 {
    match node {
        Node::Shard(shard) => shard.0,
        Node::Relay(relay) => panic!("relay {} of a small event", relay.0),
    }
}

fn pokes(coordinator: &mut Coordinator, at: UnixMillis) -> Vec<u16> {
    coordinator.apply(CoordinatorCommand::Wake, at);
    coordinator.pokes().into_iter().map(number).collect()
}

#[test]
fn a_brake_wakes_whoever_sleeps_until_it_has_reported() {
    for action in [
        pause(),
        Action::Stop {
            reason: "a moment".to_owned(),
            next_update_at: Some(after(3_600)),
        },
        Action::Off,
        Action::Soldout,
        Action::Close,
        Action::Stock { left: 0 },
    ] {
        let mut coordinator = sale(&[(0, after(60)), (3, after(65))]);
        assert_eq!(pokes(&mut coordinator, after(70)), [0u16; 0]);
        operate(&mut coordinator, action.clone(), after(80));
        assert_eq!(pokes(&mut coordinator, after(80)), [0, 3], "{action:?}");
        hear(&mut coordinator, 3, after(81));
        assert_eq!(pokes(&mut coordinator, after(82)), [0], "{action:?}");
        hear(&mut coordinator, 0, after(83));
        assert_eq!(pokes(&mut coordinator, after(90)), [0u16; 0], "{action:?}");
    }
}

#[test]
fn what_ends_a_brake_is_told_like_one_and_other_news_wait() {
    let mut coordinator = sale(&[]);
    operate(&mut coordinator, pause(), after(1));
    hear(&mut coordinator, 2, after(60));
    let text = "soon".to_owned();
    operate(&mut coordinator, Action::Message { text }, after(70));
    assert_eq!(pokes(&mut coordinator, after(71)), [0u16; 0]);
    operate(&mut coordinator, Action::Resume, after(80));
    assert_eq!(pokes(&mut coordinator, after(81)), [2]);
}

#[test]
fn who_has_just_reported_has_a_second_to_report_by_itself() {
    let mut coordinator = sale(&[(1, after(60))]);
    operate(&mut coordinator, pause(), after(60));
    assert_eq!(pokes(&mut coordinator, after(60)), [0u16; 0]);
    assert_eq!(coordinator.next_wakeup(), Some(after(61)));
    assert_eq!(pokes(&mut coordinator, after(61)), [1]);
}

#[test]
fn a_shard_that_was_silent_for_ten_minutes_sleeps_on() {
    let mut coordinator = sale(&[(0, after(60)), (1, after(300))]);
    operate(&mut coordinator, pause(), after(661));
    assert_eq!(pokes(&mut coordinator, after(661)), [1]);
    assert_eq!(pokes(&mut coordinator, after(901)), [0u16; 0]);
}

#[test]
fn who_has_not_said_how_many_first_visits_are_unconfirmed_is_asked_while_some_may_be() {
    let mut coordinator = sale(&[(0, after(60)), (1, after(60))]);
    for (shard, unconfirmed) in [(0, None), (1, Some(1))] {
        let child = coordinator.children.get_mut(&shard).expect("heard");
        child.lines[0].tries_granted = 2;
        child.granted_at = after(60);
        child.unconfirmed = unconfirmed;
    }
    assert_eq!(unconfirmed(&coordinator.children, after(61)), 3);
    assert_eq!(pokes(&mut coordinator, after(61)), [0]);
    let ended = &mut coordinator.children.get_mut(&0).expect("heard").lines[0];
    ended.counters.ended = 1;
    assert_eq!(unconfirmed(&coordinator.children, after(61)), 2);
    assert_eq!(pokes(&mut coordinator, after(131)), [0u16; 0]);
}

#[test]
fn the_first_homes_are_warmed_two_minutes_before_anybody_may_join() {
    let settings = Settings {
        expected_visitors: 3 * PLANNED_PLACES,
        prequeue_at: Some(after(1_000)),
        ..settings(Mode::Always, Limits::default())
    };
    let settings = Settings {
        lines: vec![crate::settings::LineSettings {
            opens_at: Some(after(2_000)),
            ..settings.lines[0].clone()
        }],
        ..settings
    };
    let mut coordinator = whole_way::coordinator(settings).reply;
    assert_eq!(coordinator.next_wakeup(), Some(after(880)));
    let mut warmed = |at| {
        coordinator.apply(CoordinatorCommand::Wake, after(at));
        let warming = coordinator.warming();
        warming.map(|(for_, shards)| (for_, shards.into_iter().map(number).collect()))
    };
    let all: Vec<u16> = vec![0, 1, 2];
    for (at, expected) in [
        (879, None),
        (880, Some((after(1_000), all.clone()))),
        (999, Some((after(1_000), all.clone()))),
        (1_000, None),
        (1_879, None),
        (1_880, Some((after(2_000), all.clone()))),
        (2_000, None),
    ] {
        assert_eq!(warmed(at), expected, "after {at} s");
    }
}
