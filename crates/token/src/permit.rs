//! The permit: a signed leave to join, made by the edge without asking anybody.
//!
//! One permit is one place: whoever joins twice with it gets the same place. So it may outlive its `exp` for finding
//! that place again, and makes no new one then. Claims: `v iss evt run jti home iat exp chl arr?`.

use base64ct::{Base64UrlUnpadded, Encoding};

use crate::Refusal;
use crate::claims::{ClaimsReader, ClaimsWriter};

/// Bytes of the nonce that makes a place unique.
pub const NONCE_BYTES: usize = 16;

/// What a visitor has to do before joining.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Challenge {
    /// Nothing.
    None,
}

impl Challenge {
    fn name(self) -> &'static str {
        match self {
            Challenge::None => "none",
        }
    }

    fn named(name: &str) -> Option<Self> {
        [Challenge::None]
            .into_iter()
            .find(|challenge| challenge.name() == name)
    }
}

/// A signed leave to join.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Permit {
    /// Random; the identity of the place that is made with it. Claim `jti`, base64url.
    pub nonce: [u8; NONCE_BYTES],
    /// The shard that will hold the place.
    pub home: u16,
    /// Unix seconds.
    pub issued_at: u64,
    /// Unix seconds; from then on it finds its place again, and makes none.
    pub expires_at: u64,
    /// What has to be done first.
    pub challenge: Challenge,
    /// When the visitor first asked to join, in Unix seconds; set when the home could not be reached and the permit was
    /// signed anew, so that the wait counts.
    pub arrived_at: Option<u64>,
}

impl Permit {
    pub(crate) fn write(&self, claims: ClaimsWriter) -> ClaimsWriter {
        claims
            .text("jti", &nonce_text(&self.nonce))
            .number("home", self.home)
            .number("iat", self.issued_at)
            .number("exp", self.expires_at)
            .text("chl", self.challenge.name())
            .optional_number("arr", self.arrived_at)
    }

    pub(crate) fn read(claims: &mut ClaimsReader<'_>) -> Result<Self, Refusal> {
        Ok(Permit {
            nonce: read_nonce(claims)?,
            home: claims.number("home")?,
            issued_at: claims.number("iat")?,
            expires_at: claims.number("exp")?,
            challenge: Challenge::named(claims.text("chl")?)
                .ok_or(Refusal::Claims { claim: "chl" })?,
            arrived_at: claims.optional_number("arr")?,
        })
    }
}

pub(crate) fn nonce_text(nonce: &[u8; NONCE_BYTES]) -> String {
    Base64UrlUnpadded::encode_string(nonce)
}

pub(crate) fn read_nonce(claims: &mut ClaimsReader<'_>) -> Result<[u8; NONCE_BYTES], Refusal> {
    let mut nonce = [0; NONCE_BYTES];
    match Base64UrlUnpadded::decode(claims.text("jti")?, &mut nonce) {
        Ok(decoded) if decoded.len() == NONCE_BYTES => Ok(nonce),
        _ => Err(Refusal::Claims { claim: "jti" }),
    }
}
