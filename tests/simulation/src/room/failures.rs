//! What fails: objects lose their memory, ways become impassable, clocks jump, reports of another
//! run go astray; until nothing fails any more.

use anteroom_queue::sync::{LineReport, SyncRequest};
use anteroom_queue::units::ShardIndex;

use super::Room;
use crate::chance::Chance;
use crate::message::{Content, Event, Parcel};
use crate::plan::MINUTE_MS;

/// Mean time between two reports that go astray.
const ASTRAY_EVERY_MS: u64 = MINUTE_MS;

/// How long it takes until the last consequence of a failure is over.
const SETTLED_AFTER_MS: u64 = 15_000;

/// What decides about failures.
pub struct Failures {
    chance: Chance,
    over: bool,
}

impl Failures {
    /// Failures of a seed.
    pub fn new(seed: u64) -> Self {
        Self {
            chance: Chance::new(seed, 0x4641_494c),
            over: false,
        }
    }

    /// Whether nothing fails any more.
    pub const fn is_over(&self) -> bool {
        self.over
    }
}

impl Room {
    pub(super) fn plan_failures(&mut self) {
        let faults = self.plan.faults;
        self.next_failure(Event::Crash, faults.crash_every_ms, 0);
        self.next_failure(Event::Outage, faults.outage_every_ms, 0);
        self.next_failure(Event::Astray, ASTRAY_EVERY_MS, 0);
        for (at, survives) in self.plan.crashes_at.clone() {
            self.at(at, Event::CoordinatorCrash { survives });
        }
        for (shard, from, until) in self.plan.cut_off.clone() {
            let until_s = (until / 1_000) as u32;
            self.at(from, Event::CutOff { shard, until_s });
        }
        self.jump_clocks();
    }

    fn next_failure(&mut self, event: Event, every_ms: u64, now: u64) {
        if every_ms > 0 && !self.failures.over {
            let wait = self.failures.chance.about(every_ms);
            self.at(now + 1 + wait, event);
        }
    }

    fn jump_clocks(&mut self) {
        for shard in 0..self.shards.len() {
            self.shards[shard].clock_error_ms = self.clock_error();
        }
        self.coordinator.clock_error_ms = self.clock_error();
    }

    fn clock_error(&mut self) -> i64 {
        let most = self.plan.faults.clock_ms;
        self.failures.chance.within(0..2 * most + 1) as i64 - most as i64
    }

    /// A shard that is in use.
    fn some_shard(&mut self) -> u16 {
        let known = self
            .edges
            .iter()
            .filter_map(|edge| edge.board())
            .map(|board| board.shards)
            .max();
        self.failures
            .chance
            .within(0..u64::from(known.unwrap_or(1))) as u16
    }

    /// Some object loses its memory, and comes back with another clock.
    pub(super) fn crash(&mut self, now: u64) {
        if self.failures.over {
            return;
        }
        let error = self.clock_error();
        if self.failures.chance.within(0..4) == 0 {
            self.crash_coordinator(now);
            self.coordinator.clock_error_ms = error;
        } else {
            let shard = self.some_shard();
            self.crash_shard(shard, now);
            self.shards[usize::from(shard)].clock_error_ms = error;
        }
        self.next_failure(Event::Crash, self.plan.faults.crash_every_ms, now);
    }

    /// Some way becomes impassable for a while.
    pub(super) fn outage(&mut self, now: u64) {
        if self.failures.over {
            return;
        }
        let until = now + self.failures.chance.about(self.plan.faults.outage_ms);
        let shard = usize::from(self.some_shard());
        match self.failures.chance.within(0..8) {
            _ if self.plan.long_outages => self.shards[shard].cut_off_until_ms = until,
            0..3 => self.shards[shard].hidden_until_ms = until,
            3..6 => self.shards[shard].cut_off_until_ms = until,
            6 => self.coordinator.hidden_until_ms = until,
            _ => {
                self.coordinator.hidden_until_ms = until;
                for shard in &mut self.shards {
                    shard.hidden_until_ms = until;
                }
            }
        }
        self.next_failure(Event::Outage, self.plan.faults.outage_every_ms, now);
    }

    /// A report of another run reaches this coordinator.
    pub(super) fn go_astray(&mut self, now: u64) {
        if self.failures.over {
            return;
        }
        let shard = self.some_shard();
        let mut line = LineReport::default();
        line.counters.joined = 1_000_000;
        line.counters.claimed = 1_000;
        let report = SyncRequest {
            run: self.plan.run + 1,
            shard: ShardIndex(shard),
            sent: super::clock(now, 0),
            lines: vec![line; self.plan.access.len()],
            unconfirmed: 0,
            board_version: 0,
        };
        let content = Content::Foreign(report);
        self.send_parcel(
            Parcel {
                shard,
                epoch: u32::MAX,
                number: 0,
                content,
            },
            now,
        );
        self.next_failure(Event::Astray, ASTRAY_EVERY_MS, now);
    }

    /// Nothing fails any more.
    pub(super) fn quiet(&mut self, now: u64) {
        self.failures.over = true;
        self.network.heal();
        self.coordinator.hidden_until_ms = now;
        for shard in &mut self.shards {
            shard.hidden_until_ms = now;
            shard.cut_off_until_ms = now;
        }
        self.at(now + SETTLED_AFTER_MS, Event::FaultsOver);
    }
}
