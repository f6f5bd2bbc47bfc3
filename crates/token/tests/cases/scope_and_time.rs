//! Where and when: issuer, audience, event, run, and the seconds around `iat` and `exp`.

use super::{at_edge, taken_at_edge};
use crate::case::{At, Case};
use crate::forge::{Kind, NOW};

pub fn cases(kind: Kind) -> Vec<Case> {
    let mut cases = scopes(kind);
    cases.extend(times(kind));
    cases
}

/// T17, T18: the seconds around `iat` and `exp`, at the edge.
pub fn times(kind: Kind) -> Vec<Case> {
    let mut cases = Vec::new();
    for (name, iat, refusal) in [
        ("issued this second", NOW, None),
        ("issued 29 s in the future", NOW + 29, None),
        ("issued 30 s in the future", NOW + 30, None),
        ("issued 31 s in the future", NOW + 31, Some("not-yet")),
        (
            "issued in the far future",
            9_007_199_254_740_991,
            Some("not-yet"),
        ),
    ] {
        cases.push(with_claim(kind, name, "iat", iat, refusal));
    }
    for (name, exp, refusal) in [
        ("a second before it expires", NOW + 1, None),
        ("in the second in which it expires", NOW, Some("expired")),
        ("a second after", NOW - 1, Some("expired")),
        ("29 s after", NOW - 29, Some("expired")),
        ("30 s after", NOW - 30, Some("expired")),
        ("31 s after", NOW - 31, Some("expired")),
        ("expired since 1970", 0, Some("expired")),
    ] {
        cases.push(with_claim(kind, name, "exp", exp, refusal));
    }
    cases
}

/// What an origin says about a case of the edge; none where its leeway makes the difference.
pub fn same_at_origin(case: &Case) -> Option<Case> {
    let differs = case.refusal.as_deref() == Some("expired");
    (!differs).then(|| Case {
        at: At::Origin,
        ..case.clone()
    })
}

/// T18: the seconds after `exp` as an origin sees them.
pub fn only_at_origin(kind: Kind) -> Vec<Case> {
    [
        ("in the second in which it expires", NOW, None),
        ("a second after", NOW - 1, None),
        ("29 s after", NOW - 29, None),
        ("30 s after", NOW - 30, Some("expired")),
        ("31 s after", NOW - 31, Some("expired")),
        ("expired since 1970", 0, Some("expired")),
    ]
    .into_iter()
    .map(|(name, exp, refusal)| Case {
        at: At::Origin,
        ..with_claim(kind, name, "exp", exp, refusal)
    })
    .collect()
}

fn with_claim(kind: Kind, name: &str, claim: &str, value: u64, refusal: Option<&str>) -> Case {
    let token = kind.sign_claims(&kind.claims_with(claim, &value.to_string()));
    Case {
        refusal: refusal.map(str::to_owned),
        ..taken_at_edge(kind, name, token)
    }
}

/// T20: made for another deployment, event, audience or run.
fn scopes(kind: Kind) -> Vec<Case> {
    let mut rows = vec![
        (
            "of another deployment",
            "iss",
            r#""staging""#,
            "wrong-issuer",
        ),
        (
            "of a deployment that differs in case",
            "iss",
            r#""Live""#,
            "wrong-issuer",
        ),
        (
            "of another event",
            "evt",
            r#""world-tour-2""#,
            "wrong-event",
        ),
        (
            "of an event that is a prefix",
            "evt",
            r#""world""#,
            "wrong-event",
        ),
    ];
    if kind.purpose != "operator" {
        rows.push(("for every event", "evt", r#""*""#, "wrong-event"));
    }
    let mut cases: Vec<Case> = rows
        .into_iter()
        .map(|(name, claim, value, refusal)| {
            at_edge(
                kind,
                name,
                kind.sign_claims(&kind.claims_with(claim, value)),
                refusal,
            )
        })
        .collect();
    match kind.purpose {
        "operator" => {
            let token = kind.sign_claims(&kind.claims_with("evt", r#""club-night,world""#));
            cases.push(at_edge(
                kind,
                "of several other events",
                token,
                "wrong-event",
            ));
        }
        "pass" => {
            let token = kind.sign_claims(&kind.claims_with("aud", r#""other.example.com""#));
            cases.push(at_edge(
                kind,
                "for another audience",
                token,
                "wrong-audience",
            ));
        }
        _ => {
            let token = kind.sign_claims(&kind.claims_with("run", "2"));
            cases.push(at_edge(kind, "of an earlier run", token, "wrong-run"));
        }
    }
    cases
}
