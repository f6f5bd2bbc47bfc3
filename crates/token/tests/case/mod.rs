//! One row of the published vectors, and what the crate says about it.

use serde::{Deserialize, Serialize};

use crate::forge::{EVERY_KIND, Kind};

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
    /// The visitor's address, where a token can be bound to one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ip: Option<String>,
    /// The code of the refusal; none for a token that is taken.
    pub refusal: Option<String>,
}

impl Case {
    fn kind(&self) -> Kind {
        let same = |kind: &&Kind| kind.purpose == self.purpose && kind.alg == self.alg;
        *EVERY_KIND
            .iter()
            .find(same)
            .unwrap_or_else(|| panic!("{}: unknown kind", self.name))
    }

    /// What the crate says about it, as the code of a refusal or none.
    pub fn verdict(&self) -> Option<String> {
        let kind = self.kind();
        let answer = match self.at {
            At::Edge if self.ip.is_some() => crate::forge::tokens(kind)
                .open_enqueue(&self.token, self.now, self.ip.as_deref())
                .map(drop),
            At::Edge => kind.open_at_edge(&self.token, self.now),
            At::Origin => crate::forge::verifier(kind)
                .verify(&self.token, self.now)
                .map(drop),
        };
        answer.err().map(|refusal| refusal.code().to_owned())
    }
}
