//! One event with everything around it: visitors, edges, shards, the coordinator, the operator,
//! the network between them, and what fails.

mod answers;
mod coordinators;
mod edges;
mod failures;
mod operators;
mod shard_syncs;
mod shards;
mod shopping;
mod visits;

use anteroom_queue::limits::MAX_SHARDS;
use anteroom_queue::shard::command::{ShardCommand, ShardReply};
use anteroom_queue::units::{
    ClaimId, Generation, LineIndex, Millis, Nonce, PlaceIndex, UnixMillis,
};
use slab::Slab;

use crate::chance::{Chance, mixed};
use crate::checkers::{Checker, Checkers, Findings, Terms};
use crate::message::{Answer, Ask, Content, Event, Letter, Parcel};
use crate::network::{Network, USUAL_DELAY_MS, USUAL_WRITE_MS};
use crate::observation::{Observation, Seen, TraceHash, VisitorId};
use crate::plan::{MINUTE_MS, Plan, START};
use crate::visitor::Visitor;

use coordinators::CoordinatorShell;
use edges::Edge;
use operators::Operator;
use shards::ShardShell;

/// How long an edge waits for a shard.
const EDGE_PATIENCE_MS: u64 = 3_000;

/// By how much the origin extends a session in a checkout.
const CHECKOUT: Millis = Millis::from_minutes(1);

/// Two sync intervals with their gathering, ways and writes, and one edge's read of the board.
const GRANT_WITHIN_MS: u64 = 2 * (500 + 25 + 20 + 4 * USUAL_DELAY_MS + 3 * USUAL_WRITE_MS) + 1_500;

/// After the limits are lifted, whoever is not served within this time is not served at all.
const LAST_ORDERS_MS: u64 = 90 * MINUTE_MS;

/// One event's world.
pub struct Room {
    plan: Plan,
    chance: Chance,
    entropy: Chance,
    network: Network,
    visitors: Vec<Visitor>,
    edges: Vec<Edge>,
    shards: Vec<ShardShell>,
    coordinator: CoordinatorShell,
    operator: Operator,
    failures: failures::Failures,
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
    /// Events for the calendar.
    outbox: Vec<(u64, Event)>,
}

/// An object's clock.
fn clock(now: u64, error_ms: i64) -> UnixMillis {
    UnixMillis((START.0 + now).saturating_add_signed(error_ms))
}

fn number(id: VisitorId, salt: u64) -> [u8; 16] {
    let mut bytes = [0; 16];
    bytes[..8].copy_from_slice(&mixed(u64::from(id) ^ salt).to_le_bytes());
    bytes[8..].copy_from_slice(&u64::from(id).to_le_bytes());
    bytes
}

impl Room {
    /// A world that follows the plan.
    pub fn new(plan: Plan) -> Self {
        let seed = plan.seed;
        let mut chance = Chance::new(seed, 0x5649_5349);
        let terms = Terms {
            visitors: plan.visitors,
            clock_slack_ms: 2 * plan.faults.clock_ms,
            grant_within_ms: GRANT_WITHIN_MS,
        };
        let mut room = Self {
            visitors: (0..plan.visitors)
                .map(|_| Visitor::new(&mut chance, plan.edges))
                .collect(),
            edges: (0..plan.edges).map(|_| Edge::default()).collect(),
            shards: (0..MAX_SHARDS).map(|_| ShardShell::default()).collect(),
            coordinator: CoordinatorShell::default(),
            operator: Operator::default(),
            failures: failures::Failures::new(seed),
            network: Network::new(seed, plan.faults),
            entropy: Chance::new(seed, 0x454e_5452),
            letters: Slab::new(),
            answers: Slab::new(),
            parcels: Slab::new(),
            living: plan.visitors,
            ending: false,
            over: false,
            trace: TraceHash::default(),
            checkers: Checkers::new(terms),
            findings: Findings::default(),
            seen: Seen::default(),
            outbox: Vec::new(),
            chance,
            plan,
        };
        room.begin();
        room
    }

    fn begin(&mut self) {
        for id in 0..self.plan.visitors {
            // A third stands at the door when it opens, unless the event is a calm one; the
            // others come over time.
            let arrives = match self.chance.within(0..3) {
                0 if !self.plan.calm => self.chance.within(0..5_000),
                _ => self.chance.within(0..self.plan.arrivals_ms),
            };
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
        self.plan_failures();
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
        self.checkers.see(now, &seen, &mut self.findings);
    }

    /// One event happens.
    pub fn handle(&mut self, now: u64, event: Event) {
        match event {
            Event::Visit(visitor) => self.visit(visitor, now),
            Event::LetterIn(letter) => {
                let letter = self.letters.remove(letter as usize);
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
            Event::ShardAlarm(shard) => self.shard_alarm(shard, now),
            Event::CoordinatorGathered { epoch } => self.coordinator_gathered(epoch, now),
            Event::CoordinatorStored { epoch } => self.coordinator_stored(epoch, now),
            Event::CoordinatorAlarm => self.coordinator_alarm(now),
            Event::EdgeImpatient { edge, reading } => self.edge_impatient(edge, reading, now),
            Event::Crash => self.crash(now),
            Event::Outage => self.outage(now),
            Event::Astray => self.go_astray(now),
            Event::Operate => self.operate(now),
            Event::OperateIn { attempt } => self.operate_in(attempt, now),
            Event::OperateLate { attempt } => self.operate_late(attempt, now),
            Event::Quiet => self.quiet(now),
            Event::FaultsOver => self.see(now, Observation::FaultsOver),
            Event::LastOrders => self.living = 0,
            Event::Audit => self.audit(now),
        }
        if self.living == 0 && !self.ending && now > self.plan.quiet_at_ms {
            self.ending = true;
            let settings = &self.plan.settings;
            let longest = settings.session.0 + settings.max_extension.0 + 5 * MINUTE_MS;
            self.at(now + longest, Event::Audit);
        }
    }

    fn parcel_in(&mut self, parcel: u32, now: u64) {
        let parcel = self.parcels.remove(parcel as usize);
        match &parcel.content {
            Content::Reply(reply) => {
                let reply = reply.clone();
                self.sync_answered(&parcel, &reply, now);
            }
            Content::Report(_) | Content::Foreign(_) => self.report_in(parcel, now),
        }
    }

    /// The command that a letter carries.
    fn command(&self, letter: Letter) -> ShardCommand {
        let visitor = self.visitors.get(letter.visitor as usize);
        let index = PlaceIndex(visitor.map_or(0, |visitor| visitor.index));
        let nonce = Nonce(number(letter.visitor, 0x4e4f_4e43));
        let claim = ClaimId(number(
            letter.visitor,
            0x434c_4149 + u64::from(letter.browser),
        ));
        let generation = Generation(letter.generation);
        let line = LineIndex(0);
        match letter.ask {
            Ask::Board => ShardCommand::Look,
            Ask::Join => ShardCommand::Join {
                nonce,
                line,
                permit_expired: false,
                arrived: None,
            },
            Ask::Try => ShardCommand::Try { nonce, line, claim },
            Ask::State => ShardCommand::Ask {
                index,
                nonce,
                claim,
            },
            Ask::Claim => ShardCommand::Claim {
                index,
                nonce,
                claim,
            },
            Ask::Leave => ShardCommand::Leave { index, nonce },
            Ask::Renew => ShardCommand::Renew { index, generation },
            Ask::Release => ShardCommand::Release { index, generation },
            Ask::Extend => ShardCommand::Extend {
                index,
                generation,
                by: CHECKOUT,
            },
        }
    }

    fn send_letter(&mut self, letter: Letter, now: u64) {
        let [first, second] = self.network.arrivals_ms();
        match first {
            Some(delay) => {
                let key = self.letters.insert(letter);
                self.at(now + delay, Event::LetterIn(key as u32));
            }
            None => self.answer_at(
                now + EDGE_PATIENCE_MS,
                Answer {
                    letter,
                    reply: None,
                    board: None,
                },
            ),
        }
        if let Some(delay) = second {
            let key = self.letters.insert(Letter {
                copy: true,
                ..letter
            });
            self.at(now + delay, Event::LetterIn(key as u32));
        }
    }

    fn send_answer(&mut self, answer: Answer, now: u64) {
        if self.network.loses() {
            let nothing = Answer {
                letter: answer.letter,
                reply: None,
                board: None,
            };
            return self.answer_at(now + EDGE_PATIENCE_MS, nothing);
        }
        let delay = self.network.delay_ms();
        self.answer_at(now + delay, answer);
    }

    fn answer_at(&mut self, at: u64, answer: Answer) {
        let key = self.answers.insert(answer);
        self.at(at, Event::AnswerIn(key as u32));
    }

    fn send_parcel(&mut self, parcel: Parcel, at: u64) {
        let key = self.parcels.insert(parcel);
        self.at(at, Event::ParcelIn(key as u32));
    }

    /// Everybody is asked, after everything was forgotten and restored once more.
    fn audit(&mut self, now: u64) {
        self.crash_coordinator(now);
        let tally = self.final_tally(now);
        for shard in 0..self.shards.len() as u16 {
            self.crash_shard(shard, now);
        }
        for id in 0..self.plan.visitors {
            let visitor = self.visitors[id as usize];
            if !visitor.has_permit {
                continue;
            }
            let nonce = Nonce(number(id, 0x4e4f_4e43));
            let join = ShardCommand::Join {
                nonce,
                line: LineIndex(0),
                permit_expired: true,
                arrived: None,
            };
            let place = match self.audit_at_shard(visitor.home, join, now) {
                ShardReply::Place { place, .. } => Some(answers::seen(visitor.home, &place)),
                _ => None,
            };
            self.see(now, Observation::Audited { visitor: id, place });
            let owed = visitor.habit.is_faithful() && visitor.joined && !visitor.settled;
            if owed && self.plan.serves_everybody() {
                self.see(now, Observation::Unserved { visitor: id });
            }
        }
        let (entries, active) = (tally.entries, tally.active);
        self.see(now, Observation::AuditOver { entries, active });
        self.over = true;
    }
}
