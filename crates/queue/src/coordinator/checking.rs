//! What an operator's action may say, before anything is done: a refusal names the field, what it
//! was and what is allowed.

use super::command::{Action, Change};
use crate::limits::{LONGEST_BATCH, MAX_MESSAGE_BYTES, MOST_ADMISSIONS, MOST_VISITORS};
use crate::settings::Batch;
use crate::units::UnixMillis;

pub(super) fn check(action: &Action, now: UnixMillis) -> Result<(), String> {
    match action {
        Action::Pause {
            reason,
            next_update_at,
        }
        | Action::Stop {
            reason,
            next_update_at,
        } => given("reason", reason).and_then(|()| to_come(*next_update_at, now)),
        Action::Reschedule { reason, .. } => given("reason", reason),
        Action::StaffPass { name, .. } => given("name", name),
        Action::Refused { what } => given("what", what),
        Action::Message { text } => short("text", text),
        Action::Retune {
            max_active,
            per_minute,
            batch,
        } => {
            let most = u64::from(MOST_ADMISSIONS);
            changed(*max_active, |to| within("max_active", to, 0, most))?;
            changed(*per_minute, |to| within("per_minute", to, 1, most))?;
            if let Some(Change::To(Batch { size, every })) = batch {
                within("batch.size", *size, 1, most)?;
                let longest = LONGEST_BATCH.0 / 1_000;
                within("batch.every_seconds", every.0 / 1_000, 1, longest)?;
            }
            Ok(())
        }
        Action::Expect { visitors } => within("visitors", *visitors, 1, u64::from(MOST_VISITORS)),
        Action::Resume
        | Action::Off
        | Action::Soldout
        | Action::Close
        | Action::Open
        | Action::Stock { .. }
        | Action::CloseLine { .. }
        | Action::OpenLine { .. } => Ok(()),
    }
}

fn changed<T>(
    change: Option<Change<T>>,
    check: impl FnOnce(T) -> Result<(), String>,
) -> Result<(), String> {
    match change {
        Some(Change::To(value)) => check(value),
        Some(Change::Unlimited | Change::Reset) | None => Ok(()),
    }
}

fn short(field: &str, text: &str) -> Result<(), String> {
    let bytes = text.len();
    (bytes <= MAX_MESSAGE_BYTES).then_some(()).ok_or_else(|| {
        format!("{field} has {bytes} bytes; at most {MAX_MESSAGE_BYTES} are allowed")
    })
}

fn given(field: &str, text: &str) -> Result<(), String> {
    if text.trim().is_empty() {
        return Err(format!(
            "{field} is empty; 1 to {MAX_MESSAGE_BYTES} bytes are required"
        ));
    }
    short(field, text)
}

fn within(field: &str, value: impl Into<u64>, least: u64, most: u64) -> Result<(), String> {
    let value = value.into();
    (least..=most)
        .contains(&value)
        .then_some(())
        .ok_or_else(|| format!("{field} is {value}; {least} to {most} are allowed"))
}

/// Whoever waits is told when there will be more to hear.
fn to_come(next_update_at: Option<UnixMillis>, now: UnixMillis) -> Result<(), String> {
    let what = match next_update_at {
        Some(at) if at > now => return Ok(()),
        Some(_) => "past",
        None => "missing",
    };
    Err(format!(
        "next_update_at is {what}; a time to come is required, visitors are told"
    ))
}
