//! What an operator asks for, read strictly from JSON; and what was done, as JSON again.

use anteroom_config::texts::{HIDDEN_FORM, is_hidden};
use anteroom_config::{Event, instant};
use anteroom_queue::board::Stock;
use anteroom_queue::coordinator::command::{Action, Change};
use anteroom_queue::limits::{
    LONGEST_BATCH, MAX_MESSAGE_BYTES, MOST_ADMISSIONS, MOST_VISITORS, SHORTEST_NOTICE,
};
use anteroom_queue::settings::Batch;
use anteroom_queue::units::{Millis, UnixMillis};
use serde_json::{Map, Value, json};

use crate::instants::{LAST_INSTANT_MS, rfc3339};
use crate::problem::Problem;

/// The highest limit, as in the configuration.
const MAX_LIMIT: u64 = MOST_ADMISSIONS as u64;
/// The longest period of a batch, as in the configuration.
const MAX_BATCH_SECONDS: u64 = LONGEST_BATCH.0 / 1_000;
/// The most visitors that may be planned for, as in the configuration.
const MAX_EXPECTED: u64 = MOST_VISITORS as u64;
/// The most that may be left to sell: thirteen digits, as the origin's header has at most.
const ACTIONS: &str =
    "pause, resume, stop, off, soldout, close, open, retune, message, expect, reschedule or stock";

/// Reads an action on an event. What an action may say is for the coordinator to judge; here it gets its form, and what
/// visitors are owed is asked for.
pub fn read(document: Value, event: &Event, now: UnixMillis) -> Result<Action, Problem> {
    let Value::Object(mut members) = document else {
        return Err(Problem::new(
            400,
            "bad-json",
            "body: allowed is one JSON object",
        ));
    };
    let members = &mut members;
    let name = members.remove("action");
    let action = match name.as_ref().and_then(Value::as_str) {
        Some(name @ ("pause" | "stop")) => brake(members, name, now)?,
        Some("resume") => Action::Resume,
        Some("off") => Action::Off,
        Some("soldout") => Action::Soldout,
        Some("close") => match line(members, event)? {
            None => Action::Close,
            Some(line) => Action::CloseLine { line },
        },
        Some("open") => match line(members, event)? {
            None => Action::Open,
            Some(line) => Action::OpenLine { line },
        },
        Some("retune") => retune(members)?,
        Some("message") if !members.contains_key("text") => {
            return Err(Problem::field(
                "text",
                "what everybody reads; \"\" takes the message away",
            ));
        }
        Some("message") => Action::Message {
            text: text(members, "text")?,
        },
        Some("expect") => Action::Expect {
            visitors: number(members, "visitors", 1, MAX_EXPECTED)?,
        },
        Some("reschedule") => Action::Reschedule {
            line: line(members, event)?,
            opens_at: opening(members, now)?,
            reason: reason(members)?,
        },
        Some("stock") => Action::Stock {
            left: left(members)?,
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

/// Whoever waits is told why, and when there is more to hear: both are asked for at once.
fn brake(members: &mut Map<String, Value>, name: &str, now: UnixMillis) -> Result<Action, Problem> {
    let is_empty = |value: Option<&Value>| match value {
        None | Some(Value::Null) => true,
        Some(value) => value.as_str().is_some_and(|text| text.trim().is_empty()),
    };
    let missing: Vec<&str> = ["reason", "next_update_at_ms"]
        .into_iter()
        .filter(|member| is_empty(members.get(*member)))
        .collect();
    if let Some(first) = missing.first() {
        let allowed = format!(
            "a reason and next_update_at_ms, a time to come: visitors are told both; missing: {}",
            missing.join(", ")
        );
        return Err(Problem::field(name, &allowed)
            .and("field", json!(first))
            .and("missing", json!(missing)));
    }
    let (reason, next_update_at) = (text(members, "reason")?, Some(next_update(members, now)?));
    Ok(match name {
        "stop" => Action::Stop {
            reason,
            next_update_at,
        },
        _ => Action::Pause {
            reason,
            next_update_at,
        },
    })
}

fn text(members: &mut Map<String, Value>, name: &str) -> Result<String, Problem> {
    let allowed = || Problem::field(name, &format!("a text of up to {MAX_MESSAGE_BYTES} bytes"));
    match members.remove(name) {
        None | Some(Value::Null) => Ok(String::new()),
        Some(Value::String(text)) if text.len() <= MAX_MESSAGE_BYTES => match is_shown(&text) {
            true => Ok(text),
            false => Err(Problem::unusable(
                name,
                &format!("a text with {HIDDEN_FORM}; lines may end"),
            )),
        },
        Some(_) => Err(allowed()),
    }
}

/// Whether visitors see all that is in a text of an operator. It may have more than one line.
fn is_shown(text: &str) -> bool {
    !text.contains(|character| is_hidden(character) && character != '\n')
}

fn reason(members: &mut Map<String, Value>) -> Result<String, Problem> {
    let reason = text(members, "reason")?;
    if reason.trim().is_empty() {
        let allowed = format!("a text of 1 to {MAX_MESSAGE_BYTES} bytes: visitors are told why");
        return Err(Problem::field("reason", &allowed));
    }
    Ok(reason)
}

fn next_update(members: &mut Map<String, Value>, now: UnixMillis) -> Result<UnixMillis, Problem> {
    let value = members.remove("next_update_at_ms");
    let at = value.as_ref().and_then(Value::as_u64);
    at.filter(|at| (now.0 + 1..=LAST_INSTANT_MS).contains(at))
        .map(UnixMillis)
        .ok_or_else(|| {
            let allowed = format!("Unix milliseconds of a time to come, up to {LAST_INSTANT_MS}");
            Problem::field("next_update_at_ms", &allowed)
        })
}

fn opening(members: &mut Map<String, Value>, now: UnixMillis) -> Result<UnixMillis, Problem> {
    let value = members.remove("opens_at");
    let at = value.as_ref().and_then(Value::as_str).and_then(instant);
    at.filter(|at| *at >= now.plus(SHORTEST_NOTICE) && at.0 <= LAST_INSTANT_MS)
        .ok_or_else(|| {
            let allowed = format!(
                "a time with its offset (2027-03-01T10:00:00+01:00), at least {} s from now",
                SHORTEST_NOTICE.0 / 1_000
            );
            Problem::field("opens_at", &allowed)
        })
}

/// The id of a line that the event has, if one is named.
fn line(members: &mut Map<String, Value>, event: &Event) -> Result<Option<String>, Problem> {
    let ids = || event.lines.iter().map(|line| line.id.as_str());
    match members.remove("line") {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(id)) if ids().any(|known| known == id) => Ok(Some(id)),
        Some(_) => Err(Problem::field(
            "line",
            &ids().collect::<Vec<_>>().join(", "),
        )),
    }
}

fn number(
    members: &mut Map<String, Value>,
    name: &str,
    least: u64,
    most: u64,
) -> Result<u64, Problem> {
    let number = members.remove(name).and_then(|value| value.as_u64());
    number
        .filter(|count| (least..=most).contains(count))
        .ok_or_else(|| Problem::field(name, &format!("{least} to {most}")))
}

/// What is left to sell. `null` takes back what was said.
fn left(members: &mut Map<String, Value>) -> Result<u64, Problem> {
    let most = Stock::UNKNOWN;
    match members.remove("left") {
        Some(Value::Null) => Ok(most),
        value => value
            .and_then(|value| value.as_u64())
            .filter(|left| *left <= most)
            .ok_or_else(|| Problem::field("left", &format!("0 to {most}, or null"))),
    }
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
        } => retuned(*max_active, *per_minute, *batch),
        Action::Message { text } => json!({ "action": "message", "text": text }),
        Action::Expect { visitors } => json!({ "action": "expect", "visitors": visitors }),
        Action::Reschedule {
            line,
            opens_at,
            reason,
        } => of_line(
            json!({ "action": "reschedule", "opens_at": rfc3339(*opens_at), "reason": reason }),
            line.as_deref(),
        ),
        Action::Stock { left } => {
            json!({ "action": "stock", "left": (*left < Stock::UNKNOWN).then_some(left) })
        }
        Action::CloseLine { line } => json!({ "action": "close", "line": line }),
        Action::OpenLine { line } => json!({ "action": "open", "line": line }),
        Action::StaffPass { name, until } => {
            json!({ "action": "staff", "name": name, "until_ms": until.0 })
        }
        Action::Refused { what } => json!({ "action": "refused", "what": what }),
    }
}

fn retuned(
    max_active: Option<Change<u32>>,
    per_minute: Option<Change<u32>>,
    batch: Option<Change<Batch>>,
) -> Value {
    let mut members = Map::new();
    members.insert("action".to_owned(), json!("retune"));
    let number = |limit: u32| json!(limit);
    let of_batch =
        |batch: Batch| json!({ "size": batch.size, "every_seconds": batch.every.0 / 1_000 });
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

fn of_line(mut document: Value, line: Option<&str>) -> Value {
    if let Some(line) = line {
        document["line"] = json!(line);
    }
    document
}

fn of_change<T>(change: Change<T>, write: impl FnOnce(T) -> Value) -> Value {
    match change {
        Change::To(value) => write(value),
        Change::Unlimited => Value::Null,
        Change::Reset => json!("reset"),
    }
}

#[cfg(test)]
#[path = "actions_tests.rs"]
mod tests;
