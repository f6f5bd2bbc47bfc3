use anteroom_queue::coordinator::Coordinator;
use anteroom_queue::coordinator::command::CoordinatorReply;
use anteroom_queue::relay::Identity;
use anteroom_queue::relay::command::RelayAnswer;
use anteroom_queue::sync::{Counters, LineReport};
use anteroom_queue::units::RelayIndex;

use super::*;
use crate::coordinator_desk::CoordinatorDesk;
use crate::fixtures::{Memory, T, coordinator_known, settings};
use crate::opening::{Core, Known};
use crate::wire::CoordinatorAsk;

/// A relay, its coordinator, and nothing between them.
struct Pair {
    now: UnixMillis,
    relay: RelayDesk<u16>,
    rows: Memory,
    coordinator: CoordinatorDesk<()>,
    coordinator_rows: Memory,
    is_away: bool,
    reports: usize,
    answers: Vec<(u16, Option<RelayAnswer>)>,
}

impl Pair {
    fn new() -> Self {
        let identity = Identity {
            run: 1,
            relay: RelayIndex(0),
        };
        let known: Known = coordinator_known();
        let coordinator: Coordinator = Core::begin(&known, settings(), [7; 16], T).reply;
        let mut pair = Self {
            now: T,
            relay: RelayDesk::new(1, Relay::new(identity, settings(), T).reply, T),
            rows: Memory::default(),
            coordinator: CoordinatorDesk::new(coordinator),
            coordinator_rows: Memory::default(),
            is_away: false,
            reports: 0,
            answers: Vec::new(),
        };
        pair.run_for(Millis(200));
        pair
    }

    fn run_for(&mut self, time: Millis) {
        let until = self.now.plus(time);
        while self.now < until {
            self.now = self.now.plus(Millis(1));
            self.step();
        }
    }

    fn step(&mut self) {
        let step = self.relay.step(self.now, 0, &mut self.rows).unwrap();
        self.answers
            .extend(step.answers.into_iter().map(
                |(to, bytes)| match wire::decode(&bytes).unwrap() {
                    RelaySays::Answer(answer) => (to, Some(answer)),
                    _ => (to, None),
                },
            ));
        let Some((report, counts)) = step.report else {
            return;
        };
        self.reports += 1;
        if self.is_away {
            let why = SyncFailed::Unreachable("away".into());
            return self.relay.hear(Err(why));
        }
        let ask = CoordinatorAsk::Relayed(report, counts.into());
        let (store, now) = (&mut self.coordinator_rows, self.now);
        self.coordinator.ask(ask, [3; 16], (), now, store);
        let later = now.plus(crate::coordinator_desk::WINDOW);
        let step = self.coordinator.step(later, store).unwrap();
        let (_, bytes) = step.answers.into_iter().next().expect("an answer");
        let Ok(CoordinatorReply::Synced(reply)) = wire::decode(&bytes) else {
            panic!("a report was not answered with a sync");
        };
        self.relay.hear(Ok(reply));
    }

    fn report(&mut self, shard: u16, joined: u64, numbered: u64) {
        let counters = Counters {
            joined,
            numbered,
            ..Counters::default()
        };
        let report = SyncRequest {
            run: 1,
            shard: ShardIndex(shard),
            sent: self.now,
            lines: vec![
                LineReport {
                    counters,
                    ..LineReport::default()
                };
                settings().lines.len()
            ],
            unconfirmed: 0,
            board_version: 0,
        };
        let counts = EdgeCounts::default();
        let refused = self.relay.ask(report, counts, [5; 16], shard, self.now);
        assert!(refused.is_none());
    }

    fn entry(&self, at: usize) -> Option<u64> {
        let (_, answer) = &self.answers[at];
        let cuts = &answer.as_ref()?.reply.lines[0].cuts;
        cuts.first().map(|cut| cut.first_entry.0)
    }
}

#[test]
fn shards_that_report_together_are_answered_with_their_numbers_out_of_one_report() {
    let mut pair = Pair::new();
    let before = pair.reports;
    pair.report(51, 1, 0);
    pair.run_for(Millis(5));
    pair.report(50, 1, 0);
    pair.run_for(Millis(100));
    assert_eq!(pair.answers.len(), 2);
    assert_eq!((pair.entry(0), pair.entry(1)), (Some(0), Some(1)));
    assert_eq!((pair.answers[0].0, pair.answers[1].0), (51, 50));
    // The second report only says that the numbers are stored.
    assert!(pair.reports - before <= 2, "{} reports", pair.reports);
    let behind = pair.answers[0].1.as_ref().unwrap().behind;
    assert_eq!(
        behind,
        Millis(0),
        "the coordinator was asked after the shard"
    );
}

#[test]
fn who_waits_for_nothing_is_answered_from_a_young_board_without_the_coordinator() {
    let mut pair = Pair::new();
    pair.run_for(Millis(400));
    pair.report(50, 0, 0);
    pair.run_for(Millis(100));
    let before = pair.reports;
    pair.report(51, 0, 0);
    pair.run_for(Millis(30));
    assert_eq!((pair.answers.len(), pair.reports), (2, before));
    let behind = pair.answers[1].1.as_ref().unwrap().behind;
    assert!(behind > Millis(0) && behind < FRESH, "{behind:?}");
    pair.run_for(Millis(600));
    pair.report(51, 0, 0);
    pair.run_for(Millis(100));
    assert_eq!(pair.answers.len(), 3);
    assert!(pair.reports > before, "the board was too old");
}

#[test]
fn while_the_coordinator_is_away_shards_are_answered_in_time_and_later_not_at_all() {
    let mut pair = Pair::new();
    pair.is_away = true;
    pair.report(50, 1, 0);
    pair.run_for(Millis(1_400));
    assert_eq!(pair.answers.len(), 0);
    pair.run_for(Millis(200));
    assert_eq!((pair.answers.len(), pair.entry(0)), (1, None));
    let behind = pair.answers[0].1.as_ref().unwrap().behind;
    assert!(behind > Millis(0), "{behind:?}");
    pair.run_for(Millis(15_000));
    pair.report(50, 1, 0);
    pair.run_for(Millis(2_000));
    assert_eq!(pair.answers.len(), 1, "nothing may be said in its name");
    pair.is_away = false;
    pair.run_for(Millis(6_000));
    pair.report(50, 1, 0);
    pair.run_for(Millis(100));
    assert_eq!(pair.entry(1), Some(0), "taken up while it was away");
}

#[test]
fn a_commit_writes_one_row_whatever_it_changed() {
    let mut pair = Pair::new();
    pair.run_for(Millis(500));
    for shard in 50..80 {
        pair.report(shard, 3, 0);
    }
    pair.run_for(Millis(300));
    assert_eq!(pair.answers.len(), 30);
    assert_eq!(pair.rows.rows.keys().collect::<Vec<_>>(), ["relay"]);
}
