//! `GET /_wr/health`: whether this deployment can work, and if not, which field or key id is wrong.

use serde_json::json;

use crate::answer::Answer;

/// Everything was parsed; what should not stay as it is, a line each.
pub fn well(warnings: &[String]) -> Answer {
    let body = match warnings {
        [] => json!({ "ok": true }),
        _ => json!({ "ok": true, "warnings": warnings }),
    };
    Answer::json(200, &body)
}

/// What is wrong with the configuration, a line each; never a key's bytes.
pub fn unwell(reasons: &[String]) -> Answer {
    Answer::json(503, &json!({ "ok": false, "problems": reasons }))
}
