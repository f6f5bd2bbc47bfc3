//! What a seed decides before anything happens: the event's configuration, how the crowd comes,
//! what fails, and what the operator does.

use anteroom_queue::coordinator::command::{Action, Change};
use anteroom_queue::settings::{Batch, Limits, LineSettings, Mode, Settings};
use anteroom_queue::units::{Millis, UnixMillis};

use crate::chance::Chance;

/// The instant at which every simulated run begins: some moment of 2027.
pub const START: UnixMillis = UnixMillis(1_800_000_000_000);

/// One minute.
pub const MINUTE_MS: u64 = 60_000;

/// From this many visitors on, pages poll every 30 s: declared overload.
pub const OVERLOAD_VISITORS: u32 = 100_000;

/// How unreliable the world is.
#[derive(Clone, Copy, Debug)]
pub struct Faults {
    /// Messages lost, in a million.
    pub lost_ppm: u32,
    /// Messages that arrive twice, in a million.
    pub twice_ppm: u32,
    /// Messages that take much longer than others, and so overtake or are overtaken.
    pub slow_ppm: u32,
    /// Writes that take a second or more.
    pub slow_write_ppm: u32,
    /// Mean time between two losses of some object's memory; zero: none.
    pub crash_every_ms: u64,
    /// Mean time between two outages of one shard's way to its coordinator or edges; zero: none.
    pub outage_every_ms: u64,
    /// Mean length of an outage.
    pub outage_ms: u64,
    /// How far an object's clock may be off, and jump.
    pub clock_ms: u64,
}

/// When an operator does what.
#[derive(Clone, Debug)]
pub struct Step {
    /// When, since the run began.
    pub at_ms: u64,
    /// What.
    pub action: Action,
}

/// Everything a seed decides beforehand.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The seed.
    pub seed: u64,
    /// The run's number.
    pub run: u32,
    /// How many visitors come.
    pub visitors: u32,
    /// Over which time most of them come.
    pub arrivals_ms: u64,
    /// The configuration.
    pub settings: Settings,
    /// What fails, until `quiet_at_ms`.
    pub faults: Faults,
    /// What the operator does, in order of time.
    pub steps: Vec<Step>,
    /// When nothing fails any more.
    pub quiet_at_ms: u64,
    /// When limits are lifted, so that everybody can be served; `None`: the event ends sold out
    /// or closed.
    pub room_for_all_at_ms: Option<u64>,
    /// Edges.
    pub edges: u8,
    /// Mean time between two polls of a page far from the front.
    pub far_poll_ms: u64,
    /// Shards may be away for longer than any session, so some visitors may lose their turn.
    pub long_outages: bool,
    /// Visitors come one by one, and first visits find room.
    pub calm: bool,
    /// A deliberate mistake of the shells, to see that it is found out.
    pub answers_before_storing: bool,
}

impl Plan {
    /// What `seed` decides for so many visitors.
    pub fn new(seed: u64, visitors: u32) -> Self {
        let mut chance = Chance::new(seed, 0x504c_414e);
        let long_outages = chance.happens(100_000);
        let arrivals_ms = chance.within(1..6) * MINUTE_MS;
        let sale_ms = chance.within(6..16) * MINUTE_MS;
        let mut settings = settings(&mut chance, visitors, sale_ms, long_outages);
        let calm = chance.happens(250_000);
        if calm {
            settings.mode = Mode::Auto;
            settings.limits.per_minute = settings.limits.per_minute.map(|rate| rate * 2);
        }
        let faults = faults(&mut chance, long_outages);
        let arrivals_ms = if calm {
            arrivals_ms + sale_ms / 2
        } else {
            arrivals_ms
        };
        let quiet_at_ms = arrivals_ms + sale_ms * 2 / 3;
        let ends_early = chance.happens(200_000);
        let mut steps = steps(&mut chance, &settings, visitors, quiet_at_ms);
        if ends_early {
            let action = chance.one_of(&[0, 1]);
            let action = if action == 0 {
                Action::Soldout
            } else {
                Action::Close
            };
            steps.push(Step {
                at_ms: quiet_at_ms + MINUTE_MS,
                action,
            });
        } else {
            let at_ms = quiet_at_ms + sale_ms / 3;
            for action in [Action::Resume, Action::Open, room_for_all()] {
                steps.push(Step { at_ms, action });
            }
        }
        Self {
            seed,
            run: 1 + (seed % 1_000) as u32,
            visitors,
            arrivals_ms,
            settings,
            faults,
            steps,
            quiet_at_ms,
            room_for_all_at_ms: (!ends_early).then_some(quiet_at_ms + sale_ms / 3),
            edges: chance.within(2..6) as u8,
            far_poll_ms: if visitors >= OVERLOAD_VISITORS {
                30_000
            } else {
                10_000
            },
            long_outages,
            calm,
            answers_before_storing: false,
        }
    }
}

/// No limits any more.
pub fn room_for_all() -> Action {
    Action::Retune {
        max_active: Some(Change::Unlimited),
        per_minute: Some(Change::Unlimited),
        batch: Some(Change::Unlimited),
    }
}

impl Plan {
    /// Whether everybody who does the right thing must be let in by the end: there is room in the
    /// end, and no shard was away for so long that a session ran out before its pass was signed.
    pub const fn serves_everybody(&self) -> bool {
        self.room_for_all_at_ms.is_some() && !self.long_outages
    }
}

fn settings(chance: &mut Chance, visitors: u32, sale_ms: u64, long_outages: bool) -> Settings {
    let per_minute = (u64::from(visitors) * MINUTE_MS / sale_ms).max(6) as u32;
    let max_active = (visitors / chance.within(4..12) as u32).max(3);
    let every = Millis(chance.one_of(&[1_000, 5_000, 10_000, 30_000]));
    let size = (u64::from(per_minute) * every.0 / MINUTE_MS).max(1) as u32;
    let kind = chance.within(0..7);
    let limits = Limits {
        max_active: matches!(kind, 0 | 3 | 4 | 6).then_some(max_active),
        per_minute: matches!(kind, 1 | 3 | 5 | 6).then_some(per_minute),
        batch: matches!(kind, 2 | 4 | 5 | 6).then_some(Batch { size, every }),
    };
    let opens = chance.happens(300_000);
    let planned = u64::from(visitors) * chance.one_of(&[1, 1, 2, 4]);
    Settings {
        mode: if chance.happens(300_000) {
            Mode::Auto
        } else {
            Mode::Always
        },
        prequeue_at: opens.then_some(START.plus(Millis(10_000))),
        lines: vec![LineSettings {
            id: "general".to_owned(),
            weight: 1,
            opens_at: opens.then_some(START.plus(Millis(70_000))),
        }],
        limits,
        hold: if long_outages {
            Millis(0)
        } else {
            Millis::from_minutes(chance.one_of(&[0, 3, 5, 30]))
        },
        session: Millis::from_minutes(chance.within(5..16)),
        idle: Millis::from_minutes(chance.within(4..8)),
        pass: Millis::from_seconds(chance.one_of(&[60, 120, 180])),
        max_extension: Millis::from_minutes(5),
        expected_visitors: planned.max(chance.one_of(&[1, 20_000, 60_000])),
    }
}

fn faults(chance: &mut Chance, long_outages: bool) -> Faults {
    let worse = |chance: &mut Chance, most: u64| chance.within(0..most + 1) as u32;
    Faults {
        lost_ppm: worse(chance, 20_000),
        twice_ppm: worse(chance, 20_000),
        slow_ppm: worse(chance, 20_000),
        slow_write_ppm: worse(chance, 2_000),
        crash_every_ms: chance.one_of(&[0, 5_000, 20_000]),
        outage_every_ms: if long_outages {
            3 * MINUTE_MS
        } else {
            chance.one_of(&[0, 45_000])
        },
        outage_ms: if long_outages { 12 * MINUTE_MS } else { 15_000 },
        clock_ms: chance.one_of(&[0, 0, 400, 2_000]),
    }
}

fn steps(chance: &mut Chance, settings: &Settings, visitors: u32, until_ms: u64) -> Vec<Step> {
    let mut steps = Vec::new();
    let mut at_ms = 20_000 + chance.within(0..60_000);
    while at_ms + 2 * MINUTE_MS < until_ms && steps.len() < 12 {
        let lasts_ms = chance.within(15_000..60_000);
        let (begin, end) = measure(chance, settings, visitors);
        steps.push(Step {
            at_ms,
            action: begin,
        });
        if let Some(action) = end {
            steps.push(Step {
                at_ms: at_ms + lasts_ms,
                action,
            });
        }
        at_ms += lasts_ms + chance.within(20_000..200_000);
    }
    steps
}

/// Something an operator does, and what ends it.
fn measure(chance: &mut Chance, settings: &Settings, visitors: u32) -> (Action, Option<Action>) {
    let reason = || "a till is down".to_owned();
    match chance.within(0..8) {
        0 | 1 => (
            Action::Pause {
                reason: reason(),
                next_update_at: None,
            },
            Some(Action::Resume),
        ),
        2 => (
            Action::Stop {
                reason: reason(),
                next_update_at: None,
            },
            Some(Action::Resume),
        ),
        3 => (Action::Soldout, Some(Action::Open)),
        4 => (Action::Close, Some(Action::Open)),
        5 => {
            let visitors = u64::from(visitors) * 2 + 20_000;
            (Action::Expect { visitors }, None)
        }
        6 => (
            Action::Message {
                text: "Doors open at eight".to_owned(),
            },
            None,
        ),
        _ => retune(chance, settings, visitors),
    }
}

fn retune(chance: &mut Chance, settings: &Settings, visitors: u32) -> (Action, Option<Action>) {
    let scaled = |chance: &mut Chance, value: u32| {
        let percent = chance.one_of(&[10, 40, 70, 150, 300]);
        Some(Change::To((u64::from(value) * percent / 100).max(1) as u32))
    };
    let limits = settings.limits;
    let action = Action::Retune {
        max_active: scaled(chance, limits.max_active.unwrap_or(visitors / 4 + 2)),
        per_minute: limits.per_minute.and_then(|rate| scaled(chance, rate)),
        batch: None,
    };
    let back = Action::Retune {
        max_active: Some(Change::Reset),
        per_minute: Some(Change::Reset),
        batch: None,
    };
    (action, Some(back))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_always_makes_the_same_plan() {
        let told = |seed| format!("{:?}", Plan::new(seed, 1_000));
        assert_eq!(told(5), told(5));
        assert_ne!(told(5), told(6));
    }

    #[test]
    fn the_first_seeds_cover_every_limit_mode_and_ending() {
        let plans: Vec<Plan> = (0..40).map(|seed| Plan::new(seed, 1_000)).collect();
        let some = |what: &dyn Fn(&Plan) -> bool| plans.iter().any(what);
        assert!(some(&|plan| plan.settings.limits.max_active.is_some()));
        assert!(some(&|plan| plan.settings.limits.per_minute.is_some()));
        assert!(some(&|plan| plan.settings.limits.batch.is_some()));
        assert!(some(&|plan| plan.settings.mode == Mode::Auto));
        assert!(some(&|plan| plan.settings.mode == Mode::Always));
        assert!(some(&|plan| plan.settings.lines[0].opens_at.is_some()));
        assert!(some(&|plan| plan.room_for_all_at_ms.is_none()));
        assert!(some(&|plan| plan.long_outages));
        assert!(some(&|plan| plan.calm) && some(&|plan| !plan.calm));
        assert!(some(
            &|plan| plan.faults.crash_every_ms > 0 && plan.faults.clock_ms > 0
        ));
    }
}
