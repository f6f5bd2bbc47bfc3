//! A run as its objects live through it: the draw with its beacon, what edges pass on, and the end.

use anteroom_queue::board::{Phase, Stock};
use anteroom_queue::coordinator::command::{Action, CoordinatorReply};
use anteroom_queue::draw::beacon::{BEACON_DELAY, SIGNATURE_BYTES};
use anteroom_queue::settings::Settings;
use anteroom_queue::units::{Millis, UnixMillis};

use crate::coordinator_desk::{CoordinatorDesk, POKE_AFTER, WINDOW};
use crate::fixtures::{Memory, Pair, T, coordinator_known, join, open, settings, shard_known};
use crate::meta::{DAY, Meta};
use crate::opening::{Known, who};
use crate::storage::{Store, read_all};
use crate::wire::{self, CoordinatorAsk, EdgeCounts};

/// The only line opens after 10 s, with a beacon.
fn drawn() -> Settings {
    let mut settings = settings();
    settings.lines[0].opens_at = Some(T.plus(Millis::from_seconds(10)));
    settings.draw.beacon = true;
    settings
}

fn phase(pair: &Pair) -> Phase {
    pair.shard_board().lines[0].phase
}

impl Pair {
    fn shard_board(&self) -> &anteroom_queue::board::Board {
        self.shard.board().expect("the shard has heard")
    }

    /// An edge passes on what it has counted.
    fn count(&mut self, counts: EdgeCounts) {
        let read = self
            .shard
            .read_board(counts, 9, self.now, &mut self.shard_rows);
        read.unwrap();
    }

    /// The coordinator's log, without the hashes.
    fn log(&self) -> Vec<String> {
        let log = crate::log_reading::log_lines(&self.coordinator_rows, 0);
        log.unwrap().lines
    }

    fn logged(&self, kind: &str) -> usize {
        let kind = format!(r#""kind":"{kind}""#);
        self.log()
            .iter()
            .filter(|line| line.contains(&kind))
            .count()
    }
}

#[test]
fn shards_that_have_not_said_who_came_before_the_opening_are_asked_once_a_second() {
    let mut pair = Pair::with(drawn());
    pair.run_for(Millis(500));
    pair.join(1);
    pair.run_for(Millis::from_seconds(1));
    pair.is_reachable = false;
    pair.run_for(Millis::from_seconds(13));
    let pokes = pair.pokes.clone();
    assert!((4..=6).contains(&pokes.len()), "{pokes:?}");
    for two in pokes.windows(2) {
        assert!(two[1].since(two[0]) >= POKE_AFTER, "{pokes:?}");
    }
    pair.is_reachable = true;
    pair.run_for(Millis::from_seconds(10));
    assert_eq!(pair.logged("fixed"), 1);
    let asked = pair.pokes.len();
    pair.run_for(Millis::from_seconds(5));
    assert_eq!(
        pair.pokes.len(),
        asked,
        "nobody is asked when all are heard"
    );
}

/// A pair whose draw waits for its round, which exists.
fn awaiting_the_beacon() -> Pair {
    let mut pair = Pair::with(drawn());
    pair.run_for(Millis(500));
    pair.join(1);
    pair.run_for(Millis::from_seconds(28));
    pair
}

#[test]
fn the_round_is_fetched_when_it_exists_and_again_until_it_has_come() {
    let mut pair = awaiting_the_beacon();
    let [(first, round)] = pair.rounds[..] else {
        panic!("asked once while it is on its way: {:?}", pair.rounds);
    };
    assert!(first >= T.plus(Millis::from_seconds(10)).plus(BEACON_DELAY));
    for _ in 0..3 {
        pair.coordinator.hear_beacon(None, pair.now, u32::MAX);
        pair.run_for(Millis(1_300));
    }
    let asked: Vec<u64> = pair.rounds.iter().map(|(_, round)| *round).collect();
    assert_eq!(asked, [round; 4]);
    let signature = vec![5; SIGNATURE_BYTES];
    pair.coordinator.hear_beacon(Some(signature), pair.now, 0);
    pair.run_for(Millis::from_seconds(2));
    pair.count(EdgeCounts::default());
    pair.run_for(Millis::from_seconds(1));
    assert_eq!((phase(&pair), pair.rounds.len()), (Phase::Open, 4));
    assert_eq!(pair.logged("drawn"), 1);
}

#[test]
fn a_restart_in_the_draw_goes_on_with_it_and_makes_each_step_once() {
    let mut pair = awaiting_the_beacon();
    pair.restart();
    pair.run_for(Millis::from_seconds(2));
    assert_eq!(pair.rounds.len(), 2, "the round is fetched anew");
    let signature = vec![5; SIGNATURE_BYTES];
    pair.coordinator.hear_beacon(Some(signature), pair.now, 0);
    pair.run_for(Millis::from_seconds(1));
    pair.restart();
    pair.run_for(Millis::from_seconds(2));
    assert_eq!((pair.logged("fixed"), pair.logged("drawn")), (1, 1));
}

#[test]
fn an_opening_that_passed_while_the_coordinator_was_away_is_noticed_when_it_starts() {
    let mut pair = Pair::with(drawn());
    pair.run_for(Millis(500));
    pair.is_reachable = false;
    pair.now = T.plus(Millis::from_minutes(10));
    pair.is_reachable = true;
    pair.restart();
    pair.run_for(Millis::from_seconds(3));
    assert_eq!(pair.logged("fixed"), 1);
}

#[test]
fn what_edges_count_and_hear_reaches_the_coordinator_with_the_reports() {
    let mut pair = Pair::in_touch();
    pair.run_for(Millis::from_seconds(1));
    let counts = EdgeCounts {
        bypassed: 2,
        staff: 3,
        ..EdgeCounts::default()
    };
    pair.count(counts);
    pair.run_for(Millis::from_seconds(1));
    let log = pair.log().join("\n");
    assert!(log.contains(r#""bypassed":2,"staff":3"#), "{log}");
    pair.count(counts);
    pair.run_for(Millis::from_seconds(1));
    assert_eq!(pair.logged("edges"), 1, "at most one line a minute");
}

#[test]
fn nothing_left_is_said_at_once_and_again_until_it_was_heard() {
    let mut pair = Pair::in_touch();
    pair.count(EdgeCounts::default());
    pair.run_for(Millis(300));
    let stock = Some(Stock {
        left: 0,
        at: pair.now,
    });
    pair.is_reachable = false;
    pair.count(EdgeCounts {
        stock,
        ..EdgeCounts::default()
    });
    pair.run_for(Millis::from_seconds(4));
    pair.is_reachable = true;
    pair.count(EdgeCounts::default());
    pair.run_for(Millis::from_seconds(6));
    assert_eq!(pair.shard_board().stock, stock);
    assert_eq!(phase(&pair), Phase::Paused);
}

/// A pair whose operator has closed the sale, and when.
fn closed() -> (Pair, UnixMillis) {
    let mut pair = Pair::in_touch();
    pair.join(1);
    pair.run_for(Millis::from_seconds(1));
    pair.operate(Action::Close);
    pair.count(EdgeCounts::default());
    pair.run_for(Millis::from_seconds(1));
    let ended = pair.shard_board().ended_at.unwrap();
    (pair, ended)
}

/// Whether the coordinator and the shard are to be deleted soon after `now`, at which an alarm
/// wakes both from sleep.
fn forgets(pair: &mut Pair, now: UnixMillis) -> (bool, bool) {
    pair.now = now;
    pair.restart();
    pair.run_for(Millis::from_seconds(10));
    (
        pair.is_coordinator_forgotten,
        pair.shard.is_to_be_forgotten(pair.now),
    )
}

#[test]
fn a_run_is_deleted_when_its_time_is_over_and_not_before_however_often_the_alarm_comes() {
    let (mut pair, ended) = closed();
    let over = ended.plus(settings().keep);
    for early in [
        ended.plus(DAY),
        ended.plus(DAY),
        UnixMillis(over.0 - 11_000),
    ] {
        assert_eq!(forgets(&mut pair, early), (false, false), "{early:?}");
    }
    for due in [pair.coordinator.due(pair.now), pair.shard.due(pair.now)] {
        assert!(due.lasting.is_some_and(|at| at <= over), "{due:?}");
    }
    assert_eq!(forgets(&mut pair, over), (true, true));
    assert_eq!(forgets(&mut pair, over.plus(DAY)), (true, true), "late");
}

#[test]
fn a_shard_whose_coordinator_still_says_that_the_run_is_over_is_deleted() {
    let (mut pair, ended) = closed();
    pair.now = ended.plus(settings().keep);
    pair.restart();
    let mut longer = settings();
    longer.keep = Millis(longer.keep.0 + DAY.0);
    let rows = &mut pair.coordinator_rows;
    let kept_longer = open(rows, &coordinator_known(), &longer, pair.now);
    pair.coordinator = CoordinatorDesk::new(kept_longer);
    assert!(!pair.shard.is_to_be_forgotten(pair.now), "it has to ask");
    pair.run_for(Millis::from_seconds(1));
    assert!(!pair.is_coordinator_forgotten && pair.shard.is_to_be_forgotten(pair.now));
}

/// How the operator takes back the end of a run.
fn open_again(pair: &mut Pair) {
    pair.operate(Action::Open);
    pair.run_for(Millis::from_seconds(1));
}

#[test]
fn a_run_that_goes_on_is_not_deleted_by_the_alarms_of_its_end_whether_or_not_a_shard_has_heard() {
    for has_heard in [true, false] {
        let (mut pair, ended) = closed();
        let over = ended.plus(settings().keep);
        // An hour before the time is over; a shard that is not asked anything sleeps.
        pair.now = UnixMillis(over.0 - 3_600_000);
        open_again(&mut pair);
        if has_heard {
            pair.count(EdgeCounts::default());
            pair.run_for(Millis::from_seconds(1));
        }
        assert_eq!(pair.shard_board().ended_at.is_none(), has_heard);
        for alarm in [over, over.plus(DAY)] {
            assert_eq!(forgets(&mut pair, alarm), (false, false), "{has_heard}");
        }
        assert_eq!(pair.shard_board().ended_at, None);
    }
}

#[test]
fn a_shard_that_cannot_ask_whether_the_run_is_still_over_keeps_everything() {
    let (mut pair, ended) = closed();
    open_again(&mut pair);
    pair.is_reachable = false;
    let over = ended.plus(settings().keep);
    assert_eq!(forgets(&mut pair, over), (false, false));
    pair.is_reachable = true;
    assert_eq!(forgets(&mut pair, over.plus(DAY)), (false, false));
}

fn stored_meta(rows: &Memory) -> Meta {
    let stored = read_all::<anteroom_queue::shard::rows::ShardRow>(rows.read());
    stored.unwrap().unwrap().0
}

#[test]
fn of_a_deleted_run_only_its_name_is_left_and_it_does_not_begin_again() {
    let (mut pair, ended) = closed();
    let over = ended.plus(settings().keep);
    let meta = stored_meta(&pair.shard_rows);
    pair.shard_rows.forget(&meta.forgotten(over)).unwrap();
    assert_eq!(pair.shard_rows.rows.len(), 1);
    let meta = stored_meta(&pair.shard_rows);
    for caller in [Some(shard_known()), None] {
        let refusal = who(Some(&meta), caller.as_ref()).unwrap_err();
        assert_eq!(refusal.text(), "run: 1 is over and was deleted");
    }
}

#[test]
fn the_objects_of_a_new_run_have_other_names_and_refuse_what_is_meant_for_the_old() {
    let (old, new) = (
        coordinator_known(),
        Known {
            run: 2,
            ..coordinator_known()
        },
    );
    assert_ne!(old.name(), new.name());
    let refusal = who(Some(&new.meta(settings())), Some(&old)).unwrap_err();
    assert_eq!(
        refusal.text(),
        "object: demo/1/coordinator, this object has demo/2/coordinator"
    );
}

#[test]
fn a_report_of_another_run_changes_nothing() {
    let mut pair = Pair::in_touch();
    let before = pair.coordinator_rows.clone();
    let mut shard = open::<anteroom_queue::shard::Shard>(
        &mut Memory::default(),
        &Known {
            run: 2,
            ..shard_known()
        },
        &settings(),
        pair.now,
    );
    shard.apply(join(5), pair.now);
    let ask = CoordinatorAsk::Sync(shard.report(pair.now), EdgeCounts::default());
    let rows = &mut pair.coordinator_rows;
    pair.coordinator.ask(ask, [1; 16], 7, pair.now, rows);
    let answers = pair.coordinator.step(pair.now.plus(WINDOW), rows).unwrap();
    let reply = wire::decode(&answers.answers[0].1).unwrap();
    assert!(matches!(reply, CoordinatorReply::Refused(_)), "{reply:?}");
    assert_eq!(pair.coordinator_rows.rows, before.rows);
}
