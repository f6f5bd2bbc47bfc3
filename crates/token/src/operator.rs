//! The operator token: what a person or a program steers an event with.
//!
//! Claims: `v iss evt sub scp iat exp`. It belongs to one event, or to all of a deployment with `evt` = `*`, and not to
//! a run: who starts a new run keeps the token.

use crate::Refusal;
use crate::claims::{ClaimsReader, ClaimsWriter, MAX_NAME_BYTES};

/// `evt` of a token that holds for every event.
pub const EVERY_EVENT: &str = "*";

/// What an operator may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum OperatorScope {
    /// See.
    Read,
    /// See and change.
    Write,
}

impl OperatorScope {
    /// The claim `scp`.
    pub fn name(self) -> &'static str {
        match self {
            OperatorScope::Read => "read",
            OperatorScope::Write => "write",
        }
    }

    /// The scope of that name.
    pub fn named(name: &str) -> Option<Self> {
        [OperatorScope::Read, OperatorScope::Write]
            .into_iter()
            .find(|scope| scope.name() == name)
    }
}

/// What an operator steers with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OperatorToken {
    /// Who it is, claim `sub`: 1 to 64 bytes of plain ASCII without `"` and `\`.
    pub name: String,
    /// What they may do.
    pub scope: OperatorScope,
    /// Whether it holds for every event of the deployment.
    pub every_event: bool,
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
        claims
            .text("sub", &self.name)
            .text("scp", self.scope.name())
            .number("iat", self.issued_at)
            .number("exp", self.expires_at)
    }

    pub(crate) fn read(claims: &mut ClaimsReader<'_>, every_event: bool) -> Result<Self, Refusal> {
        let name = claims.text("sub")?.to_owned();
        if name.len() > MAX_NAME_BYTES {
            return Err(Refusal::Claims { claim: "sub" });
        }
        Ok(OperatorToken {
            name,
            scope: OperatorScope::named(claims.text("scp")?)
                .ok_or(Refusal::Claims { claim: "scp" })?,
            every_event,
            issued_at: claims.number("iat")?,
            expires_at: claims.number("exp")?,
        })
    }
}
