//! A world in which everything fails that can: each kind of fault is in about half of the worlds, with a rate of its own.

use anteroom_queue::coordinator::command::{Action, Change};
use anteroom_queue::units::Millis;

use super::{Alarms, Faults, MINUTE_MS, Plan, Step};
use crate::chance::Chance;

/// How much longer than the seeds of the other profiles a world goes on failing.
const MORE_FAULTS_MS: u64 = 3 * MINUTE_MS;

/// An outage of everything after which everybody comes back at once.
const BLACKOUT_MS: u64 = MINUTE_MS;

/// The longest that an object or a region cannot be reached.
const LONGEST_OUTAGE_MS: u64 = 10 * MINUTE_MS;

/// Longer than any region is cut off.
const IDLE_BEYOND_OUTAGES: Millis = Millis(LONGEST_OUTAGE_MS + MINUTE_MS);

/// In a surge this many times more visitors come than were planned for.
const SURGE_TIMES: u32 = 70;

/// What happens to the whole event at an instant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Disasters {
    /// Everybody comes within seconds, many times as many as were planned for.
    pub surge: bool,
    /// No object can be reached from then until then.
    pub blackout: Option<(u64, u64)>,
    /// A region is cut off from then until then.
    pub region: Option<(u64, u64)>,
    /// A new version is deployed: within the next half minute every object restarts with it.
    pub deploy_at_ms: Option<u64>,
}

impl Plan {
    /// What `seed` decides for so many visitors, in a world in which everything may fail.
    pub fn faulty(seed: u64, visitors: u32) -> Self {
        let mut plan = Self::new(seed, visitors);
        let mut chance = Chance::new(seed, 0x4641_554c);
        plan.faults = faults(&mut chance);
        plan.later(MORE_FAULTS_MS);
        plan.long_outages = false;
        // An offer does not lapse while its visitor cannot be heard for minutes.
        plan.settings.hold = chance.one_of(&[Millis(0), Millis::from_minutes(60)]);
        plan.disasters = disasters(&mut chance, &plan);
        // A home that other regions reach hears nothing of visitors whose region is cut off from it, and ends their
        // sessions as idle.
        if plan.faults.region_every_ms > 0 || plan.disasters.region.is_some() {
            plan.settings.idle = plan.settings.idle.max(IDLE_BEYOND_OUTAGES);
        }
        if plan.disasters.surge {
            plan.settings.expected_visitors = u64::from(visitors / SURGE_TIMES).max(1);
        }
        plan.relays = Chance::new(seed, 0x5245_4c41).happens(500_000);
        let extra = races(&mut chance, &plan);
        plan.steps.extend(extra);
        plan.steps.sort_by_key(|step| step.at_ms);
        plan
    }

    /// Faults go on for so much longer, and what comes after them comes later.
    fn later(&mut self, by_ms: u64) {
        for step in &mut self.steps {
            if step.at_ms >= self.quiet_at_ms {
                step.at_ms += by_ms;
            }
        }
        self.quiet_at_ms += by_ms;
        self.room_for_all_at_ms = self.room_for_all_at_ms.map(|at| at + by_ms);
    }
}

/// About half of all kinds of fault.
fn faults(chance: &mut Chance) -> Faults {
    let rate = |chance: &mut Chance, most: u64| {
        let rate = chance.within(1..most) as u32;
        if chance.happens(500_000) { rate } else { 0 }
    };
    let every = |chance: &mut Chance, shortest: u64, longest: u64| {
        let every = chance.within(shortest..longest);
        if chance.happens(500_000) { every } else { 0 }
    };
    Faults {
        lost_ppm: rate(chance, 80_000),
        reply_lost_ppm: rate(chance, 80_000),
        twice_ppm: rate(chance, 80_000),
        slow_ppm: rate(chance, 80_000),
        late_ppm: rate(chance, 30_000),
        stray_ppm: rate(chance, 10_000),
        overloaded_ppm: rate(chance, 30_000),
        slow_write_ppm: rate(chance, 20_000),
        write_fails_ppm: rate(chance, 20_000),
        write_lies_ppm: rate(chance, 20_000),
        crash_every_ms: every(chance, 3_000, 60_000),
        crash_ppm: rate(chance, 5_000),
        evict_ppm: rate(chance, 200_000),
        twin_every_ms: every(chance, 10_000, 2 * MINUTE_MS),
        outage_every_ms: every(chance, 20_000, 4 * MINUTE_MS),
        outage_ms: 0,
        longest_outage_ms: LONGEST_OUTAGE_MS,
        region_every_ms: every(chance, MINUTE_MS, 8 * MINUTE_MS),
        clock_ms: chance.one_of(&[0, 0, 400, 2_000]),
        clock_step_every_ms: every(chance, 10_000, 3 * MINUTE_MS),
        clock_leaps: chance.happens(300_000),
        alarms: if chance.happens(500_000) {
            Alarms::Mixed(chance.within(10_000..500_000) as u32)
        } else {
            Alarms::InTime
        },
        configure_every_ms: every(chance, 20_000, 4 * MINUTE_MS),
    }
}

/// A region is often cut off just over the first opening.
fn disasters(chance: &mut Chance, plan: &Plan) -> Disasters {
    let openings = plan.settings.lines.iter().filter_map(|line| line.opens_at);
    let opening = openings.map(|at| at.since(super::START).0).min();
    let somewhere = chance.within(30_000..plan.quiet_at_ms - MINUTE_MS);
    let region = match opening {
        Some(at) if chance.happens(500_000) => {
            let from = at.saturating_sub(chance.within(0..MINUTE_MS));
            Some((from, at + chance.within(1_000..90_000)))
        }
        _ => None,
    };
    Disasters {
        surge: chance.happens(150_000),
        blackout: chance
            .happens(250_000)
            .then_some((somewhere, somewhere + BLACKOUT_MS)),
        region,
        deploy_at_ms: chance
            .happens(300_000)
            .then_some(chance.within(20_000..plan.quiet_at_ms - MINUTE_MS)),
    }
}

/// Operators who pause, go on, stop, and change limits within a second of one another; and more shards.
fn races(chance: &mut Chance, plan: &Plan) -> Vec<Step> {
    let mut steps = Vec::new();
    let latest_ms = plan.quiet_at_ms - MINUTE_MS;
    for _ in 0..chance.within(0..4) {
        let mut at_ms = chance.within(15_000..latest_ms);
        for _ in 0..chance.within(3..12) {
            let action = raced(chance, plan);
            steps.push(Step { at_ms, action });
            at_ms += chance.within(0..1_500);
        }
        for action in [Action::Resume, Action::Open] {
            steps.push(Step { at_ms, action });
        }
    }
    if chance.happens(300_000) {
        let visitors = plan.settings.expected_visitors + chance.within(10_000..120_000);
        let at_ms = chance.within(15_000..latest_ms);
        steps.push(Step {
            at_ms,
            action: Action::Expect { visitors },
        });
    }
    steps
}

fn raced(chance: &mut Chance, plan: &Plan) -> Action {
    let reason = || "a till is down".to_owned();
    let next_update_at = Some(super::START.plus(Millis::from_minutes(24 * 60)));
    match chance.within(0..9) {
        0 | 1 => Action::Pause {
            reason: reason(),
            next_update_at,
        },
        2 | 3 => Action::Resume,
        4 => Action::Stop {
            reason: reason(),
            next_update_at,
        },
        5 => Action::Soldout,
        6 => Action::Open,
        7 => Action::Retune {
            max_active: Some(Change::To(
                chance.within(1..u64::from(plan.visitors) + 2) as u32
            )),
            per_minute: Some(Change::To(chance.within(1..600) as u32)),
            batch: None,
        },
        _ => Action::Retune {
            max_active: Some(Change::Reset),
            per_minute: Some(Change::Reset),
            batch: Some(Change::Reset),
        },
    }
}

/// Whether an action changes limits.
pub const fn changes_limits(action: &Action) -> bool {
    matches!(action, Action::Retune { .. })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_fault_is_in_some_world_and_missing_in_another() {
        let plans: Vec<Plan> = (0..60).map(|seed| Plan::faulty(seed, 300)).collect();
        let both = |what: &dyn Fn(&Plan) -> bool| {
            plans.iter().any(what) && plans.iter().any(|plan| !what(plan))
        };
        assert!(both(&|plan| plan.faults.lost_ppm > 0));
        assert!(both(&|plan| plan.faults.reply_lost_ppm > 0));
        assert!(both(&|plan| plan.faults.stray_ppm > 0));
        assert!(both(&|plan| plan.faults.overloaded_ppm > 0));
        assert!(both(&|plan| plan.faults.write_fails_ppm > 0));
        assert!(both(&|plan| plan.faults.write_lies_ppm > 0));
        assert!(both(&|plan| plan.faults.evict_ppm > 0));
        assert!(both(&|plan| plan.faults.twin_every_ms > 0));
        assert!(both(&|plan| plan.faults.clock_leaps));
        assert!(both(&|plan| plan.faults.alarms != Alarms::InTime));
        assert!(both(&|plan| plan.faults.configure_every_ms > 0));
        assert!(both(&|plan| plan.disasters.surge));
        assert!(both(&|plan| plan.disasters.blackout.is_some()));
        assert!(both(&|plan| plan.disasters.region.is_some()));
        assert!(both(&|plan| plan.disasters.deploy_at_ms.is_some()));
    }

    #[test]
    fn what_the_operator_does_is_in_order_of_time() {
        for seed in 0..60 {
            let plan = Plan::faulty(seed, 300);
            assert!(
                plan.steps.is_sorted_by_key(|step| step.at_ms),
                "seed {seed}"
            );
        }
    }
}
