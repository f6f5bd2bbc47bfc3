//! The promises, each checked from outside on what was seen. A checker keeps a few numbers for
//! each visitor at most, and never looks into the system.

pub mod brake;
pub mod cap;
pub mod durable_ack;
pub mod event_log;
pub mod fair_draw;
pub mod isolation;
pub mod liveness;
pub mod monotone;
pub mod no_lost_place;
pub mod open_door;
pub mod order;
pub mod schedule;
pub mod spent_once;
pub mod unique_place;

use std::collections::BTreeMap;
use std::fmt;

use crate::observation::Observation;

/// What the waiting room promises.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Promise {
    /// One place per permit; entry numbers unique, without gaps, never changing.
    UniquePlace,
    /// An acknowledged join is never lost.
    NoLostPlace,
    /// Sessions and grants never exceed the limits.
    Cap,
    /// Who was acknowledged first is first.
    Order,
    /// Watermarks and versions only grow; a shown `ahead` never rises.
    Monotone,
    /// A permit gives one session.
    SpentOnce,
    /// No grant after an acknowledged brake, no first pass 2 s later.
    Brake,
    /// What was told stays true.
    DurableAck,
    /// Room and a claim make a grant.
    Liveness,
    /// What happens to one event changes nothing for another.
    Isolation,
    /// An admitted visitor reaches the origin whatever fails.
    OpenDoor,
    /// The rank follows from what was published alone, each part before the next.
    FairDraw,
    /// Each step of the schedule happens once, at the first message after its time at the latest.
    Schedule,
    /// The event log is whole, and says of everybody who was let in.
    EventLog,
}

/// Every promise with its published name.
pub const PROMISES: [(Promise, &str); 14] = [
    (Promise::UniquePlace, "unique-place"),
    (Promise::NoLostPlace, "no-lost-place"),
    (Promise::Cap, "cap"),
    (Promise::Order, "order"),
    (Promise::Monotone, "monotone"),
    (Promise::SpentOnce, "spent-once"),
    (Promise::Brake, "brake"),
    (Promise::DurableAck, "durable-ack"),
    (Promise::Liveness, "liveness"),
    (Promise::Isolation, "isolation"),
    (Promise::OpenDoor, "open-door"),
    (Promise::FairDraw, "fair-draw"),
    (Promise::Schedule, "schedule"),
    (Promise::EventLog, "event-log"),
];

impl fmt::Display for Promise {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let named = PROMISES.iter().find(|(promise, _)| promise == self);
        f.write_str(named.map_or("", |(_, name)| name))
    }
}

/// A promise that was broken, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// Virtual time since the run began.
    pub at_ms: u64,
    /// Which promise.
    pub promise: Promise,
    /// What was seen.
    pub what: String,
}

/// Violations kept with their words; the others are only counted.
const KEPT_IN_WORDS: usize = 40;

/// What the checkers found.
#[derive(Clone, Debug, Default)]
pub struct Findings {
    /// How often each promise was broken.
    pub counts: BTreeMap<Promise, u64>,
    /// The first violations.
    pub first: Vec<Violation>,
}

impl Findings {
    /// Notes a broken promise.
    pub fn broken(&mut self, at_ms: u64, promise: Promise, what: impl FnOnce() -> String) {
        *self.counts.entry(promise).or_default() += 1;
        if self.first.len() < KEPT_IN_WORDS {
            self.first.push(Violation {
                at_ms,
                promise,
                what: what(),
            });
        }
    }

    /// How many violations in all.
    pub fn total(&self) -> u64 {
        self.counts.values().sum()
    }
}

/// What the checkers must know of the world beforehand.
#[derive(Clone, Copy, Debug, Default)]
pub struct Terms {
    /// How many visitors there are.
    pub visitors: u32,
    /// How far an object's clock may be from the true time.
    pub clock_slack_ms: u64,
    /// How long a claim may take at most when nothing fails: two sync intervals and the network.
    pub grant_within_ms: u64,
    /// When joins are first taken (Unix time), if not at once.
    pub prequeue_ms: Option<u64>,
}

/// What the run and its lines are called.
#[derive(Clone, Debug, Default)]
pub struct Names {
    /// The run.
    pub run: u32,
    /// The lines' ids.
    pub lines: Vec<String>,
    /// By which number what each shard reports reaches the coordinator: a relay's, for those behind one; where nothing is
    /// said its own.
    pub through: Vec<u16>,
}

impl Names {
    /// By which number what a shard reports reaches the coordinator.
    pub fn child_of(&self, shard: u16) -> u16 {
        self.through
            .get(usize::from(shard))
            .copied()
            .unwrap_or(shard)
    }
}

/// One promise's checker.
pub trait Checker {
    /// Takes in what was seen at a true time.
    fn see(&mut self, at_ms: u64, seen: &Observation, findings: &mut Findings);
}

/// All checkers of one event.
pub struct Checkers {
    unique_place: unique_place::UniquePlace,
    no_lost_place: no_lost_place::NoLostPlace,
    cap: cap::Cap,
    order: order::Order,
    monotone: monotone::Monotone,
    spent_once: spent_once::SpentOnce,
    brake: brake::Brake,
    durable_ack: durable_ack::DurableAck,
    liveness: liveness::Liveness,
    isolation: isolation::Isolation,
    open_door: open_door::OpenDoor,
    schedule: schedule::Schedule,
    pub(crate) fair_draw: fair_draw::FairDraw,
    pub(crate) event_log: event_log::EventLog,
}

impl Checkers {
    /// Checkers for a world with these terms.
    pub fn new(terms: Terms, names: Names) -> Self {
        Self {
            unique_place: unique_place::UniquePlace::new(terms),
            no_lost_place: no_lost_place::NoLostPlace::new(terms),
            cap: cap::Cap::new(terms),
            order: order::Order::new(terms),
            monotone: monotone::Monotone::new(terms),
            spent_once: spent_once::SpentOnce::new(terms),
            brake: brake::Brake::default(),
            durable_ack: durable_ack::DurableAck::new(terms),
            liveness: liveness::Liveness::new(terms),
            isolation: isolation::Isolation,
            open_door: open_door::OpenDoor::new(terms),
            schedule: schedule::Schedule::new(terms),
            fair_draw: fair_draw::FairDraw::new(terms, names.clone()),
            event_log: event_log::EventLog::new(names),
        }
    }
}

impl Checker for Checkers {
    fn see(&mut self, at_ms: u64, seen: &Observation, findings: &mut Findings) {
        let Self {
            unique_place,
            no_lost_place,
            cap,
            order,
            monotone,
            spent_once,
            brake,
            durable_ack,
            liveness,
            isolation,
            open_door,
            schedule,
            fair_draw,
            event_log,
        } = self;
        unique_place.see(at_ms, seen, findings);
        no_lost_place.see(at_ms, seen, findings);
        cap.see(at_ms, seen, findings);
        order.see(at_ms, seen, findings);
        monotone.see(at_ms, seen, findings);
        spent_once.see(at_ms, seen, findings);
        brake.see(at_ms, seen, findings);
        durable_ack.see(at_ms, seen, findings);
        liveness.see(at_ms, seen, findings);
        isolation.see(at_ms, seen, findings);
        open_door.see(at_ms, seen, findings);
        schedule.see(at_ms, seen, findings);
        fair_draw.see(at_ms, seen, findings);
        event_log.see(at_ms, seen, findings);
    }
}

#[cfg(test)]
pub(crate) mod histories {
    //! Short histories for the checkers' own tests.

    use anteroom_queue::shard::command::VisitorState;

    use super::{Checker, Findings, Promise, Terms};
    use crate::observation::{Observation, PlaceSeen};

    pub const TERMS: Terms = Terms {
        visitors: 8,
        clock_slack_ms: 0,
        grant_within_ms: 1_000,
        prequeue_ms: None,
    };

    /// Feeds the history to the checker: how often did it find its promise broken?
    pub fn broken(
        checker: &mut dyn Checker,
        promise: Promise,
        history: &[(u64, Observation)],
    ) -> u64 {
        let mut findings = Findings::default();
        for (at_ms, seen) in history {
            checker.see(*at_ms, seen, &mut findings);
        }
        let count = findings.counts.get(&promise).copied().unwrap_or(0);
        assert_eq!(
            count,
            findings.total(),
            "a checker reports its own promise only"
        );
        count
    }

    pub const fn place(index: u32, entry: Option<u64>, state: VisitorState) -> PlaceSeen {
        PlaceSeen {
            home: 0,
            index,
            line: 0,
            arrived_ms: 0,
            entry,
            rank: entry,
            state,
            missed_draw: false,
            key: None,
            asked_ms: u64::MAX,
        }
    }

    pub const fn told(visitor: u32, entry: u64, state: VisitorState) -> Observation {
        Observation::PlaceTold {
            visitor,
            place: place(visitor, Some(entry), state),
        }
    }

    pub const fn first_pass(visitor: u32, ends_ms: u64) -> Observation {
        Observation::FirstPass {
            visitor,
            generation: 1,
            ends_ms,
            confirmed: true,
        }
    }
}
