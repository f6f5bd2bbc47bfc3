//! What an operator may change while the event runs, and what is in force because of it.

use serde::{Deserialize, Serialize};

use super::command::{Action, Change, CoordinatorReply, Noted};
use super::{Coordinator, checking};
use crate::board::Pause;
use crate::limits::{MAX_NOTED, MAX_REFUSALS_NOTED, REFUSALS_APART};
use crate::log::Record;
use crate::settings::{Batch, Limits};
use crate::units::{Millis, UnixMillis};

/// The sale as the operator left it; the schedule has the rest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Ending {
    /// Not ended.
    #[default]
    None,
    /// Sold out.
    Soldout,
    /// Closed.
    Closed,
}

/// Live values. Each wins over the configuration's until it is reset.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Live {
    /// Paused, with the reason.
    pub pause: Option<Pause>,
    /// The brake for everybody.
    pub stop: bool,
    /// Everything passes.
    pub off: bool,
    /// Sold out or closed.
    pub ending: Ending,
    /// What is said to everybody.
    pub message: Option<String>,
    /// A limit on sessions (`Some(None)`: none).
    pub max_active: Option<Option<u32>>,
    /// A rate (`Some(None)`: none).
    pub per_minute: Option<Option<u32>>,
    /// Batches (`Some(None)`: none).
    pub batch: Option<Option<Batch>>,
    /// Visitors planned for, when raised.
    pub expected_visitors: u64,
    /// Counts the changes that may make a wait longer.
    pub slowdowns: u32,
}

impl Live {
    /// The limits in force.
    pub(super) fn limits(&self, configured: &Limits) -> Limits {
        Limits {
            max_active: self.max_active.unwrap_or(configured.max_active),
            per_minute: self.per_minute.unwrap_or(configured.per_minute),
            batch: self.batch.unwrap_or(configured.batch),
        }
    }

    /// Takes on what an action says about the live values.
    fn follow(&mut self, action: &Action) {
        match action {
            Action::Pause {
                reason,
                next_update_at,
            } => {
                self.pause = Some(Pause {
                    reason: reason.clone(),
                    next_update_at: *next_update_at,
                });
                self.slowdowns += 1;
            }
            Action::Stop {
                reason,
                next_update_at,
            } => {
                self.pause = Some(Pause {
                    reason: reason.clone(),
                    next_update_at: *next_update_at,
                });
                self.stop = true;
                self.slowdowns += 1;
            }
            Action::Resume => (self.pause, self.stop) = (None, false),
            Action::Off => self.off = true,
            Action::Soldout => self.ending = Ending::Soldout,
            Action::Close => self.ending = Ending::Closed,
            Action::Open => (self.off, self.ending) = (false, Ending::None),
            Action::Retune {
                max_active,
                per_minute,
                batch,
            } => {
                change(&mut self.max_active, *max_active);
                change(&mut self.per_minute, *per_minute);
                change(&mut self.batch, *batch);
            }
            Action::Message { text } => self.message = (!text.is_empty()).then(|| text.clone()),
            Action::Expect { visitors } => {
                self.expected_visitors = self.expected_visitors.max(*visitors)
            }
            Action::Reschedule { .. }
            | Action::Stock { .. }
            | Action::CloseLine { .. }
            | Action::OpenLine { .. }
            | Action::StaffPass { .. }
            | Action::Refused { .. } => {}
        }
    }
}

impl Coordinator {
    pub(super) fn operate(
        &mut self,
        action: Action,
        by: String,
        now: UnixMillis,
    ) -> CoordinatorReply {
        if matches!(action, Action::Refused { .. }) && !self.has_room_for_refusal(&action, &by, now)
        {
            return self.state_reply();
        }
        let refused = checking::check(&action, now).err();
        let before = self.limits();
        match refused.map(Err).or_else(|| self.live_on(&action, now)) {
            Some(Err(why)) => return CoordinatorReply::Refused(why),
            Some(Ok(())) => self.changed.life = true,
            None => {}
        }
        self.live.follow(&action);
        if action == Action::Resume {
            self.leave_to_operator(now);
        }
        self.limits_changed(&before, now);
        let record = Record::Operator {
            by: by.clone(),
            action: serde_json::to_value(&action).expect("an action is plain data"),
        };
        self.log(&record, now);
        self.note(action, by, now);
        self.changed.queue = true;
        self.proceed(now);
        self.state_reply()
    }

    /// Keeps an action for the record.
    pub(super) fn note(&mut self, action: Action, by: String, now: UnixMillis) {
        self.noted.push(Noted {
            at: now,
            by,
            action,
        });
        let surplus = self.noted.len().saturating_sub(MAX_NOTED);
        self.noted.drain(..surplus);
        self.changed.noted = true;
    }

    /// Whether a refusal is noted: if it is not in the record from the last ten minutes, and only so many are. Asking again
    /// and again fills no log, whatever is asked for. The oldest makes room among those that are kept.
    fn has_room_for_refusal(&mut self, action: &Action, by: &str, now: UnixMillis) -> bool {
        let is_refusal = |noted: &Noted| noted.action.is_refusal();
        // One of the future is of before the clock was set back.
        let is_recent = |noted: &Noted| (noted.at..noted.at.plus(REFUSALS_APART)).contains(&now);
        let refusals = || self.noted.iter().filter(|noted| is_refusal(noted));
        let mut recent = refusals().filter(|noted| is_recent(noted));
        if recent
            .clone()
            .any(|noted| noted.by == by && noted.action == *action)
            || recent.nth(MAX_REFUSALS_NOTED - 1).is_some()
        {
            return false;
        }
        if refusals().count() >= MAX_REFUSALS_NOTED {
            let oldest = self.noted.iter().position(is_refusal);
            self.noted.remove(oldest.expect("there are some"));
        }
        true
    }

    /// Carries what has been used over to the limits now in force, and counts one that became
    /// tighter than `before`, so that the page can name it.
    pub(super) fn limits_changed(&mut self, before: &Limits, now: UnixMillis) {
        let after = self.limits();
        self.admission.carry_over(before, &after, now);
        if slower(before, &after) {
            self.live.slowdowns += 1;
        }
    }
}

fn change<T: Copy>(live: &mut Option<Option<T>>, change: Option<Change<T>>) {
    match change {
        Some(Change::To(value)) => *live = Some(Some(value)),
        Some(Change::Unlimited) => *live = Some(None),
        Some(Change::Reset) => *live = None,
        None => {}
    }
}

/// Whether any limit became tighter.
fn slower(before: &Limits, after: &Limits) -> bool {
    fn tighter(before: Option<u64>, after: Option<u64>) -> bool {
        after.unwrap_or(u64::MAX) < before.unwrap_or(u64::MAX)
    }
    let hourly = |batch: Option<Batch>| {
        batch.map(|batch| u64::from(batch.size) * Millis::from_minutes(60).0 / batch.every.0.max(1))
    };
    tighter(
        before.max_active.map(u64::from),
        after.max_active.map(u64::from),
    ) || tighter(
        before.per_minute.map(u64::from),
        after.per_minute.map(u64::from),
    ) || tighter(hourly(before.batch), hourly(after.batch))
}
