//! One event on a stage: a coordinator and its shards in one thread, each message carried by
//! hand, so that a test says what is heard and what is lost.
#![allow(dead_code, reason = "each test file uses its part of the stage")]

pub mod lines;

use std::collections::BTreeMap;

use anteroom_queue::board::Board;
use anteroom_queue::coordinator::command::{
    Action, CoordinatorCommand, CoordinatorReply, Entropy, Totals,
};
use anteroom_queue::coordinator::rows::CoordinatorRow;
use anteroom_queue::coordinator::{Coordinator, RunName};
use anteroom_queue::settings::{DrawSettings, Limits, LineSettings, Mode, Settings};
use anteroom_queue::shard::command::{ShardCommand, ShardReply};
use anteroom_queue::shard::rows::ShardRow;
use anteroom_queue::shard::{Identity, Shard};
use anteroom_queue::sync::{SyncReply, SyncRequest};
use anteroom_queue::units::{
    ClaimId, Generation, LineIndex, Millis, NetworkMark, Nonce, PlaceIndex, ShardIndex, UnixMillis,
};

pub const RUN: u32 = 7;
pub const NAME: RunName<'static> = RunName {
    event: "on-sale",
    run: RUN,
};
pub const START: UnixMillis = UnixMillis(1_800_000_000_000);

/// A visitor on the stage: where the place is, once there is one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Seat {
    pub shard: usize,
    pub index: u32,
    pub generation: u32,
}

#[derive(Clone, Debug)]
pub struct Stage {
    pub now: UnixMillis,
    pub settings: Settings,
    pub coordinator: Coordinator,
    pub shards: Vec<Shard>,
    pub shard_rows: Vec<BTreeMap<String, ShardRow>>,
    pub coordinator_rows: BTreeMap<String, CoordinatorRow>,
    pub seats: BTreeMap<u64, Seat>,
}

/// Open at once, no limits, a hold of 5 minutes, sessions of 10.
pub fn settings(limits: Limits) -> Settings {
    Settings {
        mode: Mode::Always,
        prequeue_at: None,
        lines: vec![LineSettings {
            id: "general".to_owned(),
            weight: 1,
            opens_at: None,
        }],
        limits,
        hold: Millis::from_minutes(5),
        session: Millis::from_minutes(10),
        idle: Millis::from_minutes(4),
        pass: Millis::from_seconds(120),
        max_extension: Millis::from_minutes(3),
        expected_visitors: 16_000,
        draw: DrawSettings {
            grace: Millis::from_seconds(60),
            beacon: false,
            beacon_wait: Millis::from_minutes(10),
        },
        keep: Millis::from_minutes(30 * 24 * 60),
    }
}

pub fn nonce(visitor: u64) -> Nonce {
    Nonce(u128::from(visitor + 1).to_le_bytes())
}

pub fn claim_id(visitor: u64, browser: u8) -> ClaimId {
    ClaimId((u128::from(visitor + 1) << 8 | u128::from(browser)).to_le_bytes())
}

impl Stage {
    pub fn new(settings: Settings, shards: usize) -> Self {
        let made = Coordinator::new(NAME, settings.clone(), [7; 16], START);
        let mut stage = Self {
            now: START,
            settings,
            coordinator: made.reply,
            shards: Vec::new(),
            shard_rows: vec![BTreeMap::new(); shards],
            coordinator_rows: BTreeMap::new(),
            seats: BTreeMap::new(),
        };
        stage.keep(made.rows);
        for shard in 0..shards {
            let made = Shard::new(identity(shard), stage.settings.clone(), START);
            stage.shards.push(made.reply);
            stage.keep_shard(shard, made.rows);
        }
        stage.sync_all();
        stage
    }

    fn keep(&mut self, rows: Vec<CoordinatorRow>) {
        self.coordinator_rows
            .extend(rows.into_iter().map(|row| (row.key(), row)));
    }

    fn keep_shard(&mut self, shard: usize, rows: Vec<ShardRow>) {
        self.shard_rows[shard].extend(rows.into_iter().map(|row| (row.key(), row)));
    }

    pub fn at_shard(&mut self, shard: usize, command: ShardCommand) -> ShardReply {
        let outcome = self.shards[shard].apply(command, self.now);
        self.keep_shard(shard, outcome.rows);
        outcome.reply
    }

    pub fn at_coordinator(&mut self, command: CoordinatorCommand) -> CoordinatorReply {
        let outcome = self.coordinator.apply(command, self.now);
        self.keep(outcome.rows);
        outcome.reply
    }

    pub fn operate(&mut self, action: Action) -> Board {
        let by = "box office".to_owned();
        match self.at_coordinator(CoordinatorCommand::Operate { action, by }) {
            CoordinatorReply::State { board, .. } => board,
            other => panic!("an action is answered {other:?}"),
        }
    }

    /// The report arrives; the answer is returned and may be lost.
    pub fn hear(&mut self, report: SyncRequest) -> SyncReply {
        let entropy = Entropy([report.shard.0 as u8; 16]);
        match self.at_coordinator(CoordinatorCommand::Sync { report, entropy }) {
            CoordinatorReply::Synced(reply) => reply,
            other => panic!("a report is answered {other:?}"),
        }
    }

    pub fn report(&mut self, shard: usize) -> SyncRequest {
        self.shards[shard].report(self.now)
    }

    pub fn sync(&mut self, shard: usize) {
        let report = self.report(shard);
        let reply = self.hear(report);
        self.at_shard(shard, ShardCommand::Synced { reply });
    }

    pub fn sync_all(&mut self) {
        for shard in 0..self.shards.len() {
            self.sync(shard);
        }
    }

    /// Lets time pass without anybody doing anything.
    pub fn pass(&mut self, time: Millis) {
        self.now = self.now.plus(time);
    }

    /// Lets time pass as in life: alarms fire, edges read boards, shards report.
    pub fn live(&mut self, time: Millis) {
        let until = self.now.plus(time);
        while self.now < until {
            self.pass(Millis(250).min(until.since(self.now)));
            self.at_coordinator(CoordinatorCommand::Wake);
            for shard in 0..self.shards.len() {
                self.at_shard(shard, ShardCommand::Look);
                self.sync(shard);
            }
        }
    }

    pub fn totals(&self) -> Totals {
        self.coordinator.totals()
    }

    /// Grants of every line, as stored.
    pub fn granted_by_line(&self) -> Vec<u64> {
        let mut granted = vec![0; self.settings.lines.len()];
        for row in self.coordinator_rows.values() {
            if let CoordinatorRow::Child { child, .. } = row {
                for (sum, line) in granted.iter_mut().zip(&child.lines) {
                    *sum += line.granted;
                }
            }
        }
        granted
    }

    pub fn called(&self) -> u64 {
        self.coordinator.board().lines[0].called.0
    }

    pub fn restore_shard(&mut self, shard: usize) {
        let rows: Vec<ShardRow> = self.shard_rows[shard].values().cloned().collect();
        self.shards[shard] = Shard::restore(identity(shard), self.settings.clone(), rows, self.now)
            .expect("what was stored makes a state");
    }

    pub fn restore_coordinator(&mut self) {
        let rows: Vec<CoordinatorRow> = self.coordinator_rows.values().cloned().collect();
        self.coordinator = Coordinator::restore(NAME, self.settings.clone(), rows, self.now)
            .expect("what was stored makes a state");
    }

    pub fn join(&mut self, visitor: u64, shard: usize) -> ShardReply {
        self.join_with(visitor, shard, false, None)
    }

    pub fn join_with(
        &mut self,
        visitor: u64,
        shard: usize,
        permit_expired: bool,
        arrived: Option<UnixMillis>,
    ) -> ShardReply {
        let join = ShardCommand::Join {
            nonce: nonce(visitor),
            line: LineIndex(0),
            permit_expired,
            arrived,
        };
        let reply = self.at_shard(shard, join);
        if let ShardReply::Place { place, .. } = reply {
            self.seat(visitor, shard, place.index);
        }
        reply
    }

    pub fn seat(&mut self, visitor: u64, shard: usize, index: PlaceIndex) {
        let seat = self.seats.entry(visitor).or_default();
        (seat.shard, seat.index) = (shard, index.0);
    }

    fn place(&self, visitor: u64) -> (usize, PlaceIndex, Generation) {
        let seat = self.seats[&visitor];
        (
            seat.shard,
            PlaceIndex(seat.index),
            Generation(seat.generation),
        )
    }

    pub fn claim(&mut self, visitor: u64, browser: u8) -> ShardReply {
        let (shard, index, _) = self.place(visitor);
        let claim = claim_id(visitor, browser);
        let reply = self.at_shard(
            shard,
            ShardCommand::Claim {
                index,
                nonce: nonce(visitor),
                claim,
            },
        );
        if let ShardReply::Session { generation, .. } = reply {
            self.seats.get_mut(&visitor).expect("seated").generation = generation.0;
        }
        reply
    }

    /// The claim of an edge that says where it comes from.
    pub fn claim_from(
        &mut self,
        visitor: u64,
        browser: u8,
        network: u8,
        hold_back: bool,
    ) -> ShardReply {
        let (shard, index, _) = self.place(visitor);
        let claim = ShardCommand::ClaimFrom {
            index,
            nonce: nonce(visitor),
            claim: claim_id(visitor, browser),
            network: NetworkMark([network; 8]),
            hold_back,
        };
        let reply = self.at_shard(shard, claim);
        if let ShardReply::Session { generation, .. } = reply {
            self.seats.get_mut(&visitor).expect("seated").generation = generation.0;
        }
        reply
    }

    pub fn renew_from(&mut self, visitor: u64, network: u8) -> ShardReply {
        let (shard, index, generation) = self.place(visitor);
        let network = NetworkMark([network; 8]);
        let renew = ShardCommand::RenewFrom {
            index,
            generation,
            network,
        };
        self.at_shard(shard, renew)
    }

    /// This browser of the visitor was checked, for the pass that the visitor's place had.
    pub fn recheck(&mut self, visitor: u64, browser: u8) -> ShardReply {
        self.recheck_from(visitor, browser, 2)
    }

    pub fn recheck_from(&mut self, visitor: u64, browser: u8, network: u8) -> ShardReply {
        let (shard, index, generation) = self.place(visitor);
        let checked = ShardCommand::Rechecked {
            index,
            generation,
            claim: claim_id(visitor, browser),
            network: NetworkMark([network; 8]),
        };
        self.at_shard(shard, checked)
    }

    pub fn ask(&mut self, visitor: u64) -> ShardReply {
        let (shard, index, _) = self.place(visitor);
        let claim = claim_id(visitor, 0);
        self.at_shard(
            shard,
            ShardCommand::Ask {
                index,
                nonce: nonce(visitor),
                claim,
            },
        )
    }

    pub fn leave(&mut self, visitor: u64) -> ShardReply {
        let (shard, index, _) = self.place(visitor);
        self.at_shard(
            shard,
            ShardCommand::Leave {
                index,
                nonce: nonce(visitor),
            },
        )
    }

    pub fn renew(&mut self, visitor: u64) -> ShardReply {
        let (shard, index, generation) = self.place(visitor);
        self.at_shard(shard, ShardCommand::Renew { index, generation })
    }

    pub fn renew_first(&mut self, visitor: u64) -> ShardReply {
        let (shard, index, _) = self.place(visitor);
        self.at_shard(
            shard,
            ShardCommand::Renew {
                index,
                generation: Generation(0),
            },
        )
    }

    pub fn release(&mut self, visitor: u64) -> ShardReply {
        let (shard, index, generation) = self.place(visitor);
        self.at_shard(shard, ShardCommand::Release { index, generation })
    }

    pub fn extend(&mut self, visitor: u64, by: Millis) -> ShardReply {
        let (shard, index, generation) = self.place(visitor);
        self.at_shard(
            shard,
            ShardCommand::Extend {
                index,
                generation,
                by,
            },
        )
    }

    pub fn try_once(&mut self, visitor: u64, shard: usize) -> ShardReply {
        let claim = claim_id(visitor, 0);
        let attempt = ShardCommand::Try {
            nonce: nonce(visitor),
            line: LineIndex(0),
            claim,
        };
        let reply = self.at_shard(shard, attempt);
        if let ShardReply::Session { index, .. } = reply {
            self.seat(visitor, shard, index);
        }
        reply
    }
}

fn identity(shard: usize) -> Identity {
    Identity {
        run: RUN,
        shard: ShardIndex(shard as u16),
    }
}
