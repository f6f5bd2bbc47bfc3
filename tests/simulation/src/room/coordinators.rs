//! The shell around the coordinator: gathers syncs for 20 ms into one write, stores before it
//! answers, and loses its memory at any moment. What it counted is seen once it is stored.

use std::rc::Rc;

use anteroom_queue::coordinator::Coordinator;
use anteroom_queue::coordinator::command::{Action, CoordinatorCommand, CoordinatorReply, Entropy};
use anteroom_queue::coordinator::health::Answers;
use anteroom_queue::coordinator::rows::CoordinatorRow;
use anteroom_queue::limits::CLOCK_TOLERANCE;
use anteroom_queue::settings::Settings;
use anteroom_queue::units::UnixMillis;

use super::Room;
use super::alarms::AlarmClock;
use super::beacon::Questions;
use super::clocks::ObjectClock;
use super::tally::draw_stored;
use crate::message::{Content, Event, Object, Parcel};
use crate::network::Written;
use crate::observation::{DrawSeen, Observation, Tally};
use crate::plan::OVERLOAD_VISITORS;
use crate::store::Store;

/// How long the coordinator gathers.
const GATHER_MS: u64 = 20;

/// How far ahead an alarm is at least.
const ALARM_AHEAD_MS: u64 = 50;

/// How far ahead it is when what is awaited (a round of the beacon) is late.
const PATIENT_ALARM_MS: u64 = 1_000;

/// What one step of the coordinator leads to, once it is stored.
#[derive(Default)]
pub(super) struct Step {
    pub(super) replies: Vec<Parcel>,
    pub(super) counted: Vec<Tally>,
    pub(super) foreign: Vec<bool>,
    pub(super) heard: Vec<Observation>,
    /// The operator's attempt that is done, and the board's version then.
    pub(super) operated: Option<(u32, u64)>,
}

/// What leaves the coordinator when a write is durable.
pub struct CoordinatorAfter {
    pub(super) step: Step,
    draws: Vec<DrawSeen>,
    alarm_ms: Option<u64>,
    written: Written,
    /// The settings that are stored with it.
    pub(super) settings: Option<Settings>,
}

/// The coordinator with its shell and its storage.
#[derive(Default)]
pub struct CoordinatorShell {
    pub(super) core: Option<Coordinator>,
    pub(super) store: Store<CoordinatorRow, CoordinatorAfter>,
    pub(super) epoch: u32,
    pub(super) reports: Vec<Parcel>,
    pub(super) gathering: bool,
    pub(super) alarm: AlarmClock,
    /// The settings that are stored; those of the plan at first.
    pub(super) settings: Option<Settings>,
    /// Settings that were applied since the last write.
    pub(super) configured: Option<Settings>,
    /// Draws that changed since the last write.
    pub(super) draws: Vec<DrawSeen>,
    pub(super) questions: Questions,
    pub(super) last_clock_ms: u64,
    pub(super) clock: ObjectClock,
    /// Until when nobody can reach it.
    pub(super) hidden_until_ms: u64,
}

impl CoordinatorShell {
    pub(super) fn core(&self) -> Option<&Coordinator> {
        self.core.as_ref()
    }

    pub(super) const fn epoch(&self) -> u32 {
        self.epoch
    }

    /// The core's own clock goes on with every command, a refused report included, and runs backwards only where it was
    /// very wrong.
    pub(super) fn read_clock(&mut self, clock: UnixMillis) {
        let was_wrong = self.last_clock_ms.saturating_sub(clock.0) > CLOCK_TOLERANCE.0;
        if was_wrong || clock.0 > self.last_clock_ms {
            self.last_clock_ms = clock.0;
        }
    }

    /// Everything that is durable.
    pub(super) fn stored_rows(&self) -> impl Iterator<Item = &CoordinatorRow> {
        self.store.entries().map(|(_, row)| row)
    }
}

impl Room {
    pub(super) fn apply_at_coordinator(
        &mut self,
        command: CoordinatorCommand,
        now: u64,
    ) -> CoordinatorReply {
        let clock = self.coordinator.clock.shows(now);
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
        self.meter.asked(Object::Coordinator, now);
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
            let ours = !matches!(parcel.content, Content::Foreign(_));
            let entropy = Entropy(self.entropy.bytes());
            let is_relay = matches!(parcel.content, Content::RelayReport(_));
            let command = match parcel.content {
                Content::Report(report) | Content::Foreign(report) => {
                    CoordinatorCommand::Sync { report, entropy }
                }
                Content::RelayReport(report) => CoordinatorCommand::Relayed { report, entropy },
                Content::Reply(_) | Content::RelayReply(_) | Content::Relayed(..) => continue,
            };
            if ours {
                step.heard.extend(super::tally::entrants_heard(&command));
            }
            match self.apply_at_coordinator(command, now) {
                CoordinatorReply::Synced(reply) if ours => {
                    if self.plan.visitors < OVERLOAD_VISITORS {
                        step.counted.push(self.tally());
                    }
                    step.replies.push(Parcel {
                        content: match is_relay {
                            true => Content::RelayReply(Rc::new(reply)),
                            false => Content::Reply(Rc::new(reply)),
                        },
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
            step.counted.push(self.tally());
        }
        self.store_coordinator(step, now);
    }

    pub(super) fn store_coordinator(&mut self, step: Step, now: u64) {
        let takes = self.network.write_ms();
        let written = self.network.written();
        let shell = &mut self.coordinator;
        let wakeup = shell.core.as_ref().and_then(Coordinator::next_wakeup);
        let alarm_ms = wakeup.map(|at| match shell.clock.true_time(at) {
            past if past <= now => now + PATIENT_ALARM_MS,
            at => at.max(now + ALARM_AHEAD_MS),
        });
        let after = CoordinatorAfter {
            step,
            draws: std::mem::take(&mut shell.draws),
            alarm_ms,
            written,
            settings: shell.configured.take(),
        };
        let at = shell.store.write(now, takes, after);
        let epoch = shell.epoch;
        self.at(at, Event::CoordinatorStored { epoch });
    }

    pub(super) fn coordinator_stored(&mut self, epoch: u32, now: u64) {
        if self.coordinator.epoch != epoch {
            return;
        }
        let store = &mut self.coordinator.store;
        match store.oldest().map(|after| after.written) {
            Some(Written::Failed) => return drop(self.forget_coordinator(0, now)),
            Some(Written::Lied) => return drop(self.forget_coordinator(1, now)),
            _ => {}
        }
        let mut after = store.written().expect("every write ends once");
        self.coordinator.settings = after.settings.take().or(self.coordinator.settings.take());
        self.see_stored(&after, now);
        for refused in after.step.foreign {
            self.see(now, Observation::ForeignReport { refused });
        }
        for parcel in after.step.replies {
            for delay in self.network.parcels_ms().into_iter().flatten() {
                self.send_parcel(parcel.clone(), now + delay);
            }
        }
        self.settle_alarm(Object::Coordinator, after.alarm_ms, now);
        self.ask_for_the_draw(now);
        if let Some((attempt, version)) = after.step.operated {
            self.operated(attempt, version, now);
        }
        let coordinator = &self.coordinator;
        if !coordinator.gathering && coordinator.store.writes() == 0 && self.network.evicts() {
            self.forget_coordinator(0, now);
        }
    }

    /// What has happened once a write is durable, whether or not anybody is told.
    pub(super) fn see_stored(&mut self, after: &CoordinatorAfter, now: u64) {
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
        if !self.alarm_comes(Object::Coordinator, now) {
            return;
        }
        self.tell_coordinator(CoordinatorCommand::Wake, now);
    }

    /// A command that is always carried out.
    fn tell_coordinator(&mut self, command: CoordinatorCommand, now: u64) {
        self.apply_at_coordinator(command, now);
        let counted = vec![self.tally()];
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
        // An action that is refused is no step: the next one makes what has come due.
        let counted = match version {
            0 => Vec::new(),
            _ => vec![self.tally()],
        };
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

    /// The counts at the very end.
    pub(super) fn final_tally(&mut self, now: u64) -> Tally {
        self.apply_at_coordinator(CoordinatorCommand::Wake, now);
        self.tally()
    }
}
