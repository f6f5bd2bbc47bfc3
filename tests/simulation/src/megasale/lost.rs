//! A region is lost for good: a third of the shards and a relay vanish in the middle of the sale and never come back, with
//! everything that they had stored. Whoever asks one is told that it is away. The others go on.

use anteroom_queue::shard::command::{PlaceView, VisitorState};
use anteroom_queue::tree::relay_of;
use anteroom_queue::units::{PlaceIndex, RelayIndex, ShardIndex};

use super::World;
use super::clock;
use super::messages::{Answered, Ask, Event};
use super::objects::home_region;
use crate::checkers::Promise;

/// The region that is lost: not the coordinator's.
const LOST_REGION: usize = 2;

/// The relay that is lost besides.
const LOST_RELAY: u16 = 0;

/// A call that is not answered breaks off after this time, as an edge's and a shard's do.
const EDGE_PATIENCE_MS: u64 = 1_000;
const SYNC_TIMEOUT_MS: u64 = 3_000;

impl World {
    fn is_over(&self, now: u64) -> bool {
        self.plan.lost_at_ms.is_some_and(|at| now >= at)
    }

    /// Whether this shard has vanished.
    pub(super) fn is_lost(&self, shard: u16, now: u64) -> bool {
        self.is_over(now) && home_region(shard) == LOST_REGION
    }

    /// Whether this relay has vanished.
    pub(super) fn is_relay_lost(&self, relay: u16, now: u64) -> bool {
        self.is_over(now) && relay == LOST_RELAY
    }

    /// A shard that is there and cannot report for ever: its relay is lost.
    fn is_cut_off(&self, shard: u16, now: u64) -> bool {
        let relay = relay_of(ShardIndex(shard));
        relay.is_some_and(|RelayIndex(relay)| self.is_relay_lost(relay, now))
    }

    /// Whether what was to happen is over with the object that it was to happen at.
    pub(super) fn finds_nobody(&mut self, event: &Event, now: u64) -> bool {
        if !self.is_over(now) {
            return false;
        }
        match event {
            Event::At(shard, ask) if self.is_lost(*shard, now) => self.tell_away(*ask, now),
            Event::In(shard, _) | Event::ShardStep(shard) | Event::ShardHears(shard, _)
                if self.is_lost(*shard, now) => {}
            Event::AtRelay(report) if self.is_cut_off(report.shard.0, now) => {
                let (shard, at) = (report.shard.0, now + SYNC_TIMEOUT_MS);
                self.wheel
                    .put(at, Event::ShardHears(shard, Answered::Failed));
            }
            Event::InRelay(report) if self.is_cut_off(report.shard.0, now) => {
                let (shard, at) = (report.shard.0, now + SYNC_TIMEOUT_MS);
                self.wheel
                    .put(at, Event::ShardHears(shard, Answered::Failed));
            }
            Event::RelayPoked(relay) | Event::RelayStep(relay) | Event::RelayHears(relay, _)
                if self.is_relay_lost(*relay, now) => {}
            _ => return false,
        }
        true
    }

    /// A visitor or an isolate asks a shard that has vanished.
    fn tell_away(&mut self, ask: Ask, now: u64) {
        match ask {
            Ask::Board(isolate) => self.wheel.put(now + EDGE_PATIENCE_MS, Event::Read(isolate)),
            Ask::Poke | Ask::Listen => {}
            Ask::Join(_) | Ask::State(..) | Ask::Claim(..) | Ask::Renew(_) | Ask::Release(_) => {
                self.measured.told_away += 1
            }
        }
    }

    /// Whether a shard is out of the coordinator's reach for good.
    pub(super) fn is_out_of_reach(&self, shard: u16, now: u64) -> bool {
        self.is_lost(shard, now) || self.is_cut_off(shard, now)
    }

    /// The relay vanishes with everything that it holds: the shards that wait for its answers find their calls broken off.
    pub(super) fn lose(&mut self, now: u64) {
        self.measured.sessions_at_loss = self.checks.sessions();
        let relay = self.relays.get_mut(usize::from(LOST_RELAY));
        let held = relay
            .and_then(Option::as_mut)
            .map(|relay| relay.break_off());
        for shard in held.into_iter().flatten() {
            self.wheel
                .put(now + 1, Event::ShardHears(shard, Answered::Failed));
        }
    }

    /// Sessions that run at homes which the coordinator hears.
    pub(super) fn running(&self, now: u64) -> u64 {
        let heard =
            (0..self.shards.len() as u16).filter(|shard| !self.is_out_of_reach(*shard, now));
        heard.map(|shard| self.sessions_at(shard, now)).sum()
    }

    /// What has to be so at the end, a session and more after the loss, while nobody is let in: the coordinator counts the
    /// sessions at homes that it hears (`before`: those that ran a little earlier), and none of those that are lost.
    pub(super) fn check_after_loss(&mut self, before: u64, now: u64) {
        let running = self.running(now);
        let active = self.coordinator.core.totals().active;
        self.measured.active_at_end = (active, running);
        if active < running || active > before {
            self.checks.findings.broken(now, Promise::Cap, || {
                format!("{active} sessions count, {running} to {before} run")
            });
        }
        if self.checks.sessions() == self.measured.sessions_at_loss {
            self.checks.findings.broken(now, Promise::Liveness, || {
                "nobody was let in after the loss".to_owned()
            });
        }
    }

    fn sessions_at(&self, shard: u16, now: u64) -> u64 {
        let Some(shell) = self.shards[usize::from(shard)].as_ref() else {
            return 0;
        };
        let places = 0..shell.visitors.len() as u32;
        let views = places.filter_map(|place| shell.core.view(PlaceIndex(place), clock(now)));
        let runs = |view: &PlaceView| view.state == VisitorState::Admitted;
        views.filter(runs).count() as u64
    }
}
