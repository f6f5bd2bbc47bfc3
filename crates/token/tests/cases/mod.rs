//! Tokens with their verdicts: the table behind the published vectors. One row is one way of being right or wrong.

mod claims;
mod form;
mod scope_and_time;

use serde::{Deserialize, Serialize};

use crate::forge::{KINDS, Kind};

/// Where a token is presented.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum At {
    Edge,
    Origin,
}

/// One token and what has to become of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Case {
    pub name: String,
    /// The purpose for which it is presented, and the algorithm that is expected there.
    pub purpose: String,
    pub alg: String,
    pub at: At,
    pub now: u64,
    pub token: String,
    /// The code of the refusal; none for a token that is taken.
    pub refusal: Option<String>,
}

impl Case {
    fn at_edge(kind: Kind, name: impl Into<String>, token: String, refusal: &str) -> Case {
        Case {
            name: name.into(),
            purpose: kind.purpose.to_owned(),
            alg: kind.alg.to_owned(),
            at: At::Edge,
            now: crate::forge::NOW,
            token,
            refusal: Some(refusal.to_owned()),
        }
    }

    fn taken_at_edge(kind: Kind, name: impl Into<String>, token: String) -> Case {
        Case {
            refusal: None,
            ..Case::at_edge(kind, name, token, "")
        }
    }

    fn kind(&self) -> Kind {
        let same = |kind: &&Kind| kind.purpose == self.purpose && kind.alg == self.alg;
        *KINDS
            .iter()
            .find(same)
            .unwrap_or_else(|| panic!("{}: unknown kind", self.name))
    }

    /// What the crate says about it, as the code of a refusal or none.
    pub fn verdict(&self) -> Option<String> {
        let kind = self.kind();
        let answer = match self.at {
            At::Edge => kind.open_at_edge(&self.token, self.now),
            At::Origin => crate::forge::verifier(kind)
                .verify(&self.token, self.now)
                .map(drop),
        };
        answer.err().map(|refusal| refusal.code().to_owned())
    }
}

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
