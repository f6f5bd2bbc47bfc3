//! The payload, correctly signed: missing, repeated, mistyped, unknown, misplaced.

use super::{at_edge, taken_at_edge};
use crate::case::Case;
use crate::forge::{Kind, PASS, TICKET, object};

pub fn cases(kind: Kind) -> Vec<Case> {
    let mut cases = each_claim(kind);
    cases.extend(spellings(kind));
    cases.extend(ranges(kind));
    cases.extend(taken(kind));
    cases
}

/// T12, T14: each claim missing, twice, elsewhere, or of another type.
fn each_claim(kind: Kind) -> Vec<Case> {
    let mut cases = Vec::new();
    let claims = kind.claims();
    for (at, (name, value)) in claims.iter().enumerate() {
        let mut changed = |what: String, claims: &[(&str, String)]| {
            cases.push(at_edge(
                kind,
                format!("claim {name} {what}"),
                kind.sign_claims(claims),
                "claims",
            ));
        };
        if !kind.optional(name) {
            let mut without = claims.clone();
            without.remove(at);
            changed("removed".into(), &without);
        }
        for (what, position) in [("twice", at + 1), ("again at the end", claims.len())] {
            let mut twice = claims.clone();
            twice.insert(position, (*name, value.clone()));
            changed(what.into(), &twice);
        }
        let mut moved = claims.clone();
        moved.rotate_left(at + 1);
        if at + 1 < claims.len() {
            changed("moved to the end with what stands before it".into(), &moved);
        }
        let mistyped: &[&str] = if value.starts_with('"') {
            &[
                "1",
                "null",
                "true",
                "[]",
                "{}",
                r#""""#,
                r#""a\u0062c""#,
                r#""a\"b""#,
                "\"caf\u{e9}\"",
                "\"a\nb\"",
                r#"["live"]"#,
            ]
        } else {
            &[
                r#""1""#,
                "null",
                "true",
                "[1]",
                "{}",
                "-1",
                "1.0",
                "1e3",
                "01",
                "+1",
                "9007199254740992",
                "18446744073709551616",
                "",
                " 1",
                "1 ",
            ]
        };
        for wrong in mistyped {
            changed(
                format!("as {}", wrong.escape_debug()),
                &kind.claims_with(name, wrong),
            );
        }
    }
    cases
}

/// T16, T28: claims that nobody knows, and every other spelling of those that are known.
fn spellings(kind: Kind) -> Vec<Case> {
    let payload = object(&kind.claims());
    let mut extra = kind.claims();
    extra.push(("adm", "true".to_owned()));
    let mut known_elsewhere = kind.claims();
    known_elsewhere.push(("nbf", "1".to_owned()));
    [
        ("an unknown claim", object(&extra)),
        ("nbf", object(&known_elsewhere)),
        ("a trailing space", format!("{payload} ")),
        ("a leading space", format!(" {payload}")),
        (
            "a space after the first colon",
            payload.replacen(':', ": ", 1),
        ),
        ("a newline at the end", format!("{payload}\n")),
        ("a trailing comma", payload.replace('}', ",}")),
        ("a second object", format!("{payload}{payload}")),
        ("no closing brace", payload.trim_end_matches('}').to_owned()),
        (
            "an escaped claim name",
            payload.replacen("\"iss\"", "\"i\\u0073s\"", 1),
        ),
        ("a byte order mark", format!("\u{feff}{payload}")),
        ("an array around it", format!("[{payload}]")),
        ("an empty object", "{}".to_owned()),
        ("null", "null".to_owned()),
        ("not JSON", "claims".to_owned()),
    ]
    .into_iter()
    .map(|(name, payload)| {
        at_edge(
            kind,
            format!("payload: {name}"),
            kind.sign(&kind.header(), &payload),
            "claims",
        )
    })
    .collect()
}

fn ranges(kind: Kind) -> Vec<Case> {
    let long_name = format!("\"{}\"", "n".repeat(65));
    let long_text = format!("\"{}\"", "n".repeat(254));
    let rows: &[(&str, &str)] = match kind.purpose {
        "permit" => &[
            ("jti", r#""AAECAwQFBgcICQoLDA0O""#),
            ("jti", r#""AAECAwQFBgcICQoLDA0ODxA""#),
            ("jti", r#""AAECAwQFBgcICQoLDA0ODx""#),
            ("jti", r#""AAECAwQFBgcICQoLDA0ODw==""#),
            ("home", "65536"),
            ("run", "4294967296"),
            ("chl", r#""none""#),
            ("chl", r#""Pow""#),
            ("bits", "0"),
            ("bits", "25"),
            ("bits", "256"),
        ],
        "ticket" => &[
            ("home", "65536"),
            ("idx", "4294967296"),
            ("line", "256"),
            ("jti", r#""AAECAwQFBgcICQoLDA0O""#),
        ],
        "pass" => &[
            ("jti", r#""7.42""#),
            ("jti", r#""7.42.1.1""#),
            ("jti", r#""07.42.1""#),
            ("jti", r#""7.42.""#),
            ("jti", r#""65536.42.1""#),
            ("jti", r#""7.4294967296.1""#),
            ("jti", r#""7.42.4294967296""#),
            ("jti", r#""7.+42.1""#),
            ("sx", "1800000059"),
        ],
        "staff" => &[
            ("jti", r#""AAECAwQFBgcICQoLDA0O""#),
            ("run", "4294967296"),
            ("name", &long_name),
        ],
        _ => &[
            ("scp", r#""admin""#),
            ("scp", r#""Operate""#),
            ("scp", r#""view,operate""#),
            ("evt", r#""world-tour,world-tour""#),
            ("evt", r#""world-tour,*""#),
            ("evt", r#""world-tour,""#),
            ("sub", &long_name),
        ],
    };
    let mut cases: Vec<Case> = rows
        .iter()
        .chain(&[("iss", long_text.as_str())])
        .map(|(claim, value)| {
            let name = format!("claim {claim} out of range: {value}");
            at_edge(
                kind,
                name,
                kind.sign_claims(&kind.claims_with(claim, value)),
                "claims",
            )
        })
        .collect();
    for version in ["0", "3", "9007199254740991"] {
        let token = kind.sign_claims(&kind.claims_with("v", version));
        cases.push(at_edge(
            kind,
            format!("version {version}"),
            token,
            "version",
        ));
    }
    if kind == TICKET {
        let mut no_entry = kind.claims();
        no_entry.retain(|claim| claim.0 != "ent");
        cases.push(at_edge(
            kind,
            "a rank without an entry number",
            kind.sign_claims(&no_entry),
            "claims",
        ));
    }
    cases
}

fn taken(kind: Kind) -> Vec<Case> {
    let taken =
        |name: &str, claims: &[(&str, String)]| taken_at_edge(kind, name, kind.sign_claims(claims));
    let mut cases = vec![
        taken("as made", &kind.claims()),
        taken("the next version", &kind.claims_with("v", "2")),
    ];
    let without = |names: &[&str]| {
        let mut claims = kind.claims();
        claims.retain(|claim| !names.contains(&claim.0));
        claims
    };
    match kind.purpose {
        "permit" => cases.push(taken("without an arrival time", &without(&["arr"]))),
        "ticket" => {
            cases.push(taken("without a rank", &without(&["rank"])));
            cases.push(taken("provisional", &without(&["ent", "rank"])));
            cases.push(taken(
                "the largest index",
                &kind.claims_with("idx", "4294967295"),
            ));
            cases.push(taken(
                "the largest entry number",
                &kind.claims_with("ent", "9007199254740991"),
            ));
        }
        "operator" => {
            cases.push(taken("for every event", &kind.claims_with("evt", r#""*""#)));
            for role in ["view", "configure"] {
                let said = format!("\"{role}\"");
                cases.push(taken(
                    &format!("to {role}"),
                    &kind.claims_with("scp", &said),
                ));
            }
            for word in ["read", "write"] {
                let name = format!("the word of the release before: {word}");
                let said = format!("\"{word}\"");
                cases.push(taken(&name, &kind.claims_with("scp", &said)));
            }
            cases.push(taken(
                "for several events",
                &kind.claims_with("evt", r#""club-night,world-tour""#),
            ));
        }
        "staff" => cases.push(taken(
            "for somebody with another name",
            &kind.claims_with("name", r#""x""#),
        )),
        _ => cases.push(taken(
            "the last pass of a session",
            &kind.claims_with("sx", "1800000060"),
        )),
    }
    let previous = crate::forge::sign_segments(
        kind.alg,
        &kind.key(1),
        &crate::forge::encode(kind.header().replace(&kind.kid(0), &kind.kid(1))),
        &crate::forge::encode(object(&kind.claims())),
    );
    cases.push(taken_at_edge(
        kind,
        "signed with the previous key",
        previous,
    ));
    if kind == PASS {
        cases.push(taken(
            "the first session of the first place",
            &kind.claims_with("jti", r#""0.0.0""#),
        ));
    }
    cases
}
