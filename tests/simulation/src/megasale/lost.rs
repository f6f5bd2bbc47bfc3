//! A region is lost for good: a third of the shards vanish in the middle of the sale with the relays that they share, and
//! never come back, nor what they had stored. Whoever asks one is told that it is away. The others go on.

use anteroom_queue::regions;
use anteroom_queue::shard::command::{PlaceView, VisitorState};
use anteroom_queue::tree::child_number;
use anteroom_queue::units::{PlaceIndex, RelayIndex};

use super::World;
use super::clock;
use super::distances::REGIONS;
use super::messages::{Ask, Event};
use super::objects::home_region;
use super::plan::GIVEN_UP_AFTER_MS;
use crate::checkers::Promise;

/// The region that is lost: not the coordinator's.
const LOST_REGION: usize = 2;

/// Who could not join tries again after this time.
const JOIN_AGAIN_MS: std::ops::Range<u64> = 5_000..30_000;

/// A read that is not answered breaks off after this time.
const EDGE_PATIENCE_MS: u64 = 1_000;

impl World {
    fn is_over(&self, now: u64) -> bool {
        self.plan.lost_at_ms().is_some_and(|at| now >= at)
    }

    /// Whether this shard has vanished.
    pub(super) fn is_lost(&self, shard: u16, now: u64) -> bool {
        self.is_over(now) && home_region(shard) == LOST_REGION
    }

    /// Whether this relay has vanished.
    pub(super) fn is_relay_lost(&self, relay: u16, now: u64) -> bool {
        let region = regions::region_of_child(child_number(RelayIndex(relay)), REGIONS);
        self.is_over(now) && region == LOST_REGION
    }

    /// Whether what was to happen is over with the object that it was to happen at.
    pub(super) fn finds_nobody(&mut self, event: &Event, now: u64) -> bool {
        if !self.is_over(now) {
            return false;
        }
        match event {
            Event::At(shard, ask) if self.is_lost(*shard, now) => self.tell_away(*shard, *ask, now),
            Event::In(shard, ask) if self.is_lost(*shard, now) => self.tell_away(*shard, *ask, now),
            Event::Visit(shard, Ask::Join(join)) if self.is_given_up(*shard, now) => {
                self.send_join(*join, now);
            }
            Event::ShardStep(shard) | Event::ShardHears(shard, _) if self.is_lost(*shard, now) => {}
            Event::AtRelay(report) if self.is_lost(report.shard.0, now) => {}
            Event::InRelay(report) if self.is_lost(report.shard.0, now) => {}
            Event::RelayPoked(relay) | Event::RelayStep(relay) | Event::RelayHears(relay, _)
                if self.is_relay_lost(*relay, now) => {}
            _ => return false,
        }
        true
    }

    /// A visitor or an isolate asks a shard that has vanished.
    fn tell_away(&mut self, shard: u16, ask: Ask, now: u64) {
        match ask {
            Ask::Board(isolate) => self.wheel.put(now + EDGE_PATIENCE_MS, Event::Read(isolate)),
            Ask::Poke | Ask::Listen(_) => {}
            Ask::Join(_) => {
                self.measured.told_away += 1;
                let at = now + self.chance.within(JOIN_AGAIN_MS);
                self.wheel.put(at, Event::Visit(shard, ask));
            }
            Ask::State(..) | Ask::Claim(..) | Ask::Renew(_) | Ask::Release(_) => {
                self.measured.told_away += 1
            }
        }
    }

    /// The region vanishes: who waits there for an answer finds the call broken off.
    pub(super) fn lose(&mut self, now: u64) {
        self.measured.sessions_at_loss = self.checks.sessions();
        for shard in 0..self.shards.len() as u16 {
            if self.is_lost(shard, now)
                && let Some(shell) = self.shards[usize::from(shard)].as_mut()
            {
                for ask in shell.break_off() {
                    self.tell_away(shard, ask, now);
                }
            }
        }
    }

    /// Whether it is known that this shard will not come back: then who has no place there gets another permit.
    fn is_given_up(&self, shard: u16, now: u64) -> bool {
        let is_known = |at: u64| now >= at + GIVEN_UP_AFTER_MS;
        self.is_lost(shard, now) && self.plan.lost_at_ms().is_some_and(is_known)
    }

    /// The organizer says so in the configuration.
    pub(super) fn give_up_region(&mut self) {
        self.coordinator
            .give_up(&std::array::from_fn(|region| region == LOST_REGION));
    }

    /// Sessions that run at homes which the coordinator hears.
    pub(super) fn running(&self, now: u64) -> u64 {
        let heard = (0..self.shards.len() as u16).filter(|shard| !self.is_lost(*shard, now));
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
        if self.checks.acknowledged != u64::from(self.plan.visitors) {
            let acknowledged = self.checks.acknowledged;
            self.checks.findings.broken(now, Promise::NoLostPlace, || {
                format!("{acknowledged} have a number: who had none was to get another home")
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
