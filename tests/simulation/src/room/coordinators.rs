//! The shell around the coordinator: gathers syncs for 20 ms into one write, stores before it
//! answers, and loses its memory at any moment. What it counted is seen once it is stored.

use std::rc::Rc;

use anteroom_queue::coordinator::command::{Action, CoordinatorCommand, CoordinatorReply, Entropy};
use anteroom_queue::coordinator::health::Answers;
use anteroom_queue::coordinator::rows::{CoordinatorRow, LOG_KEYS};
use anteroom_queue::coordinator::{Coordinator, RunName};
use anteroom_queue::units::UnixMillis;

use super::Room;
use super::beacon::Questions;
use super::tally::draw_stored;
use crate::message::{Content, Event, Parcel};
use crate::observation::{DrawSeen, Observation, Tally};
use crate::plan::{Alarms, EVENT, OVERLOAD_VISITORS};
use crate::store::Store;

/// How long the coordinator gathers.
const GATHER_MS: u64 = 20;

/// How far ahead an alarm is at least.
const ALARM_AHEAD_MS: u64 = 50;

/// How far ahead it is when what is awaited (a round of the beacon) is late.
const PATIENT_ALARM_MS: u64 = 1_000;

/// How much later an alarm that comes twice comes the second time.
const SECOND_ALARM_MS: u64 = 700;

/// What one step of the coordinator leads to, once it is stored.
#[derive(Default)]
struct Step {
    replies: Vec<Parcel>,
    counted: Vec<Tally>,
    foreign: Vec<bool>,
    heard: Vec<Observation>,
    /// The operator's attempt that is done, and the board's version then.
    operated: Option<(u32, u64)>,
}

/// What leaves the coordinator when a write is durable.
pub struct CoordinatorAfter {
    step: Step,
    draws: Vec<DrawSeen>,
    alarm_ms: Option<u64>,
}

/// The coordinator with its shell and its storage.
#[derive(Default)]
pub struct CoordinatorShell {
    core: Option<Coordinator>,
    store: Store<CoordinatorRow, CoordinatorAfter>,
    epoch: u32,
    reports: Vec<Parcel>,
    gathering: bool,
    alarm_ms: Option<u64>,
    /// Draws that changed since the last write.
    draws: Vec<DrawSeen>,
    pub(super) questions: Questions,
    pub(super) last_clock_ms: u64,
    /// How far its clock is ahead, in milliseconds.
    pub(super) clock_error_ms: i64,
    /// Until when nobody can reach it.
    pub(super) hidden_until_ms: u64,
}

impl CoordinatorShell {
    pub(super) fn clock(&self, now: u64) -> UnixMillis {
        super::clock(now, self.clock_error_ms)
    }

    /// The instant of the world at which this clock shows `at`.
    pub(super) fn true_time(&self, at: UnixMillis) -> u64 {
        at.since(crate::plan::START)
            .0
            .saturating_add_signed(-self.clock_error_ms)
    }

    pub(super) fn core(&self) -> Option<&Coordinator> {
        self.core.as_ref()
    }

    pub(super) const fn epoch(&self) -> u32 {
        self.epoch
    }

    /// Everything that is durable.
    pub(super) fn stored_rows(&self) -> impl Iterator<Item = &CoordinatorRow> {
        self.store.entries().map(|(_, row)| row)
    }

    /// What a restart needs: of the event log only the last page.
    fn rows_to_restore(&self) -> Vec<CoordinatorRow> {
        let is_log = |key: &str| key.starts_with(LOG_KEYS);
        let last = self.store.entries().rfind(|(key, _)| is_log(key));
        let others = self.store.entries().filter(|(key, _)| !is_log(key));
        others.chain(last).map(|(_, row)| row.clone()).collect()
    }
}

impl Room {
    fn wake_coordinator(&mut self, now: u64) -> &mut Coordinator {
        let name = RunName {
            event: EVENT,
            run: self.plan.run,
        };
        let entropy = self.plan.secret_entropy;
        let shell = &mut self.coordinator;
        let clock = shell.clock(now);
        if shell.core.is_none() {
            let settings = self.plan.settings.clone();
            let core = if shell.store.is_empty() {
                let made = Coordinator::new(name, settings, entropy, clock);
                for row in made.rows {
                    shell.draws.extend(draw_stored(&row));
                    shell.store.change(row.key(), row);
                }
                made.reply
            } else {
                let rows = shell.rows_to_restore();
                for row in &rows {
                    if let CoordinatorRow::Queue { seen, .. } = row {
                        shell.last_clock_ms = seen.0;
                    }
                }
                match Coordinator::restore(name, settings, rows, clock) {
                    Ok(core) => core,
                    Err(corrupt) => {
                        panic!("seed {} coordinator at {now} ms: {corrupt}", self.plan.seed)
                    }
                }
            };
            shell.core = Some(core);
        }
        shell.core.as_mut().expect("it was just put there")
    }

    fn apply_at_coordinator(&mut self, command: CoordinatorCommand, now: u64) -> CoordinatorReply {
        let clock = self.coordinator.clock(now);
        let outcome = self.wake_coordinator(now).apply(command, clock);
        for row in outcome.rows {
            self.coordinator.draws.extend(draw_stored(&row));
            self.coordinator.store.change(row.key(), row);
        }
        outcome.reply
    }

    /// A report arrives.
    pub(super) fn report_in(&mut self, parcel: Parcel, now: u64) {
        if self.coordinator.hidden_until_ms > now {
            return;
        }
        self.coordinator.reports.push(parcel);
        if !self.coordinator.gathering {
            self.coordinator.gathering = true;
            let epoch = self.coordinator.epoch;
            self.at(now + GATHER_MS, Event::CoordinatorGathered { epoch });
        }
    }

    /// One write of everything gathered. What the coordinator counts is looked at after every
    /// report; in very large runs, where that would cost more than the run, after every write.
    pub(super) fn coordinator_gathered(&mut self, epoch: u32, now: u64) {
        if self.coordinator.epoch != epoch {
            return;
        }
        self.coordinator.gathering = false;
        let mut step = Step::default();
        for parcel in std::mem::take(&mut self.coordinator.reports) {
            let (report, ours) = match parcel.content {
                Content::Report(report) => (report, true),
                Content::Foreign(report) => (report, false),
                Content::Reply(_) => continue,
            };
            if ours {
                step.heard.extend(super::tally::entrants_heard(&report));
            }
            let entropy = Entropy(self.entropy.bytes());
            let reply =
                self.apply_at_coordinator(CoordinatorCommand::Sync { report, entropy }, now);
            match reply {
                CoordinatorReply::Synced(reply) if ours => {
                    if self.plan.visitors < OVERLOAD_VISITORS {
                        step.counted.push(self.tally(now));
                    }
                    step.replies.push(Parcel {
                        content: Content::Reply(Rc::new(reply)),
                        ..parcel
                    });
                }
                CoordinatorReply::Refused(why) if ours => {
                    panic!(
                        "seed {} at {now} ms: a true report of shard {} was refused: {why}",
                        self.plan.seed, parcel.shard
                    )
                }
                reply => step
                    .foreign
                    .push(matches!(reply, CoordinatorReply::Refused(_))),
            }
        }
        if step.counted.is_empty() && !step.replies.is_empty() {
            step.counted.push(self.tally(now));
        }
        self.store_coordinator(step, now);
    }

    fn store_coordinator(&mut self, step: Step, now: u64) {
        let takes = self.network.write_ms();
        let shell = &mut self.coordinator;
        let wakeup = shell.core.as_ref().and_then(Coordinator::next_wakeup);
        let alarm_ms = wakeup.map(|at| match shell.true_time(at) {
            past if past <= now => now + PATIENT_ALARM_MS,
            at => at.max(now + ALARM_AHEAD_MS),
        });
        let after = CoordinatorAfter {
            step,
            draws: std::mem::take(&mut shell.draws),
            alarm_ms,
        };
        let at = shell.store.write(now, takes, after);
        let epoch = shell.epoch;
        self.at(at, Event::CoordinatorStored { epoch });
    }

    fn set_coordinator_alarm(&mut self, alarm_ms: u64) {
        if self.coordinator.alarm_ms.is_some_and(|set| set <= alarm_ms) {
            return;
        }
        let alarms = if self.failures.is_over() {
            Alarms::InTime
        } else {
            self.plan.faults.alarms
        };
        let alarm_ms = match alarms {
            Alarms::Lost => return,
            Alarms::Late(by) => alarm_ms + by,
            Alarms::InTime | Alarms::Twice => alarm_ms,
        };
        self.coordinator.alarm_ms = Some(alarm_ms);
        self.at(alarm_ms, Event::CoordinatorAlarm);
        if alarms == Alarms::Twice {
            self.at(alarm_ms + SECOND_ALARM_MS, Event::CoordinatorAlarm);
        }
    }

    pub(super) fn coordinator_stored(&mut self, epoch: u32, now: u64) {
        if self.coordinator.epoch != epoch {
            return;
        }
        let after = self
            .coordinator
            .store
            .written()
            .expect("every write ends once");
        self.see_stored(&after, now);
        for refused in after.step.foreign {
            self.see(now, Observation::ForeignReport { refused });
        }
        for parcel in after.step.replies {
            for delay in self.network.arrivals_ms().into_iter().flatten() {
                self.send_parcel(parcel.clone(), now + delay);
            }
        }
        if let Some(alarm_ms) = after.alarm_ms {
            self.set_coordinator_alarm(alarm_ms.max(now));
        }
        self.ask_for_the_draw(now);
        if let Some((attempt, version)) = after.step.operated {
            self.operated(attempt, version, now);
        }
    }

    /// What has happened once a write is durable, whether or not anybody is told.
    fn see_stored(&mut self, after: &CoordinatorAfter, now: u64) {
        for heard in &after.step.heard {
            self.see(now, *heard);
        }
        for draw in after.draws.iter().copied() {
            self.see(now, Observation::DrawSeen { draw, stored: true });
        }
        for tally in &after.step.counted {
            self.see(now, Observation::Counted(*tally));
        }
    }

    pub(super) fn coordinator_alarm(&mut self, now: u64) {
        if self.coordinator.alarm_ms.is_some_and(|set| set <= now) {
            self.coordinator.alarm_ms = None;
        } else if self.plan.faults.alarms != Alarms::Twice {
            return;
        }
        self.tell_coordinator(CoordinatorCommand::Wake, now);
    }

    /// A command that is always carried out.
    fn tell_coordinator(&mut self, command: CoordinatorCommand, now: u64) {
        self.apply_at_coordinator(command, now);
        let counted = vec![self.tally(now)];
        self.store_coordinator(
            Step {
                counted,
                ..Step::default()
            },
            now,
        );
    }

    /// The operator's action arrives. An opening may have come before it could be moved.
    pub(super) fn operate_at_coordinator(&mut self, attempt: u32, action: Action, now: u64) {
        if self.coordinator.hidden_until_ms > now {
            return;
        }
        let may_be_refused = matches!(action, Action::Reschedule { .. });
        let by = "box office".to_owned();
        let version =
            match self.apply_at_coordinator(CoordinatorCommand::Operate { action, by }, now) {
                CoordinatorReply::State { board, .. } => board.version,
                CoordinatorReply::Refused(_) if may_be_refused => 0,
                other => panic!(
                    "seed {}: an operator's action is answered {other:?}",
                    self.plan.seed
                ),
            };
        let counted = vec![self.tally(now)];
        let operated = Some((attempt, version));
        self.store_coordinator(
            Step {
                counted,
                operated,
                ..Step::default()
            },
            now,
        );
    }

    /// A round of the beacon arrives.
    pub(super) fn beacon_at_coordinator(&mut self, command: CoordinatorCommand, now: u64) {
        self.tell_coordinator(command, now);
    }

    /// Counts of edges arrive.
    pub(super) fn edges_at_coordinator(&mut self, bypassed: u64, staff: u64, now: u64) {
        let command = CoordinatorCommand::Edges {
            bypassed,
            staff,
            stock: None,
        };
        self.tell_coordinator(command, now);
    }

    /// How the origin answered forty requests arrives.
    pub(super) fn origin_at_coordinator(&mut self, failed: u64, now: u64) {
        let heard = Answers {
            answers: 40,
            failed,
            slow: 0,
        };
        self.tell_coordinator(CoordinatorCommand::Origin { heard }, now);
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

    fn forget_coordinator(&mut self, survivors: usize, now: u64) {
        let lost = self.coordinator.store.fail(survivors);
        for after in lost.into_iter().take(survivors) {
            self.see_stored(&after, now);
        }
        let shell = &mut self.coordinator;
        shell.reports.clear();
        shell.draws.clear();
        shell.core = None;
        shell.questions = Questions::default();
        shell.gathering = false;
        shell.epoch += 1;
    }

    /// The counts at the very end.
    pub(super) fn final_tally(&mut self, now: u64) -> Tally {
        self.apply_at_coordinator(CoordinatorCommand::Wake, now);
        self.tally(now)
    }
}
