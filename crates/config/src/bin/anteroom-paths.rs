//! Says which rule decides about paths, with the edge's own code: `npm run probe` asks it.
//!
//! In comes one JSON object, `{ "variables": { … }, "asked": [{ "host", "path" }] }`, out goes a list of
//! `{ "verdict", "event", "readings": [{ "reading", "protected_by", "bypassed_by" }] }`, one for each that was asked. A
//! configuration that is refused is told on the standard error, a line for each problem, and ends with 1.

use std::io::{Read, stdin};
use std::process::ExitCode;

use anteroom_config::explain::{Explained, Ruled, explain};
use anteroom_config::{any_zone, parse_all};
use serde_json::{Value, json};

fn main() -> ExitCode {
    let mut text = String::new();
    let answer = match stdin().read_to_string(&mut text) {
        Ok(_) => answer(&text),
        Err(error) => Err(error.to_string()),
    };
    match answer {
        Ok(document) => {
            println!("{document}");
            ExitCode::SUCCESS
        }
        Err(why) => {
            eprintln!("{why}");
            ExitCode::FAILURE
        }
    }
}

fn answer(text: &str) -> Result<Value, String> {
    let document: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let variables = document["variables"]
        .as_object()
        .ok_or("variables: allowed is an object")?;
    let rooms = parse_all(variables.clone(), any_zone).map_err(|problems| {
        let lines: Vec<String> = problems.iter().map(ToString::to_string).collect();
        lines.join("\n")
    })?;
    let asked = document["asked"]
        .as_array()
        .ok_or("asked: allowed is a list")?;
    asked
        .iter()
        .map(|each| {
            let text = |name| {
                each[name]
                    .as_str()
                    .ok_or(format!("asked: {name} is missing"))
            };
            Ok(shown(&explain(&rooms, text("host")?, text("path")?)))
        })
        .collect()
}

fn shown(explained: &Explained) -> Value {
    let reading = |ruled: &Ruled| {
        json!({
            "reading": ruled.reading,
            "protected_by": ruled.protected_by,
            "bypassed_by": ruled.bypassed_by,
        })
    };
    json!({
        "verdict": explained.verdict.name(),
        "event": explained.event,
        "readings": explained.readings.iter().map(reading).collect::<Vec<_>>(),
    })
}
