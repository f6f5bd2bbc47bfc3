//! What an operator may change while the event runs, and what is in force because of it.

use serde::{Deserialize, Serialize};

use super::Coordinator;
use super::command::{Action, Change, CoordinatorReply, Noted};
use crate::board::Pause;
use crate::limits::{LONGEST_BATCH, MAX_MESSAGE_BYTES, MAX_NOTED, MOST_ADMISSIONS, MOST_VISITORS};
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
}

impl Coordinator {
    pub(super) fn operate(
        &mut self,
        action: Action,
        by: String,
        now: UnixMillis,
    ) -> CoordinatorReply {
        let refused = check(&action, now).err();
        let before = self.limits();
        match refused.map(Err).or_else(|| self.live_on(&action, now)) {
            Some(Err(why)) => return CoordinatorReply::Refused(why),
            Some(Ok(())) => self.changed.life = true,
            None => {}
        }
        let live = &mut self.live;
        match &action {
            Action::Pause {
                reason,
                next_update_at,
            } => {
                live.pause = Some(Pause {
                    reason: reason.clone(),
                    next_update_at: *next_update_at,
                });
                live.slowdowns += 1;
            }
            Action::Stop {
                reason,
                next_update_at,
            } => {
                live.pause = Some(Pause {
                    reason: reason.clone(),
                    next_update_at: *next_update_at,
                });
                live.stop = true;
                live.slowdowns += 1;
            }
            Action::Resume => (live.pause, live.stop) = (None, false),
            Action::Off => live.off = true,
            Action::Soldout => live.ending = Ending::Soldout,
            Action::Close => live.ending = Ending::Closed,
            Action::Open => (live.off, live.ending) = (false, Ending::None),
            Action::Retune {
                max_active,
                per_minute,
                batch,
            } => {
                change(&mut live.max_active, *max_active);
                change(&mut live.per_minute, *per_minute);
                change(&mut live.batch, *batch);
            }
            Action::Message { text } => live.message = (!text.is_empty()).then(|| text.clone()),
            Action::Expect { visitors } => {
                live.expected_visitors = live.expected_visitors.max(*visitors)
            }
            Action::Reschedule { .. }
            | Action::Stock { .. }
            | Action::CloseLine { .. }
            | Action::OpenLine { .. }
            | Action::StaffPass { .. } => {}
        }
        self.limits_changed(&before, now);
        let record = Record::Operator {
            by: by.clone(),
            action: serde_json::to_value(&action).expect("an action is plain data"),
        };
        self.log(&record, now);
        self.noted.push(Noted {
            at: now,
            by,
            action,
        });
        let surplus = self.noted.len().saturating_sub(MAX_NOTED);
        self.noted.drain(..surplus);
        self.changed.queue = true;
        self.changed.noted = true;
        self.proceed(now);
        self.state_reply()
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

fn check(action: &Action, now: UnixMillis) -> Result<(), String> {
    let text = |field: &str, text: &str| {
        (text.len() <= MAX_MESSAGE_BYTES)
            .then_some(())
            .ok_or_else(|| {
                format!(
                    "{field} has {} bytes; at most {MAX_MESSAGE_BYTES} are allowed",
                    text.len()
                )
            })
    };
    let given = |field: &str, text: &str| {
        (!text.trim().is_empty())
            .then_some(())
            .ok_or_else(|| format!("{field} is empty; a text is required, visitors read it"))
    };
    let within = |field: &str, value: u64, least: u64, most: u64| {
        (least..=most)
            .contains(&value)
            .then_some(())
            .ok_or_else(|| format!("{field} is {value}; {least} to {most} are allowed"))
    };
    match action {
        Action::Pause {
            reason,
            next_update_at,
        }
        | Action::Stop {
            reason,
            next_update_at,
        } => {
            given("reason", reason)?;
            text("reason", reason)?;
            match next_update_at {
                Some(at) if *at > now => Ok(()),
                Some(_) => {
                    Err("next_update_at is in the past; a time to come is required".to_owned())
                }
                None => Err(
                    "next_update_at is missing; visitors are told when they hear more".to_owned(),
                ),
            }
        }
        Action::Reschedule { reason, .. } => given("reason", reason).and(text("reason", reason)),
        Action::StaffPass { name, .. } => given("name", name).and(text("name", name)),
        Action::Stock { .. } | Action::CloseLine { .. } | Action::OpenLine { .. } => Ok(()),
        Action::Message { text: message } => text("text", message),
        Action::Retune {
            max_active,
            per_minute,
            batch,
        } => {
            if let Some(Change::To(most)) = max_active {
                within(
                    "max_active",
                    u64::from(*most),
                    0,
                    u64::from(MOST_ADMISSIONS),
                )?;
            }
            if let Some(Change::To(rate)) = per_minute {
                within(
                    "per_minute",
                    u64::from(*rate),
                    1,
                    u64::from(MOST_ADMISSIONS),
                )?;
            }
            if let Some(Change::To(batch)) = batch {
                within(
                    "batch.size",
                    u64::from(batch.size),
                    1,
                    u64::from(MOST_ADMISSIONS),
                )?;
                let longest = LONGEST_BATCH.0 / 1_000;
                within("batch.every_seconds", batch.every.0 / 1_000, 1, longest)?;
            }
            Ok(())
        }
        Action::Expect { visitors } => within("visitors", *visitors, 1, u64::from(MOST_VISITORS)),
        Action::Resume | Action::Off | Action::Soldout | Action::Close | Action::Open => Ok(()),
    }
}
