//! What fails: objects lose their memory, ways become impassable, clocks jump, reports of another
//! run go astray; until nothing fails any more.

use anteroom_queue::shard::command::ShardCommand;
use anteroom_queue::sync::{LineAnswer, LineReport, OfferClock, SyncReply, SyncRequest};
use anteroom_queue::units::{Millis, ShardIndex};

use super::Room;
use super::disasters::RegionCut;
use super::relays::HOMES;
use crate::chance::Chance;
use crate::injected::Fault;
use crate::message::{Content, Event, Object, Parcel};
use crate::observation::Observation;
use crate::plan::MINUTE_MS;

/// Mean time between two reports that go astray.
const ASTRAY_EVERY_MS: u64 = MINUTE_MS;

/// How long it takes until the last consequence of a failure is over.
pub(super) const SETTLED_AFTER_MS: u64 = 15_000;

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

    /// A number in `range`.
    pub fn within(&mut self, range: std::ops::Range<u64>) -> u64 {
        self.chance.within(range)
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
        self.plan_disasters();
    }

    pub(super) fn next_failure(&mut self, event: Event, every_ms: u64, now: u64) {
        if every_ms > 0 && !self.failures.over {
            let wait = self.failures.chance.about(every_ms);
            self.at(now + 1 + wait, event);
        }
    }

    fn jump_clocks(&mut self) {
        for shard in 0..self.shards.len() {
            self.shards[shard].clock.error_ms = self.clock_error();
        }
        self.coordinator.clock.error_ms = self.clock_error();
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
            .map(|board| match self.plan.relays {
                // Numbers behind relays are far apart.
                true => HOMES.min(board.open_shards.len() as u16),
                false => board.shards,
            })
            .max();
        self.failures
            .chance
            .within(0..u64::from(known.unwrap_or(1).max(1))) as u16
    }

    /// Every object there may be.
    pub(super) fn objects(&self) -> Vec<Object> {
        let shards = (0..self.shards.len() as u16).map(Object::Shard);
        let relays = (0..self.relays.len() as u16).map(Object::Relay);
        let relays = relays.filter(|_| self.plan.relays);
        shards.chain([Object::Coordinator]).chain(relays).collect()
    }

    /// An object that is in use.
    pub(super) fn some_object(&mut self) -> Object {
        match self.failures.chance.within(0..4) {
            0 => Object::Coordinator,
            1 if self.plan.relays => self.some_relay(),
            _ => Object::Shard(self.some_shard()),
        }
    }

    /// Whether an object has something in memory.
    pub(super) fn is_in_use(&self, object: Object) -> bool {
        match object {
            Object::Coordinator => self.coordinator.core().is_some(),
            Object::Shard(shard) => self.shards[usize::from(shard)].core.is_some(),
            Object::Relay(relay) => self.relays[usize::from(relay)].is_in_use(),
        }
    }

    /// An object loses its memory; writes under way may or may not have become durable.
    pub(super) fn lose_memory(&mut self, object: Object, now: u64) {
        match object {
            Object::Coordinator => self.crash_coordinator(now),
            Object::Shard(shard) => self.crash_shard(shard, now),
            Object::Relay(relay) => self.crash_relay(relay, now),
        }
    }

    /// How long an outage lasts.
    pub(super) fn outage_ms(&mut self) -> u64 {
        let longest_ms = self.plan.faults.longest_outage_ms;
        if longest_ms == 0 {
            return self.failures.chance.about(self.plan.faults.outage_ms);
        }
        // As often between one and two seconds as between five and ten minutes.
        let scale = 1_000 << self.failures.chance.within(0..10);
        self.failures
            .chance
            .within(scale..2 * scale)
            .min(longest_ms)
    }

    /// Some object loses its memory, and comes back with another clock.
    pub(super) fn crash(&mut self, now: u64) {
        if self.failures.over {
            return;
        }
        self.network.count(Fault::Crashed);
        let error = self.clock_error();
        let object = self.some_object();
        self.lose_memory(object, now);
        self.clock_of(object).error_ms = error;
        self.next_failure(Event::Crash, self.plan.faults.crash_every_ms, now);
    }

    /// Some way becomes impassable for a while.
    pub(super) fn outage(&mut self, now: u64) {
        if self.failures.over {
            return;
        }
        let until = now + self.outage_ms();
        let shard = usize::from(self.some_shard());
        let hits = self.failures.chance.within(0..8);
        if self.plan.long_outages || (3..6).contains(&hits) {
            self.network.count(Fault::ShardCutOff);
            self.shards[shard].cut_off_until_ms = until;
        } else if hits < 3 {
            self.network.count(Fault::ShardHidden);
            self.shards[shard].hidden_until_ms = until;
        } else if self.plan.relays && self.failures.chance.happens(500_000) {
            self.relay_outage(until);
        } else if hits == 6 {
            self.network.count(Fault::CoordinatorHidden);
            self.coordinator.hidden_until_ms = until;
        } else {
            self.blackout(until);
        }
        self.next_failure(Event::Outage, self.plan.faults.outage_every_ms, now);
    }

    /// A report of another run reaches this coordinator.
    pub(super) fn go_astray(&mut self, now: u64) {
        if self.failures.over {
            return;
        }
        self.network.count(Fault::Foreign);
        let shard = self.some_shard();
        if self.plan.is_faulty() && self.failures.chance.happens(500_000) {
            self.foreign_answer(shard, now);
            return self.next_failure(Event::Astray, ASTRAY_EVERY_MS, now);
        }
        let mut line = LineReport::default();
        line.counters.joined = 1_000_000;
        line.counters.claimed = 1_000;
        let report = SyncRequest {
            run: self.plan.run + 1,
            shard: ShardIndex(shard),
            sent: crate::plan::START.plus(Millis(now)),
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

    /// An answer of another run reaches this shard: nothing of it may be taken in.
    fn foreign_answer(&mut self, shard: u16, now: u64) {
        let sent = self.shards[usize::from(shard)].clock.shows(now);
        let lines = self.plan.access.len();
        let line = LineAnswer {
            granted: 1_000,
            ..LineAnswer::default()
        };
        let reply = SyncReply {
            run: self.plan.run + 1,
            sent,
            lines: vec![line; lines],
            board: None,
            board_version: 0,
            next_sync: Millis(50),
            grant_in: None,
            clocks: vec![OfferClock::default(); lines],
        };
        let before = self
            .wake_shard(shard, now)
            .apply(ShardCommand::Wake, sent)
            .rows;
        let rows = self
            .wake_shard(shard, now)
            .apply(ShardCommand::Synced { reply }, sent)
            .rows;
        let refused = rows.is_empty();
        for row in before.into_iter().chain(rows) {
            self.shards[usize::from(shard)].store.change(row.key(), row);
        }
        self.gather(shard, now);
        self.see(now, Observation::ForeignReport { refused });
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
        for relay in &mut self.relays {
            (relay.hidden_until_ms, relay.cut_off_until_ms) = (now, now);
        }
        self.region_cut = RegionCut::default();
        self.clocks_right();
        if self.plan.is_faulty() {
            // An alarm that is gone for good is set again by whoever asks next.
            self.look_everywhere(now);
        }
        self.at(now + SETTLED_AFTER_MS, Event::FaultsOver);
    }
}
