//! Relays between shards and the coordinator, in about half of the worlds: the shell around each gathers reports, stores
//! before it reports or answers, and answers a shard out of the first answer to a report that left after its own came in.
//!
//! A world counts its shards from 0. Where it has relays, the first is the coordinator's own and the others are behind three
//! relays by turns, whatever their numbers.

use std::rc::Rc;

use anteroom_queue::coordinator::command::Entropy;
use anteroom_queue::limits::{DIRECT_SHARDS, RELAY_CHILDREN};
use anteroom_queue::relay::command::{RelayCommand, RelayReply};
use anteroom_queue::relay::rows::RelayRow;
use anteroom_queue::relay::{Asked, Identity, Relay};
use anteroom_queue::sync::{RelayReport, SyncReply, SyncRequest};
use anteroom_queue::tree::relay_of;
use anteroom_queue::units::{Millis, RelayIndex, ShardIndex};

use super::Room;
use super::clocks::ObjectClock;
use crate::message::{Content, Event, Parcel};
use crate::network::Written;
use crate::store::Store;

/// Relays of a world that has any.
pub const RELAYS: u16 = 3;

/// Shards of such a world that are homes: the coordinator does not know their order, so it names others.
pub const HOMES: u16 = 16;

/// How long a relay gathers.
const GATHER_MS: u64 = 20;

/// A report is answered from what is there after this time.
const PATIENCE_MS: u64 = 1_500;

/// A report that waits for nothing is answered from a board that is younger than this.
const FRESH: Millis = Millis(250);

/// A report to the coordinator not answered within this time is given up.
const SYNC_PATIENCE_MS: u64 = 2_000;

/// How often shards that sleep are asked for a report.
const POKED_EVERY_MS: u64 = 1_000;

/// A report that waits for its answer.
pub(super) struct Held {
    parcel: Parcel,
    asked: Asked,
    until_ms: u64,
    /// A report that counts it has left.
    reported: bool,
}

/// What leaves a relay when a write is durable.
pub struct RelayAfter {
    report: Option<(u32, RelayReport)>,
    answers: Vec<Parcel>,
    written: Written,
}

/// One relay with its shell and its storage.
#[derive(Default)]
pub struct RelayShell {
    pub(super) core: Option<Relay>,
    pub(super) store: Store<RelayRow, RelayAfter>,
    pub(super) epoch: u32,
    pub(super) held: Vec<Held>,
    pub(super) gathering: bool,
    pub(super) syncing: Option<u32>,
    syncs: u32,
    pub(super) due_ms: Option<u64>,
    poked_ms: u64,
    /// Until when nobody can reach it.
    pub(super) hidden_until_ms: u64,
    /// Until when it cannot reach the coordinator.
    pub(super) cut_off_until_ms: u64,
    pub(super) clock: ObjectClock,
}

impl RelayShell {
    /// Whether it has something in memory.
    pub(super) const fn is_in_use(&self) -> bool {
        self.core.is_some()
    }

    fn is_idle(&self) -> bool {
        self.held.is_empty()
            && self.store.writes() == 0
            && !self.gathering
            && self.syncing.is_none()
    }
}

/// The number of a shard in a world with relays, or without.
pub const fn number(shard: u16, relays: bool) -> ShardIndex {
    match shard.checked_sub(1) {
        Some(behind) if relays => {
            ShardIndex(DIRECT_SHARDS + behind % RELAYS * RELAY_CHILDREN + behind / RELAYS)
        }
        _ => ShardIndex(shard),
    }
}

impl Room {
    /// The number of a shard of this world.
    pub(super) const fn number_of(&self, shard: u16) -> ShardIndex {
        number(shard, self.plan.relays)
    }

    /// The shard of this world with a number, if there is one.
    pub(super) fn with_number(&self, number: ShardIndex) -> Option<u16> {
        (0..self.shards.len() as u16).find(|shard| self.number_of(*shard) == number)
    }

    /// Sends a shard's report to its relay; `false`: it has none.
    pub(super) fn relay_in(&mut self, parcel: &Parcel, report: &SyncRequest, now: u64) -> bool {
        let Some(RelayIndex(relay)) = relay_of(report.shard) else {
            return false;
        };
        let shell = &self.relays[usize::from(relay)];
        if shell.hidden_until_ms > now {
            return true;
        }
        let asked = Asked {
            shard: report.shard,
            sent: report.sent,
            board_version: report.board_version,
            taken: shell.clock.shows(now),
        };
        let command = RelayCommand::Report {
            report: report.clone(),
            entropy: Entropy(self.entropy.bytes()),
        };
        if let RelayReply::Refused(why) = self.apply_at_relay(relay, command, now) {
            panic!(
                "seed {} at {now} ms: a true report of shard {} was refused: {why}",
                self.plan.seed, parcel.shard
            );
        }
        let shell = &mut self.relays[usize::from(relay)];
        shell.held.push(Held {
            parcel: parcel.clone(),
            asked,
            until_ms: now + PATIENCE_MS,
            reported: false,
        });
        if !std::mem::replace(&mut shell.gathering, true) {
            let epoch = shell.epoch;
            self.at(now + GATHER_MS, Event::RelayGathered { relay, epoch });
        }
        if self.network.crashes_in_step() {
            self.crash_relay(relay, now);
        }
        true
    }

    pub(super) fn apply_at_relay(
        &mut self,
        relay: u16,
        command: RelayCommand,
        now: u64,
    ) -> RelayReply {
        let clock = self.relays[usize::from(relay)].clock.shows(now);
        let outcome = self.wake_relay(relay, now).apply(command, clock);
        let shell = &mut self.relays[usize::from(relay)];
        for row in outcome.rows {
            shell.store.change(RelayRow::KEY.to_owned(), row);
        }
        outcome.reply
    }

    /// The relay in memory: as it is, restored, or new.
    fn wake_relay(&mut self, relay: u16, now: u64) -> &mut Relay {
        let identity = Identity {
            run: self.plan.run,
            relay: RelayIndex(relay),
        };
        let settings = &self.plan.settings;
        let shell = &mut self.relays[usize::from(relay)];
        let clock = shell.clock.shows(now);
        if shell.core.is_none() {
            let core = if shell.store.is_empty() {
                let made = Relay::new(identity, settings.clone(), clock);
                for row in made.rows {
                    shell.store.change(RelayRow::KEY.to_owned(), row);
                }
                made.reply
            } else {
                let rows = shell.store.rows();
                let restored = Relay::restore(identity, settings.clone(), rows, clock);
                let seed = self.plan.seed;
                restored.unwrap_or_else(|corrupt| {
                    panic!("seed {seed} relay {relay} at {now} ms: {corrupt}")
                })
            };
            shell.core = Some(core);
        }
        shell.core.as_mut().expect("it was just put there")
    }

    pub(super) fn relay_gathered(&mut self, relay: u16, epoch: u32, now: u64) {
        let shell = &mut self.relays[usize::from(relay)];
        if shell.epoch == epoch {
            shell.gathering = false;
            self.flush_relay(relay, false, false, now);
        }
    }

    /// One write of everything gathered, with a report if one is wanted (or `asked` for), and whatever can be answered:
    /// after an answer of the coordinator all whom that was for.
    pub(super) fn flush_relay(&mut self, relay: u16, asked: bool, answered: bool, now: u64) {
        let (takes, written) = (self.network.write_ms(), self.network.written());
        let shell = &mut self.relays[usize::from(relay)];
        let clock = shell.clock.shows(now);
        let Some(core) = &mut shell.core else { return };
        let is_told = |core: &Relay, held: &Held| {
            let fresh = core.board_age(clock).is_some_and(|age| age < FRESH);
            fresh && !core.awaits(held.asked.shard)
        };
        let mut answers = Vec::new();
        for held in std::mem::take(&mut shell.held) {
            let done = answered && held.reported
                || held.until_ms <= now
                || !shell.gathering && is_told(core, &held);
            if !done {
                shell.held.push(held);
            } else if let Some(answer) = core.answer(held.asked, clock) {
                let content = Content::Relayed(Rc::new(answer.reply), answer.behind);
                answers.push(Parcel {
                    content,
                    ..held.parcel
                });
            }
        }
        let wanted = core.next_report().is_some_and(|at| at <= clock);
        let waited_for = !shell.gathering && shell.held.iter().any(|held| !held.reported);
        let mut report = None;
        if shell.syncing.is_none() && (asked || wanted || waited_for) {
            shell.syncs += 1;
            let number = shell.syncs;
            shell.syncing = Some(number);
            for held in &mut shell.held {
                held.reported = true;
            }
            report = Some((number, core.report(clock)));
        }
        let late = report.as_ref().map(|(number, _)| *number);
        let after = RelayAfter {
            report,
            answers,
            written,
        };
        let at = shell.store.write(now, takes, after);
        let epoch = shell.epoch;
        self.at(at, Event::RelayStored { relay, epoch });
        if let Some(number) = late {
            self.at(now + SYNC_PATIENCE_MS, Event::RelayLate { relay, number });
        }
        self.plan_relay(relay, now);
    }

    /// Comes back when something is due.
    fn plan_relay(&mut self, relay: u16, now: u64) {
        let shell = &mut self.relays[usize::from(relay)];
        let Some(core) = &shell.core else { return };
        let wakeup = core
            .next_wakeup()
            .filter(|at| shell.syncing.is_none() || core.next_report() != Some(*at));
        let patience = shell.held.iter().map(|held| held.until_ms).min();
        let poked = (!core.pokes().is_empty()).then_some(shell.poked_ms + POKED_EVERY_MS);
        let wakeup = wakeup.map(|at| shell.clock.true_time(at));
        let Some(at) = wakeup.into_iter().chain(patience).chain(poked).min() else {
            return;
        };
        let at = at.max(now + 1);
        if shell.due_ms.is_none_or(|due| due <= now || at < due) {
            shell.due_ms = Some(at);
            let epoch = shell.epoch;
            self.at(at, Event::RelayDue { relay, epoch });
        }
    }

    pub(super) fn relay_due(&mut self, relay: u16, epoch: u32, now: u64) {
        let shell = &mut self.relays[usize::from(relay)];
        if shell.epoch != epoch || shell.due_ms != Some(now) {
            return;
        }
        shell.due_ms = None;
        self.apply_at_relay(relay, RelayCommand::Wake, now);
        self.flush_relay(relay, false, false, now);
        self.poke_shards(relay, now);
    }

    fn poke_shards(&mut self, relay: u16, now: u64) {
        let shell = &mut self.relays[usize::from(relay)];
        let wanted = shell.core.as_ref().map(Relay::pokes).unwrap_or_default();
        if wanted.is_empty() || now < shell.poked_ms + POKED_EVERY_MS {
            return;
        }
        shell.poked_ms = now;
        for number in wanted {
            if let Some(shard) = self.with_number(number) {
                self.poke_shard(shard, now);
            }
        }
    }

    pub(super) fn relay_stored(&mut self, relay: u16, epoch: u32, now: u64) {
        let shell = &mut self.relays[usize::from(relay)];
        if shell.epoch != epoch {
            return;
        }
        match shell.store.oldest().map(|after| after.written) {
            Some(Written::Failed) => return drop(self.end_relay(relay, 0, now)),
            Some(Written::Lied) => return drop(self.end_relay(relay, 1, now)),
            _ => {}
        }
        let after = shell.store.written().expect("every write ends once");
        self.send_after(relay, epoch, after, now);
        if self.relays[usize::from(relay)].is_idle() && self.network.evicts() {
            self.end_relay(relay, 0, now);
        }
    }

    pub(super) fn send_after(&mut self, relay: u16, epoch: u32, after: RelayAfter, at: u64) {
        let cut_off = self.relays[usize::from(relay)].cut_off_until_ms > at;
        let report = after
            .report
            .filter(|_| !cut_off)
            .map(|(number, report)| Parcel {
                shard: relay,
                epoch,
                number,
                content: Content::RelayReport(report),
            });
        for parcel in after.answers.into_iter().chain(report) {
            for delay in self.network.parcels_ms().into_iter().flatten() {
                self.send_parcel(parcel.clone(), at + delay);
            }
        }
    }

    pub(super) fn relay_late(&mut self, relay: u16, number: u32, now: u64) {
        let shell = &mut self.relays[usize::from(relay)];
        if shell.syncing == Some(number) {
            shell.syncing = None;
            for held in &mut shell.held {
                held.reported = false;
            }
            self.flush_relay(relay, false, false, now);
        }
    }

    /// The coordinator's answer arrives; one for an earlier life of the relay finds nobody.
    pub(super) fn relay_answered(&mut self, parcel: &Parcel, reply: &SyncReply, now: u64) {
        let relay = parcel.shard;
        let shell = &mut self.relays[usize::from(relay)];
        if shell.epoch != parcel.epoch || shell.core.is_none() || shell.cut_off_until_ms > now {
            return;
        }
        let is_last = shell.syncing == Some(parcel.number);
        if is_last {
            shell.syncing = None;
        }
        let reply = reply.clone();
        self.apply_at_relay(relay, RelayCommand::Heard { reply }, now);
        if self.network.crashes_in_step() {
            return self.crash_relay(relay, now);
        }
        self.flush_relay(relay, false, is_last, now);
        self.poke_shards(relay, now);
    }

    /// Somebody wants a report of a relay.
    pub(super) fn poke_relay(&mut self, relay: u16, now: u64) {
        let shell = &self.relays[usize::from(relay)];
        if shell.hidden_until_ms > now || self.network.arrivals_ms()[0].is_none() {
            return;
        }
        self.wake_relay(relay, now);
        if self.relays[usize::from(relay)].syncing.is_none() {
            self.flush_relay(relay, true, false, now);
        }
    }
}
