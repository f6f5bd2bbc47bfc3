//! A coordinator, two relays with two shards each, and a shard of the coordinator's own; each message carried by hand.

use std::collections::{BTreeMap, BTreeSet};

use anteroom_queue::coordinator::Coordinator;
use anteroom_queue::coordinator::command::{CoordinatorCommand, CoordinatorReply, Entropy};
use anteroom_queue::coordinator::rows::CoordinatorRow;
use anteroom_queue::relay::command::{RelayCommand, RelayReply};
use anteroom_queue::relay::rows::RelayRow;
use anteroom_queue::relay::{self, Asked, Relay};
use anteroom_queue::settings::Settings;
use anteroom_queue::shard::command::{PlaceView, ShardCommand, ShardReply, VisitorState};
use anteroom_queue::shard::rows::ShardRow;
use anteroom_queue::shard::{Identity, Shard};
use anteroom_queue::sync::SyncReply;
use anteroom_queue::tree::{Node, relay_of};
use anteroom_queue::units::{
    Generation, LineIndex, Millis, PlaceIndex, RelayIndex, ShardIndex, UnixMillis,
};

use crate::stage::{NAME, RUN, START, claim_id, nonce};

/// The shards: one of the coordinator's own, two of each relay.
pub const SHARDS: [u16; 5] = [0, 50, 51, 130, 131];

/// The relays.
pub const RELAYS: [u16; 2] = [0, 1];

#[derive(Clone, Copy, Debug)]
pub struct Seat {
    pub shard: u16,
    pub index: PlaceIndex,
}

pub struct World {
    pub now: UnixMillis,
    pub settings: Settings,
    pub coordinator: Coordinator,
    coordinator_rows: BTreeMap<String, CoordinatorRow>,
    pub relays: BTreeMap<u16, Relay>,
    relay_rows: BTreeMap<u16, RelayRow>,
    pub shards: BTreeMap<u16, Shard>,
    shard_rows: BTreeMap<u16, BTreeMap<String, ShardRow>>,
    pub seats: BTreeMap<u64, Seat>,
    /// The entry numbers that were acknowledged before each visitor's join began, at most.
    pub before: BTreeMap<u64, Option<u64>>,
    pub away: BTreeSet<u16>,
}

impl World {
    pub fn new(settings: Settings) -> Self {
        let made = Coordinator::new(NAME, settings.clone(), [7; 16], START);
        let mut world = Self {
            now: START,
            settings: settings.clone(),
            coordinator: made.reply,
            coordinator_rows: BTreeMap::new(),
            relays: BTreeMap::new(),
            relay_rows: BTreeMap::new(),
            shards: BTreeMap::new(),
            shard_rows: BTreeMap::new(),
            seats: BTreeMap::new(),
            before: BTreeMap::new(),
            away: BTreeSet::new(),
        };
        world.keep(made.rows);
        for number in RELAYS {
            let made = Relay::new(relay_identity(number), settings.clone(), START);
            world.relays.insert(number, made.reply);
            world.keep_relay(number, made.rows);
        }
        for number in SHARDS {
            let made = Shard::new(identity(number), settings.clone(), START);
            world.shards.insert(number, made.reply);
            world.keep_shard(number, made.rows);
        }
        world
    }

    fn keep(&mut self, rows: Vec<CoordinatorRow>) {
        let rows = rows.into_iter().map(|row| (row.key(), row));
        self.coordinator_rows.extend(rows);
    }

    fn keep_relay(&mut self, number: u16, rows: Vec<RelayRow>) {
        if let Some(row) = rows.into_iter().last() {
            self.relay_rows.insert(number, row);
        }
    }

    fn keep_shard(&mut self, number: u16, rows: Vec<ShardRow>) {
        let kept = self.shard_rows.entry(number).or_default();
        kept.extend(rows.into_iter().map(|row| (row.key(), row)));
    }

    pub fn at_coordinator(&mut self, command: CoordinatorCommand) -> CoordinatorReply {
        let outcome = self.coordinator.apply(command, self.now);
        self.keep(outcome.rows);
        outcome.reply
    }

    pub fn at_relay(&mut self, number: u16, command: RelayCommand) -> RelayReply {
        let relay = self.relays.get_mut(&number).expect("a known relay");
        let outcome = relay.apply(command, self.now);
        self.keep_relay(number, outcome.rows);
        outcome.reply
    }

    pub fn at_shard(&mut self, number: u16, command: ShardCommand) -> ShardReply {
        let shard = self.shards.get_mut(&number).expect("a known shard");
        let outcome = shard.apply(command, self.now);
        self.keep_shard(number, outcome.rows);
        outcome.reply
    }

    /// A relay reports; `heard`: the answer arrives.
    pub fn relay_reports(&mut self, number: u16, heard: bool) {
        let relay = self.relays.get_mut(&number).expect("a known relay");
        let report = relay.report(self.now);
        let entropy = Entropy([number as u8 + 1; 16]);
        let reply = match self.at_coordinator(CoordinatorCommand::Relayed { report, entropy }) {
            CoordinatorReply::Synced(reply) => reply,
            other => panic!("a relay's report is answered {other:?}"),
        };
        if heard {
            self.at_relay(number, RelayCommand::Heard { reply });
        }
    }

    /// A shard reports to its parent; `heard`: the answer arrives.
    pub fn shard_reports(&mut self, number: u16, heard: bool) {
        if self.away.contains(&number) {
            return;
        }
        let now = self.now;
        let shard = self.shards.get_mut(&number).expect("a known shard");
        let report = shard.report(now);
        let entropy = Entropy([number as u8; 16]);
        let answer: Option<(SyncReply, Millis)> = match relay_of(ShardIndex(number)) {
            None => match self.at_coordinator(CoordinatorCommand::Sync { report, entropy }) {
                CoordinatorReply::Synced(reply) => Some((reply, Millis(0))),
                other => panic!("a report is answered {other:?}"),
            },
            Some(RelayIndex(relay)) => {
                let asked = Asked {
                    shard: report.shard,
                    sent: report.sent,
                    board_version: report.board_version,
                    taken: now,
                };
                let taken = self.at_relay(relay, RelayCommand::Report { report, entropy });
                assert_eq!(taken, RelayReply::Done);
                let relay = self.relays.get_mut(&relay).expect("a known relay");
                let answer = relay.answer(asked, now);
                answer.map(|answer| (answer.reply, answer.behind))
            }
        };
        if let Some((reply, behind)) = answer.filter(|_| heard) {
            self.at_shard(number, ShardCommand::Relayed { reply, behind });
        }
    }

    /// Everybody reports once, from below, and the answers go down again.
    pub fn round(&mut self) {
        for _ in 0..2 {
            for shard in SHARDS {
                self.shard_reports(shard, true);
            }
            for relay in RELAYS {
                self.relay_reports(relay, true);
            }
        }
        for shard in SHARDS {
            self.shard_reports(shard, true);
        }
    }

    /// Time passes as in life.
    pub fn live(&mut self, time: Millis) {
        let until = self.now.plus(time);
        while self.now < until {
            self.now = self.now.plus(Millis(300).min(until.since(self.now)));
            self.wake();
            self.round();
        }
    }

    /// Deadlines come.
    pub fn wake(&mut self) {
        self.at_coordinator(CoordinatorCommand::Wake);
        for relay in RELAYS {
            self.at_relay(relay, RelayCommand::Wake);
        }
        for shard in SHARDS {
            self.at_shard(shard, ShardCommand::Look);
        }
    }

    pub fn restart_coordinator(&mut self) {
        let rows: Vec<CoordinatorRow> = self.coordinator_rows.values().cloned().collect();
        let restored = Coordinator::restore(NAME, self.settings.clone(), rows, self.now);
        self.coordinator = restored.expect("rows of a coordinator");
    }

    pub fn restart_relay(&mut self, number: u16) {
        let row = self.relay_rows[&number].clone();
        let identity = relay_identity(number);
        let restored = Relay::restore(identity, self.settings.clone(), [row], self.now);
        let restored = restored.expect("the row of a relay");
        self.relays.insert(number, restored);
    }

    pub fn restart_shard(&mut self, number: u16) {
        let rows: Vec<ShardRow> = self.shard_rows[&number].values().cloned().collect();
        let restored = Shard::restore(identity(number), self.settings.clone(), rows, self.now);
        self.shards
            .insert(number, restored.expect("rows of a shard"));
    }

    pub fn join(&mut self, visitor: u64, shard: u16) {
        if self.seats.contains_key(&visitor) {
            return;
        }
        let last = self.entries().into_values().flatten().max();
        let arrived = None;
        let reply = self.at_shard(
            shard,
            ShardCommand::Join {
                nonce: nonce(visitor),
                line: LineIndex(0),
                permit_expired: false,
                arrived,
            },
        );
        if let ShardReply::Place { place, .. } = reply {
            let index = place.index;
            self.seats.insert(visitor, Seat { shard, index });
            self.before.insert(visitor, last);
        }
    }

    pub fn view(&self, visitor: u64) -> PlaceView {
        let seat = self.seats[&visitor];
        let view = self.shards[&seat.shard].view(seat.index, self.now);
        view.expect("a seat has a place")
    }

    pub fn claim(&mut self, visitor: u64) {
        let Some(seat) = self.seats.get(&visitor).copied() else {
            return;
        };
        self.at_shard(
            seat.shard,
            ShardCommand::Claim {
                index: seat.index,
                nonce: nonce(visitor),
                claim: claim_id(visitor, 0),
            },
        );
    }

    pub fn release(&mut self, visitor: u64) {
        if self.seats.contains_key(&visitor) && self.view(visitor).state == VisitorState::Admitted {
            let seat = self.seats[&visitor];
            let generation = Generation(0);
            let index = seat.index;
            self.at_shard(seat.shard, ShardCommand::Release { index, generation });
        }
    }

    pub fn leave(&mut self, visitor: u64) {
        if let Some(Seat { shard, index }) = self.seats.get(&visitor).copied() {
            let nonce = nonce(visitor);
            self.at_shard(shard, ShardCommand::Leave { index, nonce });
        }
    }

    /// What every visitor with a place was told, or would be.
    pub fn entries(&self) -> BTreeMap<u64, Option<u64>> {
        let seats = self.seats.keys();
        seats
            .map(|visitor| (*visitor, self.view(*visitor).entry.map(|entry| entry.0)))
            .collect()
    }

    /// Who is inside, as their homes have it.
    pub fn inside(&self) -> usize {
        let is_in = |visitor: &&u64| self.view(**visitor).state == VisitorState::Admitted;
        self.seats.keys().filter(is_in).count()
    }

    pub fn pokes(&self) -> Vec<Node> {
        self.coordinator.pokes()
    }
}

fn identity(number: u16) -> Identity {
    Identity {
        run: RUN,
        shard: ShardIndex(number),
    }
}

fn relay_identity(number: u16) -> relay::Identity {
    relay::Identity {
        run: RUN,
        relay: RelayIndex(number),
    }
}
