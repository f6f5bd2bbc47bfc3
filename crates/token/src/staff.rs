//! The staff token: a look at the shop before the sale, for somebody of the organizer.
//!
//! A link carries it, a button spends it for a pass that the edge renews by itself until the token's end. It may be
//! opened more than once and by more than one person; it is short-lived and logged with its name. Claims:
//! `v iss evt run jti name iat exp`.

use crate::claims::{ClaimsReader, ClaimsWriter, MAX_NAME_BYTES};
use crate::permit::{NONCE_BYTES, nonce_text, read_nonce};
use crate::{Pass, Refusal, SessionId};

/// The longest life of a staff token, in minutes: a rehearsal, not a key to the shop.
pub const MAX_STAFF_MINUTES: u64 = 240;

/// A look at the shop before the sale.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StaffToken {
    /// Random. Claim `jti`, base64url.
    pub id: [u8; NONCE_BYTES],
    /// Whom it is for, claim `name`: 1 to 64 bytes of plain ASCII without `"` and `\`.
    pub name: String,
    /// Unix seconds.
    pub issued_at: u64,
    /// Unix seconds; the end of its session.
    pub expires_at: u64,
}

impl StaffToken {
    /// The pass of its session, the same session whenever it is asked for: the first one and every renewal.
    pub fn pass(&self, now: u64, pass_seconds: u64) -> Pass {
        Pass {
            session: SessionId::staff(self.id),
            issued_at: now,
            expires_at: now.saturating_add(pass_seconds).min(self.expires_at),
            session_ends_at: self.expires_at,
        }
    }

    pub(crate) fn write(&self, claims: ClaimsWriter) -> ClaimsWriter {
        assert!(
            self.name.len() <= MAX_NAME_BYTES,
            "a name has up to {MAX_NAME_BYTES} bytes"
        );
        claims
            .text("jti", &nonce_text(&self.id))
            .text("name", &self.name)
            .number("iat", self.issued_at)
            .number("exp", self.expires_at)
    }

    pub(crate) fn read(claims: &mut ClaimsReader<'_>) -> Result<Self, Refusal> {
        let id = read_nonce(claims)?;
        let name = claims.text("name")?.to_owned();
        if name.len() > MAX_NAME_BYTES {
            return Err(Refusal::Claims { claim: "name" });
        }
        Ok(StaffToken {
            id,
            name,
            issued_at: claims.number("iat")?,
            expires_at: claims.number("exp")?,
        })
    }
}
