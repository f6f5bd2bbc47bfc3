//! Tokens with their verdicts: the table behind the published vectors. One row is one way of being right or wrong.

mod claims;
mod enqueue;
mod form;
mod scope_and_time;

use crate::case::{At, Case};
use crate::forge::{KINDS, Kind};

/// Every case. Whatever concerns passes at the edge is asked of an origin as well, unless the two differ on purpose.
pub fn all() -> Vec<Case> {
    let mut cases = Vec::new();
    for kind in KINDS {
        let mut of_kind = form::cases(kind);
        of_kind.extend(claims::cases(kind));
        of_kind.extend(scope_and_time::cases(kind));
        if kind.purpose == "pass" {
            let at_origin: Vec<Case> = of_kind
                .iter()
                .filter_map(scope_and_time::same_at_origin)
                .collect();
            of_kind.extend(at_origin);
            of_kind.extend(scope_and_time::only_at_origin(kind));
        }
        cases.extend(of_kind);
    }
    cases
}

/// The cases of enqueue tokens, which have more than one byte form.
pub fn of_enqueue_tokens() -> Vec<Case> {
    enqueue::cases()
}

fn at_edge(kind: Kind, name: impl Into<String>, token: String, refusal: &str) -> Case {
    Case {
        name: name.into(),
        purpose: kind.purpose.to_owned(),
        alg: kind.alg.to_owned(),
        at: At::Edge,
        now: crate::forge::NOW,
        token,
        ip: None,
        refusal: Some(refusal.to_owned()),
    }
}

fn taken_at_edge(kind: Kind, name: impl Into<String>, token: String) -> Case {
    Case {
        refusal: None,
        ..at_edge(kind, name, token, "")
    }
}
