//! The operator token: what a person or a program steers events with.
//!
//! Claims: `v iss evt sub scp iat exp`. It belongs to the events that it names, or to all of a deployment with `evt` =
//! `*`, and not to a run: who starts a new run keeps the token.

use crate::Refusal;
use crate::claims::{ClaimsReader, ClaimsWriter, MAX_CLAIM_TEXT_BYTES, MAX_NAME_BYTES};

/// `evt` of a token that holds for every event.
pub const EVERY_EVENT: &str = "*";
/// Stands between the ids of several events in `evt`. No id holds one.
const BETWEEN_EVENTS: char = ',';

/// What an operator may do. Each role may do what the ones before it may.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum OperatorRole {
    /// See everything, change nothing.
    View,
    /// Steer the sale while it runs: the brakes, the pace within what is configured, what visitors are told.
    Operate,
    /// Change what was promised: openings, limits beyond the configured ones, who gets in without waiting.
    Configure,
}

/// Every role, the least first.
pub const OPERATOR_ROLES: [OperatorRole; 3] = [
    OperatorRole::View,
    OperatorRole::Operate,
    OperatorRole::Configure,
];

impl OperatorRole {
    /// The claim `scp`.
    pub fn name(self) -> &'static str {
        match self {
            OperatorRole::View => "view",
            OperatorRole::Operate => "operate",
            OperatorRole::Configure => "configure",
        }
    }

    /// The role of that name.
    pub fn named(name: &str) -> Option<Self> {
        OPERATOR_ROLES.into_iter().find(|role| role.name() == name)
    }

    /// The role that a token says. The two words of the release before are read during this one, and written no more.
    fn said(name: &str) -> Option<Self> {
        match name {
            "read" => Some(OperatorRole::View),
            "write" => Some(OperatorRole::Configure),
            name => OperatorRole::named(name),
        }
    }
}

/// The events that an operator token holds for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OperatorEvents {
    /// Every event of the deployment, those of tomorrow too.
    Every,
    /// The events of these ids: one or more, in all at most 253 bytes with a comma between two.
    Named(Vec<String>),
}

impl OperatorEvents {
    /// The events of this id alone.
    pub fn one(id: &str) -> Self {
        OperatorEvents::Named(vec![id.to_owned()])
    }

    /// Reads what [`OperatorEvents::claim`] writes; none if there is an empty id, one twice, a `*` among others, or too
    /// much of it.
    pub fn read(claim: &str) -> Option<Self> {
        if claim == EVERY_EVENT {
            return Some(OperatorEvents::Every);
        }
        let ids: Vec<String> = claim.split(BETWEEN_EVENTS).map(str::to_owned).collect();
        let is_plain =
            |id: &String| !id.is_empty() && id != EVERY_EVENT && id.len() <= MAX_NAME_BYTES;
        let once = |at: usize| !ids[..at].contains(&ids[at]);
        let fits = claim.len() <= MAX_CLAIM_TEXT_BYTES
            && ids.iter().all(is_plain)
            && (0..ids.len()).all(once);
        fits.then_some(OperatorEvents::Named(ids))
    }

    /// The claim `evt`.
    pub fn claim(&self) -> String {
        match self {
            OperatorEvents::Every => EVERY_EVENT.to_owned(),
            OperatorEvents::Named(ids) => ids.join(&BETWEEN_EVENTS.to_string()),
        }
    }

    /// Whether the event of this id is one of them.
    pub fn include(&self, id: &str) -> bool {
        match self {
            OperatorEvents::Every => true,
            OperatorEvents::Named(ids) => ids.iter().any(|named| named == id),
        }
    }
}

/// What an operator steers with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OperatorToken {
    /// Who it is, claim `sub`: 1 to 64 bytes of plain ASCII without `"` and `\`.
    pub name: String,
    /// What they may do.
    pub role: OperatorRole,
    /// Where.
    pub events: OperatorEvents,
    /// Unix seconds.
    pub issued_at: u64,
    /// Unix seconds.
    pub expires_at: u64,
}

impl OperatorToken {
    pub(crate) fn write(&self, claims: ClaimsWriter) -> ClaimsWriter {
        assert!(
            self.name.len() <= MAX_NAME_BYTES,
            "an operator's name has up to {MAX_NAME_BYTES} bytes"
        );
        let events = self.events.claim();
        assert!(
            OperatorEvents::read(&events).as_ref() == Some(&self.events),
            "an operator's events are ids, each once, in at most {MAX_CLAIM_TEXT_BYTES} bytes"
        );
        claims
            .text("evt", &events)
            .text("sub", &self.name)
            .text("scp", self.role.name())
            .number("iat", self.issued_at)
            .number("exp", self.expires_at)
    }

    pub(crate) fn read(claims: &mut ClaimsReader<'_>) -> Result<Self, Refusal> {
        let events =
            OperatorEvents::read(claims.text("evt")?).ok_or(Refusal::Claims { claim: "evt" })?;
        let name = claims.text("sub")?.to_owned();
        if name.len() > MAX_NAME_BYTES {
            return Err(Refusal::Claims { claim: "sub" });
        }
        Ok(OperatorToken {
            name,
            role: OperatorRole::said(claims.text("scp")?)
                .ok_or(Refusal::Claims { claim: "scp" })?,
            events,
            issued_at: claims.number("iat")?,
            expires_at: claims.number("exp")?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_role_may_do_what_the_ones_before_it_may() {
        assert!(OPERATOR_ROLES.is_sorted());
        for role in OPERATOR_ROLES {
            assert_eq!(OperatorRole::named(role.name()), Some(role));
            assert_eq!(OperatorRole::said(role.name()), Some(role));
        }
        for (old, role) in [
            ("read", OperatorRole::View),
            ("write", OperatorRole::Configure),
        ] {
            assert_eq!(OperatorRole::said(old), Some(role));
            assert_eq!(OperatorRole::named(old), None, "{old} is written no more");
        }
        for nobody in ["", "View", "admin", "view,operate"] {
            assert_eq!(OperatorRole::said(nobody), None, "{nobody}");
        }
    }

    #[test]
    fn a_token_names_events_each_once_or_is_for_all_of_them() {
        let read = |claim: &str| OperatorEvents::read(claim);
        assert_eq!(read("*"), Some(OperatorEvents::Every));
        assert_eq!(read("tour"), Some(OperatorEvents::one("tour")));
        let two = read("tour,club-night").expect("two events");
        assert!(two.include("tour") && two.include("club-night"));
        assert!(!two.include("club") && !two.include("tour,club-night"));
        assert_eq!(two.claim(), "tour,club-night");
        for claim in ["", ",", "tour,", ",tour", "tour,tour", "tour,*", "*,*"] {
            assert_eq!(read(claim), None, "{claim:?}");
        }
        assert_eq!(read(&"e".repeat(MAX_NAME_BYTES + 1)), None);
        let many: Vec<String> = (0..64).map(|number| format!("event-{number}")).collect();
        assert_eq!(read(&many.join(",")), None, "too many bytes");
    }
}
