//! One event with everything around it: visitors, edges, shards, the coordinator, the operator,
//! the network between them, and what fails.

mod alarms;
mod answers;
mod audit;
mod beacon;
mod clocks;
mod coordinator_lives;
mod coordinators;
mod disasters;
mod edges;
mod failures;
mod keeping;
mod letters;
mod operators;
mod relay_lives;
mod relays;
mod shard_lives;
mod shard_syncs;
mod shards;
mod shopping;
mod tally;
mod visits;

use anteroom_queue::limits::DIRECT_SHARDS;
use anteroom_queue::tree::child_of;
use slab::Slab;

use crate::chance::Chance;
use crate::checkers::fair_draw::FairDraw;
use crate::checkers::{Checker, Checkers, Findings, Names, Terms};
use crate::injected::Injected;
use crate::measures::{Measures, Meter};
use crate::message::{Answer, Event, Letter, Object, Parcel};
use crate::network::{Network, USUAL_DELAY_MS, USUAL_WRITE_MS};
use crate::observation::{Observation, Seen, TraceHash, VisitorId};
use crate::plan::{MINUTE_MS, Plan};
use crate::visitor::{Habit, Visitor};

use coordinators::CoordinatorShell;
use edges::Edge;
use operators::Operator;
use relays::{RELAYS, RelayShell};
use shards::ShardShell;

/// Two sync intervals with their gathering, ways and writes, and one edge's read of the board.
const GRANT_WITHIN_MS: u64 = 2 * (500 + 25 + 20 + 4 * USUAL_DELAY_MS + 3 * USUAL_WRITE_MS) + 1_500;

/// After the limits are lifted, whoever is not served within this time is not served at all.
const LAST_ORDERS_MS: u64 = 90 * MINUTE_MS;

/// So long before everybody is asked at last somebody looks at the page: a shard whose alarm is gone, and which nobody
/// asks any more, tells of no ends.
const LAST_LOOK_MS: u64 = MINUTE_MS;

/// In a surge everybody comes within this time.
const SURGE_MS: u64 = 5_000;

/// One event's world.
pub struct Room {
    plan: Plan,
    chance: Chance,
    entropy: Chance,
    network: Network,
    visitors: Vec<Visitor>,
    edges: Vec<Edge>,
    shards: Vec<ShardShell>,
    relays: Vec<RelayShell>,
    coordinator: CoordinatorShell,
    operator: Operator,
    failures: failures::Failures,
    region_cut: disasters::RegionCut,
    letters: Slab<Letter>,
    answers: Slab<Answer>,
    parcels: Slab<Parcel>,
    living: u32,
    ending: bool,
    over: bool,
    trace: TraceHash,
    checkers: Checkers,
    findings: Findings,
    seen: Seen,
    meter: Meter,
    log_lines: u64,
    /// Events for the calendar.
    outbox: Vec<(u64, Event)>,
}

impl Room {
    /// A world that follows the plan.
    pub fn new(plan: Plan) -> Self {
        let seed = plan.seed;
        let mut chance = Chance::new(seed, 0x5649_5349);
        let terms = Terms {
            visitors: plan.visitors,
            clock_slack_ms: 2 * plan.faults.clock_error_ms(),
            grant_within_ms: GRANT_WITHIN_MS,
            prequeue_ms: plan.settings.prequeue_at.map(|at| at.0),
        };
        let lines = plan.settings.lines.iter();
        let names = Names {
            run: plan.run,
            lines: lines.map(|line| line.id.clone()).collect(),
            through: (0..DIRECT_SHARDS)
                .map(|shard| child_of(relays::number(shard, plan.relays)))
                .collect(),
        };
        let mut room = Self {
            visitors: (0..plan.visitors)
                .map(|id| Visitor::new(id, plan.line_of(id), &mut chance, plan.edges))
                .collect(),
            edges: (0..plan.edges).map(|_| Edge::default()).collect(),
            shards: (0..DIRECT_SHARDS).map(|_| ShardShell::default()).collect(),
            relays: (0..RELAYS).map(|_| RelayShell::default()).collect(),
            coordinator: CoordinatorShell::default(),
            operator: Operator::default(),
            failures: failures::Failures::new(seed),
            region_cut: disasters::RegionCut::default(),
            network: Network::new(seed, plan.faults),
            entropy: Chance::new(seed, 0x454e_5452),
            letters: Slab::new(),
            answers: Slab::new(),
            parcels: Slab::new(),
            living: plan.visitors,
            ending: false,
            over: false,
            trace: TraceHash::default(),
            checkers: Checkers::new(terms, names),
            findings: Findings::default(),
            seen: Seen::default(),
            meter: Meter::new(plan.visitors, plan.drawn_lines()),
            log_lines: 0,
            outbox: Vec::new(),
            chance,
            plan,
        };
        room.begin();
        room
    }

    fn begin(&mut self) {
        for id in 0..self.plan.visitors {
            let arrives = self.arrives_ms(id);
            self.at(arrives, Event::Visit(id));
        }
        self.at(0, Event::Operate);
        self.at(self.plan.quiet_at_ms, Event::Quiet);
        let last_orders = self
            .plan
            .room_for_all_at_ms
            .unwrap_or(self.plan.quiet_at_ms)
            + LAST_ORDERS_MS;
        self.at(last_orders, Event::LastOrders);
        self.at(0, Event::EdgesTell);
        self.plan_failures();
    }

    /// A third stands at the door when it opens, unless the event is a calm one; the others come over time.
    fn arrives_ms(&mut self, id: VisitorId) -> u64 {
        if let Some(flood) = self.plan.flood {
            self.visitors[id as usize].habit = Habit::Patient;
            return flood.arrives_ms(id, self.plan.seed);
        }
        let after = match self.chance.within(0..3) {
            _ if self.plan.disasters.surge => self.chance.within(0..SURGE_MS),
            0 if !self.plan.calm => self.chance.within(0..5_000),
            _ => self.chance.within(0..self.plan.arrivals_ms),
        };
        self.plan.arrivals_from_ms + after
    }

    /// How many of the first places, as many as there are people, people have; 0 without a flood.
    pub fn people_first(&self) -> u32 {
        let Some(flood) = self.plan.flood else {
            return 0;
        };
        let first = flood.people();
        let ranks = self.visitors.iter().map(|visitor| visitor.rank);
        let people = (0..).zip(ranks);
        people
            .filter(|(id, rank)| *rank < first && flood.is_person(*id))
            .count() as u32
    }

    /// Events that came up, for the calendar.
    pub fn drain(&mut self) -> std::vec::Drain<'_, (u64, Event)> {
        self.outbox.drain(..)
    }

    /// Whether everything has happened.
    pub const fn is_over(&self) -> bool {
        self.over
    }

    /// The number made of everything seen.
    pub const fn trace(&self) -> u64 {
        self.trace.value()
    }

    /// How often the main things happened.
    pub const fn seen(&self) -> Seen {
        self.seen
    }

    /// How many lines the event log has at the end.
    pub const fn log_lines(&self) -> u64 {
        self.log_lines
    }

    /// The faults that were injected.
    pub const fn injected(&self) -> &Injected {
        self.network.injected()
    }

    /// What was measured besides the promises.
    pub fn measures(&self) -> Measures {
        self.meter.sums()
    }

    /// What was counted of draws.
    pub const fn fair_draw(&self) -> &FairDraw {
        &self.checkers.fair_draw
    }

    /// What the checkers found.
    pub const fn findings(&self) -> &Findings {
        &self.findings
    }

    fn at(&mut self, at: u64, event: Event) {
        self.outbox.push((at, event));
    }

    fn see(&mut self, now: u64, seen: Observation) {
        self.trace.add(now, &seen);
        self.seen.count(&seen);
        self.meter.see(now, &seen);
        self.checkers.see(now, &seen, &mut self.findings);
    }

    /// One event happens.
    pub fn handle(&mut self, now: u64, event: Event) {
        match event {
            Event::Visit(visitor) => self.visit(visitor, now),
            Event::LetterIn(letter) => {
                let letter = self.letters.remove(letter as usize);
                self.meter.asked(Object::Shard(letter.home), now);
                self.letter_in(letter, now);
            }
            Event::AnswerIn(answer) => {
                let answer = self.answers.remove(answer as usize);
                self.answer_in(answer, now);
            }
            Event::ParcelIn(parcel) => self.parcel_in(parcel, now),
            Event::ShardGathered { shard, due } => self.shard_gathered(shard, due, now),
            Event::ShardStored { shard, epoch } => self.shard_stored(shard, epoch, now),
            Event::SyncDue { shard, epoch } => self.sync_due(shard, epoch, now),
            Event::SyncLate { shard, number } => self.sync_late(shard, number, now),
            Event::GiveUp { shard, epoch } => self.give_up(shard, epoch, now),
            Event::BoardsDue { shard, epoch } => self.boards_due(shard, epoch, now),
            Event::Alarm(Object::Shard(shard)) => self.shard_alarm(shard, now),
            Event::Alarm(Object::Relay(_)) => {}
            Event::Alarm(Object::Coordinator) => self.coordinator_alarm(now),
            Event::CoordinatorGathered { epoch } => self.coordinator_gathered(epoch, now),
            Event::CoordinatorStored { epoch } => self.coordinator_stored(epoch, now),
            Event::RelayGathered { relay, epoch } => self.relay_gathered(relay, epoch, now),
            Event::RelayStored { relay, epoch } => self.relay_stored(relay, epoch, now),
            Event::RelayDue { relay, epoch } => self.relay_due(relay, epoch, now),
            Event::RelayLate { relay, number } => self.relay_late(relay, number, now),
            Event::PokesDue { epoch } => self.pokes_due(epoch, now),
            Event::BeaconIn { epoch, round } => self.beacon_in(epoch, round, now),
            Event::EdgesTell => self.edges_tell(now),
            Event::CoordinatorCrash { survives } => self.coordinator_crash(survives, now),
            Event::CutOff { shard, until_s } => {
                self.shards[usize::from(shard)].cut_off_until_ms = u64::from(until_s) * 1_000;
            }
            Event::EdgeImpatient { edge, reading } => self.edge_impatient(edge, reading, now),
            Event::Crash => self.crash(now),
            Event::Outage => self.outage(now),
            Event::RegionOutage => self.region_outage(now),
            Event::RegionCut { region, until_s } => {
                self.region_cut(region, u64::from(until_s) * 1_000, now);
            }
            Event::Blackout { until_s } => self.blackout(u64::from(until_s) * 1_000),
            Event::Twin => self.twin(now),
            Event::ClockStep => self.clock_step(now),
            Event::ClockRight { object, step } => self.clock_right(object, step),
            Event::Configure => self.configure(now),
            Event::Deploy(object) => self.deploy(object, now),
            Event::Astray => self.go_astray(now),
            Event::Operate => self.operate(now),
            Event::OperateIn { attempt } => self.operate_in(attempt, now),
            Event::OperateLate { attempt } => self.operate_late(attempt, now),
            Event::Quiet => self.quiet(now),
            Event::FaultsOver => self.see(now, Observation::FaultsOver),
            Event::LastOrders => self.living = 0,
            Event::LastLook => self.look_everywhere(now),
            Event::Audit => self.audit(now),
        }
        if self.living == 0 && !self.ending && now > self.plan.quiet_at_ms {
            self.ending = true;
            let settings = &self.plan.settings;
            let longest = settings.session.0 + settings.max_extension.0 + 5 * MINUTE_MS;
            // The operator looks twice: a coordinator that slept doubts its clock at first.
            self.at(now + longest - LAST_LOOK_MS, Event::LastLook);
            self.at(now + longest, Event::Audit);
        }
    }
}
