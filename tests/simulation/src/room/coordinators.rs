//! The shell around the coordinator: gathers syncs for 20 ms into one write, stores before it
//! answers, and loses its memory at any moment. What it counted is seen once it is stored.

use std::rc::Rc;

use anteroom_queue::board::Phase;
use anteroom_queue::coordinator::Coordinator;
use anteroom_queue::coordinator::command::{Action, CoordinatorCommand, CoordinatorReply};
use anteroom_queue::coordinator::rows::CoordinatorRow;
use anteroom_queue::units::UnixMillis;

use super::Room;
use crate::message::{Content, Event, Parcel};
use crate::observation::{LimitsSeen, Observation, Tally};
use crate::plan::OVERLOAD_VISITORS;
use crate::store::Store;

/// How long the coordinator gathers.
const GATHER_MS: u64 = 20;

/// How far ahead an alarm is at least.
const ALARM_AHEAD_MS: u64 = 50;

/// What leaves the coordinator when a write is durable.
pub struct CoordinatorAfter {
    replies: Vec<Parcel>,
    counted: Vec<Tally>,
    foreign: Vec<bool>,
    /// The operator's attempt that is done, and the board's version then.
    operated: Option<(u32, u64)>,
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
    last_clock_ms: u64,
    /// How far its clock is ahead, in milliseconds.
    pub(super) clock_error_ms: i64,
    /// Until when nobody can reach it.
    pub(super) hidden_until_ms: u64,
}

impl CoordinatorShell {
    fn clock(&self, now: u64) -> UnixMillis {
        super::clock(now, self.clock_error_ms)
    }
}

impl Room {
    fn wake_coordinator(&mut self, now: u64) -> &mut Coordinator {
        let run = self.plan.run;
        let shell = &mut self.coordinator;
        let clock = shell.clock(now);
        if shell.core.is_none() {
            let settings = self.plan.settings.clone();
            let core = if shell.store.is_empty() {
                let made = Coordinator::new(run, settings, clock);
                for row in made.rows {
                    shell.store.change(row.key(), row);
                }
                made.reply
            } else {
                for row in shell.store.rows() {
                    if let CoordinatorRow::Queue { seen, .. } = row {
                        shell.last_clock_ms = seen.0;
                    }
                }
                match Coordinator::restore(run, settings, shell.store.rows(), clock) {
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
            self.coordinator.store.change(row.key(), row);
        }
        outcome.reply
    }

    /// The counts after a step, at the coordinator's own clock, which never runs backwards.
    fn tally(&mut self, now: u64) -> Tally {
        let clock = self.coordinator.clock(now).0;
        let shell = &mut self.coordinator;
        shell.last_clock_ms = shell.last_clock_ms.max(clock);
        let core = shell.core.as_ref().expect("it has just been asked");
        let (totals, board) = (core.totals(), core.board());
        let limits = board.limits;
        Tally {
            clock_ms: shell.last_clock_ms,
            granted: totals.granted,
            active: totals.active,
            pending: totals.pending,
            called: totals.called,
            entries: totals.entries,
            open: board.lines[0].phase == Phase::Open && !board.stop,
            limits: LimitsSeen {
                max_active: limits.max_active,
                per_minute: limits.per_minute,
                batch: limits.batch.map(|batch| (batch.size, batch.every.0)),
            },
        }
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
        let (mut replies, mut counted, mut foreign) = (Vec::new(), Vec::new(), Vec::new());
        for parcel in std::mem::take(&mut self.coordinator.reports) {
            let (report, ours) = match parcel.content {
                Content::Report(report) => (report, true),
                Content::Foreign(report) => (report, false),
                Content::Reply(_) => continue,
            };
            let entropy = self.entropy.bytes();
            let reply =
                self.apply_at_coordinator(CoordinatorCommand::Sync { report, entropy }, now);
            match reply {
                CoordinatorReply::Synced(reply) if ours => {
                    if self.plan.visitors < OVERLOAD_VISITORS {
                        counted.push(self.tally(now));
                    }
                    replies.push(Parcel {
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
                reply => foreign.push(matches!(reply, CoordinatorReply::Refused(_))),
            }
        }
        if counted.is_empty() && !replies.is_empty() {
            counted.push(self.tally(now));
        }
        self.store_coordinator(replies, counted, foreign, None, now);
    }

    fn store_coordinator(
        &mut self,
        replies: Vec<Parcel>,
        counted: Vec<Tally>,
        foreign: Vec<bool>,
        operated: Option<(u32, u64)>,
        now: u64,
    ) {
        let takes = self.network.write_ms();
        let shell = &mut self.coordinator;
        let wakeup = shell.core.as_ref().and_then(Coordinator::next_wakeup);
        let alarm_ms = wakeup.map(|at| {
            let at = at
                .since(crate::plan::START)
                .0
                .saturating_add_signed(-shell.clock_error_ms);
            at.max(now + ALARM_AHEAD_MS)
        });
        let after = CoordinatorAfter {
            replies,
            counted,
            foreign,
            operated,
            alarm_ms,
        };
        let at = shell.store.write(now, takes, after);
        let epoch = shell.epoch;
        self.at(at, Event::CoordinatorStored { epoch });
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
        for tally in after.counted {
            self.see(now, Observation::Counted(tally));
        }
        for refused in after.foreign {
            self.see(now, Observation::ForeignReport { refused });
        }
        for parcel in after.replies {
            for delay in self.network.arrivals_ms().into_iter().flatten() {
                self.send_parcel(parcel.clone(), now + delay);
            }
        }
        if let Some(alarm_ms) = after.alarm_ms.map(|at| at.max(now))
            && self.coordinator.alarm_ms.is_none_or(|set| alarm_ms < set)
        {
            self.coordinator.alarm_ms = Some(alarm_ms);
            self.at(alarm_ms, Event::CoordinatorAlarm);
        }
        if let Some((attempt, version)) = after.operated {
            self.operated(attempt, version, now);
        }
    }

    pub(super) fn coordinator_alarm(&mut self, now: u64) {
        if self.coordinator.alarm_ms != Some(now) {
            return;
        }
        self.coordinator.alarm_ms = None;
        self.apply_at_coordinator(CoordinatorCommand::Wake, now);
        let counted = vec![self.tally(now)];
        self.store_coordinator(Vec::new(), counted, Vec::new(), None, now);
    }

    /// The operator's action arrives.
    pub(super) fn operate_at_coordinator(&mut self, attempt: u32, action: Action, now: u64) {
        if self.coordinator.hidden_until_ms > now {
            return;
        }
        let by = "box office".to_owned();
        match self.apply_at_coordinator(CoordinatorCommand::Operate { action, by }, now) {
            CoordinatorReply::State { board, .. } => {
                let counted = vec![self.tally(now)];
                let done = Some((attempt, board.version));
                self.store_coordinator(Vec::new(), counted, Vec::new(), done, now);
            }
            other => panic!(
                "seed {}: an operator's action is answered {other:?}",
                self.plan.seed
            ),
        }
    }

    /// The coordinator loses its memory. What became durable all the same has happened, although
    /// nobody was told.
    pub(super) fn crash_coordinator(&mut self, now: u64) {
        let survivors = self.network.survivors(self.coordinator.store.writes());
        for after in self
            .coordinator
            .store
            .fail(survivors)
            .into_iter()
            .take(survivors)
        {
            for tally in after.counted {
                self.see(now, Observation::Counted(tally));
            }
        }
        let shell = &mut self.coordinator;
        shell.reports.clear();
        shell.core = None;
        shell.gathering = false;
        shell.epoch += 1;
    }

    /// The counts at the very end.
    pub(super) fn final_tally(&mut self, now: u64) -> Tally {
        self.apply_at_coordinator(CoordinatorCommand::Wake, now);
        self.tally(now)
    }
}
