//! Each object with its memory and its durable rows, and a number made of both.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::hash::{DefaultHasher, Hash, Hasher};

use anteroom_queue::coordinator::command::{CoordinatorCommand, CoordinatorReply, Totals};
use anteroom_queue::coordinator::rows::CoordinatorRow;
use anteroom_queue::coordinator::{Coordinator, RunName};
use anteroom_queue::settings::Settings;
use anteroom_queue::shard::command::{PlaceView, ShardCommand, ShardReply};
use anteroom_queue::shard::rows::ShardRow;
use anteroom_queue::shard::{Identity, Shard};
use anteroom_queue::sync::SyncRequest;
use anteroom_queue::units::{PlaceIndex, ShardIndex, UnixMillis};

use crate::held::Held;

const RUN: u32 = 7;
const NAME: RunName<'static> = RunName {
    event: "on-sale",
    run: RUN,
};

fn identity(shard: usize) -> Identity {
    Identity {
        run: RUN,
        shard: ShardIndex(shard as u16),
    }
}

/// A number made of everything that is shown of a value.
pub fn print_of(value: &impl Debug) -> u64 {
    let mut hasher = DefaultHasher::new();
    format!("{value:?}").hash(&mut hasher);
    hasher.finish()
}

/// What a debug text says apart from the event log, which only tells how the state came about.
fn without_log(text: &str) -> (&str, &str) {
    let from = text.find("logbook: ").expect("the coordinator has a log");
    let until = text
        .find(", hearsay: ")
        .expect("what edges told is behind it");
    (&text[..from], &text[until..])
}

/// The coordinator.
#[derive(Clone, Debug)]
pub struct CoordinatorSide {
    core: Coordinator,
    rows: BTreeMap<String, CoordinatorRow>,
    /// A number made of both.
    pub print: u64,
}

impl CoordinatorSide {
    /// At the beginning of the run.
    pub fn new(settings: Settings, now: UnixMillis) -> Self {
        let made = Coordinator::new(NAME, settings, [7; 16], now);
        let mut side = Self {
            core: made.reply,
            rows: BTreeMap::new(),
            print: 0,
        };
        side.keep(made.rows);
        side
    }

    fn keep(&mut self, rows: Vec<CoordinatorRow>) {
        self.rows
            .extend(rows.into_iter().map(|row| (row.key(), row)));
        let mut hasher = DefaultHasher::new();
        let text = format!("{:?}", self.core);
        without_log(&text).hash(&mut hasher);
        for (key, row) in &self.rows {
            if !matches!(row, CoordinatorRow::Log(_)) {
                print_of(&(key, row)).hash(&mut hasher);
            }
        }
        self.print = hasher.finish();
    }

    /// Carries a command out and stores what it changed.
    pub fn apply(&mut self, command: CoordinatorCommand, now: UnixMillis) -> CoordinatorReply {
        let outcome = self.core.apply(command, now);
        self.keep(outcome.rows);
        outcome.reply
    }

    /// The memory is lost.
    pub fn crash(&mut self, settings: Settings, now: UnixMillis) {
        let rows: Vec<CoordinatorRow> = self.rows.values().cloned().collect();
        let restored = Coordinator::restore(NAME, settings, rows, now);
        self.core = restored.expect("what was stored makes a state");
        self.keep(Vec::new());
    }

    /// Its counts.
    pub fn totals(&self) -> Totals {
        self.core.totals()
    }
}

/// A shard.
#[derive(Clone, Debug)]
pub struct ShardSide {
    held: Held,
    rows: BTreeMap<String, ShardRow>,
    /// A number made of both.
    pub print: u64,
}

impl ShardSide {
    /// At the beginning of the run.
    pub fn new(shard: usize, settings: Settings, now: UnixMillis) -> Self {
        let made = Shard::new(identity(shard), settings, now);
        let mut side = Self {
            held: Held::new(made.reply),
            rows: BTreeMap::new(),
            print: 0,
        };
        side.keep(made.rows);
        side
    }

    fn keep(&mut self, rows: Vec<ShardRow>) {
        self.rows
            .extend(rows.into_iter().map(|row| (row.key(), row)));
        self.print = print_of(&(&self.held, &self.rows));
    }

    /// Carries a command out and, if it `stores`, stores what it changed.
    pub fn apply(&mut self, command: ShardCommand, stores: bool, now: UnixMillis) -> ShardReply {
        let outcome = self.held.memory().apply(command, now);
        self.keep(if stores { outcome.rows } else { Vec::new() });
        outcome.reply
    }

    /// A report leaves.
    pub fn report(&mut self, now: UnixMillis) -> SyncRequest {
        let report = self.held.memory().report(now);
        self.keep(Vec::new());
        report
    }

    /// The memory is lost.
    pub fn crash(&mut self, shard: usize, settings: Settings, now: UnixMillis) {
        let rows: Vec<ShardRow> = self.rows.values().cloned().collect();
        let restored = Shard::restore(identity(shard), settings, rows, now);
        self.held = Held::new(restored.expect("what was stored makes a state"));
        self.keep(Vec::new());
    }

    /// What is known of a place. Of a copy: what the core works out for an answer is no step.
    pub fn view(&self, index: PlaceIndex, now: UnixMillis) -> Option<PlaceView> {
        self.held.copy().view(index, now)
    }
}
