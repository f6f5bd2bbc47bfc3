//! What the third party's answer about a token means: it held, it did not, or that was no answer. Only `success` without a
//! code of an error, under a status of 2xx, with everything as it was asked for is a pass; whatever cannot be read is none.
//! <https://developers.cloudflare.com/turnstile/get-started/server-side-validation/>

use anteroom_config::host;
use anteroom_queue::units::{Millis, UnixMillis};
use serde_json::Value;

/// A token holds for so long after its challenge.
pub const LONGEST_AGE: Millis = Millis(300_000);
/// The third party's clock may be so far ahead.
pub const MOST_AHEAD: Millis = Millis(30_000);

/// What a token has to be about.
pub struct Expected<'a> {
    /// The hosts of the event, as configured.
    pub hosts: &'a [String],
    /// What the widget was given as its action.
    pub action: &'a str,
    /// What the widget was given about the permit.
    pub cdata: &'a str,
    /// The secret is one for tests: answers name none of these.
    pub for_tests: bool,
}

/// What came of a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// The token holds.
    Passed,
    /// It does not: which part, for the one who sent it.
    Refused(&'static str),
    /// There was no answer: why, for the log.
    Unanswered(&'static str),
}

/// Codes that say that nobody looked at the token: ours is the mistake, or theirs.
const NO_VERDICT: [&str; 3] = [
    "internal-error",
    "missing-input-secret",
    "invalid-input-secret",
];

impl Verdict {
    /// Whether the same question may have an answer a moment later.
    pub fn may_change(&self) -> bool {
        match self {
            Verdict::Passed | Verdict::Refused(_) => false,
            Verdict::Unanswered(why) => !why.ends_with("-secret"),
        }
    }
}

/// Reads an answer that came at `now`.
pub fn read(status: u16, body: &[u8], expected: &Expected<'_>, now: UnixMillis) -> Verdict {
    if status == 429 || !(200..500).contains(&status) {
        return Verdict::Unanswered("its status");
    }
    let Ok(Value::Object(answer)) = serde_json::from_slice(body) else {
        return Verdict::Unanswered("no JSON object");
    };
    let text = |name: &str| answer.get(name).and_then(Value::as_str);
    match answer.get("success") {
        Some(Value::Bool(false)) => return refused(answer.get("error-codes")),
        Some(Value::Bool(true)) if !(200..300).contains(&status) => {
            return Verdict::Unanswered("its status");
        }
        Some(Value::Bool(true)) => match answer.get("error-codes") {
            None | Some(Value::Null) => {}
            Some(Value::Array(codes)) if codes.is_empty() => {}
            Some(Value::Array(_)) => return refused(answer.get("error-codes")),
            Some(_) => return Verdict::Unanswered("error-codes"),
        },
        _ => return Verdict::Unanswered("no success in it"),
    }
    let at = text("challenge_ts").and_then(anteroom_config::instant);
    let is_young = at.is_some_and(|at| now.since(at) <= LONGEST_AGE && at.since(now) <= MOST_AHEAD);
    let is_of_host = text("hostname").is_some_and(|name| {
        let name = host::normalise(name);
        expected
            .hosts
            .iter()
            .any(|pattern| host::matches(pattern, &name))
    });
    let bound = [
        ("hostname", is_of_host),
        ("action", text("action") == Some(expected.action)),
        ("cdata", text("cdata") == Some(expected.cdata)),
    ];
    let wrong = bound.iter().find(|(_, fits)| !fits && !expected.for_tests);
    match (is_young, wrong) {
        (false, _) => Verdict::Refused("challenge_ts"),
        (true, Some((name, _))) => Verdict::Refused(name),
        (true, None) => Verdict::Passed,
    }
}

fn refused(codes: Option<&Value>) -> Verdict {
    let codes = codes
        .and_then(Value::as_array)
        .map_or(&[][..], Vec::as_slice);
    let has = |code: &str| codes.iter().any(|given| given == code);
    if let Some(code) = NO_VERDICT.into_iter().find(|code| has(code)) {
        return Verdict::Unanswered(code);
    }
    match has("timeout-or-duplicate") {
        true => Verdict::Refused("timeout-or-duplicate"),
        false => Verdict::Refused("success"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// 2026-11-28T10:00:00Z.
    const NOW: UnixMillis = UnixMillis(1_795_860_000_000);

    fn of(status: u16, body: &str, for_tests: bool) -> Verdict {
        let hosts = ["tickets.example.com".to_owned()];
        let expected = Expected {
            hosts: &hosts,
            action: "join",
            cdata: "demo_1_abc",
            for_tests,
        };
        read(status, body.as_bytes(), &expected, NOW)
    }

    fn answer(changes: Value) -> String {
        let mut answer = json!({
            "success": true, "error-codes": [], "challenge_ts": "2026-11-28T09:59:30.096Z",
            "hostname": "tickets.example.com", "action": "join", "cdata": "demo_1_abc",
            "metadata": {"interactive": false},
        });
        let object = answer.as_object_mut().unwrap();
        for (name, value) in changes.as_object().unwrap() {
            match value {
                Value::Null => object.remove(name),
                value => object.insert(name.clone(), value.clone()),
            };
        }
        answer.to_string()
    }

    // P12.
    #[test]
    fn only_success_about_this_event_this_permit_and_the_last_five_minutes_is_a_pass() {
        assert_eq!(of(200, &answer(json!({})), false), Verdict::Passed);
        for (changes, part) in [
            (
                json!({"success": false, "error-codes": ["invalid-input-response"]}),
                "success",
            ),
            (json!({"success": false}), "success"),
            (
                json!({"success": false, "error-codes": ["bad-request"]}),
                "success",
            ),
            (
                json!({"success": false, "error-codes": ["timeout-or-duplicate"]}),
                "timeout-or-duplicate",
            ),
            (
                json!({"error-codes": ["timeout-or-duplicate"]}),
                "timeout-or-duplicate",
            ),
            (json!({"error-codes": ["a-new-code"]}), "success"),
            (json!({"hostname": "evil.example"}), "hostname"),
            (
                json!({"hostname": "tickets.example.com.evil.example"}),
                "hostname",
            ),
            (json!({"hostname": null}), "hostname"),
            (json!({"action": "login"}), "action"),
            (json!({"action": null}), "action"),
            (json!({"cdata": "demo_1_abd"}), "cdata"),
            (json!({"cdata": ""}), "cdata"),
            (json!({"cdata": null}), "cdata"),
            (
                json!({"challenge_ts": "2026-11-28T09:54:59Z"}),
                "challenge_ts",
            ),
            (
                json!({"challenge_ts": "2026-11-28T10:00:31Z"}),
                "challenge_ts",
            ),
            (json!({"challenge_ts": "yesterday"}), "challenge_ts"),
            (json!({"challenge_ts": null}), "challenge_ts"),
        ] {
            assert_eq!(
                of(200, &answer(changes.clone()), false),
                Verdict::Refused(part),
                "{changes}"
            );
        }
        for none in [json!({"error-codes": null}), json!({"error-codes": []})] {
            assert_eq!(of(200, &answer(none), false), Verdict::Passed);
        }
        for at in ["2026-11-28T09:55:00Z", "2026-11-28T10:00:30Z"] {
            assert_eq!(
                of(200, &answer(json!({"challenge_ts": at})), false),
                Verdict::Passed,
                "{at}"
            );
        }
    }

    // P14.
    #[test]
    fn whatever_is_no_answer_is_never_a_pass() {
        let whole = answer(json!({}));
        let internal = answer(json!({"success": false, "error-codes": ["internal-error"]}));
        let secret = answer(json!({"success": false, "error-codes": ["invalid-input-secret"]}));
        for (status, body, again) in [
            (500, whole.as_str(), true),
            (503, &whole, true),
            (302, "", true),
            (429, &whole, true),
            (200, "<!doctype html><title>Just a moment</title>", true),
            (200, "{\"success\": tru", true),
            (200, "", true),
            (200, "true", true),
            (200, "{}", true),
            (200, &answer(json!({"success": "true"})), true),
            (200, &answer(json!({"success": 1})), true),
            (200, &internal, true),
            (
                200,
                &answer(json!({"error-codes": ["internal-error"]})),
                true,
            ),
            (200, &answer(json!({"error-codes": "internal-error"})), true),
            (400, &whole, true),
            (403, &whole, true),
            (404, &whole, true),
            (200, &secret, false),
            (400, &secret, false),
        ] {
            let verdict = of(status, body, false);
            assert!(
                matches!(verdict, Verdict::Unanswered(_)),
                "{status} {body}: {verdict:?}"
            );
            assert_eq!(verdict.may_change(), again, "{status} {body}");
        }
    }

    // P13.
    #[test]
    fn answers_to_a_secret_for_tests_name_no_permit_and_are_of_now_all_the_same() {
        let foreign = json!({"hostname": "example.com", "action": "test", "cdata": null});
        assert_eq!(of(200, &answer(foreign.clone()), true), Verdict::Passed);
        assert_eq!(
            of(200, &answer(foreign), false),
            Verdict::Refused("hostname")
        );
        let spent = json!({"success": false, "error-codes": ["timeout-or-duplicate"]});
        assert_eq!(
            of(200, &answer(spent), true),
            Verdict::Refused("timeout-or-duplicate")
        );
        let old = json!({"challenge_ts": "2026-11-28T09:00:00Z"});
        assert_eq!(
            of(200, &answer(old), true),
            Verdict::Refused("challenge_ts")
        );
    }
}
