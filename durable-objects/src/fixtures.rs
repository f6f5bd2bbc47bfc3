//! For the tests of this crate: storage in memory, and a shard and a coordinator that talk to each
//! other millisecond by millisecond.

use std::collections::BTreeMap;

use anteroom_queue::coordinator::Coordinator;
use anteroom_queue::coordinator::command::{Action, CoordinatorCommand, CoordinatorReply, Entropy};
use anteroom_queue::relay::command::RelayAnswer;
use anteroom_queue::settings::{DrawSettings, Limits, LineSettings, Mode, Settings};
use anteroom_queue::shard::Shard;
use anteroom_queue::shard::command::{ShardCommand, ShardReply};
use anteroom_queue::sync::SyncReply;
use anteroom_queue::units::{Millis, UnixMillis};

use crate::coordinator_desk::{CoordinatorDesk, Taken};
use crate::opening::{Core, Known, start};
use crate::shard_desk::ShardDesk;
use crate::storage::{Store, WriteFailed, read_all};
use crate::together::Together;
use crate::uplink::{SYNC_TIMEOUT, SyncFailed};
pub use crate::visitors::{attempt, claim, deferral, join, nonce, question};
use crate::wire::{self, CoordinatorAsk, EdgeCounts, ShardAnswer, ShardBody};

/// When the tests begin.
pub const T: UnixMillis = UnixMillis(1_800_000_000_000);

/// One open line without limits that matter.
pub fn settings() -> Settings {
    Settings {
        mode: Mode::Always,
        prequeue_at: None,
        lines: vec![LineSettings {
            id: "general".into(),
            weight: 1,
            opens_at: None,
        }],
        limits: Limits {
            max_active: Some(5),
            per_minute: None,
            batch: None,
        },
        hold: Millis::from_minutes(30),
        session: Millis::from_minutes(20),
        idle: Millis::from_minutes(10),
        pass: Millis::from_seconds(180),
        max_extension: Millis::from_minutes(10),
        expected_visitors: 1_000,
        draw: DrawSettings {
            grace: Millis::from_seconds(60),
            beacon: false,
            beacon_wait: Millis::from_minutes(10),
        },
        keep: Millis::from_minutes(30 * 24 * 60),
    }
}

/// The coordinator of the tests.
pub fn coordinator_known() -> Known {
    Known {
        event: "demo".into(),
        run: 1,
        shard: None,
    }
}

/// The shard of the tests.
pub fn shard_known() -> Known {
    Known {
        shard: Some(0),
        ..coordinator_known()
    }
}

/// Rows in memory.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    /// What is stored.
    pub rows: BTreeMap<String, Vec<u8>>,
    /// How many transactions there were.
    pub commits: usize,
    /// How many rows were written, as a table writes them.
    pub written: usize,
    pub(crate) together: Together,
    /// The keys of each transaction.
    pub transactions: Vec<Vec<String>>,
    /// Writes fail.
    pub is_broken: bool,
}

impl Memory {
    /// Keys and bytes as a table gives them.
    pub fn read(&self) -> Vec<(String, Vec<u8>)> {
        self.rows.clone().into_iter().collect()
    }
}

impl Store for Memory {
    fn put(&mut self, rows: Vec<(String, Vec<u8>)>) -> Result<(), WriteFailed> {
        if self.is_broken {
            return Err(WriteFailed("disk full".into()));
        }
        self.commits += 1;
        let (written, together) = self.together.put(rows.clone());
        self.written += written.len();
        self.together = together;
        self.transactions
            .push(rows.iter().map(|(key, _)| key.clone()).collect());
        self.rows.extend(rows);
        Ok(())
    }

    fn replace_all(&mut self, rows: Vec<(String, Vec<u8>)>) -> Result<(), WriteFailed> {
        let before = core::mem::take(&mut self.rows);
        self.put(rows).inspect_err(|_| self.rows = before)
    }

    fn bytes_of(&self, key: &str) -> Result<Option<Vec<u8>>, String> {
        if self.is_broken {
            return Err("disk unreadable".into());
        }
        Ok(self.rows.get(key).cloned())
    }
}

/// A shard and its coordinator.
pub struct Pair {
    /// The time.
    pub now: UnixMillis,
    /// The shard's shell; visitors are numbers.
    pub shard: ShardDesk<u32>,
    /// The shard's rows.
    pub shard_rows: Memory,
    /// The coordinator's shell; the only caller that is not a report is 1.
    pub coordinator: CoordinatorDesk<u32>,
    /// The coordinator's rows.
    pub coordinator_rows: Memory,
    /// What the coordinator answers to reports gets through.
    pub is_reachable: bool,
    /// Answers to visitors: when, whom, what.
    pub answers: Vec<(UnixMillis, u32, ShardAnswer)>,
    /// What was said to all who listen, and when.
    pub words: Vec<(UnixMillis, serde_json::Value)>,
    /// When reports left the shard.
    pub reports: Vec<UnixMillis>,
    /// When the coordinator wanted the shard to be asked for a report.
    pub pokes: Vec<UnixMillis>,
    /// Which rounds of the beacon the coordinator wanted, and when.
    pub rounds: Vec<(UnixMillis, u64)>,
    /// The coordinator was deleted, since its run's time is over.
    pub is_coordinator_forgotten: bool,
    settings: Settings,
    fails_at: Option<UnixMillis>,
}

const REPORT: u32 = 0;

impl Pair {
    /// Both at the beginning of the run.
    pub fn new() -> Self {
        Self::with(settings())
    }

    /// Both at the beginning of a run with these settings.
    pub fn with(settings: Settings) -> Self {
        Self::from_rows(Memory::default(), Memory::default(), settings, T)
    }

    /// Both from their rows.
    pub fn from_rows(
        mut shard_rows: Memory,
        mut coordinator_rows: Memory,
        settings: Settings,
        now: UnixMillis,
    ) -> Self {
        Self {
            now,
            shard: ShardDesk::new(
                1,
                open(&mut shard_rows, &shard_known(), &settings, now),
                now,
            ),
            shard_rows,
            coordinator: CoordinatorDesk::new(open(
                &mut coordinator_rows,
                &coordinator_known(),
                &settings,
                now,
            )),
            coordinator_rows,
            settings,
            is_reachable: true,
            answers: Vec::new(),
            words: Vec::new(),
            reports: Vec::new(),
            pokes: Vec::new(),
            rounds: Vec::new(),
            is_coordinator_forgotten: false,
            fails_at: None,
        }
    }

    /// A pair whose shard has the board.
    pub fn in_touch() -> Self {
        let mut pair = Self::new();
        pair.run_for(Millis(500));
        assert!(pair.reports.len() == 1, "{:?}", pair.reports);
        pair
    }

    /// Visitor `number` asks.
    pub fn ask(&mut self, number: u32, command: ShardCommand) {
        self.shard.ask(command, number, self.now).unwrap();
    }

    /// Visitor `number` joins with a permit of its own.
    pub fn join(&mut self, number: u32) {
        self.ask(number, join(number));
    }

    /// An edge, as visitor `number`, reads the board.
    pub fn read_board(&mut self, number: u32) {
        let read = self.shard.read_board(
            EdgeCounts::default(),
            number,
            self.now,
            &mut self.shard_rows,
        );
        if let Some((to, bytes)) = read.unwrap() {
            self.answers
                .push((self.now, to, wire::decode(&bytes).unwrap()));
        }
    }

    /// The operator acts; answered within the window.
    pub fn operate(&mut self, action: Action) {
        let ask = CoordinatorAsk::Operate {
            action,
            by: "ann".into(),
        };
        let taken = self
            .coordinator
            .ask(ask, [7; 16], 1, self.now, &self.coordinator_rows);
        assert_eq!(taken, Taken::Waits);
        self.run_for(Millis(50));
    }

    /// Lets time pass.
    pub fn run_for(&mut self, how_long: Millis) {
        let end = self.now.plus(how_long);
        while self.now < end {
            self.now = self.now.plus(Millis(1));
            self.coordinator_moves();
            self.shard_moves();
        }
    }

    fn shard_moves(&mut self) {
        if self.fails_at.is_some_and(|at| at <= self.now) {
            self.fails_at = None;
            self.shard
                .hear(Err(SyncFailed::Unreachable("no answer in time".into())));
        }
        let due = self.shard.due(self.now);
        let next = [due.somebody, due.deadline].into_iter().flatten().min();
        if next.is_none_or(|at| at > self.now) {
            return;
        }
        let step = self.shard.step(self.now, 0, &mut self.shard_rows).unwrap();
        for (to, bytes) in step.answers {
            self.answers
                .push((self.now, to, wire::decode(&bytes).unwrap()));
        }
        if let Some(word) = step.word {
            let word = serde_json::from_str(&word).unwrap();
            self.words.push((self.now, word));
            self.shard.listeners().heard_it(self.now);
        }
        let Some((report, counts)) = step.report else {
            return;
        };
        self.reports.push(self.now);
        if !self.is_reachable {
            self.fails_at = Some(self.now.plus(SYNC_TIMEOUT));
            return;
        }
        if self.is_coordinator_forgotten {
            self.shard.hear(Err(SyncFailed::Forgotten));
            return;
        }
        let ask = CoordinatorAsk::report(report, counts);
        let taken = self
            .coordinator
            .ask(ask, [7; 16], REPORT, self.now, &self.coordinator_rows);
        assert_eq!(taken, Taken::Waits);
    }

    fn coordinator_moves(&mut self) {
        self.is_coordinator_forgotten |= self.coordinator.is_to_be_forgotten(self.now);
        if self.is_coordinator_forgotten {
            return;
        }
        let step = self
            .coordinator
            .step(self.now, &mut self.coordinator_rows)
            .unwrap();
        let answers = step.answers;
        self.rounds
            .extend(step.beacon.map(|round| (self.now, round)));
        if !step.pokes.is_empty() {
            self.pokes.push(self.now);
            self.shard.poke(self.now);
        }
        for (to, bytes) in answers {
            if to == REPORT {
                let Ok(CoordinatorReply::Synced(reply)) = wire::decode(&bytes) else {
                    panic!("a report was not answered with a sync");
                };
                let behind = Millis(0);
                self.shard.hear(Ok(RelayAnswer { reply, behind }));
            }
        }
    }

    /// What the coordinator would answer to a shard that has joins to report.
    pub fn answer_to_a_report(&mut self) -> SyncReply {
        let mut nowhere = Memory::default();
        let mut shard: Shard = open(&mut nowhere, &shard_known(), &settings(), T);
        shard.apply(join(99), T);
        let report = shard.report(self.now);
        let mut nowhere = Memory::default();
        let mut coordinator: Coordinator = open(&mut nowhere, &coordinator_known(), &settings(), T);
        let entropy = Entropy([7; 16]);
        let command = CoordinatorCommand::Sync { report, entropy };
        match coordinator.apply(command, self.now).reply {
            CoordinatorReply::Synced(reply) => reply,
            other => panic!("{other:?}"),
        }
    }

    /// Both lose their memory and start again from their rows.
    pub fn restart(&mut self) {
        let (settings, now) = (&self.settings, self.now);
        let shard = open(&mut self.shard_rows, &shard_known(), settings, now);
        self.shard = ShardDesk::new(1, shard, now);
        let rows = &mut self.coordinator_rows;
        self.coordinator = CoordinatorDesk::new(open(rows, &coordinator_known(), settings, now));
        self.fails_at = None;
    }

    /// The replies so far, with how long after `since` they came, and to whom.
    pub fn replies(&self, since: UnixMillis) -> Vec<(u64, u32, ShardReply)> {
        self.answers
            .iter()
            .filter_map(|(at, to, answer)| match answer.body {
                ShardBody::Reply(reply) => Some((at.since(since).0, *to, reply)),
                ShardBody::Board => None,
            })
            .collect()
    }
}

/// Opens a core on its rows, and stores what that changes.
pub fn open<C: Core>(rows: &mut Memory, known: &Known, settings: &Settings, now: UnixMillis) -> C {
    let stored = read_all(rows.read()).unwrap();
    let started = start::<C>(known, stored, settings.clone(), [7; 16], now).unwrap();
    rows.commit(started.changes).unwrap();
    started.core
}
