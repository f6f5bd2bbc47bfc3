//! The operator: one action after the other, each sent again until it is acknowledged.

use anteroom_queue::coordinator::command::Action;

use super::Room;
use crate::injected::Fault;
use crate::message::Event;
use crate::observation::Observation;
use crate::plan::{changes_limits, room_for_all};

/// How long the operator's tool waits before it sends an action again.
const PATIENCE_MS: u64 = 3_000;

/// How often edges hand in what they have counted.
const EDGES_TELL_EVERY_MS: u64 = 20_000;

/// An origin that was in trouble does well for so long before everything becomes quiet: a pause has ended by itself, and
/// every cap is gone, with each second message lost.
const ORIGIN_WELL_FOR_MS: u64 = 4 * 60_000;

/// Actions closer to one another race everything that is under way.
const RACE_MS: u64 = 1_500;

/// What the operator is about.
#[derive(Default)]
pub struct Operator {
    next: usize,
    under_way: Option<Action>,
    attempt: u32,
    acted_ms: Option<u64>,
}

/// Whether an action brakes; `Some(true)`: for everybody.
fn brake(action: &Action) -> Option<bool> {
    match action {
        Action::Stop { .. } => Some(true),
        Action::Pause { .. } | Action::Soldout | Action::Close | Action::Stock { left: 0 } => {
            Some(false)
        }
        _ => None,
    }
}

impl Room {
    /// The next step of the plan is due; one at a time, each waits for the one before.
    pub(super) fn operate(&mut self, now: u64) {
        if self.operator.under_way.is_some() {
            return;
        }
        let Some(step) = self.plan.steps.get(self.operator.next) else {
            return;
        };
        if step.at_ms > now {
            self.at(step.at_ms, Event::Operate);
            return;
        }
        let action = step.action.clone();
        self.operator.next += 1;
        self.count_action(&action, now);
        match &action {
            Action::Resume | Action::Open | Action::Stock { left: 1.. } => {
                self.see(now, Observation::BrakeReleased)
            }
            action => {
                if let Some(stop) = brake(action) {
                    self.see(now, Observation::BrakeSent { stop });
                }
            }
        }
        self.operator.under_way = Some(action);
        self.send_action(now);
    }

    fn count_action(&mut self, action: &Action, now: u64) {
        let before = self.operator.acted_ms.replace(now);
        if before.is_some_and(|before| now < before + RACE_MS) {
            self.network.count(Fault::OperatorRaced);
        }
        if changes_limits(action) {
            self.network.count(Fault::Retuned);
        }
        if matches!(action, Action::Expect { .. }) {
            self.network.count(Fault::ShardsRaised);
        }
    }

    fn send_action(&mut self, now: u64) {
        self.operator.attempt += 1;
        let attempt = self.operator.attempt;
        if let Some(delay) = self.network.arrivals_ms()[0] {
            self.at(now + delay, Event::OperateIn { attempt });
        }
        self.at(now + PATIENCE_MS, Event::OperateLate { attempt });
    }

    pub(super) fn operate_in(&mut self, attempt: u32, now: u64) {
        if let Some(action) = self.operator.under_way.clone()
            && attempt == self.operator.attempt
        {
            self.operate_at_coordinator(attempt, action, now);
        }
    }

    pub(super) fn operate_late(&mut self, attempt: u32, now: u64) {
        if self.operator.under_way.is_some() && attempt == self.operator.attempt {
            self.send_action(now);
        }
    }

    /// What edges have counted and heard of the origin's stock; such a message may be lost.
    pub(super) fn edges_tell(&mut self, now: u64) {
        if self.coordinator.hidden_until_ms <= now && self.network.arrivals_ms()[0].is_some() {
            let bypassed = self.chance.within(0..3);
            let staff = self.chance.within(0..2);
            self.edges_at_coordinator(bypassed, staff, now);
            let failed = self.origin_failures(now);
            self.origin_at_coordinator(failed, now);
        }
        if now < self.plan.quiet_at_ms {
            self.at(now + EDGES_TELL_EVERY_MS, Event::EdgesTell);
        }
    }

    /// How many of forty answers of the origin fail.
    fn origin_failures(&mut self, now: u64) -> u64 {
        let failed = self.chance.one_of(&[0, 0, 0, 6, 40]);
        let may_fail = now + ORIGIN_WELL_FOR_MS < self.plan.quiet_at_ms;
        if may_fail { failed } else { 0 }
    }

    /// The coordinator acknowledges.
    pub(super) fn operated(&mut self, attempt: u32, version: u64, now: u64) {
        if attempt != self.operator.attempt {
            return;
        }
        if let Some(action) = self.operator.under_way.take() {
            if brake(&action).is_some() {
                self.see(now, Observation::BrakeAcknowledged { version });
            }
            if action == room_for_all() {
                self.see(now, Observation::RoomForAll);
            }
            self.operate(now);
        }
    }
}
