//! A coordinator and its shards in one hand.

use crate::coordinator::command::{Action, CoordinatorCommand, CoordinatorReply, Entropy};
use crate::coordinator::rows::CoordinatorRow;
use crate::coordinator::{Coordinator, RunName};
use crate::outcome::Outcome;
use crate::settings::{DrawSettings, Limits, LineSettings, Mode, Settings};
use crate::shard::command::{PlaceView, ShardCommand, ShardReply};
use crate::shard::{Identity, Shard};
use crate::units::{ClaimId, LineIndex, Millis, Nonce, PlaceIndex, ShardIndex, UnixMillis};

/// Noon of some day.
const START: u64 = 1_800_000_000_000;

pub(super) struct Room {
    pub(super) coordinator: Coordinator,
    pub(super) shards: Vec<Shard>,
    pub(super) now: u64,
}

pub(crate) fn settings(mode: Mode, limits: Limits) -> Settings {
    Settings {
        mode,
        prequeue_at: None,
        lines: vec![LineSettings {
            id: "general".to_owned(),
            weight: 1,
            opens_at: None,
        }],
        limits,
        hold: Millis::from_minutes(30),
        session: Millis::from_minutes(20),
        idle: Millis::from_minutes(10),
        pass: Millis::from_seconds(180),
        max_extension: Millis::from_minutes(15),
        expected_visitors: 10,
        draw: DrawSettings {
            grace: Millis::from_seconds(60),
            beacon: false,
            beacon_wait: Millis::from_minutes(10),
        },
        keep: Millis::from_minutes(30 * 24 * 60),
    }
}

/// A coordinator at the beginning of run 1.
pub(crate) fn coordinator(settings: Settings) -> Outcome<Coordinator, CoordinatorRow> {
    let name = RunName {
        event: "on-sale",
        run: 1,
    };
    Coordinator::new(name, settings, [7; 16], UnixMillis(START))
}

pub(super) fn at_once(max_active: u32) -> Limits {
    Limits {
        max_active: Some(max_active),
        ..Limits::default()
    }
}

pub(super) fn nonce(number: u64) -> Nonce {
    Nonce(u128::from(number).to_be_bytes())
}

impl Room {
    pub(super) fn open(settings: &Settings, shards: u16) -> Self {
        let now = UnixMillis(START);
        let shard = |shard| {
            let identity = Identity {
                run: 1,
                shard: ShardIndex(shard),
            };
            Shard::new(identity, settings.clone(), now).reply
        };
        Self {
            coordinator: coordinator(settings.clone()).reply,
            shards: (0..shards).map(shard).collect(),
            now: START,
        }
    }

    pub(super) fn at(&self) -> UnixMillis {
        UnixMillis(self.now)
    }

    pub(super) fn sync(&mut self) {
        for shard in &mut self.shards {
            let report = shard.report(UnixMillis(self.now));
            let command = CoordinatorCommand::Sync {
                report,
                entropy: Entropy(self.now.to_be_bytes().repeat(2).try_into().unwrap()),
            };
            let CoordinatorReply::Synced(reply) =
                self.coordinator.apply(command, UnixMillis(self.now)).reply
            else {
                panic!("the report is refused")
            };
            shard.apply(ShardCommand::Synced { reply }, UnixMillis(self.now));
        }
    }

    /// Lets time pass, with a sync every quarter of a second.
    pub(super) fn pass(&mut self, seconds: u64) {
        for _ in 0..seconds * 4 {
            self.now += 250;
            self.sync();
        }
    }

    pub(super) fn ask(&mut self, shard: usize, command: ShardCommand) -> ShardReply {
        self.shards[shard]
            .apply(command, UnixMillis(self.now))
            .reply
    }

    pub(super) fn join(&mut self, shard: usize, number: u64) -> PlaceView {
        let command = ShardCommand::Join {
            nonce: nonce(number),
            line: LineIndex(0),
            permit_expired: false,
            arrived: None,
        };
        match self.ask(shard, command) {
            ShardReply::Place { place, .. } => place,
            other => panic!("{other:?}"),
        }
    }

    pub(super) fn view(&self, shard: usize, index: u32) -> PlaceView {
        self.shards[shard]
            .view(PlaceIndex(index), UnixMillis(self.now))
            .unwrap()
    }

    pub(super) fn claim(&mut self, shard: usize, index: u32, number: u64) -> ShardReply {
        let command = ShardCommand::Claim {
            index: PlaceIndex(index),
            nonce: nonce(number),
            claim: ClaimId([7; 16]),
        };
        self.ask(shard, command)
    }

    pub(super) fn operate(&mut self, action: Action) -> CoordinatorReply {
        let command = CoordinatorCommand::Operate {
            action,
            by: "anna".to_owned(),
        };
        self.coordinator.apply(command, UnixMillis(self.now)).reply
    }

    pub(super) fn active(&mut self) -> u64 {
        match self
            .coordinator
            .apply(CoordinatorCommand::Wake, UnixMillis(self.now))
            .reply
        {
            CoordinatorReply::State { totals, .. } => totals.active,
            other => panic!("{other:?}"),
        }
    }
}
