//! Everything a coordinator object does except I/O: it gathers the reports of up to 20 ms, applies
//! them to the core, has the rows stored in one transaction, and only then answers.
//!
//! A report that changes nothing makes no row, so that a quiet queue costs no writes. After a
//! [`WriteFailed`] the desk must not be used again: its state is newer than storage.

use anteroom_queue::coordinator::Coordinator;
use anteroom_queue::coordinator::command::CoordinatorCommand;
use anteroom_queue::units::{Millis, UnixMillis};

use crate::log_reading::log_lines;
use crate::pump::Due;
use crate::storage::{Changes, Store, WriteFailed};
use crate::wire::{self, CoordinatorAsk, EdgeTotals};

/// How long reports are gathered into one commit: with 500 reports a second ten of them.
pub const WINDOW: Millis = Millis(20);

/// Calls that wait here at the same time: 4 s of what a coordinator is planned for.
pub const MAX_WAITING: usize = 2_000;

/// The shell of one coordinator.
#[derive(Debug)]
pub struct CoordinatorDesk<T> {
    coordinator: Coordinator,
    opened: Option<UnixMillis>,
    gathered: Vec<(CoordinatorCommand, T)>,
    totals: EdgeTotals,
}

/// What became of a call.
#[derive(Debug, PartialEq, Eq)]
pub enum Taken<T> {
    /// It is gathered; the answer comes out of a later step.
    Waits,
    /// It is answered already.
    Answered(T, Vec<u8>),
    /// Too many wait; nothing was done.
    Busy(T),
    /// What is stored cannot be read: why, in words.
    Failed(String),
}

impl<T> CoordinatorDesk<T> {
    /// A desk for a coordinator whose rows are all stored.
    pub fn new(coordinator: Coordinator) -> Self {
        Self {
            coordinator,
            opened: None,
            gathered: Vec::new(),
            totals: EdgeTotals::default(),
        }
    }

    /// Takes a call. `entropy` is fresh.
    pub fn ask(
        &mut self,
        ask: CoordinatorAsk,
        entropy: [u8; 16],
        to: T,
        now: UnixMillis,
        store: &impl Store,
    ) -> Taken<T> {
        if self.gathered.len() >= MAX_WAITING {
            return Taken::Busy(to);
        }
        let command = match ask {
            CoordinatorAsk::Sync(report, counts) => {
                self.totals.add(counts);
                CoordinatorCommand::Sync { report, entropy }
            }
            CoordinatorAsk::Operate { action, by } => CoordinatorCommand::Operate { action, by },
            CoordinatorAsk::Observe => CoordinatorCommand::Wake,
            CoordinatorAsk::Count => return Taken::Answered(to, wire::encode(&self.totals)),
            CoordinatorAsk::Log { after } => {
                return match log_lines(store, after) {
                    Ok(lines) => Taken::Answered(to, wire::encode(&lines)),
                    Err(why) => Taken::Failed(why),
                };
            }
        };
        self.opened.get_or_insert(now);
        self.gathered.push((command, to));
        Taken::Waits
    }

    /// Carries out what is due and gives out the answers. Everything they promise is stored.
    pub fn step(
        &mut self,
        now: UnixMillis,
        store: &mut impl Store,
    ) -> Result<Vec<(T, Vec<u8>)>, WriteFailed> {
        let mut changes = Changes::default();
        let mut answers = Vec::new();
        if self.coordinator.next_wakeup().is_some_and(|at| at <= now) {
            let outcome = self.coordinator.apply(CoordinatorCommand::Wake, now);
            changes.extend(outcome.rows);
        }
        // A window that opened in the future was opened before the clock was set back.
        let is_over = self.closes().is_some_and(|at| at <= now)
            || self.opened.is_some_and(|opened| opened > now);
        if is_over {
            self.opened = None;
            for (command, to) in core::mem::take(&mut self.gathered) {
                let outcome = self.coordinator.apply(command, now);
                changes.extend(outcome.rows);
                answers.push((to, wire::encode(&outcome.reply)));
            }
        }
        store.commit(changes)?;
        Ok(answers)
    }

    /// When the next step is due.
    pub fn due(&self) -> Due {
        let deadline = self.coordinator.next_wakeup();
        Due {
            somebody: self.closes(),
            deadline,
            lasting: deadline,
        }
    }

    fn closes(&self) -> Option<UnixMillis> {
        self.opened.map(|opened| opened.plus(WINDOW))
    }
}

#[cfg(test)]
#[path = "coordinator_desk_tests.rs"]
mod tests;
