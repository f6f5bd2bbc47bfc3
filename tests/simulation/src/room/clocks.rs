//! The clock of each object: a little wrong all the time, and much more wrong or standing still for a while.

use anteroom_queue::units::UnixMillis;

use super::Room;
use crate::injected::Fault;
use crate::message::{Event, Object};
use crate::observation::Observation;
use crate::plan::{LEAP_MS, LONGEST_STEP_BACK_MS, START};

/// The longest that a clock stands still: a long request.
const LONGEST_STILL_MS: u64 = 1_000;

/// The longest that a clock shows the wrong time.
const LONGEST_WRONG_MS: u64 = 90_000;

/// One object's clock.
#[derive(Clone, Copy, Debug, Default)]
pub struct ObjectClock {
    /// How far it is ahead, in milliseconds.
    pub error_ms: i64,
    /// How far it is ahead besides, for a while.
    step_ms: i64,
    /// It stands still since then.
    still_at: Option<u64>,
    /// Which of its steps is the last.
    steps: u32,
}

impl ObjectClock {
    /// What it shows.
    pub fn shows(&self, now: u64) -> UnixMillis {
        let now = self.still_at.unwrap_or(now);
        UnixMillis((START.0 + now).saturating_add_signed(self.error_ms + self.step_ms))
    }

    /// The instant of the world at which it shows `at`, if it goes on as now.
    pub fn true_time(&self, at: UnixMillis) -> u64 {
        let error_ms = self.error_ms + self.step_ms;
        at.since(START).0.saturating_add_signed(-error_ms)
    }
}

impl Room {
    pub(super) fn clock_of(&mut self, object: Object) -> &mut ObjectClock {
        match object {
            Object::Coordinator => &mut self.coordinator.clock,
            Object::Shard(shard) => &mut self.shards[usize::from(shard)].clock,
            Object::Relay(relay) => &mut self.relays[usize::from(relay)].clock,
        }
    }

    /// Some clock stands still, is set back, or leaps ahead.
    pub(super) fn clock_step(&mut self, now: u64) {
        if self.failures.is_over() {
            return;
        }
        let object = self.some_object();
        // A relay decides nothing by its clock but who is lost, and doubts that after a leap.
        let leaps = self.plan.faults.clock_leaps && !matches!(object, Object::Relay(_));
        let lasts_ms = match self.failures.within(0..if leaps { 3 } else { 2 }) {
            0 => {
                self.network.count(Fault::ClockStill);
                self.clock_of(object).still_at = Some(now);
                self.failures.within(10..LONGEST_STILL_MS)
            }
            1 => {
                self.network.count(Fault::ClockBack);
                let back_ms = self.failures.within(1..LONGEST_STEP_BACK_MS + 1);
                self.clock_of(object).step_ms = -(back_ms as i64);
                self.failures.within(1_000..LONGEST_WRONG_MS)
            }
            _ => {
                self.network.count(Fault::ClockAhead);
                self.clock_of(object).step_ms = LEAP_MS as i64;
                let shard = match object {
                    Object::Coordinator | Object::Relay(_) => None,
                    Object::Shard(shard) => Some(shard),
                };
                self.see(now, Observation::ClockLeapt { shard });
                self.failures.within(1_000..LONGEST_WRONG_MS)
            }
        };
        let clock = self.clock_of(object);
        clock.steps += 1;
        let step = clock.steps;
        self.at(now + lasts_ms, Event::ClockRight { object, step });
        let every_ms = self.plan.faults.clock_step_every_ms;
        self.next_failure(Event::ClockStep, every_ms, now);
    }

    /// A clock shows the right time again, unless another step came since.
    pub(super) fn clock_right(&mut self, object: Object, step: u32) {
        let clock = self.clock_of(object);
        if clock.steps == step {
            (clock.step_ms, clock.still_at) = (0, None);
        }
    }

    /// Every clock shows the right time again, but for what it always is ahead.
    pub(super) fn clocks_right(&mut self) {
        for object in self.objects() {
            let clock = self.clock_of(object);
            (clock.step_ms, clock.still_at) = (0, None);
        }
    }
}
