//! What happens to the whole event: regions cut off, everything unreachable, a deployment, configurations that are
//! pushed; and objects that have two instances for a moment.
//!
//! Of two instances the platform lets only the later one at the storage, and gives events only to it; the earlier one
//! goes on with what it has in hand. So what it had stored leaves late, and nothing else of it.

use anteroom_queue::limits::MAX_LINES;
use anteroom_queue::settings::Settings;
use anteroom_queue::shard::command::ShardCommand;

use super::Room;
use crate::injected::Fault;
use crate::message::{Event, Letter, Object};

/// Regions of the world: shards and edges are spread over them, and the coordinator is in the first.
const REGIONS: u16 = 3;

/// Within this time of a deployment every object has restarted.
const DEPLOYED_WITHIN_MS: u64 = 30_000;

/// The longest that an instance goes on after another has begun.
const LONGEST_TWIN_MS: u64 = 8_000;

/// Which region is cut off, and until when.
#[derive(Clone, Copy, Debug, Default)]
pub struct RegionCut {
    region: u16,
    until_ms: u64,
}

const fn region_of(number: u16) -> u16 {
    number % REGIONS
}

impl RegionCut {
    /// Whether nothing passes between two regions now.
    const fn parts(self, one: u16, other: u16, now: u64) -> bool {
        now < self.until_ms && one != other && (one == self.region || other == self.region)
    }

    /// Whether a shard cannot reach the coordinator.
    const fn parts_coordinator(self, shard: u16, now: u64) -> bool {
        self.parts(region_of(shard), 0, now)
    }

    /// Whether an edge cannot reach a shard.
    pub const fn parts_edge(self, edge: u8, shard: u16, now: u64) -> bool {
        self.parts(region_of(edge as u16), region_of(shard), now)
    }
}

impl Room {
    pub(super) fn plan_disasters(&mut self) {
        let faults = self.plan.faults;
        self.next_failure(Event::RegionOutage, faults.region_every_ms, 0);
        self.next_failure(Event::Twin, faults.twin_every_ms, 0);
        self.next_failure(Event::ClockStep, faults.clock_step_every_ms, 0);
        self.next_failure(Event::Configure, faults.configure_every_ms, 0);
        let disasters = self.plan.disasters;
        if disasters.surge {
            self.network.count(Fault::Surge);
        }
        if let Some((from, until)) = disasters.blackout {
            let until_s = (until / 1_000) as u32;
            self.at(from, Event::Blackout { until_s });
        }
        if let Some((from, until)) = disasters.region {
            let region = self.failures.within(0..u64::from(REGIONS)) as u8;
            let until_s = (until / 1_000) as u32;
            self.at(from, Event::RegionCut { region, until_s });
        }
        if let Some(at) = disasters.deploy_at_ms {
            for object in self.objects() {
                let after = self.failures.within(0..DEPLOYED_WITHIN_MS);
                self.at(at + after, Event::Deploy(object));
            }
        }
    }

    /// Some region is cut off for a while.
    pub(super) fn region_outage(&mut self, now: u64) {
        let region = self.failures.within(0..u64::from(REGIONS)) as u8;
        let until_ms = now + self.outage_ms();
        self.region_cut(region, until_ms, now);
        let every_ms = self.plan.faults.region_every_ms;
        self.next_failure(Event::RegionOutage, every_ms, now);
    }

    /// Nothing passes between a region and the others.
    pub(super) fn region_cut(&mut self, region: u8, until_ms: u64, now: u64) {
        if self.failures.is_over() {
            return;
        }
        self.network.count(Fault::RegionCutOff);
        let region = u16::from(region);
        self.region_cut = RegionCut { region, until_ms };
        for shard in 0..self.shards.len() as u16 {
            if self.region_cut.parts_coordinator(shard, now) {
                let cut_off = &mut self.shards[usize::from(shard)].cut_off_until_ms;
                *cut_off = (*cut_off).max(until_ms);
            }
        }
    }

    /// No object can be reached.
    pub(super) fn blackout(&mut self, until_ms: u64) {
        if self.failures.is_over() {
            return;
        }
        self.network.count(Fault::AllHidden);
        self.coordinator.hidden_until_ms = until_ms;
        for shard in &mut self.shards {
            shard.hidden_until_ms = until_ms;
        }
        for relay in &mut self.relays {
            relay.hidden_until_ms = until_ms;
        }
    }

    /// Some object has two instances.
    pub(super) fn twin(&mut self, now: u64) {
        if self.failures.is_over() {
            return;
        }
        self.network.count(Fault::Twin);
        let late_ms = self.failures.within(100..LONGEST_TWIN_MS);
        match self.some_object() {
            Object::Coordinator => self.double_coordinator(late_ms, now),
            Object::Shard(shard) => self.double_shard(shard, late_ms, now),
            Object::Relay(relay) => self.double_relay(relay, late_ms, now),
        }
        let every_ms = self.plan.faults.twin_every_ms;
        self.next_failure(Event::Twin, every_ms, now);
    }

    /// An object restarts with the new version.
    pub(super) fn deploy(&mut self, object: Object, now: u64) {
        if self.is_in_use(object) {
            self.network.count(Fault::Deployed);
        }
        if let Object::Shard(shard) = object {
            self.shards[usize::from(shard)].is_new = true;
        }
        self.lose_memory(object, now);
    }

    /// Whether an edge has the version that was deployed.
    pub(super) fn edge_is_new(&self, edge: u8, now: u64) -> bool {
        let after = u64::from(edge) * DEPLOYED_WITHIN_MS / u64::from(self.plan.edges);
        let deployed_at = self.plan.disasters.deploy_at_ms;
        deployed_at.is_some_and(|at| now >= at + after)
    }

    /// An object of before refuses words that it does not know; the edge asks again in those of before.
    pub(super) fn not_understood(&mut self, letter: Letter, now: u64) {
        if !letter.copy {
            let names_network = false;
            self.send_letter(
                Letter {
                    names_network,
                    ..letter
                },
                now,
            );
        }
    }

    /// A configuration is pushed: the same, another one, or one that does not fit the run.
    pub(super) fn configure(&mut self, now: u64) {
        if self.failures.is_over() {
            return;
        }
        let mut settings = self.plan.settings.clone();
        let fits = match self.failures.within(0..4) {
            0 => {
                self.network.count(Fault::ConfiguredAgain);
                true
            }
            1 => {
                self.network.count(Fault::ConfiguredWrongly);
                settings.lines[0].id = "another".to_owned();
                false
            }
            2 => {
                self.network.count(Fault::ConfiguredTooLarge);
                let line = settings.lines[0].clone();
                settings.lines = vec![line; MAX_LINES + 1];
                false
            }
            _ => {
                self.network.count(Fault::Configured);
                self.other_settings(&mut settings);
                self.plan.settings = settings.clone();
                true
            }
        };
        self.push(&settings, fits, now);
        let every_ms = self.plan.faults.configure_every_ms;
        self.next_failure(Event::Configure, every_ms, now);
    }

    /// Other limits and weights, and more visitors.
    fn other_settings(&mut self, settings: &mut Settings) {
        let percent = [30, 60, 100, 150, 300];
        let mut scaled = |value: u32| {
            let by = percent[self.failures.within(0..percent.len() as u64) as usize];
            (value * by / 100).max(1)
        };
        let limits = &mut settings.limits;
        limits.max_active = limits.max_active.map(&mut scaled);
        limits.per_minute = limits.per_minute.map(&mut scaled);
        for line in &mut settings.lines {
            line.weight = scaled(line.weight).min(100);
        }
        settings.expected_visitors += self.failures.within(0..20_000);
    }

    /// Every object that is awake reads it; one that does not fit changes nothing.
    fn push(&mut self, settings: &Settings, fits: bool, now: u64) {
        let changed = self.configure_coordinator(settings, fits, now);
        assert!(
            fits || !changed,
            "seed {}: a wrong configuration changed the coordinator",
            self.plan.seed
        );
        self.configure_relays(settings, now);
        for shard in 0..self.shards.len() as u16 {
            if self.shards[usize::from(shard)].core.is_none() {
                continue;
            }
            let settings = settings.clone();
            let before = self.shards[usize::from(shard)].clock.shows(now);
            let core = self.wake_shard(shard, now);
            let rows = core
                .apply(ShardCommand::Configure { settings }, before)
                .rows;
            let shell = &mut self.shards[usize::from(shard)];
            for row in rows {
                shell.store.change(row.key(), row);
            }
            self.flush(shard, false, now);
        }
    }
}
