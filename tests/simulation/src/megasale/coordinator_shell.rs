//! The shell of the coordinator, as the real one: what comes in within 20 ms is applied, stored in one commit, and then
//! answered.

use std::collections::{BTreeMap, BTreeSet};

use anteroom_queue::board::Phase;
use anteroom_queue::coordinator::command::{Action, CoordinatorCommand, CoordinatorReply, Entropy};
use anteroom_queue::coordinator::{Coordinator, RunName};
use anteroom_queue::settings::Settings;
use anteroom_queue::sync::SyncReply;
use anteroom_queue::tree::Node;

use super::distances::REGIONS;
use super::messages::Report;
use super::meters::{Second, Server};
use super::relay_shell::POKE_AFTER_MS;
use super::{RUN, clock, since_start};
use crate::chance::Chance;
use crate::observation::{LimitsSeen, Tally};

/// How long reports are gathered.
const WINDOW_MS: u64 = 20;

/// The rows of one of so many commands are measured.
const SIZED_EVERY: u64 = 61;

/// What a step gives out once its rows are durable.
#[derive(Default)]
pub struct Given {
    /// To children, by their numbers.
    pub answers: Vec<(u16, Box<SyncReply>)>,
    /// Children that are asked for a report.
    pub pokes: Vec<Node>,
    /// Rows of the commit.
    pub rows: u32,
    /// What was counted after each of what was gathered.
    pub counted: Vec<Tally>,
    /// Operators' actions that are done.
    pub done: Vec<Action>,
}

/// The coordinator.
pub struct CoordinatorShell {
    pub core: Coordinator,
    pub server: Server,
    pub second: Second,
    /// The step that is planned.
    pub planned: u64,
    opened: Option<u64>,
    gathered: Vec<Report>,
    actions: Vec<Action>,
    commands: u64,
    /// The size of rows that were measured.
    sizes: BTreeMap<String, u64>,
    poked: BTreeMap<Node, u64>,
}

impl CoordinatorShell {
    /// At the beginning of its run.
    pub fn new(settings: Settings, chance: &mut Chance) -> Self {
        let name = RunName {
            event: "megasale",
            run: RUN,
        };
        Self {
            core: Coordinator::new(name, settings, chance.bytes(), clock(0))
                .reply
                .spread_over(&[false; REGIONS]),
            server: Server::default(),
            second: Second::default(),
            planned: u64::MAX,
            opened: None,
            gathered: Vec::new(),
            actions: Vec::new(),
            commands: 0,
            sizes: BTreeMap::new(),
            poked: BTreeMap::new(),
        }
    }

    /// Its rows but for the log, as text: what it holds is less.
    pub fn bytes(&self) -> u64 {
        self.sizes.values().sum()
    }

    /// The organizer has said in the configuration which regions are lost.
    pub fn give_up(&mut self, lost: &[bool; REGIONS]) {
        self.core = self.core.clone().spread_over(lost);
    }

    /// A report comes in.
    pub fn take(&mut self, report: Report, now: u64) {
        self.opened.get_or_insert(now);
        self.gathered.push(report);
    }

    /// The operator does something.
    pub fn operate(&mut self, action: Action, now: u64) {
        self.opened.get_or_insert(now);
        self.actions.push(action);
    }

    /// When the next step is due.
    pub fn due(&self, now: u64) -> Option<u64> {
        let wakeup = self.core.next_wakeup().map(since_start);
        let window = self.opened.map(|opened| opened + WINDOW_MS);
        let poke = self.core.pokes().into_iter().map(|child| {
            let last = self.poked.get(&child);
            last.map_or(now, |last| last + POKE_AFTER_MS)
        });
        wakeup.into_iter().chain(window).chain(poke.min()).min()
    }

    /// Carries out what is due.
    pub fn step(&mut self, now: u64, chance: &mut Chance) -> Given {
        let mut given = Given::default();
        let mut keys = BTreeSet::new();
        if self.core.next_wakeup().is_some_and(|at| at <= clock(now)) {
            self.apply(CoordinatorCommand::Wake, now, &mut keys);
        }
        if self.opened.is_some_and(|opened| now >= opened + WINDOW_MS) {
            self.opened = None;
            for action in std::mem::take(&mut self.actions) {
                let by = "box office".to_owned();
                let command = CoordinatorCommand::Operate {
                    action: action.clone(),
                    by,
                };
                if let CoordinatorReply::Refused(why) = self.apply(command, now, &mut keys) {
                    panic!("an operator's action was refused: {why}");
                }
                given.counted.push(self.tally(now));
                given.done.push(action);
            }
            for report in std::mem::take(&mut self.gathered) {
                let (child, reply) = self.answer(report, now, chance, &mut keys);
                given.answers.push((child, Box::new(reply)));
            }
            // All of them at one instant: what the limits allow is told by their sum.
            given.counted.push(self.tally(now));
        }
        given.rows = keys.len() as u32;
        for child in self.core.pokes() {
            let last = self.poked.get(&child);
            if last.is_none_or(|last| now - last >= POKE_AFTER_MS) {
                self.poked.insert(child, now);
                given.pokes.push(child);
            }
        }
        given
    }

    fn answer(
        &mut self,
        report: Report,
        now: u64,
        chance: &mut Chance,
        keys: &mut BTreeSet<String>,
    ) -> (u16, SyncReply) {
        let entropy = Entropy(chance.bytes());
        let (child, command) = match report {
            Report::Shard(report) => (
                report.shard.0,
                CoordinatorCommand::Sync {
                    report: *report,
                    entropy,
                },
            ),
            Report::Relay(report) => (
                report.sync.shard.0,
                CoordinatorCommand::Relayed {
                    report: *report,
                    entropy,
                },
            ),
        };
        match self.apply(command, now, keys) {
            CoordinatorReply::Synced(reply) => (child, reply),
            other => panic!("a true report of child {child} was answered {other:?}"),
        }
    }

    fn apply(
        &mut self,
        command: CoordinatorCommand,
        now: u64,
        keys: &mut BTreeSet<String>,
    ) -> CoordinatorReply {
        let outcome = self.core.apply(command, clock(now));
        self.commands += 1;
        if self.commands.is_multiple_of(SIZED_EVERY) {
            let size = |row| serde_json::to_vec(row).map_or(0, |bytes| bytes.len() as u64);
            let rows = outcome.rows.iter().map(|row| (row.key(), size(row)));
            self.sizes
                .extend(rows.filter(|(key, _)| !key.starts_with("log")));
        }
        keys.extend(outcome.rows.iter().map(|row| row.key()));
        outcome.reply
    }

    fn tally(&self, now: u64) -> Tally {
        let (totals, board) = (self.core.totals(), self.core.board());
        let limits = board.limits;
        Tally {
            clock_ms: clock(now).0,
            granted: totals.granted,
            active: totals.active,
            pending: totals.pending,
            open: board.lines.iter().all(|line| line.phase == Phase::Open),
            limits: LimitsSeen {
                max_active: limits.max_active,
                per_minute: limits.per_minute,
                batch: None,
            },
            ..Tally::default()
        }
    }
}
