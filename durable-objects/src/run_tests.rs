//! A run as its objects live through it: the draw with its beacon, what edges pass on, other runs.

use anteroom_queue::board::{Phase, Stock};
use anteroom_queue::coordinator::command::CoordinatorReply;
use anteroom_queue::draw::beacon::{BEACON_DELAY, SIGNATURE_BYTES};
use anteroom_queue::settings::Settings;
use anteroom_queue::shard::command::ShardReply;
use anteroom_queue::units::{Millis, UnixMillis};

use crate::beacon::{RETRY_AFTER, TRY_LOST_AFTER};
use crate::coordinator_desk::WINDOW;
use crate::fixtures::{Memory, Pair, T, coordinator_known, join, open, settings, shard_known};
use crate::opening::{Known, who};
use crate::pokes::POKE_AFTER;
use crate::wire::{self, CoordinatorAsk, EdgeCounts, OriginCounts};

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
    /// What the shard has heard.
    pub fn shard_board(&self) -> &anteroom_queue::board::Board {
        self.shard.board().expect("the shard has heard")
    }

    /// An edge passes on what it has counted.
    pub fn count(&mut self, counts: EdgeCounts) {
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

#[test]
fn a_join_that_came_in_before_the_opening_is_in_the_draw_although_its_window_closed_later() {
    let mut pair = Pair::with(drawn());
    let opening = T.plus(Millis::from_seconds(10));
    pair.run_for(Millis(opening.since(T).0 - 1));
    pair.join(1);
    pair.run_for(Millis(1));
    pair.join(2);
    pair.run_for(Millis::from_seconds(5));
    let mut arrived = Vec::new();
    for (_, number, reply) in pair.replies(T) {
        if let ShardReply::Place { place, .. } = reply {
            arrived.push((number, place.arrived));
        }
    }
    arrived.sort_unstable();
    assert_eq!(arrived, [(1, UnixMillis(opening.0 - 1)), (2, opening)]);
    let fixed = |line: &String| line.contains(r#""kind":"fixed""#);
    let log = pair.log();
    let fixed = log.iter().find(|line| fixed(line)).unwrap();
    assert!(fixed.contains(r#""entrants":1,"#), "{fixed}");
}

/// A pair whose draw waits for its round, which exists.
fn awaiting_the_beacon() -> Pair {
    let mut pair = Pair::with(drawn());
    pair.run_for(Millis(500));
    pair.join(1);
    pair.run_for(Millis::from_seconds(28));
    pair
}

/// When a round was first asked for, and which, if that was once.
fn asked_once(pair: &Pair) -> (UnixMillis, u64) {
    let [asked] = pair.rounds[..] else {
        panic!("asked once while it is on its way: {:?}", pair.rounds);
    };
    asked
}

#[test]
fn a_round_whose_task_was_dropped_is_fetched_again_and_a_late_answer_still_counts() {
    let mut pair = awaiting_the_beacon();
    let (first, round) = asked_once(&pair);
    pair.run_for(Millis(first.plus(TRY_LOST_AFTER).since(pair.now).0 - 1));
    assert_eq!(asked_once(&pair), (first, round));
    pair.run_for(Millis(1));
    assert_eq!(pair.rounds[1..], [(first.plus(TRY_LOST_AFTER), round)]);
    pair.coordinator.hear_beacon(round, None, pair.now, 0);
    let signature = vec![5; SIGNATURE_BYTES];
    pair.coordinator
        .hear_beacon(round, Some(signature), pair.now, 0);
    pair.run_for(Millis(50));
    assert_eq!(pair.logged("drawn"), 1);
}

#[test]
fn while_the_round_is_awaited_the_coordinator_is_not_woken_but_for_the_next_try() {
    let mut pair = awaiting_the_beacon();
    let (first, round) = asked_once(&pair);
    let lost = Some(first.plus(TRY_LOST_AFTER));
    assert_eq!(pair.coordinator.due(pair.now).deadline, lost);
    pair.coordinator.hear_beacon(round, None, pair.now, 0);
    let again = Some(pair.now.plus(RETRY_AFTER));
    assert_eq!(pair.coordinator.due(pair.now).deadline, again);
}

#[test]
fn a_clock_that_was_set_back_does_not_hold_up_the_round() {
    let pair = awaiting_the_beacon();
    let (first, _) = asked_once(&pair);
    let back = UnixMillis(first.0 - 2);
    let due = pair.coordinator.due(back).deadline;
    assert!(due.is_some_and(|at| at <= first), "{due:?}");
}

#[test]
fn the_round_is_fetched_when_it_exists_and_again_until_it_has_come() {
    let mut pair = awaiting_the_beacon();
    let (first, round) = asked_once(&pair);
    assert!(first >= T.plus(Millis::from_seconds(10)).plus(BEACON_DELAY));
    for _ in 0..3 {
        pair.coordinator
            .hear_beacon(round, None, pair.now, u32::MAX);
        pair.run_for(Millis(1_300));
    }
    let asked: Vec<u64> = pair.rounds.iter().map(|(_, round)| *round).collect();
    assert_eq!(asked, [round; 4]);
    let signature = vec![5; SIGNATURE_BYTES];
    pair.coordinator
        .hear_beacon(round, Some(signature), pair.now, 0);
    pair.run_for(Millis::from_seconds(2));
    pair.count(EdgeCounts::default());
    pair.run_for(Millis::from_seconds(1));
    assert_eq!((phase(&pair), pair.rounds.len()), (Phase::Open, 4));
    assert_eq!(pair.logged("drawn"), 1);
}

#[test]
fn a_restart_in_the_draw_goes_on_with_it_and_makes_each_step_once() {
    let mut pair = awaiting_the_beacon();
    let (_, round) = asked_once(&pair);
    pair.restart();
    pair.run_for(Millis::from_seconds(2));
    assert_eq!(pair.rounds.len(), 2, "the round is fetched anew");
    let signature = vec![5; SIGNATURE_BYTES];
    pair.coordinator
        .hear_beacon(round, Some(signature), pair.now, 0);
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
fn o9_how_the_origin_answers_reaches_the_coordinator_and_a_pause_reaches_the_board_and_a_restart() {
    let mut pair = Pair::in_touch();
    let heard = |pair: &mut Pair, failed| {
        let origin = OriginCounts {
            answers: 1,
            failed,
            slow: 0,
        };
        pair.count(EdgeCounts {
            origin,
            ..EdgeCounts::default()
        });
        pair.run_for(Millis::from_seconds(1));
    };
    for _ in 0..7 {
        heard(&mut pair, 1);
    }
    assert_eq!(phase(&pair), Phase::Paused);
    pair.restart();
    pair.count(EdgeCounts::default());
    pair.run_for(Millis::from_seconds(1));
    assert_eq!(phase(&pair), Phase::Paused);
    for _ in 0..5 {
        heard(&mut pair, 0);
    }
    assert_eq!(phase(&pair), Phase::Open);
    let log = pair.log().join("\n");
    assert_eq!(log.matches(r#""by":"origin-health""#).count(), 2, "{log}");
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
