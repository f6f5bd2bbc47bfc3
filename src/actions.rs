//! What an operator asks for, read strictly from JSON; and what was done, as JSON again.

use anteroom_queue::coordinator::command::{Action, Change};
use anteroom_queue::limits::{LONGEST_BATCH, MAX_MESSAGE_BYTES, MOST_ADMISSIONS, MOST_VISITORS};
use anteroom_queue::settings::Batch;
use anteroom_queue::units::{Millis, UnixMillis};
use serde_json::{Map, Value, json};

use crate::problem::Problem;

/// The highest limit, as in the configuration.
const MAX_LIMIT: u64 = MOST_ADMISSIONS as u64;
/// The longest period of a batch, as in the configuration.
const MAX_BATCH_SECONDS: u64 = LONGEST_BATCH.0 / 1_000;
/// The most visitors that may be planned for, as in the configuration.
const MAX_EXPECTED: u64 = MOST_VISITORS as u64;
/// The last instant that may be named, 9999-12-31T23:59:59.999Z: what four digits of a year can show.
const LAST_INSTANT_MS: u64 = 253_402_300_799_999;
const ACTIONS: &str = "pause, resume, stop, off, soldout, close, open, retune, message or expect";

/// Reads an action.
pub fn read(document: Value) -> Result<Action, Problem> {
    let Value::Object(mut members) = document else {
        return Err(Problem::new(
            400,
            "bad-json",
            "body: allowed is one JSON object",
        ));
    };
    let name = members.remove("action");
    let action = match name.as_ref().and_then(Value::as_str) {
        Some("pause") => {
            let (reason, next_update_at) =
                (text(&mut members, "reason")?, next_update(&mut members)?);
            Action::Pause {
                reason,
                next_update_at,
            }
        }
        Some("stop") => {
            let (reason, next_update_at) =
                (text(&mut members, "reason")?, next_update(&mut members)?);
            Action::Stop {
                reason,
                next_update_at,
            }
        }
        Some("resume") => Action::Resume,
        Some("off") => Action::Off,
        Some("soldout") => Action::Soldout,
        Some("close") => Action::Close,
        Some("open") => Action::Open,
        Some("retune") => retune(&mut members)?,
        Some("message") if !members.contains_key("text") => {
            return Err(Problem::field(
                "text",
                "what everybody reads; \"\" takes the message away",
            ));
        }
        Some("message") => Action::Message {
            text: text(&mut members, "text")?,
        },
        Some("expect") => Action::Expect {
            visitors: visitors(&mut members)?,
        },
        _ => return Err(Problem::field("action", ACTIONS)),
    };
    match members.is_empty() {
        true => Ok(action),
        false => Err(Problem::new(
            400,
            "bad-field",
            "body: it has a member that this action does not know",
        )),
    }
}

fn text(members: &mut Map<String, Value>, name: &str) -> Result<String, Problem> {
    let allowed = || Problem::field(name, &format!("a text of up to {MAX_MESSAGE_BYTES} bytes"));
    match members.remove(name) {
        None | Some(Value::Null) => Ok(String::new()),
        Some(Value::String(text)) if text.len() <= MAX_MESSAGE_BYTES => Ok(text),
        Some(_) => Err(allowed()),
    }
}

fn next_update(members: &mut Map<String, Value>) -> Result<Option<UnixMillis>, Problem> {
    match members.remove("next_update_at_ms") {
        None | Some(Value::Null) => Ok(None),
        Some(value) => match value.as_u64().filter(|at| *at <= LAST_INSTANT_MS) {
            Some(at) => Ok(Some(UnixMillis(at))),
            None => Err(Problem::field(
                "next_update_at_ms",
                &format!("Unix milliseconds, 0 to {LAST_INSTANT_MS}, or null"),
            )),
        },
    }
}

fn visitors(members: &mut Map<String, Value>) -> Result<u64, Problem> {
    let visitors = members.remove("visitors").and_then(|value| value.as_u64());
    visitors
        .filter(|count| (1..=MAX_EXPECTED).contains(count))
        .ok_or_else(|| Problem::field("visitors", &format!("1 to {MAX_EXPECTED}")))
}

fn retune(members: &mut Map<String, Value>) -> Result<Action, Problem> {
    let action = Action::Retune {
        max_active: change(members, "max_active", limit)?,
        per_minute: change(members, "per_minute", limit)?,
        batch: change(members, "batch", batch)?,
    };
    match action {
        Action::Retune {
            max_active: None,
            per_minute: None,
            batch: None,
        } => Err(Problem::field(
            "retune",
            "at least one of max_active, per_minute, batch",
        )),
        action => Ok(action),
    }
}

/// Absent: unchanged. `null`: no limit. `"reset"`: the configuration's. Otherwise the value.
fn change<T>(
    members: &mut Map<String, Value>,
    name: &str,
    read: fn(&Value) -> Result<T, String>,
) -> Result<Option<Change<T>>, Problem> {
    match members.remove(name) {
        None => Ok(None),
        Some(Value::Null) => Ok(Some(Change::Unlimited)),
        Some(Value::String(word)) if word == "reset" => Ok(Some(Change::Reset)),
        Some(value) => match read(&value) {
            Ok(value) => Ok(Some(Change::To(value))),
            Err(allowed) => Err(Problem::field(
                name,
                &format!("{allowed}, null or \"reset\""),
            )),
        },
    }
}

fn limit(value: &Value) -> Result<u32, String> {
    let limit = value
        .as_u64()
        .filter(|limit| (1..=MAX_LIMIT).contains(limit));
    limit
        .map(|limit| limit as u32)
        .ok_or_else(|| format!("1 to {MAX_LIMIT}"))
}

fn batch(value: &Value) -> Result<Batch, String> {
    let allowed =
        || format!("{{\"size\": 1 to {MAX_LIMIT}, \"every_seconds\": 1 to {MAX_BATCH_SECONDS}}}");
    let members = value
        .as_object()
        .filter(|members| members.len() == 2)
        .ok_or_else(allowed)?;
    let size = limit(members.get("size").unwrap_or(&Value::Null)).map_err(|_| allowed())?;
    let every = members.get("every_seconds").and_then(Value::as_u64);
    let every = every
        .filter(|seconds| (1..=MAX_BATCH_SECONDS).contains(seconds))
        .ok_or_else(allowed)?;
    Ok(Batch {
        size,
        every: Millis::from_seconds(every),
    })
}

/// An action as it was asked for.
pub fn document(action: &Action) -> Value {
    let braked = |name: &str, reason: &str, next: Option<UnixMillis>| json!({ "action": name, "reason": reason, "next_update_at_ms": next.map(|at| at.0) });
    match action {
        Action::Pause {
            reason,
            next_update_at,
        } => braked("pause", reason, *next_update_at),
        Action::Stop {
            reason,
            next_update_at,
        } => braked("stop", reason, *next_update_at),
        Action::Resume => json!({ "action": "resume" }),
        Action::Off => json!({ "action": "off" }),
        Action::Soldout => json!({ "action": "soldout" }),
        Action::Close => json!({ "action": "close" }),
        Action::Open => json!({ "action": "open" }),
        Action::Retune {
            max_active,
            per_minute,
            batch,
        } => {
            let mut members = Map::new();
            members.insert("action".to_owned(), json!("retune"));
            let number = |limit: u32| json!(limit);
            let of_batch = |batch: Batch| json!({ "size": batch.size, "every_seconds": batch.every.0 / 1_000 });
            for (name, value) in [
                (
                    "max_active",
                    max_active.map(|change| of_change(change, number)),
                ),
                (
                    "per_minute",
                    per_minute.map(|change| of_change(change, number)),
                ),
                ("batch", batch.map(|change| of_change(change, of_batch))),
            ] {
                members.extend(value.map(|value| (name.to_owned(), value)));
            }
            Value::Object(members)
        }
        Action::Message { text } => json!({ "action": "message", "text": text }),
        Action::Expect { visitors } => json!({ "action": "expect", "visitors": visitors }),
    }
}

fn of_change<T>(change: Change<T>, write: impl FnOnce(T) -> Value) -> Value {
    match change {
        Change::To(value) => write(value),
        Change::Unlimited => Value::Null,
        Change::Reset => json!("reset"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_action_reads_back_as_it_was_asked_for() {
        for document_in in [
            json!({"action": "pause", "reason": "fire drill", "next_update_at_ms": 1_800_000_000_000_u64}),
            json!({"action": "stop", "reason": "", "next_update_at_ms": null}),
            json!({"action": "stop", "reason": "", "next_update_at_ms": LAST_INSTANT_MS}),
            json!({"action": "resume"}),
            json!({"action": "off"}),
            json!({"action": "soldout"}),
            json!({"action": "close"}),
            json!({"action": "open"}),
            json!({"action": "retune", "max_active": 50}),
            json!({"action": "retune", "max_active": null, "per_minute": "reset", "batch": {"size": 5, "every_seconds": 60}}),
            json!({"action": "message", "text": "doors at \"eight\" <b>"}),
            json!({"action": "expect", "visitors": 200_000}),
        ] {
            let action = read(document_in.clone())
                .unwrap_or_else(|problem| panic!("{document_in}: {problem:?}"));
            assert_eq!(document(&action), document_in);
        }
    }

    #[test]
    fn anything_else_is_refused_and_named() {
        for bad in [
            json!([]),
            json!({}),
            json!({"action": "explode"}),
            json!({"action": 1}),
            json!({"action": "resume", "reason": "x"}),
            json!({"action": "pause", "reason": 5}),
            json!({"action": "pause", "reason": "x".repeat(MAX_MESSAGE_BYTES + 1)}),
            json!({"action": "pause", "next_update_at_ms": -1}),
            json!({"action": "pause", "next_update_at_ms": LAST_INSTANT_MS + 1}),
            json!({"action": "stop", "next_update_at_ms": 8_640_000_000_000_001_u64}),
            json!({"action": "retune"}),
            json!({"action": "retune", "max_active": 0}),
            json!({"action": "retune", "per_minute": 1_000_001}),
            json!({"action": "retune", "per_minute": 1.5}),
            json!({"action": "retune", "batch": {"size": 5}}),
            json!({"action": "retune", "batch": {"size": 5, "every_seconds": 0}}),
            json!({"action": "message"}),
            json!({"action": "expect", "visitors": 0}),
            json!({"action": "expect"}),
        ] {
            assert_eq!(read(bad.clone()).expect_err(&bad.to_string()).status(), 400);
        }
    }
}
