//! The pass: the edge token of a running session, checked by the edge and by the origin.
//!
//! Claims: `v iss aud evt run jti iat exp sx`. `jti` names the session: home, index, and the generation that tells the
//! working browser from older ones. `sx` is the end of the session, `exp` the much nearer end of this pass.

use core::fmt;

use crate::Refusal;
use crate::claims::{ClaimsReader, ClaimsWriter, canonical_number};
use crate::permit::NONCE_BYTES;

/// How long a pass may outlive its session: one last pass for a form that was sent as the time ran out.
pub const LAST_PASS_SECONDS: u64 = 60;

/// The home that passes of staff name. No shard has it: their sessions belong to no place, and the edge alone renews them.
pub const STAFF_HOME: u16 = u16::MAX;

/// A session's identity, claim `jti`: `home.index.generation` in decimal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SessionId {
    /// The shard that holds the place.
    pub home: u16,
    /// The place's index at its home.
    pub index: u32,
    /// Which claim of this place it is; the newest is renewed.
    pub generation: u32,
}

impl SessionId {
    /// Nobody's: what a pass names while everything passes (mode `off`). Every visitor's pass is the same then, so nothing
    /// may be kept under it.
    pub const NONE: SessionId = SessionId {
        home: u16::MAX,
        index: u32::MAX,
        generation: 0,
    };

    /// No session: what goes with the request of a crawler that may look at the shop. Only the origin sees such a pass;
    /// whoever else brings one has none.
    pub const CRAWLER: SessionId = SessionId {
        home: u16::MAX,
        index: u32::MAX,
        generation: 1,
    };

    /// The session of a staff token: index and generation are taken from the token's random id, the index below 2^31, so
    /// that it is never [`SessionId::NONE`] or [`SessionId::CRAWLER`].
    pub(crate) fn staff(id: [u8; NONCE_BYTES]) -> Self {
        let number =
            |at: usize| u32::from_be_bytes(id[at..at + 4].try_into().expect("an id has 16 bytes"));
        SessionId {
            home: STAFF_HOME,
            index: number(0) >> 1,
            generation: number(4),
        }
    }

    /// Whether it is the session of a staff token.
    pub fn is_staff(self) -> bool {
        self.home == STAFF_HOME && ![SessionId::NONE, SessionId::CRAWLER].contains(&self)
    }

    /// Reads `home.index.generation`; numbers have no leading zeros.
    pub fn parse(text: &str) -> Option<Self> {
        let mut numbers = text.split('.').map(canonical_number);
        let mut next = || numbers.next().flatten();
        let (home, index, generation) = (next()?, next()?, next()?);
        if numbers.next().is_some() {
            return None;
        }
        Some(SessionId {
            home: home.try_into().ok()?,
            index: index.try_into().ok()?,
            generation: generation.try_into().ok()?,
        })
    }
}

impl fmt::Display for SessionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.home, self.index, self.generation)
    }
}

/// What the edge signs for an admitted visitor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pass {
    /// Claim `jti`.
    pub session: SessionId,
    /// Unix seconds.
    pub issued_at: u64,
    /// Unix seconds. Sealing lowers it to `session_ends_at` + [`LAST_PASS_SECONDS`] where it lies beyond.
    pub expires_at: u64,
    /// The end of the session in Unix seconds, claim `sx`.
    pub session_ends_at: u64,
}

impl Pass {
    pub(crate) fn write(&self, claims: ClaimsWriter) -> ClaimsWriter {
        claims
            .text("jti", &self.session.to_string())
            .number("iat", self.issued_at)
            .number(
                "exp",
                self.expires_at
                    .min(self.session_ends_at.saturating_add(LAST_PASS_SECONDS)),
            )
            .number("sx", self.session_ends_at)
    }

    pub(crate) fn read(claims: &mut ClaimsReader<'_>) -> Result<Self, Refusal> {
        let pass = Pass {
            session: SessionId::parse(claims.text("jti")?)
                .ok_or(Refusal::Claims { claim: "jti" })?,
            issued_at: claims.number("iat")?,
            expires_at: claims.number("exp")?,
            session_ends_at: claims.number("sx")?,
        };
        if pass.expires_at > pass.session_ends_at + LAST_PASS_SECONDS {
            return Err(Refusal::Claims { claim: "sx" });
        }
        Ok(pass)
    }
}
