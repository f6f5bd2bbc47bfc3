//! How a coordinator's instance begins and ends: restored from what is durable, told of the configuration, and gone
//! at any moment.

use anteroom_queue::coordinator::command::{CoordinatorCommand, CoordinatorReply, Entropy};
use anteroom_queue::coordinator::rows::{CoordinatorRow, LOG_KEYS};
use anteroom_queue::coordinator::{Coordinator, RunName};
use anteroom_queue::settings::Settings;
use anteroom_queue::units::UnixMillis;

use super::Room;
use super::beacon::Questions;
use super::coordinators::{CoordinatorAfter, CoordinatorShell, Step};
use super::tally::draw_stored;
use crate::chance::Chance;
use crate::plan::EVENT;

impl CoordinatorShell {
    /// What a restart needs: of the event log only the last page.
    fn rows_to_restore(&self) -> Vec<CoordinatorRow> {
        let is_log = |key: &str| key.starts_with(LOG_KEYS);
        let last = self.store.entries().rfind(|(key, _)| is_log(key));
        let others = self.store.entries().filter(|(key, _)| !is_log(key));
        others.chain(last).map(|(_, row)| row.clone()).collect()
    }

    /// A restored coordinator is told of the configuration if that has changed since.
    fn caught_up(
        &mut self,
        mut core: Coordinator,
        configured: &Settings,
        entropy: &mut Chance,
        clock: UnixMillis,
    ) -> Coordinator {
        if self.settings.as_ref() != Some(configured) {
            let settings = configured.clone();
            let entropy = Entropy(entropy.bytes());
            let outcome = core.apply(CoordinatorCommand::Configure { settings, entropy }, clock);
            for row in outcome.rows {
                self.draws.extend(draw_stored(&row));
                self.store.change(row.key(), row);
            }
            self.configured = Some(configured.clone());
        }
        core
    }
}

impl Room {
    /// The coordinator as it is, restored, or new, to be given a command now.
    pub(super) fn wake_coordinator(&mut self, now: u64) -> &mut Coordinator {
        let name = RunName {
            event: EVENT,
            run: self.plan.run,
        };
        let entropy = self.plan.secret_entropy;
        let shell = &mut self.coordinator;
        let clock = shell.clock.shows(now);
        if shell.core.is_none() {
            let configured = self.plan.settings.clone();
            let core = if shell.store.is_empty() {
                shell.configured = Some(configured.clone());
                let settings = configured;
                let made = Coordinator::new(name, settings, entropy, clock);
                for row in made.rows {
                    shell.draws.extend(draw_stored(&row));
                    shell.store.change(row.key(), row);
                }
                made.reply
            } else {
                let settings = shell.settings.clone().expect("stored with the first rows");
                let rows = shell.rows_to_restore();
                for row in &rows {
                    if let CoordinatorRow::Queue { seen, .. } = row {
                        shell.last_clock_ms = seen.0;
                    }
                }
                match Coordinator::restore(name, settings, rows, clock) {
                    Ok(core) => shell.caught_up(core, &configured, &mut self.entropy, clock),
                    Err(corrupt) => {
                        panic!("seed {} coordinator at {now} ms: {corrupt}", self.plan.seed)
                    }
                }
            };
            shell.core = Some(core);
        }
        shell.read_clock(clock);
        shell.core.as_mut().expect("it was just put there")
    }

    /// The coordinator loses its memory. What became durable all the same has happened, although
    /// nobody was told.
    pub(super) fn crash_coordinator(&mut self, now: u64) {
        let survivors = self.network.survivors(self.coordinator.store.writes());
        self.forget_coordinator(survivors, now);
    }

    /// The same at a chosen instant.
    pub(super) fn coordinator_crash(&mut self, survives: bool, now: u64) {
        let writes = self.coordinator.store.writes();
        self.forget_coordinator(if survives { writes } else { 0 }, now);
    }

    /// Another instance begins while this one still has answers in hand: what is durable leaves late.
    pub(super) fn double_coordinator(&mut self, late_ms: u64, now: u64) {
        let survivors = self.network.survivors(self.coordinator.store.writes());
        for after in self.forget_coordinator(survivors, now) {
            for parcel in after.step.replies {
                for delay in self.network.parcels_ms().into_iter().flatten() {
                    self.send_parcel(parcel.clone(), now + late_ms + delay);
                }
            }
        }
    }

    /// What became durable all the same.
    pub(super) fn forget_coordinator(
        &mut self,
        survivors: usize,
        now: u64,
    ) -> Vec<CoordinatorAfter> {
        let mut durable = self.coordinator.store.fail(survivors);
        durable.truncate(survivors);
        for after in &mut durable {
            self.coordinator.settings = after.settings.take().or(self.coordinator.settings.take());
            self.see_stored(after, now);
        }
        let shell = &mut self.coordinator;
        shell.reports.clear();
        shell.draws.clear();
        shell.core = None;
        shell.questions = Questions::default();
        shell.gathering = false;
        shell.configured = None;
        shell.epoch += 1;
        durable
    }

    /// A configuration reaches the coordinator, if that is awake: whether anything changed.
    pub(super) fn configure_coordinator(
        &mut self,
        settings: &Settings,
        fits: bool,
        now: u64,
    ) -> bool {
        if self.coordinator.core.is_none() {
            return false;
        }
        let entropy = Entropy(self.entropy.bytes());
        let clock = self.coordinator.clock.shows(now);
        let command = CoordinatorCommand::Configure {
            settings: settings.clone(),
            entropy,
        };
        let outcome = self.wake_coordinator(now).apply(command, clock);
        let refused = matches!(outcome.reply, CoordinatorReply::Refused(_));
        let changed = !refused || !outcome.rows.is_empty();
        for row in outcome.rows {
            self.coordinator.draws.extend(draw_stored(&row));
            self.coordinator.store.change(row.key(), row);
        }
        if fits {
            self.coordinator.configured = Some(settings.clone());
            let counted = vec![self.tally()];
            self.store_coordinator(
                Step {
                    counted,
                    ..Step::default()
                },
                now,
            );
        }
        changed
    }
}
