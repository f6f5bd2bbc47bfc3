//! Fifty million visitors: the real coordinator, relays and shards under a modelled network, with modelled times for what
//! each object does. `plan` has the figures and where they come from.
//!
//! It is another simulation than the one with faults: nothing fails here but what `lost` and `outage` have fail, and instead of everything that is seen only what a
//! sale of this size is about is looked at. A visitor is a join on its way, then eight bytes at the home, then whatever that
//! page does next; what anybody is or may do is asked of the core, with the commands of the real shells.
//!
//! `wheel` says what happens when; `shard_shell`, `relay_shell` and `coordinator_shell` gather, commit and report as the real
//! ones; `pages` is visitors and edges; `checks` what must hold; `measured` and `told` what comes out, `way` where
//! the time of joins goes.
//!
//! Deliberately absent: threads, faults, restarts, rows that are kept.

mod checks;
mod coordinator_shell;
mod distances;
mod lost;
mod measured;
mod messages;
mod meters;
mod objects;
mod outage;
mod pages;
pub mod plan;
mod relay_shell;
mod shard_shell;
mod told;
mod uplink;
mod waiting;
mod way;
mod wheel;
mod word;

use anteroom_queue::settings::Settings;
use anteroom_queue::units::UnixMillis;

use crate::chance::Chance;
use crate::checkers::Promise;
use crate::plan::START;
use checks::Checks;
use coordinator_shell::CoordinatorShell;
use distances::Distances;
use measured::Measured;
use messages::Event;
use pages::Isolate;
pub use plan::Mishap;
use plan::Plan;
use relay_shell::RelayShell;
use shard_shell::ShardShell;
pub use told::Told;
use wheel::Wheel;

/// The run's number.
const RUN: u32 = 1;

/// No entry number yet.
const NONE: u32 = u32::MAX;

/// The clocks of all objects.
const fn clock(now: u64) -> UnixMillis {
    UnixMillis(START.0 + now)
}

/// An instant of the core's as milliseconds of the run.
const fn since_start(at: UnixMillis) -> u64 {
    at.0.saturating_sub(START.0)
}

/// Everything.
struct World {
    plan: Plan,
    settings: Settings,
    wheel: Wheel<Event>,
    chance: Chance,
    distances: Distances,
    shards: Vec<Option<Box<ShardShell>>>,
    relays: Vec<Option<Box<RelayShell>>>,
    coordinator: CoordinatorShell,
    isolates: Vec<Isolate>,
    begun: u32,
    /// Joins of a part of a millisecond, to be brought along.
    carried: u64,
    floor: u32,
    checks: Checks,
    measured: Measured,
}

/// Runs the sale.
pub fn run(seed: u64, visitors: u32) -> Told {
    run_beside(Mishap::None, seed, visitors)
}

/// Runs a sale beside which something happens.
pub fn run_beside(mishap: Mishap, seed: u64, visitors: u32) -> Told {
    run_plan(Plan {
        seed,
        visitors,
        mishap,
    })
}

fn run_plan(plan: Plan) -> Told {
    let mut world = World::new(plan);
    let mut spare = Vec::new();
    while world.wheel.now() < world.plan.end_ms() {
        let mut due = world.wheel.step(spare);
        let now = world.wheel.now();
        world.floor = world.checks.begin();
        world.begin_joins(now);
        for event in due.drain(..) {
            world.handle(event, now);
        }
        spare = due;
        if world.plan.lost_at_ms() == Some(now) {
            world.lose(now);
        }
        if world.plan.has_outage() && now == plan::OUTAGE_MS {
            world.break_off_sockets(now);
        }
        if world
            .plan
            .lost_at_ms()
            .map(|at| at + plan::GIVEN_UP_AFTER_MS)
            == Some(now)
        {
            world.give_up_region();
        }
        if now.is_multiple_of(1_000) {
            world.second_over(now);
        }
    }
    world.end()
}

impl World {
    fn new(plan: Plan) -> Self {
        let settings = plan.settings();
        let mut chance = Chance::new(plan.seed, 0x5341_4c45);
        let mut world = Self {
            coordinator: CoordinatorShell::new(settings.clone(), &mut chance),
            settings,
            wheel: Wheel::new(),
            distances: Distances::new(plan.seed),
            shards: Vec::new(),
            relays: Vec::new(),
            isolates: Vec::new(),
            begun: 0,
            carried: 0,
            floor: 0,
            checks: Checks::new(plan.visitors, plan.most_numbers()),
            measured: Measured::new(),
            chance,
            plan,
        };
        world.open_edges();
        world.plan_operator();
        world
    }

    fn plan_operator(&mut self) {
        for (at, action) in self.plan.steps() {
            self.wheel.put(at, Event::Operate(Box::new(action)));
        }
    }

    fn handle(&mut self, event: Event, now: u64) {
        if self.finds_nobody(&event, now) {
            return;
        }
        let Some(event) = self.meets_silence(event, now) else {
            return;
        };
        match event {
            Event::At(shard, ask) => self.at_shard(shard, ask, now),
            Event::In(shard, ask) => self.in_shard(shard, ask, now),
            Event::ShardStep(shard) => self.shard_step(shard, now),
            Event::ShardHears(shard, answered) => self.shard_hears(shard, answered, now),
            Event::AtRelay(report) => self.at_relay(report, now),
            Event::InRelay(report) => self.in_relay(*report, now),
            Event::RelayPoked(relay) => self.relay_poked(relay, now),
            Event::RelayStep(relay) => self.relay_step(relay, now),
            Event::RelayHears(relay, reply) => self.relay_hears(relay, reply, now),
            Event::AtCoordinator(report) => self.at_coordinator(report, now),
            Event::InCoordinator(report) => self.in_coordinator(report, now),
            Event::Operate(action) => self.operate(*action, now),
            Event::CoordinatorStep => self.coordinator_step(now),
            Event::Acked(shard, join, place, entry) => self.acked(shard, join, place, entry, now),
            Event::Told(shard, told) => self.told(shard, told.0, told.1, now),
            Event::Comes(join) => self.send_join(join, now),
            Event::Visit(shard, ask) => self.ask(shard, ask),
            Event::Read(isolate) => self.read(isolate, now),
            Event::EdgeHears(isolate, board) => self.edge_hears(isolate, *board, now),
        }
    }

    /// What each object had to do in the second that is over, and how old the boards are that somebody listens to.
    fn second_over(&mut self, now: u64) {
        if self.plan.lost_at_ms().is_some() && now == plan::END_MS - 3_000 {
            self.measured.running_before = self.running(now);
        }
        let numbers = 0..self.shards.len() as u16;
        let lost: Vec<u16> = numbers.filter(|shard| self.is_lost(*shard, now)).collect();
        let Self {
            shards,
            relays,
            coordinator,
            measured,
            ..
        } = self;
        measured.coordinator.over(0, &mut coordinator.second, now);
        for (number, relay) in (0..)
            .zip(relays)
            .filter_map(|(n, r)| Some((n, r.as_mut()?)))
        {
            measured.relays.over(number, &mut relay.second, now);
        }
        for (number, shard) in (0..)
            .zip(shards)
            .filter_map(|(n, s)| Some((n, s.as_mut()?)))
        {
            let role =
                match anteroom_queue::tree::relay_of(anteroom_queue::units::ShardIndex(number)) {
                    None => &mut measured.direct_shards,
                    Some(_) => &mut measured.relayed_shards,
                };
            role.over(number, &mut shard.second, now);
            if shard.sockets > 0
                && !lost.contains(&number)
                && let Some(age) = shard.board_age(now)
            {
                measured.board_age.add(age);
            }
        }
    }

    /// Joins that did not come to an end, at homes that can be reached; and after a loss who is still inside.
    fn end(mut self) -> Told {
        let now = self.wheel.now();
        let shards = 0..self.shards.len() as u16;
        let lost: Vec<u16> = shards.filter(|shard| self.is_lost(*shard, now)).collect();
        self.checks.over(&lost, now);
        if self.begun < self.plan.visitors {
            let begun = self.begun;
            let what = || format!("only {begun} have begun to join");
            self.checks.findings.broken(now, Promise::NoLostPlace, what);
        }
        if self.plan.lost_at_ms().is_some() {
            let before = self.measured.running_before;
            self.check_after_loss(before, now);
        }
        Told::of(self)
    }
}
