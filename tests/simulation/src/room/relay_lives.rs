//! How a relay's instance ends and is told of the configuration, and what keeps others from reaching it.

use anteroom_queue::relay::command::RelayCommand;
use anteroom_queue::settings::Settings;

use super::Room;
use super::relays::{RELAYS, RelayAfter};
use crate::injected::Fault;
use crate::message::{Event, Object};

/// The alarm of a relay that has lost its memory comes this much later.
const ALARM_MS: u64 = 30_000;

impl Room {
    /// Every relay that ever stored anything is asked for a report.
    pub(super) fn look_at_relays(&mut self, now: u64) {
        for relay in 0..self.relays.len() as u16 {
            if !self.relays[usize::from(relay)].store.is_empty() {
                self.apply_at_relay(relay, RelayCommand::Wake, now);
                self.flush_relay(relay, true, false, now);
            }
        }
    }

    /// The relay loses its memory; writes under way may or may not have become durable.
    pub(super) fn crash_relay(&mut self, relay: u16, now: u64) {
        let writes = self.relays[usize::from(relay)].store.writes();
        let survivors = self.network.survivors(writes);
        self.end_relay(relay, survivors, now);
    }

    /// Another instance begins while this one still has reports and answers in hand: what is durable leaves late.
    pub(super) fn double_relay(&mut self, relay: u16, late_ms: u64, now: u64) {
        let shell = &self.relays[usize::from(relay)];
        let epoch = shell.epoch;
        let survivors = self.network.survivors(shell.store.writes());
        for after in self.end_relay(relay, survivors, now) {
            self.send_after(relay, epoch, after, now + late_ms);
        }
    }

    /// What became durable all the same.
    pub(super) fn end_relay(&mut self, relay: u16, survivors: usize, now: u64) -> Vec<RelayAfter> {
        let shell = &mut self.relays[usize::from(relay)];
        let mut durable = shell.store.fail(survivors);
        durable.truncate(survivors);
        shell.core = None;
        shell.held.clear();
        shell.gathering = false;
        shell.syncing = None;
        shell.due_ms = Some(now + ALARM_MS);
        shell.epoch += 1;
        let epoch = shell.epoch;
        self.at(now + ALARM_MS, Event::RelayDue { relay, epoch });
        durable
    }

    /// A relay that is in use, if this world has any.
    pub(super) fn some_relay(&mut self) -> Object {
        Object::Relay(self.failures.within(0..u64::from(RELAYS)) as u16)
    }

    /// A relay becomes unreachable, or cannot reach the coordinator.
    pub(super) fn relay_outage(&mut self, until_ms: u64) {
        let Object::Relay(relay) = self.some_relay() else {
            return;
        };
        self.network.count(Fault::RelayAway);
        let hides = self.failures.within(0..2) == 0;
        let shell = &mut self.relays[usize::from(relay)];
        match hides {
            true => shell.hidden_until_ms = until_ms,
            false => shell.cut_off_until_ms = until_ms,
        }
    }

    /// Every relay is told of the configuration.
    pub(super) fn configure_relays(&mut self, settings: &Settings, now: u64) {
        for relay in 0..self.relays.len() as u16 {
            if self.relays[usize::from(relay)].core.is_some() {
                let settings = settings.clone();
                self.apply_at_relay(relay, RelayCommand::Configure { settings }, now);
                self.flush_relay(relay, false, false, now);
            }
        }
    }
}
