//! Between the objects: requests reach a server, its shell takes them in, steps, and what a step promises leaves when its rows
//! are durable.

use anteroom_queue::coordinator::command::{Action, Entropy};
use anteroom_queue::regions;
use anteroom_queue::shard::command::ShardReply;
use anteroom_queue::sync::{SyncReply, SyncRequest};
use anteroom_queue::tree::{Node, child_number, relay_of};
use anteroom_queue::units::{RelayIndex, ShardIndex};

use super::World;
use super::distances::{REGIONS, between, region_of};
use super::messages::{Answered, Ask, Event, ReadBoard, Report};
use super::plan::{PARENT_US, SHARD_US, WRITE_MS};
use super::relay_shell::RelayShell;
use super::shard_shell::ShardShell;
use super::waiting::join_of;
use super::way::Stop;

/// The region of the coordinator and the relays.
const CENTRE: usize = 0;

/// The region of a shard.
pub fn home_region(shard: u16) -> usize {
    regions::region_of(ShardIndex(shard), REGIONS)
}

/// Of a shard's report to the coordinator and back, without chance and without what the objects do.
pub fn round_trip_ms(shard: u16) -> u64 {
    let to_parent = between(home_region(shard), CENTRE);
    let beyond = match relay_of(ShardIndex(shard)) {
        Some(_) => between(CENTRE, CENTRE),
        None => 0,
    };
    2 * (to_parent + beyond)
}

/// The object of this number, made when it is first asked.
fn made<T>(objects: &mut Vec<Option<Box<T>>>, number: u16, make: impl FnOnce() -> T) -> &mut T {
    let number = usize::from(number);
    if objects.len() <= number {
        objects.resize_with(number + 1, || None);
    }
    objects[number].get_or_insert_with(|| Box::new(make()))
}

impl World {
    pub(super) fn shard(&mut self, shard: u16, now: u64) -> &mut ShardShell {
        let settings = &self.settings;
        made(&mut self.shards, shard, || {
            ShardShell::new(shard, settings.clone(), now)
        })
    }

    fn relay(&mut self, relay: u16, now: u64) -> &mut RelayShell {
        let settings = &self.settings;
        made(&mut self.relays, relay, || {
            RelayShell::new(relay, settings.clone(), now)
        })
    }

    /// When a write that begins now is durable; nothing to write takes no time.
    fn durable(&mut self, rows: u32, now: u64) -> u64 {
        now + if rows > 0 {
            self.chance.within(WRITE_MS)
        } else {
            0
        }
    }

    pub(super) fn at_shard(&mut self, shard: u16, mut ask: Ask, now: u64) {
        if let Ask::Join(join) = &mut ask {
            join.arrived_ms = now as u32;
        }
        let shell = self.shard(shard, now);
        shell.second.requests += 1;
        let done = shell.server.serve(now, SHARD_US);
        if done > now {
            return self.wheel.put(done, Event::In(shard, ask));
        }
        self.in_shard(shard, ask, now);
    }

    pub(super) fn in_shard(&mut self, shard: u16, ask: Ask, now: u64) {
        let shell = self.shard(shard, now);
        match ask {
            Ask::Board(isolate) => {
                if shell.read(isolate, now) {
                    self.give_board(shard, isolate, now, now);
                }
            }
            Ask::Poke => shell.uplink.want(now),
            Ask::Listen(rested) => self.listen(shard, rested, now),
            Ask::Join(_) | Ask::State(..) | Ask::Claim(..) | Ask::Renew(_) | Ask::Release(_) => {
                if !shell.take(ask, now) {
                    self.measured.busy += 1;
                    self.wheel.put(now + 2_000, Event::At(shard, ask));
                }
            }
        }
        self.plan_shard(shard, now);
    }

    pub(super) fn plan_shard(&mut self, shard: u16, now: u64) {
        let shell = self.shard(shard, now);
        let Some(due) = shell.due(now) else { return };
        let due = due.max(now + 1);
        if due < shell.planned || shell.planned <= now {
            shell.planned = due;
            self.wheel.put(due, Event::ShardStep(shard));
        }
    }

    pub(super) fn shard_hears(&mut self, shard: u16, answered: Answered, now: u64) {
        let shell = self.shard(shard, now);
        shell.server.serve(now, SHARD_US);
        if let Answered::Direct(reply) | Answered::Relayed(reply, _) = &answered {
            shell.trails.stop(reply.sent.0, Stop::Heard, now);
        }
        shell.hear(answered);
        shell.planned = now;
        self.shard_step(shard, now);
    }

    pub(super) fn shard_step(&mut self, shard: u16, now: u64) {
        let shell = self.shards[usize::from(shard)]
            .as_mut()
            .expect("it is planned");
        if shell.planned != now {
            return; // another step was planned instead
        }
        let given = shell.step(now, &mut self.chance);
        shell.planned = u64::MAX;
        shell.second.rows += given.rows;
        let durable = self.durable(given.rows, now);
        if let Some(took) = given.round_trip {
            self.measured.shard_trip.add(took);
        }
        for (ask, reply) in given.answers {
            self.give_answer(shard, ask, reply, durable);
        }
        for (isolate, _) in given.boards {
            self.give_board(shard, isolate, durable, now);
        }
        if let Some(report) = given.report {
            let sent = report.sent.0;
            self.stop(shard, sent, Stop::Left, durable);
            let at = durable + self.distances.draw(home_region(shard), CENTRE);
            let event = match relay_of(ShardIndex(shard)) {
                Some(_) => Event::AtRelay(report),
                None => Event::AtCoordinator(Report::Shard(report)),
            };
            self.wheel.put(at, event);
        }
        self.say_word(shard, now);
        self.plan_shard(shard, now);
    }

    /// A shard's answer leaves at `durable`.
    fn give_answer(&mut self, shard: u16, ask: Ask, reply: ShardReply, durable: u64) {
        let region = home_region(shard);
        let at = durable + self.distances.draw(region, region);
        let numbered = match &reply {
            ShardReply::Place { place, .. } => place.entry.map(|entry| (place.index.0, entry.0)),
            _ => None,
        };
        if let (Ask::Join(join), Some((place, _))) = (ask, numbered)
            && !self.meets_outage(u64::from(join.began_ms), at)
            && let Some(trail) = self.shard(shard, durable).trails.of_place(place)
        {
            self.measured.ways.add(shard, join, &trail, at);
        }
        let event = match (join_of(ask), numbered) {
            (Some(join), Some((place, entry))) => Event::Acked(shard, join, place, entry as u32),
            _ => Event::Told(shard, Box::new((ask, reply))),
        };
        self.wheel.put(at, event);
    }

    fn stop(&mut self, shard: u16, sent: u64, stop: Stop, now: u64) {
        if let Some(shell) = &mut self.shards[usize::from(shard)] {
            shell.trails.stop(sent, stop, now);
        }
    }

    fn give_board(&mut self, shard: u16, isolate: u32, durable: u64, now: u64) {
        let shell = self.shards[usize::from(shard)]
            .as_ref()
            .expect("it was asked");
        let age = shell.board_age(now);
        let Some((board, age)) = shell.core.board().zip(age) else {
            return self.wheel.put(durable + 1_000, Event::Read(isolate));
        };
        let read = ReadBoard {
            version: board.version,
            age_ms: age + (durable - now),
            shards: board.shards,
            open: board.open_shards.iter().map(|shard| shard.0).collect(),
        };
        let at = durable + self.distances.draw(home_region(shard), region_of(isolate));
        self.wheel
            .put(at, Event::EdgeHears(isolate, Box::new(read)));
    }

    pub(super) fn at_relay(&mut self, report: Box<SyncRequest>, now: u64) {
        let relay = relay_of(report.shard).expect("it reports to a relay").0;
        self.stop(report.shard.0, report.sent.0, Stop::AtParent, now);
        let shell = self.relay(relay, now);
        shell.second.requests += 1;
        let done = shell.server.serve(now, PARENT_US);
        self.wheel.put(done, Event::InRelay(report));
    }

    pub(super) fn in_relay(&mut self, report: SyncRequest, now: u64) {
        let relay = relay_of(report.shard).expect("it reports to a relay").0;
        self.stop(report.shard.0, report.sent.0, Stop::Taken, now);
        let entropy = Entropy(self.chance.bytes());
        self.relay(relay, now).take(report, entropy, now);
        self.plan_relay(relay, now);
    }

    pub(super) fn relay_poked(&mut self, relay: u16, now: u64) {
        let shell = self.relay(relay, now);
        shell.second.requests += 1;
        shell.uplink.want(now);
        self.plan_relay(relay, now);
    }

    fn plan_relay(&mut self, relay: u16, now: u64) {
        let shell = self.relay(relay, now);
        let Some(due) = shell.due(now) else { return };
        let due = due.max(now + 1);
        if due < shell.planned || shell.planned <= now {
            shell.planned = due;
            self.wheel.put(due, Event::RelayStep(relay));
        }
    }

    pub(super) fn relay_hears(&mut self, relay: u16, reply: Option<Box<SyncReply>>, now: u64) {
        let mut chance = self.chance.clone();
        let shell = self.relay(relay, now);
        shell.server.serve(now, PARENT_US);
        match reply {
            Some(reply) => shell.hear(reply),
            None => shell.hears_nothing(now, &mut chance),
        }
        shell.planned = now;
        self.relay_step(relay, now);
    }

    pub(super) fn relay_step(&mut self, relay: u16, now: u64) {
        let shell = self.relays[usize::from(relay)]
            .as_mut()
            .expect("it is planned");
        if shell.planned != now {
            return;
        }
        let given = shell.step(now, &mut self.chance);
        shell.planned = u64::MAX;
        shell.second.rows += given.rows;
        let durable = self.durable(given.rows, now);
        if let Some(took) = given.round_trip {
            self.measured.relay_trip.add(took);
        }
        for (shard, sent) in given.reported {
            self.stop(shard, sent, Stop::Gathered, now);
        }
        for (shard, answered) in given.answers {
            if let Answered::Relayed(reply, _) = &answered {
                self.stop(shard, reply.sent.0, Stop::Answered, now);
                self.stop(shard, reply.sent.0, Stop::Given, durable);
            }
            let at = durable + self.distances.draw(CENTRE, home_region(shard));
            self.wheel.put(at, Event::ShardHears(shard, answered));
        }
        for shard in given.pokes {
            let at = durable + self.distances.draw(CENTRE, home_region(shard));
            self.wheel.put(at, Event::At(shard, Ask::Poke));
        }
        if let Some(report) = given.report {
            let at = durable + self.distances.draw(CENTRE, CENTRE);
            self.wheel
                .put(at, Event::AtCoordinator(Report::Relay(report)));
        }
        self.plan_relay(relay, now);
    }

    pub(super) fn at_coordinator(&mut self, report: Report, now: u64) {
        if let Report::Shard(report) = &report {
            self.stop(report.shard.0, report.sent.0, Stop::AtParent, now);
        }
        self.coordinator.second.requests += 1;
        let done = self.coordinator.server.serve(now, PARENT_US);
        self.wheel.put(done, Event::InCoordinator(report));
    }

    pub(super) fn in_coordinator(&mut self, report: Report, now: u64) {
        if let Report::Shard(report) = &report {
            self.stop(report.shard.0, report.sent.0, Stop::Taken, now);
        }
        self.coordinator.take(report, now);
        self.plan_coordinator(now);
    }

    pub(super) fn operate(&mut self, action: Action, now: u64) {
        if action == Action::Resume {
            self.checks.brake(None);
        }
        self.coordinator.second.requests += 1;
        self.coordinator.operate(action, now);
        self.plan_coordinator(now);
    }

    fn plan_coordinator(&mut self, now: u64) {
        let Some(due) = self.coordinator.due(now) else {
            return;
        };
        let due = due.max(now + 1);
        let planned = self.coordinator.planned;
        if due < planned || planned <= now {
            self.coordinator.planned = due;
            self.wheel.put(due, Event::CoordinatorStep);
        }
    }

    pub(super) fn coordinator_step(&mut self, now: u64) {
        if self.coordinator.planned != now {
            return;
        }
        let given = self.coordinator.step(now, &mut self.chance);
        self.coordinator.planned = u64::MAX;
        self.coordinator.second.rows += given.rows;
        let durable = self.durable(given.rows, now);
        for tally in given.counted {
            self.checks.counted(tally, now);
        }
        if given
            .done
            .iter()
            .any(|action| matches!(action, Action::Pause { .. }))
        {
            self.checks.brake(Some(durable));
        }
        for (child, reply) in given.answers {
            if let Node::Shard(shard) = Node::of_child(child) {
                self.stop(shard.0, reply.sent.0, Stop::Gathered, now);
                self.stop(shard.0, reply.sent.0, Stop::Answered, now);
                self.stop(shard.0, reply.sent.0, Stop::Given, durable);
            }
            let event = |to: Node| match to {
                Node::Shard(shard) => (
                    home_region(shard.0),
                    Event::ShardHears(shard.0, Answered::Direct(reply)),
                ),
                Node::Relay(RelayIndex(relay)) => (CENTRE, Event::RelayHears(relay, Some(reply))),
            };
            let (region, event) = event(Node::of_child(child));
            let at = durable + self.distances.draw(CENTRE, region);
            self.wheel.put(at, event);
        }
        for child in given.pokes {
            let (region, event) = match child {
                Node::Shard(shard) => (home_region(shard.0), Event::At(shard.0, Ask::Poke)),
                Node::Relay(RelayIndex(relay)) => (CENTRE, Event::RelayPoked(relay)),
            };
            let at = durable + self.distances.draw(CENTRE, region);
            self.wheel.put(at, event);
        }
        self.plan_coordinator(now);
    }

    /// How many of the first shards report to the coordinator.
    pub(super) fn direct_shards(&self) -> u16 {
        child_number(RelayIndex(0))
    }

    /// The children of the coordinator that there are.
    pub(super) fn children(&self) -> usize {
        let relays = self.relays.iter().flatten().count();
        let shards = (0..)
            .zip(&self.shards)
            .filter(|(number, shard)| shard.is_some() && *number < self.direct_shards());
        relays + shards.count()
    }
}
